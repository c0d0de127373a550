package record

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/headrace/headrace/storage"
)

// SegmentReader reads the runs of one commit segment. It shares the value's memory
// and is valid as long as that is.
type SegmentReader struct {
	key    []byte
	bodies []byte
	// The parts of the trailer, each still encoded.
	runs, ends, hashes, present, blocks []byte
}

// OpenSegment checks a commit segment's trailer; the bodies are checked as they
// are read.
func OpenSegment(key, value []byte) (SegmentReader, error) {
	r := SegmentReader{key: key}
	if _, _, err := ParseSegmentKey(key); err != nil {
		return r, err
	}
	if !r.cut(value) {
		return r, damaged(key, "commit segment of %d bytes: sizes do not match", len(value))
	}
	trailer := value[len(r.bodies) : len(value)-crcBytes]
	if binary.BigEndian.Uint32(value[len(value)-crcBytes:]) != checksum(key, trailer) {
		return r, damaged(key, "checksum of the trailer does not match")
	}
	if !r.directoryAddsUp() {
		return r, damaged(key, "directory makes no sense")
	}
	return r, nil
}

// Runs is the number of runs in the directory.
func (r *SegmentReader) Runs() int { return len(r.runs) / runBytes }

// Run is the directory's entry i.
func (r *SegmentReader) Run(i int) Run {
	b := reader(r.runs[i*runBytes : (i+1)*runBytes])
	run := Run{
		Partition: storage.PartitionID{Topic: storage.TopicID(b.uint32()), Partition: b.uint16()},
		Base:      storage.Offset(b.uint64()),
		LogTime:   b.time(),
	}
	run.FirstMessage, run.FirstByte = r.runEnds(i - 1)
	run.Messages, run.Bytes = b.uint32()-run.FirstMessage, b.uint32()-run.FirstByte
	return run
}

// Read copies the run i into s, whose slices it reuses, and checks the blocks that
// it lies in.
func (r *SegmentReader) Read(i int, s *storage.Segment) error {
	run := r.Run(i)
	if err := r.checkBlocks(&run); err != nil {
		return err
	}
	s.Partition, s.Base, s.LogTime = run.Partition, run.Base, run.LogTime
	s.Bytes = append(s.Bytes[:0], r.bodies[run.FirstByte:run.bytesEnd()]...)
	s.Ends = r.appendEnds(s.Ends[:0], &run)
	s.KeyHashes = keyedOrNil(r.appendHashes(s.KeyHashes[:0], &run))
	if !endsAddUp(s.Ends, run.Bytes) {
		return damaged(r.key, "message ends of run %d make no sense", i)
	}
	return nil
}

// ReadPointer is Read for the run that a pointer, which begins at base, points to.
func (r *SegmentReader) ReadPointer(partition storage.PartitionID, base storage.Offset, p *Pointer, s *storage.Segment) error {
	i := sort.Search(r.Runs(), func(i int) bool {
		messages, _ := r.runEnds(i)
		return messages > p.At.FirstMessage
	})
	if i < r.Runs() {
		if run := r.Run(i); run.is(partition, base, p) {
			return r.Read(i, s)
		}
	}
	return damaged(r.key, "holds no run of %v from %d on where its pointer says", partition, base)
}

// Check checks all of the bodies and every run.
func (r *SegmentReader) Check() error {
	var s storage.Segment
	for i := range r.Runs() {
		if err := r.Read(i, &s); err != nil {
			return err
		}
	}
	return nil
}

// cut finds the parts of a value; it looks at sizes only.
func (r *SegmentReader) cut(value []byte) bool {
	if len(value) < segmentEndBytes {
		return false
	}
	end := reader(value[len(value)-segmentEndBytes:])
	bodies, messages, runs := int(end.uint32()), int(end.uint32()), int(end.uint32())
	flags, version := end.uint8(), end.uint8()
	if flags&^flagKeys != 0 || version != segmentVersion {
		return false
	}
	hashed := 0
	if flags&flagKeys != 0 {
		hashed = messages
	}
	rest := value[:len(value)-segmentEndBytes]
	for _, part := range []struct {
		into *[]byte
		size int
	}{
		{&r.bodies, bodies}, {&r.runs, runs * runBytes}, {&r.ends, messages * 4},
		{&r.hashes, hashed * 4}, {&r.present, (hashed + 7) / 8}, {&r.blocks, blocksOf(bodies) * 4},
	} {
		if len(rest) < part.size {
			return false
		}
		*part.into, rest = rest[:part.size:part.size], rest[part.size:]
	}
	return len(rest) == 0
}

// directoryAddsUp says whether the runs follow each other and end where the
// segment does.
func (r *SegmentReader) directoryAddsUp() bool {
	n := r.Runs()
	for i := range n {
		messages, bytes := r.runEnds(i)
		fromMessages, fromBytes := r.runEnds(i - 1)
		if messages <= fromMessages || bytes <= fromBytes || r.Run(i).Base > math.MaxUint64-storage.Offset(messages) {
			return false
		}
	}
	messages, bytes := r.runEnds(n - 1)
	return n > 0 && int(messages) == len(r.ends)/4 && int(bytes) == len(r.bodies)
}

// runEnds gives where the run i ends, in messages and bytes from the segment's
// first; 0 for -1.
func (r *SegmentReader) runEnds(i int) (messages, bytes uint32) {
	if i < 0 {
		return 0, 0
	}
	b := r.runs[(i+1)*runBytes-8 : (i+1)*runBytes]
	return binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
}

func (r *SegmentReader) checkBlocks(run *Run) error {
	for block := int(run.FirstByte) / BlockBytes; block <= (int(run.bytesEnd())-1)/BlockBytes; block++ {
		if binary.BigEndian.Uint32(r.blocks[block*4:]) != blockChecksum(r.bodies, block) {
			return damaged(r.key, "checksum of block %d does not match", block)
		}
	}
	return nil
}

func (r *SegmentReader) appendEnds(dst []uint32, run *Run) []uint32 {
	dst = slices.Grow(dst, int(run.Messages))
	for b := r.ends[run.FirstMessage*4 : run.messagesEnd()*4]; len(b) > 0; b = b[4:] {
		dst = append(dst, binary.BigEndian.Uint32(b))
	}
	return dst
}

func (r *SegmentReader) appendHashes(dst []storage.KeyHash, run *Run) []storage.KeyHash {
	if len(r.hashes) == 0 {
		return dst
	}
	dst = slices.Grow(dst, int(run.Messages))
	for i := run.FirstMessage; i < run.messagesEnd(); i++ {
		dst = append(dst, storage.KeyHash{
			Hash:    binary.BigEndian.Uint32(r.hashes[i*4:]),
			Present: r.present[i>>3]&(1<<(i&7)) != 0,
		})
	}
	return dst
}

// endsAddUp says whether the ends of a run's messages never go back and end where
// the run does.
func endsAddUp(ends []uint32, size uint32) bool {
	return slices.IsSorted(ends) && ends[len(ends)-1] == size
}
