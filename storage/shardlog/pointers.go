package shardlog

import (
	"errors"
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// pointer is a pointer with the offset at which it begins.
type pointer struct {
	base storage.Offset
	record.Pointer
}

func (p *pointer) end() storage.Offset { return p.End(p.base) }

func (p *pointer) place() pointerPlace {
	return pointerPlace{p.base, segmentID{p.At.Batch, p.At.Chunk}, record.Totals{Messages: p.Messages, Bytes: p.Bytes}}
}

// errNoPointer is returned when no pointer covers an offset: it was trimmed, or
// data is lost.
var errNoPointer = errors.New("shardlog: no pointer covers the offset")

// pointerAt finds the pointer that covers an offset.
func pointerAt(r storage.Reader, id storage.PartitionID, at storage.Offset) (p pointer, err error) {
	found := false
	err = r.Descend(record.AppendPointerPrefix(nil, id), record.AppendPointerKey(nil, id, at),
		func(key []byte, value storage.Value) (bool, error) {
			found = true
			p, err = decodePointer(key, value)
			return false, err
		})
	if err != nil {
		return p, err
	}
	if !found || p.end() <= at {
		return p, fmt.Errorf("%w: %v, offset %d", errNoPointer, id, at)
	}
	return p, nil
}

// eachPointer calls fn for the pointers of a partition that begin at from or later,
// in order, until it returns false.
func eachPointer(r storage.Reader, id storage.PartitionID, from storage.Offset, fn func(p pointer) (more bool, err error)) error {
	return r.Ascend(record.AppendPointerPrefix(nil, id), record.AppendPointerKey(nil, id, from),
		func(key []byte, value storage.Value) (bool, error) {
			p, err := decodePointer(key, value)
			if err != nil {
				return false, err
			}
			return fn(p)
		})
}

func decodePointer(key []byte, value storage.Value) (p pointer, err error) {
	if _, p.base, err = record.ParsePointerKey(key); err != nil {
		return p, err
	}
	err = value.Read(func(value []byte) error {
		p.Pointer, err = record.DecodePointer(key, value)
		return err
	})
	return p, err
}

// lostPointer is ErrDataLoss for a pointer that must begin at one offset and begins
// at another.
func lostPointer(id storage.PartitionID, want, got storage.Offset) error {
	return fmt.Errorf("%w: %v has no pointer at %d, the next is at %d", storage.ErrDataLoss, id, want, got)
}
