// Command conformance plays the scenarios of package scenarios in each language, prints
// which one passes where, and writes that down.
//
//	go run ./sdk/conformance -server bin/headrace -driver go=path -driver python="python3 driver.py"
//
// tools/conformance builds what it needs and calls it; `make conformance` calls that.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/headrace/headrace/sdk/conformance/page"
	"github.com/headrace/headrace/sdk/conformance/scenario"
	"github.com/headrace/headrace/sdk/conformance/scenarios"
	"github.com/headrace/headrace/sdk/conformance/stage"
)

// together is how many scenarios are played at the same time: they wait, mostly.
const together = 4

func main() {
	failed, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
	}
	if err != nil || failed {
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	server, only, write, keep string
	long                      bool
	together                  int
	languages                 []stage.Language
}

func run(args []string, out io.Writer) (failed bool, err error) {
	o := options{}
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.StringVar(&o.server, "server", "bin/headrace", "the server's binary")
	flags.StringVar(&o.only, "run", "", "a regular expression: the scenarios to play")
	flags.StringVar(&o.write, "write", "", "the page whose matrix is to be written anew")
	flags.StringVar(&o.keep, "keep", "", "a directory to keep logs and histories in; default: none is kept")
	flags.BoolVar(&o.long, "long", false, "play the long scenarios too")
	flags.IntVar(&o.together, "together", together, "how many scenarios are played at the same time")
	flags.Func("driver", "language=command; once for each", func(s string) error {
		name, command, _ := strings.Cut(s, "=")
		o.languages = append(o.languages, stage.Language{Name: name, Driver: strings.Fields(command)})
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	slices.SortFunc(o.languages, func(a, b stage.Language) int { return cmp.Compare(a.Name, b.Name) })
	wanted, err := o.scenarios()
	if err != nil {
		return false, err
	}
	dir := o.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "headrace-conformance-"); err != nil {
			return false, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	m := newMatrix(wanted, o.languages)
	m.play(o.server, dir, o.together, out)
	m.print(out)
	if o.write != "" {
		err = page.Write(o.write, "matrix", m.table())
	}
	return m.failed(), err
}

// scenarios are those to be played.
func (o *options) scenarios() ([]*scenario.Scenario, error) {
	only, err := regexp.Compile(cmp.Or(o.only, "."))
	if err != nil {
		return nil, err
	}
	all, err := scenario.Load(scenarios.Files)
	if err != nil {
		return nil, err
	}
	var wanted []*scenario.Scenario
	for _, s := range all {
		if only.MatchString(s.Name) && (o.long || !s.Long) {
			wanted = append(wanted, s)
		}
	}
	return wanted, nil
}
