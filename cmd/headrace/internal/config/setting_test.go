package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
)

// threeSources set one key each: a file, the environment, a flag.
func threeSources(t *testing.T) config.Sources {
	t.Helper()
	path := filepath.Join(t.TempDir(), "headrace.yaml")
	if err := os.WriteFile(path, []byte("max_topics: 7\nmax_sessions: 8\ndir: 'a: b'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.DefineFlags(flags)
	if err := flags.Parse([]string{"--drain-timeout", "7s", "--max-sessions", "9"}); err != nil {
		t.Fatal(err)
	}
	environ := func() []string { return []string{"HEADRACE_SERVER_TAIL_MEMORY=1MiB"} }
	return config.Sources{File: path, Environ: environ, Flags: flags}
}

func TestSettingsSayWhereEachValueComesFrom(t *testing.T) {
	sources := threeSources(t)
	settings, err := config.Settings(sources)
	if err != nil || len(settings) != len(config.Keys()) {
		t.Fatalf("%d settings, %v", len(settings), err)
	}
	want := map[string][2]string{
		"max_topics":    {"7", sources.File},
		"max_sessions":  {"9", "the command line"},
		"drain_timeout": {"7s", "the command line"},
		"tail_memory":   {"1MiB", "the environment"},
		"listen":        {"127.0.0.1:7070", "default"},
	}
	for _, s := range settings {
		if w, ok := want[s.Name]; ok && w != [2]string{s.Value, s.From} {
			t.Errorf("%s = %s from %s, want %v", s.Name, s.Value, s.From, w)
		}
	}
}

// What is written is read back to the same configuration, although what has its
// default is commented out.
func TestWrittenFileIsReadBack(t *testing.T) {
	sources := threeSources(t)
	want, err := config.Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := config.Settings(sources)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := config.WriteFile(&text, settings); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "written.yaml")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	none := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.DefineFlags(none)
	got, err := config.Load(config.Sources{File: path, Environ: func() []string { return nil }, Flags: none})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	if got.Dir != want.Dir || got.DrainTimeout != 7*time.Second || got.MaxTopics != want.MaxTopics || got.TailMemory != want.TailMemory {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !strings.Contains(text.String(), "\n#listen: 127.0.0.1:7070\n") {
		t.Errorf("a default is not commented out:\n%s", text.String())
	}
}

func TestSettingsRefuseWhatAServerCannotRunWith(t *testing.T) {
	sources := threeSources(t)
	sources.Environ = func() []string { return []string{"HEADRACE_SERVER_COLOUR=red"} }
	if _, err := config.Settings(sources); err == nil || !strings.Contains(err.Error(), "HEADRACE_SERVER_COLOUR") {
		t.Error(err)
	}
}
