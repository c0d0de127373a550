package record

import (
	"errors"
	"fmt"
	"slices"
)

// Expectation is one statement over a history. Exactly one of its parts is set.
type Expectation struct {
	// Why says in words what is expected.
	Why string `yaml:"why"`
	// Count bounds how many events there are.
	Count *Count `yaml:"count"`
	// Every bounds how many events there are for each value of a field.
	Every *Every `yaml:"every"`
	// Order says that events come in order of their messages' numbers.
	Order *Order `yaml:"order"`
	// Before says that some events come before others.
	Before *Before `yaml:"before"`
	// Among says that of the events up to the last of some, so many are those.
	Among *Among `yaml:"among"`
}

// errExpectation is returned when an expectation is not one statement.
var errExpectation = errors.New("an expectation is exactly one of count, every, order, before, among")

type statement interface{ check(events []Event) error }

func (x *Expectation) statements() []statement {
	var all []statement
	if x.Count != nil {
		all = append(all, x.Count)
	}
	if x.Every != nil {
		all = append(all, x.Every)
	}
	if x.Order != nil {
		all = append(all, x.Order)
	}
	if x.Before != nil {
		all = append(all, x.Before)
	}
	if x.Among != nil {
		all = append(all, x.Among)
	}
	return all
}

// Validate says what is wrong with an expectation itself.
func (x *Expectation) Validate() error {
	if len(x.statements()) != 1 {
		return fmt.Errorf("%q: %w", x.Why, errExpectation)
	}
	return nil
}

// Check says how the history departs from what is expected; nil when it does not.
func (x *Expectation) Check(h *History) error {
	for _, s := range x.statements() {
		if err := s.check(h.Events()); err != nil {
			return fmt.Errorf("%s: %w", x.Why, err)
		}
	}
	return nil
}

// Bounds are how many; Is alone means exactly.
type Bounds struct {
	Is      *int `yaml:"is"`
	AtLeast *int `yaml:"at_least"`
	AtMost  *int `yaml:"at_most"`
}

func (b Bounds) check(n int) error {
	switch {
	case b.Is != nil && n != *b.Is:
		return fmt.Errorf("there are %d, not %d", n, *b.Is)
	case b.AtLeast != nil && n < *b.AtLeast:
		return fmt.Errorf("there are %d, not at least %d", n, *b.AtLeast)
	case b.AtMost != nil && n > *b.AtMost:
		return fmt.Errorf("there are %d, not at most %d", n, *b.AtMost)
	default:
		return nil
	}
}

// Count bounds how many events a match picks.
type Count struct {
	Of     Match `yaml:"of"`
	Bounds `yaml:",inline"`
}

func (c *Count) check(events []Event) error {
	if err := c.Bounds.check(len(picked(events, c.Of))); err != nil {
		return fmt.Errorf("of %s %w", c.Of, err)
	}
	return nil
}

// Every bounds how many events a match picks for each value of the field Per, and says
// how many values there are.
type Every struct {
	Of     Match  `yaml:"of"`
	Per    string `yaml:"per"`
	Values *int   `yaml:"values"`
	Bounds `yaml:",inline"`
}

func (v *Every) check(events []Event) error {
	counts := map[string]int{}
	for _, e := range picked(events, v.Of) {
		counts[e.Fields[v.Per]]++
	}
	if v.Values != nil && len(counts) != *v.Values {
		return fmt.Errorf("of %s there are %d values of %s, not %d", v.Of, len(counts), v.Per, *v.Values)
	}
	for value, n := range counts {
		if err := v.Bounds.check(n); err != nil {
			return fmt.Errorf("of %s for %s %q %w", v.Of, v.Per, value, err)
		}
	}
	return nil
}

// Order says that events come in order of the number of their message, for each value
// of the field Per.
type Order struct {
	Of  Match  `yaml:"of"`
	Per string `yaml:"per"`
}

func (o *Order) check(events []Event) error {
	last := map[string]Event{}
	for _, e := range picked(events, o.Of) {
		group := e.Fields[o.Per]
		if before, ok := last[group]; ok && before.Int("number") >= e.Int("number") {
			return fmt.Errorf("of %s for %s %q: %s came before %s", o.Of, o.Per, group, before.Fields["message"], e.Fields["message"])
		}
		last[group] = e
	}
	return nil
}

// Before says that the events of First are there, and all come before the first of
// Then; that one need not be.
type Before struct {
	First Match `yaml:"first"`
	Then  Match `yaml:"then"`
}

func (b *Before) check(events []Event) error {
	first, then := picked(events, b.First), picked(events, b.Then)
	if len(first) == 0 {
		return fmt.Errorf("there is no %s", b.First)
	}
	if len(then) > 0 && first[len(first)-1].Number > then[0].Number {
		return fmt.Errorf("the last of %s, event %d, came after event %d, the first of %s",
			b.First, first[len(first)-1].Number, then[0].Number, b.Then)
	}
	return nil
}

// Among says that of the events All, up to the last but a percentile of those that are
// Of too, at least Percent are these. It is how a latency is judged without a clock: by
// how much else was served meanwhile.
type Among struct {
	Of         Match `yaml:"of"`
	All        Match `yaml:"all"`
	Percentile int   `yaml:"percentile"`
	Percent    int   `yaml:"percent"`
}

// counts are how many events of All there are up to the percentile, and how many of
// these are Of.
func (a *Among) counts(events []Event) (served, mine int) {
	of, all := picked(events, a.Of), picked(events, a.All)
	if len(of) == 0 {
		return 0, 0
	}
	mine = (len(of)*a.Percentile + 99) / 100
	last := of[mine-1].Number
	return slices.IndexFunc(all, func(e Event) bool { return e.Number == last }) + 1, mine
}

// Ratio is how many times as many events there are as those that are Of.
func (a *Among) Ratio(h *History) float64 {
	served, mine := a.counts(h.Events())
	return float64(served) / float64(max(1, mine))
}

func (a *Among) check(events []Event) error {
	served, mine := a.counts(events)
	if mine == 0 {
		return fmt.Errorf("there is no %s", a.Of)
	}
	if mine*100 < served*a.Percent {
		return fmt.Errorf("of %d events %s up to the percentile %d only %d are %s", served, a.All, a.Percentile, mine, a.Of)
	}
	return nil
}

func picked(events []Event, m Match) []Event {
	var found []Event
	for i := range events {
		if m.Matches(&events[i]) {
			found = append(found, events[i])
		}
	}
	return found
}
