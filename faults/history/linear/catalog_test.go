package linear

import (
	"testing"

	"github.com/headrace/headrace/faults/history"
)

// inTurn gives calls their times, one after the other.
func inTurn(calls ...CatalogCall) []CatalogCall {
	for i := range calls {
		calls[i].At, calls[i].Told = history.Instant(2*i), history.Instant(2*i+1)
	}
	return calls
}

// atOnce gives calls one time.
func atOnce(calls ...CatalogCall) []CatalogCall {
	for i := range calls {
		calls[i].At, calls[i].Told = 1, 2
	}
	return calls
}

func call(c Call, label int, a Answer) CatalogCall {
	return CatalogCall{Call: c, Label: label, Answer: a}
}

func TestIllegalHistoriesOfANameAreRed(t *testing.T) {
	for what, calls := range map[string][]CatalogCall{
		"made twice":                       inTurn(call(Create, 1, Done), call(Create, 2, Done)),
		"taken and never made":             inTurn(call(Create, 1, Exists)),
		"made and not found":               inTurn(call(Create, 1, Done), call(Get, 0, NotFound)),
		"found and never made":             inTurn(call(Get, 1, Done)),
		"an update forgotten":              inTurn(call(Create, 1, Done), call(Update, 2, Done), call(Get, 1, Done)),
		"an update of nothing":             inTurn(call(Update, 1, Done)),
		"deleted and found":                inTurn(call(Create, 1, Done), call(Delete, 0, Done), call(Get, 1, Done)),
		"deleted twice":                    inTurn(call(Create, 1, Done), call(Delete, 0, Done), call(Delete, 0, Done)),
		"deleted and not found before":     inTurn(call(Create, 1, Done), call(Delete, 0, NotFound)),
		"made by two at once":              atOnce(call(Create, 1, Done), call(Create, 2, Done)),
		"back without having been made":    inTurn(call(Create, 1, Done), call(Delete, 0, Done), call(Get, 0, NotFound), call(Get, 1, Done)),
		"an open creation with two labels": inTurn(call(Create, 1, NoAnswer), call(Get, 1, Done), call(Get, 2, Done)),
	} {
		if got := Catalog(calls); got != Illegal {
			t.Errorf("%s: %s", what, got)
		}
	}
}

func TestLegalHistoriesOfANamePass(t *testing.T) {
	for what, calls := range map[string][]CatalogCall{
		"a life":                            inTurn(call(Create, 1, Done), call(Update, 2, Done), call(Get, 2, Done), call(Delete, 0, Done), call(Get, 0, NotFound)),
		"one of two makes it":               atOnce(call(Create, 1, Done), call(Create, 2, Exists), call(Get, 1, Done), call(Get, 0, NotFound)),
		"taken while it goes, then free":    inTurn(call(Create, 1, Done), call(Delete, 0, Done), call(Create, 2, Exists), call(Create, 2, Done)),
		"an open creation that happened":    inTurn(call(Create, 1, NoAnswer), call(Create, 2, Exists), call(Get, 1, Done)),
		"an open creation that did not":     inTurn(call(Create, 1, NoAnswer), call(Create, 2, Done), call(Get, 2, Done)),
		"an open deletion that came later":  inTurn(call(Create, 1, Done), call(Delete, 0, NoAnswer), call(Get, 1, Done), call(Get, 0, NotFound)),
		"an open update seen by one reader": inTurn(call(Create, 1, Done), call(Update, 2, NoAnswer), call(Get, 1, Done), call(Get, 2, Done)),
	} {
		if got := Catalog(calls); got != Legal {
			t.Errorf("%s: %s", what, got)
		}
	}
}
