package delivery

import "testing"

func TestSegmentSizes(t *testing.T) {
	g := &segment{base: 10, start: 100, ends: []uint32{105, 115, 130}}
	for _, c := range []struct{ first, n, bytes uint64 }{{10, 1, 5}, {10, 3, 30}, {11, 1, 10}, {11, 2, 25}, {12, 1, 15}, {12, 0, 0}} {
		if got := g.bytes(c.first, c.n); got != c.bytes {
			t.Errorf("%d messages from %d on: %d bytes, expected %d", c.n, c.first, got, c.bytes)
		}
	}
	for _, c := range []struct{ first, n, limit, fits uint64 }{{10, 3, 30, 3}, {10, 3, 29, 2}, {10, 3, 4, 0}, {11, 2, 10, 1}, {11, 1, 100, 1}} {
		if got := g.fit(c.first, c.n, c.limit); got != c.fits {
			t.Errorf("%d of %d messages from %d on fit into %d bytes, expected %d", got, c.n, c.first, c.limit, c.fits)
		}
	}
}

func TestTimelineTellsTheTimeOfTheFloor(t *testing.T) {
	var line timeline
	if line.at(0) != 0 {
		t.Fatal("a time without messages")
	}
	for i := range uint64(1000) {
		line.note(10*i, 10*i+10, int64(1000+i))
	}
	if len(line.marks) > maxMarks {
		t.Fatalf("%d marks", len(line.marks))
	}
	for _, floor := range []uint64{0, 5, 4321, 9999} {
		exact := int64(1000 + floor/10)
		if got := line.at(floor); got > exact || got < exact-64 {
			t.Errorf("floor %d: time %d, expected %d or a little before", floor, got, exact)
		}
	}
	if line.at(10_000) != 0 {
		t.Fatal("a time of messages that were never loaded")
	}
}

func TestOutstandingBlocksAreReused(t *testing.T) {
	var o outstanding
	for i := range uint64(10_000) {
		o.push(&block{first: i * 64, n: 64})
		if len(o.blocks) > 16 {
			o.blocks = o.blocks[1:]
		}
		if at := o.find(i*64 + 5); o.blocks[at].first != i*64 {
			t.Fatalf("found block %d for sequence %d", o.blocks[at].first, i*64+5)
		}
	}
	if cap(o.store) > 256 {
		t.Fatalf("room for %d blocks", cap(o.store))
	}
}
