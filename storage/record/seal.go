package record

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/headrace/headrace/storage"
)

const (
	versionBytes = 1
	crcBytes     = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends the checksum of key and of what dst holds from start on.
func seal(dst []byte, start int, key []byte) []byte {
	return binary.BigEndian.AppendUint32(dst, checksum(key, dst[start:]))
}

// unseal checks a value and gives its body, without version and checksum.
func unseal(key, value []byte, version byte) ([]byte, error) {
	if len(value) < versionBytes+crcBytes {
		return nil, damaged(key, "value of %d bytes", len(value))
	}
	end := len(value) - crcBytes
	if binary.BigEndian.Uint32(value[end:]) != checksum(key, value[:end]) {
		return nil, damaged(key, "checksum does not match")
	}
	if value[0] != version {
		return nil, damaged(key, "record version %d, expected %d", value[0], version)
	}
	return value[versionBytes:end], nil
}

// unsealFixed is unseal for a body of one legal size.
func unsealFixed(key, value []byte, version byte, size int) ([]byte, error) {
	body, err := unseal(key, value, version)
	if err != nil {
		return nil, err
	}
	if len(body) != size {
		return nil, damaged(key, "body of %d bytes, expected %d", len(body), size)
	}
	return body, nil
}

func checksum(key, body []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, key), castagnoli, body)
}

// damaged is ErrDataLoss for a key, and says what is wrong with it.
func damaged(key []byte, format string, args ...any) error {
	return fmt.Errorf("%w: key %x: %s", storage.ErrDataLoss, key, fmt.Sprintf(format, args...))
}
