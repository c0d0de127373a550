package backup

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/headrace/headrace/storage"
)

// readBufferBytes is what is read from a file at once.
const readBufferBytes = 64 << 10

// Verify reads a backup to its end and checks everything: each block, their order,
// that no batch is missing, and that the trailer says what the rest holds. Errors:
// ErrDamaged, ErrVersion, and what reading fails with.
func Verify(r io.Reader) (Contents, error) {
	return read(r, func([]storage.Op) error { return nil })
}

// read hands everything in a backup to apply, in order; what it hands over was
// checked as far as that is possible before the end.
func read(r io.Reader, apply func(ops []storage.Op) error) (Contents, error) {
	x := reader{r: bufio.NewReaderSize(r, readBufferBytes), sum: xxhash.New(), account: newAccount(), apply: apply}
	if err := x.begin(); err != nil {
		return Contents{}, err
	}
	for {
		done, err := x.next()
		if err != nil || done {
			return x.account.contents, err
		}
	}
}

// reader follows a file block by block.
type reader struct {
	r       *bufio.Reader
	sum     *xxhash.Digest
	blocks  uint64
	body    []byte
	account account
	places  []Position
	ops     []storage.Op
	apply   func([]storage.Op) error
}

func (x *reader) begin() error {
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(x.r, head); err != nil || string(head) != magic {
		return fmt.Errorf("%w: not a backup of headrace", errors.Join(ErrDamaged, readFailure(err)))
	}
	_, _ = x.sum.Write(head) // It never fails.
	kind, body, err := x.block()
	switch {
	case err != nil:
		return err
	case kind != kindHeader || len(body) < 4:
		return fmt.Errorf("%w: it does not begin with a header", ErrDamaged)
	case binary.BigEndian.Uint32(body) != version:
		return fmt.Errorf("%w: %d, this program reads %d", ErrVersion, binary.BigEndian.Uint32(body), version)
	case len(body) != headerBytes || binary.BigEndian.Uint32(body) == 0:
		return fmt.Errorf("%w: its header makes no sense", ErrDamaged)
	}
	id := &x.account.contents.Identity
	copy(id.Store[:], body[4:])
	id.Shards = binary.BigEndian.Uint32(body[4+storeIDBytes:])
	return nil
}

// readFailure is a failure to read that is not the end of the file.
func readFailure(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// next takes in the next block, and says whether it was the last one.
func (x *reader) next() (done bool, err error) {
	sum := x.sum.Sum64()
	kind, body, err := x.block()
	if err != nil {
		return false, err
	}
	switch kind {
	case kindRecords:
		if err := x.account.records(body); err != nil {
			return false, err
		}
		return false, x.hand(body)
	case kindBatch:
		if err := x.account.batch(body); err != nil {
			return false, err
		}
		return false, x.hand(body[batchHeadBytes:])
	case kindPlaces:
		return false, x.addPlaces(body)
	case kindTrailer:
		return true, x.end(body, sum)
	default:
		return false, fmt.Errorf("%w: a block of kind %d", ErrDamaged, kind)
	}
}

// block reads a block and checks it. The body is valid until the next one.
func (x *reader) block() (kind byte, body []byte, err error) {
	var head [blockHeadBytes]byte
	if _, err := io.ReadFull(x.r, head[:]); err != nil {
		return 0, nil, x.cutOff(err)
	}
	size := int(binary.BigEndian.Uint32(head[1:]))
	if size > maxBlockBytes {
		return 0, nil, fmt.Errorf("%w: block %d of %d bytes", ErrDamaged, x.blocks, size)
	}
	if err := x.fill(size + crcBytes); err != nil {
		return 0, nil, x.cutOff(err)
	}
	body, crc := x.body[:size], x.body[size:]
	if binary.BigEndian.Uint32(crc) != blockChecksum(x.blocks, head[:], body) {
		return 0, nil, fmt.Errorf("%w: the checksum of block %d does not match", ErrDamaged, x.blocks)
	}
	_, _ = x.sum.Write(head[:]) // It never fails.
	_, _ = x.sum.Write(x.body)  // It never fails.
	x.blocks++
	return head[0], body, nil
}

// fill reads bytes into body. A size that makes no sense must not cost memory that
// the file does not have.
func (x *reader) fill(size int) error {
	x.body = x.body[:0]
	for len(x.body) < size {
		n := min(size-len(x.body), readBufferBytes)
		at := len(x.body)
		x.body = append(x.body, make([]byte, n)...)
		if _, err := io.ReadFull(x.r, x.body[at:]); err != nil {
			return err
		}
	}
	return nil
}

func (x *reader) cutOff(err error) error {
	if failure := readFailure(err); failure != nil {
		return failure
	}
	return fmt.Errorf("%w: it is cut off in block %d", ErrDamaged, x.blocks)
}

// hand hands puts and deletes over.
func (x *reader) hand(body []byte) error {
	x.ops = x.ops[:0]
	err := eachOp(body, func(key, value []byte) error {
		op := storage.Op{Key: key, Value: value}
		if len(value) == 0 {
			op.Value = nil
		}
		x.ops = append(x.ops, op)
		return nil
	})
	if err != nil {
		return err
	}
	return x.apply(x.ops)
}

func (x *reader) addPlaces(body []byte) error {
	if len(body)%placeBytes != 0 {
		return fmt.Errorf("%w: positions make no sense", ErrDamaged)
	}
	for ; len(body) > 0; body = body[placeBytes:] {
		x.places = append(x.places, Position{
			Partition: storage.PartitionID{
				Topic: storage.TopicID(binary.BigEndian.Uint32(body)), Partition: binary.BigEndian.Uint16(body[4:]),
			},
			First: storage.Offset(binary.BigEndian.Uint64(body[6:])),
			Next:  storage.Offset(binary.BigEndian.Uint64(body[14:])),
		})
	}
	return nil
}

// end compares the trailer with what the file holds, of which nothing may follow.
func (x *reader) end(trailer []byte, sum uint64) error {
	c, err := x.account.close()
	if err != nil {
		return err
	}
	if !bytes.Equal(appendTrailer(nil, &c, sum), trailer) || !slices.Equal(c.Positions, x.places) {
		return fmt.Errorf("%w: the trailer does not say what the file holds", ErrDamaged)
	}
	if _, err := x.r.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: something follows its end", errors.Join(ErrDamaged, err))
	}
	x.account.contents = c
	return nil
}
