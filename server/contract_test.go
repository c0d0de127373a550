package server

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// contractDir is where the contract is.
const contractDir = "../proto/headrace/v1"

// contractEntry is a field, an enum value or a message of the contract with the
// comment above it, on one line.
type contractEntry struct {
	// name is relative to headrace.v1, as in notServedFields; an enum value stands
	// beside its enum, as in Protobuf.
	name, comment string
	isMessage     bool
}

var (
	beginsBlock = regexp.MustCompile(`^(message|enum|service|oneof|rpc) ?(\w*).*\{$`)
	isField     = regexp.MustCompile(`^(?:optional |repeated )?(?:map<[^>]+>|[\w.]+) (\w+) = \d+;$`)
	isValue     = regexp.MustCompile(`^([A-Z0-9_]+) = \d+;$`)
)

// readContract reads what a file of the contract says.
func readContract(t *testing.T, file string) (entries []contractEntry) {
	t.Helper()
	f, err := os.Open(filepath.Join(contractDir, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := contractReader{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if e, ok := r.line(strings.TrimSpace(lines.Text())); ok {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		t.Fatalf("%s has no entries: the reader is wrong", file)
	}
	return entries
}

// contractReader follows the blocks of a contract's file.
type contractReader struct {
	// blocks are the open blocks' names; a oneof has none.
	blocks  []string
	comment []string
}

func (r *contractReader) line(text string) (e contractEntry, ok bool) {
	if comment, found := strings.CutPrefix(text, "//"); found {
		r.comment = append(r.comment, strings.TrimSpace(comment))
		return e, false
	}
	e.comment = strings.Join(r.comment, " ")
	r.comment = nil
	if m := beginsBlock.FindStringSubmatch(text); m != nil {
		e.name, e.isMessage = r.path(m[2]), true
		if m[1] == "oneof" || m[1] == "enum" {
			m[2] = ""
		}
		r.blocks = append(r.blocks, m[2])
		return e, m[1] == "message"
	}
	if text == "}" {
		r.blocks = r.blocks[:len(r.blocks)-1]
	}
	if m := isValue.FindStringSubmatch(text); m != nil {
		e.name = r.path(m[1])
		return e, true
	}
	if m := isField.FindStringSubmatch(text); m != nil {
		e.name = r.path(m[1])
		return e, true
	}
	return e, false
}

func (r *contractReader) path(name string) string {
	var parts []string
	for _, b := range append(r.blocks, name) {
		if b != "" {
			parts = append(parts, b)
		}
	}
	return strings.Join(parts, ".")
}
