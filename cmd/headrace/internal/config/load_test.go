package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
)

// sources builds the three sources from their texts.
func sources(t *testing.T, yaml string, environ []string, args ...string) config.Sources {
	t.Helper()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.DefineFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	s := config.Sources{Environ: func() []string { return environ }, Flags: flags}
	if yaml != "" {
		s.File = filepath.Join(t.TempDir(), "headrace.yaml")
		if err := os.WriteFile(s.File, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestLoadWithoutSourcesIsTheDefault(t *testing.T) {
	got, err := config.Load(sources(t, "", nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(config.Default(), got); d != "" {
		t.Error(d)
	}
}

func TestFlagGoesBeforeEnvironmentBeforeFile(t *testing.T) {
	yaml := "dir: from-file\ndrain_timeout: 1s\nmax_message_bytes: 2MiB\ninsecure: true\n"
	environ := []string{"HEADRACE_SERVER_DIR=from-env", "HEADRACE_SERVER_DRAIN_TIMEOUT=2s", "OTHER=1"}
	got, err := config.Load(sources(t, yaml, environ, "--dir=from-flag"))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Dir, want.DrainTimeout, want.MaxMessageBytes, want.Insecure = "from-flag", 2*time.Second, 2<<20, true
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestFlagThatRepeatsTheDefaultStillWins(t *testing.T) {
	got, err := config.Load(sources(t, "log_level: debug\n", nil, "--log-level=info"))
	if err != nil {
		t.Fatal(err)
	}
	if got.LogLevel != "info" {
		t.Errorf("log_level is %q", got.LogLevel)
	}
}

func TestPlainNumberIsBytes(t *testing.T) {
	got, err := config.Load(sources(t, "outbound_memory: 1048576\n", nil))
	if err != nil {
		t.Fatal(err)
	}
	if got.OutboundMemory != 1<<20 {
		t.Errorf("outbound_memory is %d", got.OutboundMemory)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		yaml    string
		environ []string
		args    []string
		says    string
	}{
		"an unknown key of the file":     {yaml: "dri: x\n", says: `headrace.yaml: unknown key "dri"`},
		"a nested key of the file":       {yaml: "dir:\n  path: x\n", says: `unknown key "dir.path"`},
		"an unknown variable":            {environ: []string{"HEADRACE_SERVER_DRI=x"}, says: `the environment: unknown key "HEADRACE_SERVER_DRI"`},
		"what is no duration":            {environ: []string{"HEADRACE_SERVER_DRAIN_TIMEOUT=soon"}, says: "drain_timeout"},
		"what is no size":                {yaml: "tail_memory: big\n", says: "not a size"},
		"an unknown level":               {args: []string{"--log-level=loud"}, says: "log_level"},
		"an address without port":        {args: []string{"--listen=localhost"}, says: "not host:port"},
		"an address open to the network": {args: []string{"--listen=0.0.0.0:7070"}, says: "insecure"},
		"every interface":                {args: []string{"--listen=:7070"}, says: "insecure"},
		"metrics open to the network":    {args: []string{"--ops-listen=10.0.0.1:1"}, says: "insecure"},
		"messages beyond the contract":   {args: []string{"--max-message-bytes=33MiB"}, says: "max_message_bytes"},
		"no time to drain":               {args: []string{"--drain-timeout=0s"}, says: "drain_timeout"},
		"a high mark without room":       {args: []string{"--disk-high-mark=63MiB"}, says: "disk_high_mark: 63MiB is below 64MiB"},
		"a low mark without room":        {args: []string{"--disk-low-mark=63MiB"}, says: "disk_low_mark"},
		"marks the wrong way round":      {args: []string{"--disk-high-mark=100MiB", "--disk-low-mark=200MiB"}, says: "disk_low_mark"},
		"an empty directory":             {args: []string{"--dir="}, says: "dir"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(sources(t, c.yaml, c.environ, c.args...))
			if err == nil {
				t.Fatal("it was taken")
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
		})
	}
}

func TestInsecureAllowsTheNetwork(t *testing.T) {
	if _, err := config.Load(sources(t, "", nil, "--listen=0.0.0.0:7070", "--insecure")); err != nil {
		t.Fatal(err)
	}
}

func TestMissingFileIsAnError(t *testing.T) {
	s := sources(t, "", nil)
	s.File = filepath.Join(t.TempDir(), "absent.yaml")
	if _, err := config.Load(s); err == nil {
		t.Fatal("it was taken")
	}
}
