package badgerlog

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
)

var _ badger.Logger = (*badgerLogger)(nil)

// badgerLogger is where Badger logs. Badger only logs some errors that put
// durability in doubt, that a value log could not be synced above all: so every
// error, and every warning of a failed compaction, makes the engine fail.
//
// After such an error of its writer Badger would go on: it would write, into its
// write-ahead log, records that point to values which are not on the disk, or delete a
// value log whose values it has moved to where they are not. So the writer does not
// get back from here.
//
// Exceptions are errors that reach somebody all the same: a read that fails is
// found by its caller, as an empty value; an error of Open is returned as well.
type badgerLogger struct {
	log    *slog.Logger
	stop   *failStop
	events *badgerEvents // nil: nobody listens
	errors atomic.Uint64
	// held is what Badger's writer waits for after an error. Nobody closes it but
	// tests: the process is about to end. holds is closed when the writer waits.
	held, holds chan struct{}
	once        sync.Once
}

func newBadgerLogger(log *slog.Logger, stop *failStop) *badgerLogger {
	return &badgerLogger{log: log, stop: stop, held: make(chan struct{}), holds: make(chan struct{})}
}

// toldErrors are parts of the formats of errors that reach somebody all the same.
var toldErrors = []string{"Unable to read: Key:", "Key: %v, Version :", "Received err: %v. Cleaning up"}

// writerErrors are parts of the formats of errors that Badger's writer logs: the value
// log was not synced, a write failed.
var writerErrors = []string{"curlf sync", "writeRequests:"}

// compactionWarnings are parts of the formats of what Badger only warns of: tables
// that could not be built or were not put in place.
var compactionWarnings = []string{"doCompact", "LOG Compact FAILED", "compacting level", "compact def", "compaction on level"}

// Errorf implements badger.Logger.
func (l *badgerLogger) Errorf(format string, args ...any) {
	l.errors.Add(1)
	line := oneLine(format, args)
	l.log.Error("Badger reports an error.", "error", line)
	if !containsAny(format, toldErrors) {
		_ = l.stop.trip("badger logged an error: %s", line)
	}
	if containsAny(format, writerErrors) {
		l.once.Do(func() { close(l.holds) })
		<-l.held
	}
}

// Warningf implements badger.Logger.
func (l *badgerLogger) Warningf(format string, args ...any) {
	line := oneLine(format, args)
	l.log.Warn("Badger warns.", "warning", line)
	if containsAny(format, compactionWarnings) {
		l.errors.Add(1)
		_ = l.stop.trip("badger could not compact: %s", line)
	}
}

// Infof implements badger.Logger.
func (l *badgerLogger) Infof(format string, args ...any) {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("Badger says.", "text", oneLine(format, args))
	}
}

// Debugf implements badger.Logger. Badger calls it several times a commit.
func (l *badgerLogger) Debugf(format string, args ...any) {
	if l.events != nil {
		l.events.debug(format, args)
	}
}

func oneLine(format string, args []any) string {
	return strings.ReplaceAll(strings.TrimSpace(fmt.Sprintf(format, args...)), "\n", ": ")
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
