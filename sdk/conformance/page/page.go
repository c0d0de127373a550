// Package page writes what a run found into a page of the documentation.
package page

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// errNoPlace is returned when a page has no place of a name.
var errNoPlace = errors.New("the page has no such place")

// Write replaces what stands between the lines <!-- name --> and <!-- /name -->.
func Write(path, name, text string) error {
	path = filepath.Clean(path)
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	before, rest, begins := strings.Cut(string(page), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return fmt.Errorf("%s: %w: %q", path, errNoPlace, name)
	}
	return os.WriteFile(path, []byte(before+begin+text+end+after), 0o644) //nolint:gosec // a page of the documentation
}
