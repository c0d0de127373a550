package main

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func there(context.Context) (command, error) {
	return func(program string) []string { return []string{program} }, nil
}

func absent(context.Context) (command, error) { return nil, errors.New("needs a compiler") }

// TestLanguagesAreLeftOutUnlessAskedFor: the demo goes on with what is there, and
// fails only for what was named.
func TestLanguagesAreLeftOutUnlessAskedFor(t *testing.T) {
	noJava := []builder{{goLanguage, there}, {javaLanguage, absent}, {pythonLanguage, there}}
	for _, c := range []struct {
		wanted string
		subs   []string
		fails  bool
	}{
		{wanted: "", subs: []string{alertingSub, archiveSub, indexSub, digestSub}},
		{wanted: "go", subs: []string{alertingSub, archiveSub, indexSub}},
		{wanted: "go,python", subs: []string{alertingSub, archiveSub, indexSub, digestSub}},
		{wanted: "go,java", fails: true},
		{wanted: "cobol", fails: true},
		{wanted: "go,cobol", fails: true},
	} {
		d := &demo{progress: newProgress()}
		err := d.learn(t.Context(), noJava, c.wanted)
		if (err != nil) != c.fails {
			t.Errorf("%q: %v", c.wanted, err)
		}
		if err == nil && !slices.Equal(d.cast.subscriptions(), c.subs) {
			t.Errorf("%q: %v", c.wanted, d.cast.subscriptions())
		}
	}
}

func TestComplaintTellsMost(t *testing.T) {
	for text, want := range map[string]string{
		"[INFO] a\n[ERROR] no such artifact\n[ERROR] Help 1\n": "no such artifact",
		"warning\nnot found\n":                                 "not found",
		"":                                                     "",
	} {
		if got := complaint(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
