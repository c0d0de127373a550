package main

import (
	"fmt"
	"os"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// progress tells how far the demo is, on standard error. On a terminal it keeps
// one line up to date; elsewhere it only says what happens.
type progress struct {
	terminal bool
	drawn    bool
}

func newProgress() *progress {
	info, err := os.Stderr.Stat()
	return &progress{terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// sayf writes a line that stays.
func (p *progress) sayf(format string, args ...any) {
	p.done()
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// show draws how many events each subscription has acked.
func (p *progress) show(names []string, events uint64, stats map[string]*headracev1.SubscriptionStats) {
	if !p.terminal {
		return
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	for _, name := range names {
		fmt.Fprintf(os.Stderr, "%s %d/%d   ", name, stats[name].GetAcked(), events)
	}
	p.drawn = true
}

// done takes the drawn line away.
func (p *progress) done() {
	if p.drawn {
		fmt.Fprint(os.Stderr, "\r\033[K")
		p.drawn = false
	}
}
