package main

import (
	"os"
	"testing"
)

func TestInputHas1707EventsAnd128StrongOnes(t *testing.T) {
	input, err := os.ReadFile("../../data/earthquakes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	events, strong := 0, 0
	if err := sendAll(input, func(_ []byte, e event) {
		events++
		if e.Magnitude >= alertMagnitude {
			strong++
		}
		if e.Network == "" {
			t.Errorf("%s has no network", e.ID)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if events != 1707 || strong != 128 {
		t.Errorf("%d events, %d strong ones", events, strong)
	}
}

func TestLineWithoutAnEndIsNoLine(t *testing.T) {
	if got := splitLines([]byte("a\nb\nhalf")); len(got) != 2 {
		t.Errorf("%q", got)
	}
	if got := splitLines(nil); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestBadInputIsNamedByItsLine(t *testing.T) {
	err := sendAll([]byte("{}\nnot json\n"), func([]byte, event) {})
	if err == nil || err.Error()[:6] != "line 2" {
		t.Errorf("%v", err)
	}
}
