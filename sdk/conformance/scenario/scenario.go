package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headrace/headrace/sdk/conformance/record"
)

// suffix ends the name of a scenario's file.
const suffix = ".yaml"

// Scenario is one scenario.
type Scenario struct {
	// Name is that of the file, without its end.
	Name string `yaml:"-"`
	// Title says in a few words what it shows.
	Title string `yaml:"title"`
	// Why says more: the promise, and how the scenario would see it broken.
	Why string `yaml:"why"`
	// Long keeps it out of the smoke.
	Long bool `yaml:"long"`
	// Setup is what is there before the first step.
	Setup Setup `yaml:"setup"`
	// Steps are taken one after the other.
	Steps []Step `yaml:"steps"`
	// Expect is what the history must be like.
	Expect []record.Expectation `yaml:"expect"`
	// Except names standing rules that do not hold here, with the reason in Why.
	Except []string `yaml:"except"`
	// Figure is a time, or a ratio, that is written down and not judged.
	Figure *Figure `yaml:"figure"`
}

// Setup is what is there before the first step: resources as the contract has them, in
// Protobuf's JSON.
type Setup struct {
	Topics        []map[string]any `yaml:"topics"`
	Subscriptions []map[string]any `yaml:"subscriptions"`
	// Serve are further flags of the server.
	Serve []string `yaml:"serve"`
}

// Figure is the time between the last event of From and the last of To, or the ratio of
// Among.
type Figure struct {
	Name  string        `yaml:"name"`
	From  record.Match  `yaml:"from"`
	To    record.Match  `yaml:"to"`
	Among *record.Among `yaml:"among"`
}

// errIncomplete is returned when a scenario lacks a part.
var errIncomplete = errors.New("a scenario has a title, a why, steps and expectations")

// Load reads the scenarios of a directory, in order of their names.
func Load(dir fs.FS) ([]*Scenario, error) {
	names, err := fs.Glob(dir, "*"+suffix)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	all := make([]*Scenario, 0, len(names))
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		s, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.Name = strings.TrimSuffix(path.Base(name), suffix)
		all = append(all, s)
	}
	return all, nil
}

// Parse reads one scenario.
func Parse(text []byte) (*Scenario, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	s := &Scenario{}
	if err := decoder.Decode(s); err != nil {
		return nil, err
	}
	if s.Title == "" || s.Why == "" || len(s.Steps) == 0 || len(s.Expect) == 0 {
		return nil, errIncomplete
	}
	for n := range s.Steps {
		if err := s.Steps[n].validate(); err != nil {
			return nil, fmt.Errorf("step %d: %w", n+1, err)
		}
	}
	for n := range s.Expect {
		if err := s.Expect[n].Validate(); err != nil {
			return nil, err
		}
	}
	return s, nil
}
