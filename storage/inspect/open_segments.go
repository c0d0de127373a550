package inspect

import (
	"bytes"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// maxOpenBytes bounds the commit segments that a walk over pointers keeps open.
const maxOpenBytes = 64 << 20

// openSegments are the commit segments that a walk over pointers met last. Pointers
// come partition by partition, and a segment has messages of many: without it each
// pointer would have the whole directory of its segment read and checked again.
type openSegments struct {
	readers map[segmentID]*record.SegmentReader
	bytes   int
}

// open gives a segment, which must be whole as far as opening it tells.
func (o *openSegments) open(r storage.Reader, at segmentID) (*record.SegmentReader, error) {
	if s := o.readers[at]; s != nil {
		return s, nil
	}
	var s record.SegmentReader
	key := record.AppendSegmentKey(nil, at.batch, at.chunk)
	err := r.Get(key, func(value []byte) error {
		o.makeRoom(len(value))
		var err error
		s, err = record.OpenSegment(key, bytes.Clone(value))
		return err
	})
	if err != nil {
		return nil, err
	}
	o.readers[at] = &s
	return &s, nil
}

// makeRoom forgets everything when there is no room for more.
func (o *openSegments) makeRoom(size int) {
	if o.readers == nil || o.bytes+size > maxOpenBytes {
		o.readers, o.bytes = map[segmentID]*record.SegmentReader{}, 0
	}
	o.bytes += size
}
