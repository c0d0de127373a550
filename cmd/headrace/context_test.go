package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// without is a client whose environment names no server, only a file of contexts.
func without(t *testing.T) client {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	return client{t, ""}
}

func TestContextsNameTheServerOfACommand(t *testing.T) {
	_, one := start(t)
	_, two := start(t)
	one.ok("topic", "create", "of-one")
	two.ok("topic", "create", "of-two")
	c := without(t)
	c.ok("context", "set", "one", "--addr", one.addr)
	c.ok("context", "set", "two", "--addr", two.addr)
	topics := func(args ...string) string { return c.ok(append([]string{"topic", "ls", "-o", "jsonl"}, args...)...) }
	if got := topics(); !strings.Contains(got, "of-one") {
		t.Errorf("the first context is not the current one: %s", got)
	}
	if got := topics("--context", "two"); !strings.Contains(got, "of-two") {
		t.Errorf("--context two: %s", got)
	}
	named := c.command("topic", "ls", "-o", "jsonl")
	named.Env = append(named.Env, "HEADRACE_CONTEXT=two")
	if got, err := named.Output(); err != nil || !strings.Contains(string(got), "of-two") {
		t.Errorf("HEADRACE_CONTEXT=two: %v, %s", err, got)
	}
	c.ok("context", "use", "two")
	if got := topics(); !strings.Contains(got, "of-two") {
		t.Errorf("after use two: %s", got)
	}
	if got := topics("--addr", one.addr, "--context", "two"); !strings.Contains(got, "of-one") {
		t.Errorf("--addr goes before --context: %s", got)
	}
	if got := one.ok("topic", "ls", "-o", "jsonl"); !strings.Contains(got, "of-one") {
		t.Errorf("HEADRACE_ADDR goes before the current context: %s", got)
	}
	c.refused(2, `there is no context of this name: "three"`, "topic", "ls", "--context", "three")
	c.ok("context", "rm", "two")
	if got := c.ok("context", "ls"); !strings.HasPrefix(got, "NAME") || strings.Contains(got, "two") {
		t.Errorf("after rm: %s", got)
	}
	c.refused(1, "there is no context of this name", "context", "use", "two")
	c.refused(2, "is not host:port", "context", "set", "bad", "--addr", "nowhere")
}

func TestCompletionKnowsWhatTheServerHas(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("topic", "create", "audit/orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("snapshot", "create", "before", "--sub", "billing")
	for line, want := range map[string]string{
		"topic info ":           "audit/orders orders",
		"topic rm orders ":      "audit/orders",
		"topic create ":         "",
		"pub ":                  "audit/orders orders",
		"sub seek ":             "billing",
		"sub info billing ":     "",
		"peek ":                 "billing",
		"snapshot rm ":          "before",
		"sub create x --topic ": "audit/orders orders",
		"tail --sub ":           "billing",
		"topic ls -o ":          "json jsonl table yaml",
	} {
		out := c.ok(append([]string{"__complete"}, strings.Split(line, " ")...)...)
		names := strings.Fields(out[:strings.LastIndex(out, ":")])
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q completes to %q, want %q", line, got, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := c.ok("completion", shell); !strings.Contains(got, "headrace") {
			t.Errorf("completion for %s: %q", shell, got)
		}
	}
}

func TestConfigIsCheckedPrintedAndWritten(t *testing.T) {
	c := without(t)
	file := filepath.Join(t.TempDir(), "headrace.yaml")
	writeFile(t, file, c.ok("config", "template", "--max-topics", "7"))
	c.ok("config", "check", "--config", file)
	printed := c.ok("config", "print", "--config", file, "--drain-timeout", "7s", "-o", "yaml")
	for _, want := range []string{
		"- key: max_topics\n  value: \"7\"\n  from: " + file,
		"- key: drain_timeout\n  value: 7s\n  from: the command line",
		"- key: listen\n  value: 127.0.0.1:7070\n  from: default",
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("no %q in\n%s", want, printed)
		}
	}
	writeFile(t, file, "colour: red\n")
	c.refused(2, `unknown key "colour"`, "config", "check", "--config", file)
	c.refused(2, "loopback", "config", "check", "--testing", "--insecure", "--listen", "0.0.0.0:1")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
