package page

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteReplacesOnePlace: and leaves the rest.
func TestWriteReplacesOnePlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	text := "one\n<!-- a -->\nold\n<!-- /a -->\ntwo\n<!-- b -->\n<!-- /b -->\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Write(path, "a", "new\n"), Write(path, "b", "more\n")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "one\n<!-- a -->\nnew\n<!-- /a -->\ntwo\n<!-- b -->\nmore\n<!-- /b -->\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if err := Write(path, "c", ""); !errors.Is(err, errNoPlace) {
		t.Errorf("a place that is not there: %v", err)
	}
}
