package history

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxRecordBytes is more than any event takes.
const maxRecordBytes = 256

// ErrCorrupt is returned when a file is not what a Recorder writes.
var ErrCorrupt = errors.New("history: corrupt")

// ReadDir gives every event of the history in dir to each, in the order of their
// times.
func ReadDir(dir string, each func(*Event)) (err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"+fileSuffix))
	if err != nil {
		return err
	}
	var all merge
	defer func() {
		for _, f := range all {
			err = errors.Join(err, f.file.Close())
		}
	}()
	for _, name := range names {
		if err := all.open(name); err != nil {
			return err
		}
	}
	heap.Init(&all)
	for len(all) > 0 {
		first := all[0]
		each(&first.next)
		more, err := first.advance()
		switch {
		case err != nil:
			return err
		case more:
			heap.Fix(&all, 0)
		default:
			heap.Pop(&all)
			if err := first.file.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// source is one file of a history, with its next event.
type source struct {
	file *os.File
	in   *bufio.Reader
	next Event
	buf  [maxRecordBytes]byte
}

// advance reads the next event; more is false at the end, and at a record that was
// torn when its writer was killed.
func (s *source) advance() (more bool, err error) {
	size, err := binary.ReadUvarint(s.in)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	if err != nil || size > maxRecordBytes {
		return false, fmt.Errorf("%w: %s: record of %d bytes: %w", ErrCorrupt, s.file.Name(), size, err)
	}
	b := s.buf[:size]
	if _, err := io.ReadFull(s.in, b); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		return false, err
	}
	before := s.next.At
	if !s.next.decode(b) || s.next.At < before {
		return false, fmt.Errorf("%w: %s: record %x", ErrCorrupt, s.file.Name(), b)
	}
	return true, nil
}

// decode reads what append wrote.
func (e *Event) decode(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	*e = Event{Kind: Kind(b[0])}
	b = b[1:]
	take := func() (v uint64, ok bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, false
		}
		b = b[n:]
		return v, true
	}
	at, ok := take()
	used := e.used(e.Kind)
	if !ok || used == nil {
		return false
	}
	e.At = Instant(at)
	for _, v := range used {
		if *v, ok = take(); !ok {
			return false
		}
	}
	return len(b) == 0
}

// merge is a heap of sources by the time of their next event.
type merge []*source

// open adds a file, if it has an event.
func (m *merge) open(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	s := &source{file: f, in: bufio.NewReader(f)}
	more, err := s.advance()
	if err != nil || !more {
		return errors.Join(err, f.Close())
	}
	*m = append(*m, s)
	return nil
}

// Len implements heap.Interface.
func (m merge) Len() int { return len(m) }

// Less implements heap.Interface: what came first goes first.
func (m merge) Less(i, j int) bool { return m[i].next.At < m[j].next.At }

// Swap implements heap.Interface.
func (m merge) Swap(i, j int) { m[i], m[j] = m[j], m[i] }

// Push implements heap.Interface.
func (m *merge) Push(x any) { *m = append(*m, x.(*source)) } //nolint:forcetypeassert // heap gives back what it got

// Pop implements heap.Interface.
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
