package contexts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// ErrNotFound is returned when no context has a name.
var ErrNotFound = errors.New("there is no context of this name")

const (
	// fileMode and dirMode keep a person's servers that person's business.
	fileMode = 0o600
	dirMode  = 0o700
)

// Context is a server and how to reach it.
type Context struct {
	// Addr is the server's host:port.
	Addr string `yaml:"addr"`
}

// Book is every context that there is.
type Book struct {
	// Current is the context that counts when none is named; empty: none.
	Current string `yaml:"current,omitempty"`
	// Contexts are those that there are, by their names.
	Contexts map[string]Context `yaml:"contexts"`
}

// Load reads a file; one that is not there is an empty book.
func Load(path string) (Book, error) {
	book := Book{Contexts: map[string]Context{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return book, nil
	}
	if err != nil {
		return book, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&book); err != nil && !errors.Is(err, io.EOF) {
		return book, fmt.Errorf("%s: %w", path, err)
	}
	if err := book.validate(); err != nil {
		return book, fmt.Errorf("%s: %w", path, err)
	}
	return book, nil
}

func (b Book) validate() error {
	for name, c := range b.Contexts {
		if err := c.Validate(); err != nil {
			return fmt.Errorf("context %q: %w", name, err)
		}
	}
	if _, found := b.Contexts[b.Current]; b.Current != "" && !found {
		return fmt.Errorf("current: %w: %q", ErrNotFound, b.Current)
	}
	return nil
}

// Validate says what is wrong with a context.
func (c Context) Validate() error {
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return fmt.Errorf("addr: %q is not host:port", c.Addr)
	}
	return nil
}

// Get is the context of a name. Errors: ErrNotFound.
func (b Book) Get(name string) (Context, error) {
	c, found := b.Contexts[name]
	if !found {
		return c, fmt.Errorf("%w: %q", ErrNotFound, name)
	}
	return c, nil
}

// Set adds a context, or changes it. The first one is current.
func (b *Book) Set(name string, c Context) {
	if b.Contexts == nil {
		b.Contexts = map[string]Context{}
	}
	if len(b.Contexts) == 0 {
		b.Current = name
	}
	b.Contexts[name] = c
}

// Use makes a context the current one. Errors: ErrNotFound.
func (b *Book) Use(name string) error {
	if _, err := b.Get(name); err != nil {
		return err
	}
	b.Current = name
	return nil
}

// Remove removes a context; none is current after the current one. Errors: ErrNotFound.
func (b *Book) Remove(name string) error {
	if _, err := b.Get(name); err != nil {
		return err
	}
	delete(b.Contexts, name)
	if b.Current == name {
		b.Current = ""
	}
	return nil
}

// Save writes the book in place of what the file has.
func (b Book) Save(path string) (err error) {
	text, err := yaml.Marshal(b)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(fileMode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
