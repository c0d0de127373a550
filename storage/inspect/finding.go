package inspect

import (
	"fmt"
	"strings"

	"github.com/headrace/headrace/storage"
)

// Severity is how bad a finding is.
type Severity uint8

// The severities.
const (
	// Note: nothing is wrong; it is good to know.
	Note Severity = 1 + iota
	// Warning: nothing that was acknowledged is affected, but something is not as it
	// should be.
	Warning
	// Damage: something that was acknowledged is damaged, missing or cannot be read.
	Damage
)

// String gives the severity in small letters.
func (s Severity) String() string {
	return [...]string{"", "note", "warning", "damage"}[s]
}

// MarshalText writes the severity as String does.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is one thing that is worth telling about a store.
type Finding struct {
	Severity Severity
	Place
	// Text says what is wrong, Advice what helps.
	Text, Advice string
}

// Place is what a finding is about; what does not apply is empty.
type Place struct {
	// File is relative to the store's directory.
	File string
	// Topic and Subscription are names; where the name is lost, "#" and the id.
	Topic, Subscription string
	// Partition is one of the topic's, when InPartition.
	Partition   uint16
	InPartition bool
	// Offsets are of the partition; empty when all may be affected.
	Offsets storage.OffsetRange
	// FirstBatch and LastBatch are numbers of batches; 0 for none.
	FirstBatch, LastBatch uint64
}

// String names the place.
func (p Place) String() string {
	var parts []string
	add := func(ok bool, format string, args ...any) {
		if ok {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(p.File != "", "file %s", p.File)
	add(p.Topic != "", "topic %s", p.Topic)
	add(p.Subscription != "", "subscription %s", p.Subscription)
	add(p.InPartition, "partition %d", p.Partition)
	add(p.Offsets.Len() == 1, "offset %d", p.Offsets.First)
	add(p.Offsets.Len() > 1, "offsets %d-%d", p.Offsets.First, p.Offsets.End-1)
	add(p.FirstBatch != 0 && p.FirstBatch == p.LastBatch, "batch %d", p.FirstBatch)
	add(p.FirstBatch != p.LastBatch, "batches %d-%d", p.FirstBatch, p.LastBatch)
	return strings.Join(parts, ", ")
}

// String writes the finding on one line.
func (f *Finding) String() string {
	text := f.Severity.String() + ": "
	if place := f.Place.String(); place != "" {
		text += place + ": "
	}
	text += f.Text
	if f.Advice != "" {
		text += "; " + f.Advice
	}
	return text
}
