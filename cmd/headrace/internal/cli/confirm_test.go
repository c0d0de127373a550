package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestConsentAsksOnlyWhereSomebodyCanAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		consent consent
		asks    bool
		answer  string
		want    error
		asked   bool
	}{
		"yes by flag":                {consent: consent{yes: true}},
		"yes by flag, at a terminal": {consent: consent{yes: true}, asks: true},
		"yes by answer":              {asks: true, answer: "y\n", asked: true},
		"yes in full":                {asks: true, answer: "YES\n", asked: true},
		"no by answer":               {asks: true, answer: "n\n", want: errNotConfirmed, asked: true},
		"no by silence":              {asks: true, answer: "\n", want: errNotConfirmed, asked: true},
		"no by closing":              {asks: true, answer: "", want: errNotConfirmed, asked: true},
	} {
		var talk bytes.Buffer
		a := &App{In: strings.NewReader(c.answer), Err: &talk, Asks: c.asks}
		if err := c.consent.obtain(a, "remove it"); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if asked := strings.Contains(talk.String(), "remove it? [y/N]"); asked != c.asked {
			t.Errorf("%s: asked is %v", name, asked)
		}
	}
}

func TestConsentOfAScriptIsAFlag(t *testing.T) {
	a := &App{In: strings.NewReader("y\n"), Err: &bytes.Buffer{}}
	if err := (&consent{}).obtain(a, "remove it"); exitCode(err) != exitUsage {
		t.Errorf("%v", err)
	}
}
