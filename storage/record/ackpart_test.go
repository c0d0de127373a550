package record

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/headrace/headrace/storage"
)

// TestChunksRoundTripThroughTheirParts: whatever is settled and charged comes back
// as it was, in parts that stay inline.
func TestChunksRoundTripThroughTheirParts(t *testing.T) {
	for seed := range uint64(300) {
		c := randomChunk(rand.New(rand.NewPCG(seed, 0)))
		var parts []AckPart
		for _, p := range SplitChunk(nil, &c, seed) {
			key := sampleAckKey(&p)
			value := AppendAckPart(nil, key, &p)
			if len(value) > MaxAckPartBytes {
				t.Fatalf("seed %d: part %d has %d bytes", seed, p.Part, len(value))
			}
			again, err := DecodeAckPart(key, value)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			parts = append(parts, again)
		}
		got, err := JoinChunk(parts)
		if err != nil || got.Index != c.Index || !slices.Equal(got.Acked, c.Acked) || !slices.Equal(got.Attempts, c.Attempts) {
			t.Fatalf("seed %d: %v, got %v, want %v", seed, err, got, c)
		}
	}
}

func randomChunk(r *rand.Rand) storage.Chunk {
	c := storage.Chunk{Index: r.Uint64N(maxAckChunk + 1)}
	start := chunkStart(c.Index)
	density := r.IntN(100)
	for i := range storage.Offset(storage.ChunkOffsets) {
		switch n := len(c.Acked); {
		case r.IntN(100) >= density:
			if r.IntN(4) == 0 {
				c.Attempts = append(c.Attempts, storage.AttemptCount{
					Offset: start + i, Failed: r.Uint32() >> r.IntN(32), Expired: r.Uint32() >> r.IntN(32),
					Lost: r.Uint32() >> r.IntN(32), Charged: r.Uint32() >> r.IntN(32),
					Dead: storage.DeadReason(r.IntN(5)), NotBefore: int64(r.Uint64() >> 16 >> r.IntN(48)),
				})
			}
		case n > 0 && c.Acked[n-1].End == start+i:
			c.Acked[n-1].End++
		default:
			c.Acked = append(c.Acked, storage.OffsetRange{First: start + i, End: start + i + 1})
		}
	}
	return c
}

// TestSettledSetTakesTheSmallerForm: runs up to 512 bytes of them, else a bitmap.
func TestSettledSetTakesTheSmallerForm(t *testing.T) {
	all := bitmapChunk()
	for runs, form := range map[int]byte{0: ackRuns, 1: ackRuns, maxAckRuns: ackRuns, maxAckRuns + 1: ackBitmap, 2048: ackBitmap} {
		c := storage.Chunk{Index: all.Index, Acked: all.Acked[:runs]}
		p := SplitChunk(nil, &c, 1)[0]
		if value := AppendAckPart(nil, sampleAckKey(&p), &p); value[versionBytes+8+1] != form {
			t.Errorf("%d runs are written in form %d", runs, value[versionBytes+8+1])
		}
	}
}

// TestJoinFindsPartsThatDoNotBelong: a missing, doubled, older or foreign part.
func TestJoinFindsPartsThatDoNotBelong(t *testing.T) {
	c := attemptsChunk(1000)
	split := func() []AckPart { return SplitChunk(nil, &c, 5) }
	if parts := split(); len(parts) != 3 {
		t.Fatalf("the chunk has %d parts", len(parts))
	}
	for name, parts := range map[string][]AckPart{
		"none":    nil,
		"missing": split()[:2],
		"doubled": {split()[0], split()[0], split()[2]},
		"older":   {split()[0], SplitChunk(nil, &c, 4)[1], split()[2]},
		"foreign": {split()[0], SplitChunk(nil, &storage.Chunk{Index: 9}, 5)[0], split()[2]},
	} {
		if _, err := JoinChunk(parts); !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAckHashTellsPartsApart: no field of an ack chunk's identity is left out.
func TestAckHashTellsPartsApart(t *testing.T) {
	base := AckHash(1, 2, 3)
	if AckHash(0, 2, 3) == base || AckHash(1, 1, 3) == base || AckHash(1, 2, 2) == base {
		t.Error("the hash leaves a field out")
	}
}
