package headrace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// publicDirs are the packages that a Go program sees.
var publicDirs = []string{".", "headraceotel", "../../server/servertest"}

// Every public name says what it is, fields and the methods of interfaces too.
func TestEveryPublicNameIsDocumented(t *testing.T) {
	for _, dir := range publicDirs {
		names := 0
		for _, file := range sources(t, dir) {
			for _, d := range file.Decls {
				declared(d, func(name string, docs ...*ast.CommentGroup) {
					names++
					for _, doc := range docs {
						if strings.TrimSpace(doc.Text()) != "" {
							return
						}
					}
					t.Errorf("%s: %s has no comment", dir, name)
				})
			}
		}
		if names == 0 {
			t.Errorf("%s: there are no public names", dir)
		}
	}
}

// sources are the files of a package, without its tests.
func sources(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// declared calls each with every public name of a declaration, and with the comments of
// which one is to say what it is.
func declared(d ast.Decl, each func(name string, docs ...*ast.CommentGroup)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiverOf(d))) {
			each(strings.TrimPrefix(receiverOf(d)+"."+d.Name.Name, "."), d.Doc)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				doc := s.Doc
				if !d.Lparen.IsValid() {
					doc = d.Doc // It stands alone.
				}
				fields(&ast.Field{Names: s.Names, Doc: doc, Comment: s.Comment}, "", each)
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					each(s.Name.Name, s.Doc, d.Doc)
					members(s, each)
				}
			}
		}
	}
}

// receiverOf is the name of the type that a method belongs to; empty for a function.
func receiverOf(d *ast.FuncDecl) (name string) {
	if d.Recv == nil {
		return ""
	}
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// members are the fields of a struct, and the methods of an interface.
func members(s *ast.TypeSpec, each func(name string, docs ...*ast.CommentGroup)) {
	var list *ast.FieldList
	switch of := s.Type.(type) {
	case *ast.StructType:
		list = of.Fields
	case *ast.InterfaceType:
		list = of.Methods
	default:
		return
	}
	for _, f := range list.List {
		fields(f, s.Name.Name+".", each)
	}
}

// fields are the public names of one line.
func fields(f *ast.Field, prefix string, each func(name string, docs ...*ast.CommentGroup)) {
	for _, name := range f.Names {
		if name.IsExported() {
			each(prefix+name.Name, f.Doc, f.Comment)
		}
	}
}
