package backup

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// writer writes the blocks of a backup and keeps the account of them.
type writer struct {
	w       io.Writer
	sum     *xxhash.Digest
	blocks  uint64
	account account
}

// newWriter begins a file.
func newWriter(w io.Writer, id Identity) (*writer, error) {
	x := &writer{w: w, sum: xxhash.New(), account: newAccount()}
	x.account.contents.Identity = id
	if err := x.write([]byte(magic)); err != nil {
		return nil, err
	}
	if err := x.block(kindHeader, appendHeader(nil, id)); err != nil {
		return nil, err
	}
	return x, nil
}

// records writes encoded records.
func (x *writer) records(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	if err := x.account.records(body); err != nil {
		return err
	}
	return x.block(kindRecords, body)
}

// batches writes encoded batches.
func (x *writer) batches(bodies [][]byte) error {
	for _, body := range bodies {
		if err := x.account.batch(body); err != nil {
			return err
		}
		if err := x.block(kindBatch, body); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the end of the file.
func (x *writer) finish() (Contents, error) {
	c, err := x.account.close()
	if err != nil {
		return c, err
	}
	for places := range slices.Chunk(c.Positions, maxPlacesInBlock) {
		if err := x.block(kindPlaces, appendPlaces(nil, places)); err != nil {
			return c, err
		}
	}
	err = x.block(kindTrailer, appendTrailer(nil, &c, x.sum.Sum64()))
	return c, err
}

func (x *writer) block(kind byte, body []byte) error {
	var head [blockHeadBytes]byte
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], uint32(len(body)))
	var crc [crcBytes]byte
	binary.BigEndian.PutUint32(crc[:], blockChecksum(x.blocks, head[:], body))
	x.blocks++
	for _, part := range [][]byte{head[:], body, crc[:]} {
		if err := x.write(part); err != nil {
			return err
		}
	}
	return nil
}

func (x *writer) write(part []byte) error {
	_, _ = x.sum.Write(part) // It never fails.
	_, err := x.w.Write(part)
	return err
}
