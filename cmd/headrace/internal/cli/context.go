package cli

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/contexts"
	"github.com/headrace/headrace/cmd/headrace/internal/output"
)

const (
	// contextVariable names the context of client commands.
	contextVariable = "HEADRACE_CONTEXT"
	// contextsVariable names the file of contexts.
	contextsVariable = "HEADRACE_CONTEXTS"
)

// contextView is a context as the command line shows it.
type contextView struct {
	Name    string `json:"name"`
	Addr    string `json:"addr"`
	Current bool   `json:"current"`
}

var contextColumns = []output.Column[contextView]{
	{Head: "NAME", Cell: func(v contextView) string { return v.Name }},
	{Head: "ADDR", Cell: func(v contextView) string { return v.Addr }},
	{Head: "CURRENT", Cell: func(v contextView) string { return strconv.FormatBool(v.Current) }},
}

func (a *App) context() *cobra.Command {
	c := &cobra.Command{
		Use:   "context",
		Short: "Name the servers you work with, and choose one",
		Long: "Name the servers you work with, and choose one. A client command finds its server by\n" +
			"--addr, else --context, else $" + addrVariable + ", else $" + contextVariable + ", else the current context,\n" +
			"else " + defaultAddr + ".\n\n" +
			"Contexts are kept in the file $" + contextsVariable + ", else headrace/contexts.yaml in the\n" +
			"directory for a person's configuration.",
	}
	c.AddCommand(a.contextList(), a.contextSet(), a.contextUse(), a.contextRemove())
	return c
}

func (a *App) contextList() *cobra.Command {
	c := &cobra.Command{Use: "ls", Aliases: []string{"list"}, Short: "List contexts"}
	c.RunE = func(*cobra.Command, []string) error {
		book, err := a.contexts()
		if err != nil {
			return err
		}
		var views []contextView
		for _, name := range slices.Sorted(maps.Keys(book.Contexts)) {
			views = append(views, viewContext(book, name))
		}
		return output.List(a.printer(), views, contextColumns)
	}
	return c
}

func (a *App) contextSet() *cobra.Command {
	var set contexts.Context
	c := &cobra.Command{
		Use: "set NAME --addr ADDR", Args: cobra.ExactArgs(1),
		Short: "Add a context, or change it; the first one is current",
	}
	c.Flags().StringVar(&set.Addr, "addr", "", "the server's host:port")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := set.Validate(); err != nil {
			return usageError{err}
		}
		return a.changeContexts(args[0], func(b *contexts.Book) error { b.Set(args[0], set); return nil })
	}
	return c
}

func (a *App) contextUse() *cobra.Command {
	c := &cobra.Command{Use: "use NAME", Short: "Make a context the current one", Args: cobra.ExactArgs(1)}
	c.RunE = func(_ *cobra.Command, args []string) error {
		return a.changeContexts(args[0], func(b *contexts.Book) error { return b.Use(args[0]) })
	}
	return c
}

func (a *App) contextRemove() *cobra.Command {
	c := &cobra.Command{
		Use: "rm NAME", Aliases: []string{"remove"}, Short: "Remove a context; the server stays as it is", Args: cobra.ExactArgs(1),
	}
	c.RunE = func(_ *cobra.Command, args []string) error {
		book, err := a.contexts()
		if err != nil {
			return err
		}
		removed := viewContext(book, args[0])
		if err := book.Remove(args[0]); err != nil {
			return err
		}
		if err := a.saveContexts(book); err != nil {
			return err
		}
		return output.One(a.printer(), removed, contextColumns)
	}
	return c
}

// changeContexts changes the file, and shows the context that it was about.
func (a *App) changeContexts(name string, change func(*contexts.Book) error) error {
	book, err := a.contexts()
	if err != nil {
		return err
	}
	if err := change(&book); err != nil {
		return err
	}
	if err := a.saveContexts(book); err != nil {
		return err
	}
	return output.One(a.printer(), viewContext(book, name), contextColumns)
}

func viewContext(book contexts.Book, name string) contextView {
	return contextView{Name: name, Addr: book.Contexts[name].Addr, Current: name == book.Current}
}

// contexts reads the file of contexts.
func (a *App) contexts() (contexts.Book, error) {
	path, err := a.contextsFile()
	if err != nil { // then nobody can have saved one
		return contexts.Book{}, nil //nolint:nilerr // as said
	}
	return contexts.Load(path)
}

func (a *App) saveContexts(book contexts.Book) error {
	path, err := a.contextsFile()
	if err != nil {
		return err
	}
	return book.Save(path)
}

// contextsFile is where contexts are kept.
func (a *App) contextsFile() (string, error) {
	if path := a.variable(contextsVariable); path != "" {
		return path, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "headrace", "contexts.yaml"), nil
}

// chosenContext is the address of the context that was named, or of the current one;
// empty without either.
func (a *App) chosenContext(named string) (string, error) {
	book, err := a.contexts()
	if err != nil {
		return "", err
	}
	name := cmp.Or(named, book.Current)
	if name == "" {
		return "", nil
	}
	chosen, err := book.Get(name)
	if err != nil {
		return "", usageError{err}
	}
	return chosen.Addr, nil
}
