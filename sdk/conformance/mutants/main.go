package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/headrace/headrace/sdk/conformance/page"
	"github.com/headrace/headrace/sdk/conformance/scenario"
	"github.com/headrace/headrace/sdk/conformance/scenarios"
	"github.com/headrace/headrace/sdk/conformance/stage"
)

// patience is how long a scenario may take: a fault may make it wait for ever.
const patience = time.Minute

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// sweep tries mutants, one after the other.
type sweep struct {
	stage     stage.Stage
	root, dir string
	// sound are the commands of the drivers as they are, by language.
	sound map[string]string
	all   map[string]*scenario.Scenario
	out   io.Writer
	// wholesome says which scenarios a sound driver passed.
	wholesome map[string]bool
	rows      []string
}

var (
	errUnnoticed = errors.New("nothing noticed it")
	errUnsound   = errors.New("a scenario fails with the SDK as it is")
)

func run(args []string, out io.Writer) error {
	s := &sweep{sound: map[string]string{}, all: map[string]*scenario.Scenario{}, out: out, wholesome: map[string]bool{}}
	s.stage.Patience = patience
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.StringVar(&s.stage.Server, "server", "bin/headrace", "the server's binary")
	only := flags.String("run", "", "a regular expression: the mutants to try, as \"language place\"")
	write := flags.String("write", "", "the page whose list is to be written anew")
	flags.Func("driver", "language=command; once for each", func(text string) error {
		name, command, _ := strings.Cut(text, "=")
		s.sound[name] = command
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	wanted, err := regexp.Compile(cmp.Or(*only, "."))
	if err != nil {
		return err
	}
	if err := s.prepare(); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(s.dir) }()
	var failures []error
	for n := range mutants {
		m := &mutants[n]
		if s.sound[m.language] != "" && wanted.MatchString(m.language+" "+m.place) {
			failures = append(failures, s.try(m))
		}
	}
	if *write != "" {
		failures = append(failures, page.Write(*write, "mutants", s.table()))
	}
	return errors.Join(failures...)
}

func (s *sweep) prepare() (err error) {
	if s.root, err = os.Getwd(); err != nil {
		return err
	}
	all, err := scenario.Load(scenarios.Files)
	if err != nil {
		return err
	}
	for _, one := range all {
		s.all[one.Name] = one
	}
	s.dir, err = os.MkdirTemp("", "headrace-mutants-")
	return err
}

// try breaks an SDK, and says which of the scenarios noticed; an error says that none
// did.
func (s *sweep) try(m *mutant) error {
	place := filepath.Join(s.dir, m.language+"-"+strings.ReplaceAll(m.place, " ", "-"))
	driver, err := m.build(s.root, place, s.sound[m.language])
	if err != nil {
		return err
	}
	var noticed []string
	for _, name := range m.scenarios {
		if err := s.isSound(m.language, name); err != nil {
			return err
		}
		o := s.stage.Play(s.all[name], stage.Language{Name: m.language, Driver: driver}, filepath.Join(place, name))
		if len(o.Failures) > 0 {
			noticed = append(noticed, name+": "+firstLine(o.Failures[0].Error()))
		}
	}
	if len(noticed) == 0 {
		fmt.Fprintf(s.out, "LIVES   %s: %s\n", m.language, m.name)
		return fmt.Errorf("%s: %s: %w", m.language, m.name, errUnnoticed)
	}
	fmt.Fprintf(s.out, "noticed %s: %s: %s\n", m.language, m.name, noticed[0])
	s.rows = append(s.rows, fmt.Sprintf("| %s | %s | %s | %s |", m.language, m.place, m.name, strings.Join(noticed, "; ")))
	return nil
}

// isSound plays a scenario with the SDK as it is, once.
func (s *sweep) isSound(language, name string) error {
	key := language + "-" + name
	if s.wholesome[key] {
		return nil
	}
	l := stage.Language{Name: language, Driver: strings.Fields(s.sound[language])}
	if o := s.stage.Play(s.all[name], l, filepath.Join(s.dir, "sound", key)); len(o.Failures) > 0 {
		return fmt.Errorf("%w: %s %s: %w", errUnsound, language, name, o.Failures[0])
	}
	s.wholesome[key] = true
	return nil
}

// maxShownBytes is how much of a failure is kept.
const maxShownBytes = 160

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.ReplaceAll(line[:min(len(line), maxShownBytes)], "|", "\\|")
}

func (s *sweep) table() string {
	head := []string{"| SDK | place | what is broken | what notices |", "| --- | --- | --- | --- |"}
	return strings.Join(slices.Concat(head, s.rows), "\n") + "\n"
}
