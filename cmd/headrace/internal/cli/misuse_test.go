package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/headrace/headrace/cmd/headrace/internal/cli"
)

// result is what one command line did.
type result struct {
	code     int
	out, err string
}

// headrace runs a command line in this process: no terminal, no environment, no
// input.
func headrace(args ...string) result {
	var out, err bytes.Buffer
	app := &cli.App{Version: "v1.2.3", In: strings.NewReader(""), Out: &out, Err: &err, Environ: func() []string { return nil }}
	return result{cli.Main(app, args), out.String(), err.String()}
}

func TestMisuseIsExitCode2(t *testing.T) {
	for line, says := range map[string]string{
		"":                                     "headrace needs a command",
		"topic":                                "headrace topic needs a command",
		"frob":                                 `there is no command "headrace frob"`,
		"topic frob":                           `there is no command "headrace topic frob"`,
		"topic create":                         "accepts 1 arg(s)",
		"topic create a b":                     "accepts 1 arg(s)",
		"topic create a --partitions many":     "--partitions",
		"topic ls --frob":                      "unknown flag: --frob",
		"topic ls -o xml":                      "none of table, json, jsonl, yaml",
		"topic create abc --label x":           `label "x" is not key=value`,
		"topic edit abc":                       "nothing to change",
		"sub create abc":                       "--topic is missing",
		"sub create abc --topic t --mode x":    `there is no mode "x"`,
		"sub create abc --topic t --from soon": "none of latest, earliest",
		"sub edit abc":                         "nothing to change",
		"topic rm abc":                         "say --yes",
		"sub rm abc def":                       "say --yes",
		"pub":                                  "requires at least 1 arg(s)",
		"pub t a --file b":                     "not from both",
		"pub t a --key k --key-field f":        "not both",
		"pub t a --input xml":                  "neither lines nor jsonl",
		"tail":                                 "name a topic or give --sub",
		"tail t --sub s":                       "name a topic or give --sub",
		"bench":                                "headrace bench needs a command",
		"bench e2e --size 4":                   "size: 4 is below 8",
		"bench pub --in-flight 0":              "in-flight: 0 is below 1",
		"serve --frob":                         "unknown flag: --frob",
		"serve --log-level loud":               "log_level",
		"serve --listen 0.0.0.0:0":             "insecure",
		"serve extra":                          "unknown command",
		"dev --listen nowhere":                 "not host:port",
	} {
		t.Run(line, func(t *testing.T) {
			got := headrace(strings.Fields(line)...)
			if got.code != 2 || !strings.Contains(got.err, says) || got.out != "" {
				t.Errorf("exit code %d, %q on standard error, %q on standard output; want 2 and %q", got.code, got.err, got.out, says)
			}
			if !strings.Contains(got.err, "--help") {
				t.Errorf("%q does not say where to read on", got.err)
			}
		})
	}
}

func TestVersionIsTheStampedOne(t *testing.T) {
	if got := headrace("version"); got.code != 0 || !strings.HasPrefix(got.out, "headrace  v1.2.3\n") {
		t.Errorf("%+v", got)
	}
	if got := headrace("version", "-o", "json"); !strings.Contains(got.out, `"version": "v1.2.3"`) {
		t.Errorf("%+v", got)
	}
}

func TestHelpListsEveryCommand(t *testing.T) {
	got := headrace("--help")
	for _, name := range []string{"serve", "dev", "topic", "sub", "pub", "tail", "lag", "bench", "version", "completion"} {
		if !strings.Contains(got.out, "\n  "+name+" ") {
			t.Errorf("%s is missing:\n%s", name, got.out)
		}
	}
	if got.code != 0 {
		t.Errorf("exit code %d", got.code)
	}
}

func TestNoServerIsExitCode1AndSaysWhatToDo(t *testing.T) {
	got := headrace("topic", "ls", "--addr", "127.0.0.1:1")
	if got.code != 1 || !strings.Contains(got.err, "no server answers at 127.0.0.1:1") || !strings.Contains(got.err, "headrace dev") {
		t.Errorf("%+v", got)
	}
}
