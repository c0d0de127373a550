package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/headrace/headrace/sdk/conformance/scenario"
	"github.com/headrace/headrace/sdk/conformance/scenarios"
)

// TestMutantsApply: a fault is a change of one place that exists, and what is to notice
// it exists, too.
func TestMutantsApply(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	all, err := scenario.Load(scenarios.Files)
	if err != nil {
		t.Fatal(err)
	}
	for n := range mutants {
		m := &mutants[n]
		if _, err := m.apply(root); err != nil {
			t.Errorf("%s, %s: %v", m.language, m.place, err)
		}
		for _, name := range m.scenarios {
			if !slices.ContainsFunc(all, func(s *scenario.Scenario) bool { return s.Name == name }) {
				t.Errorf("%s, %s: no scenario %q", m.language, m.place, name)
			}
		}
	}
}

// TestEachSDKIsBrokenInEachPlace: none is spared.
func TestEachSDKIsBrokenInEachPlace(t *testing.T) {
	for _, language := range []string{"go", "java", "python"} {
		for _, place := range places {
			if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.language == language && m.place == place }) {
				t.Errorf("%s is not broken in its %s", language, place)
			}
		}
	}
}
