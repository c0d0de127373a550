package contexts_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/cmd/headrace/internal/contexts"
)

func TestWhatIsSavedIsLoaded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "contexts.yaml")
	want := contexts.Book{}
	want.Set("staging", contexts.Context{Addr: "staging:7070"})
	want.Set("here", contexts.Context{Addr: "[::1]:7070"})
	for range 2 { // the second time it is there already
		if err := want.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := contexts.Load(path)
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	if got.Current != "staging" {
		t.Errorf("current is %q, want the first", got.Current)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNoFileIsAnEmptyBook(t *testing.T) {
	book, err := contexts.Load(filepath.Join(t.TempDir(), "none.yaml"))
	if err != nil || len(book.Contexts) != 0 || book.Current != "" {
		t.Errorf("%+v, %v", book, err)
	}
}

func TestFilesThatCannotBe(t *testing.T) {
	for text, says := range map[string]string{
		"contexts: {a: {addr: nowhere}}":            `context "a": addr: "nowhere" is not host:port`,
		"contexts: {a: {addr: 'a:1', colour: red}}": "colour",
		"current: b\ncontexts: {a: {addr: 'a:1'}}":  `current: there is no context of this name: "b"`,
		"contexts: [": "yaml",
		"contexts: {a: {addr: 'a:1'}}\ncontext: {b: {}}": "context",
	} {
		path := filepath.Join(t.TempDir(), "contexts.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := contexts.Load(path); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

func TestTheCurrentContextIsOneThatThereIs(t *testing.T) {
	var book contexts.Book
	book.Set("a", contexts.Context{Addr: "a:1"})
	if err := book.Use("b"); !errors.Is(err, contexts.ErrNotFound) || book.Current != "a" {
		t.Errorf("%v, current %q", err, book.Current)
	}
	if err := book.Remove("b"); !errors.Is(err, contexts.ErrNotFound) {
		t.Error(err)
	}
	if err := book.Remove("a"); err != nil || book.Current != "" {
		t.Errorf("%v, current %q", err, book.Current)
	}
}
