package replay

import (
	"path"
	"slices"
	"strings"

	"github.com/headrace/headrace/faults/fusefs"
)

// Class is a kind of moment.
type Class string

// The phases of a store, from a note of the campaign's to the next.
const (
	creating   Class = "in creation"
	loading    Class = "under load"
	recovering Class = "in recovery"
	closing    Class = "in closing"
)

// The classes by what was not synced at the cut.
const (
	walWritten      Class = "write-ahead log written"
	walBegun        Class = "write-ahead log begun"
	walEnded        Class = "write-ahead log ended"
	valueLogWritten Class = "value log written"
	valueLogBegun   Class = "value log begun"
	valueLogCut     Class = "value log cut"
	valueLogRemoved Class = "value log removed"
	tableWritten    Class = "table written"
	tableRemoved    Class = "table removed"
	manifestWritten Class = "manifest written"
	ledgerWritten   Class = "commit ledger written"
	formatWritten   Class = "format file written"
	discardWritten  Class = "discard statistics written"
)

// Classes are all classes that a campaign must have cuts of.
var Classes = []Class{
	creating, loading, recovering, closing,
	walWritten, walBegun, walEnded, valueLogWritten, valueLogBegun, valueLogCut, valueLogRemoved,
	tableWritten, tableRemoved, manifestWritten, ledgerWritten, formatWritten, discardWritten,
}

// files are the classes by the file, for writes, its beginning, a new size, and its end.
var files = []struct {
	pattern                     string
	written, begun, size, ended Class
}{
	{"*.mem", walWritten, walBegun, walEnded, walEnded},
	{"*.vlog", valueLogWritten, valueLogBegun, valueLogCut, valueLogRemoved},
	{"*.sst", tableWritten, tableWritten, tableWritten, tableRemoved},
	{"MANIFEST*", manifestWritten, manifestWritten, manifestWritten, manifestWritten},
	{"ledger*", ledgerWritten, ledgerWritten, ledgerWritten, ledgerWritten},
	{"FORMAT*", formatWritten, formatWritten, formatWritten, formatWritten},
	{"DISCARD", discardWritten, discardWritten, discardWritten, discardWritten},
}

// classOf is the class of an operation that was not synced; "" when it has none.
func classOf(o *fusefs.Operation) Class {
	for _, f := range files {
		if ok, _ := path.Match(f.pattern, path.Base(o.Path)); !ok {
			continue
		}
		switch o.Kind {
		case fusefs.Write:
			return f.written
		case fusefs.Create, fusefs.Rename, fusefs.Allocate:
			return f.begun
		case fusefs.Truncate:
			return f.size
		case fusefs.Remove:
			return f.ended
		case fusefs.Read, fusefs.Sync, fusefs.SyncDir, fusefs.Note:
		}
	}
	return ""
}

// phasePrefix begins the notes that are the campaign's own.
const phasePrefix = "phase "

// phaseOf gives the phase that a note begins.
func phaseOf(note []byte) (Class, bool) {
	phase, ok := strings.CutPrefix(string(note), phasePrefix)
	return Class(phase), ok
}

// classesOf are the classes of a cut.
func classesOf(d *fusefs.Disk, phase Class) []Class {
	classes := []Class{phase}
	d.Unsynced(func(o *fusefs.Operation) {
		if c := classOf(o); c != "" && !slices.Contains(classes, c) {
			classes = append(classes, c)
		}
	})
	return classes
}
