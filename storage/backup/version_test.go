package backup

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// TestAnotherFormatIsRefusedAsSuch: it is not called damaged.
func TestAnotherFormatIsRefusedAsSuch(t *testing.T) {
	for _, other := range []byte{version - 1, version + 1} {
		var file bytes.Buffer
		x := &writer{w: &file, sum: xxhash.New()}
		header := appendHeader(nil, Identity{Shards: 1})
		header[3] = other
		if err := errors.Join(x.write([]byte(magic)), x.block(kindHeader, header)); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(&file); !errors.Is(err, ErrVersion) {
			t.Error(err)
		}
	}
}
