package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
)

func TestBatchRangesAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string][]config.BatchRange{
		"none":      nil,
		"5-6":       {{First: 5, Last: 6}},
		"5-6,9-9":   {{First: 5, Last: 6}, {First: 9, Last: 9}},
		"1-1,2-300": {{First: 1, Last: 1}, {First: 2, Last: 300}},
	} {
		var got config.BatchRanges
		if err := got.Set(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if d := cmp.Diff(want, got.List); d != "" || got.String() != text {
			t.Errorf("%q is read as %v: %s", text, got, d)
		}
	}
}

func TestBatchRangesOutOfOrderAreRefused(t *testing.T) {
	for _, text := range []string{"", "5", "5-", "-5", "6-5", "0-3", "5-6,6-7", "5-6,1-2", "5-6,", "a-b", "5–6"} {
		if err := new(config.BatchRanges).Set(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestAcceptLossComesFromEverySource(t *testing.T) {
	want := []config.BatchRange{{First: 5, Last: 6}, {First: 9, Last: 9}}
	for name, s := range map[string]config.Sources{
		"file":        sources(t, "accept_loss: 5-6,9-9\n", nil),
		"environment": sources(t, "", []string{"HEADRACE_SERVER_ACCEPT_LOSS=5-6,9-9"}),
		"flag":        sources(t, "accept_loss: 1-2\n", nil, "--accept-loss=5-6,9-9"),
	} {
		got, err := config.Load(s)
		if d := cmp.Diff(want, got.AcceptLoss.List); err != nil || d != "" {
			t.Errorf("%s: %v, %s", name, err, d)
		}
	}
}
