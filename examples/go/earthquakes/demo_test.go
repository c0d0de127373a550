package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// goAlone are the subscriptions whose services are in Go.
var goAlone = whole.in(func(language string) bool { return language == goLanguage }).subscriptions()

// row is a line of the demo's table.
type row struct{ published, delivered, redelivered, acked, backlog int }

// TestDemo runs the demo as its users do, and then spoils what it left behind:
// the same checks must see it.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	server, demo := build(t, "github.com/headrace/headrace/cmd/headrace"), build(t, ".")
	command := exec.Command(demo, "--languages", "go", "--headrace", server, "--dir", dir, "--input", "../../data/earthquakes.jsonl")
	var out, talk bytes.Buffer
	command.Stdout, command.Stderr = &out, &talk
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s\n%s", err, out.String(), talk.String(), logs(dir))
	}
	rows := parseTable(t, out.String())
	for _, name := range goAlone {
		if r := rows[name]; r.published != 1707 || r.acked != 1707 || r.backlog != 0 || r.delivered != r.acked+r.redelivered {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if rows[alertingSub].redelivered != 0 || rows[archiveSub].redelivered != 0 {
		t.Errorf("without a fault something came twice: %+v", rows)
	}
	if rows[indexSub].redelivered == 0 {
		t.Error("the killed worker left nothing behind")
	}
	for _, want := range []string{"alerting printed 128 alerts", "Every service got every event"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
	if !strings.Contains(talk.String(), "killed worker-1 after it acked") {
		t.Errorf("nobody was killed:\n%s", talk.String())
	}
	spoil(t, dir, rows)
}

// spoil changes one byte, and then takes one line, of the real files.
func spoil(t *testing.T, dir string, rows map[string]row) {
	t.Helper()
	path := filepath.Join(dir, "archiver.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if failed := checkAgain(t, dir, rows); len(failed) != 0 {
		t.Errorf("as they are: %q", failed)
	}
	for what, spoilt := range map[string][]byte{
		"a changed byte": append([]byte("["), whole[1:]...),
		"a missing line": whole[bytes.IndexByte(whole, '\n')+1:],
	} {
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		if failed := checkAgain(t, dir, rows); len(failed) == 0 {
			t.Errorf("%s went unseen", what)
		}
	}
}

// checkAgain runs the demo's checks on the files of a run and the figures of its
// table.
func checkAgain(t *testing.T, dir string, rows map[string]row) []string {
	t.Helper()
	input, err := os.ReadFile("../../data/earthquakes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	d, o := &demo{dir: dir, input: input}, outcome{}
	for _, name := range goAlone {
		r := rows[name]
		o.subs = append(o.subs, subOutcome{
			name: name, services: whole.of(name), published: uint64(r.published), delivered: uint64(r.delivered),
			redelivered: uint64(r.redelivered), acked: uint64(r.acked), backlog: uint64(r.backlog),
		})
	}
	if err := d.readFiles(&o); err != nil {
		t.Fatal(err)
	}
	return check(o)
}

var tableRow = regexp.MustCompile(`(?m)^\s*(\w+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)(?:\s+[\d.]+ ms){4}`)

func parseTable(t *testing.T, text string) map[string]row {
	t.Helper()
	rows := map[string]row{}
	for _, m := range tableRow.FindAllStringSubmatch(text, -1) {
		var n [5]int
		for i := range n {
			var err error
			if n[i], err = strconv.Atoi(m[i+2]); err != nil {
				t.Fatal(err)
			}
		}
		rows[m[1]] = row{n[0], n[1], n[2], n[3], n[4]}
	}
	if len(rows) != len(goAlone) {
		t.Fatalf("not a table of %d rows:\n%s", len(goAlone), text)
	}
	return rows
}

// build compiles a command to a temporary place.
func build(t *testing.T, what string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "built")
	if out, err := exec.Command("go", "build", "-o", path, what).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// logs is what the demo's processes logged.
func logs(dir string) string {
	var all strings.Builder
	paths, _ := filepath.Glob(filepath.Join(dir, "*.log"))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		all.WriteString(filepath.Base(path) + ":\n" + string(text))
	}
	return all.String()
}
