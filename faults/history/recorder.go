package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// fileSuffix ends the name of every file of a history.
const fileSuffix = ".history"

// Recorder appends the events of one process to a file. It is safe for concurrent
// use. A file is a row of records:
//
//	length uvarint | kind u8 | nanoseconds uvarint | the kind's fields, uvarint each
type Recorder struct {
	mu   sync.Mutex
	file *os.File
	buf  []byte
	one  []byte
	err  error
}

// Create makes the file name of a history in dir. It must not be there.
func Create(dir, name string) (*Recorder, error) {
	f, err := os.OpenFile(filepath.Join(dir, name+fileSuffix), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &Recorder{file: f}, nil
}

// Record writes events down, all with the time of this moment. When it returns they
// outlive the process. What could not be written is told by Close.
func (r *Recorder) Record(events ...Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := Now()
	r.buf = r.buf[:0]
	for i := range events {
		events[i].At = now
		r.one = events[i].append(r.one[:0])
		r.buf = binary.AppendUvarint(r.buf, uint64(len(r.one)))
		r.buf = append(r.buf, r.one...)
	}
	if _, err := r.file.Write(r.buf); err != nil {
		r.err = errors.Join(r.err, err)
	}
}

// Close ends the file. The error is the first that Record met, too.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.err, r.file.Close())
}

// Now is the time on the clock of all recorders of this machine.
func Now() Instant {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(fmt.Sprintf("history: no monotonic clock: %v", err)) // a kernel without it runs nothing of ours
	}
	return Instant(t.Nano())
}

func (e *Event) append(b []byte) []byte {
	b = append(b, byte(e.Kind))
	b = binary.AppendUvarint(b, uint64(e.At))
	for _, v := range e.used(e.Kind) {
		b = binary.AppendUvarint(b, *v)
	}
	return b
}
