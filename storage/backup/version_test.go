package backup

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// TestANewerFormatIsRefusedAsSuch: it is not called damaged.
func TestANewerFormatIsRefusedAsSuch(t *testing.T) {
	var file bytes.Buffer
	x := &writer{w: &file, sum: xxhash.New()}
	header := appendHeader(nil, Identity{Shards: 1})
	header[3] = version + 1
	if err := errors.Join(x.write([]byte(magic)), x.block(kindHeader, header)); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(&file); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
}
