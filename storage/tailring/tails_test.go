package tailring_test

import (
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/tailring"
)

// fixture makes blocks and counts how many of their segments were freed.
type fixture struct {
	freed int
}

// block makes a block with one segment for each ring; every segment has two
// messages of five bytes and begins at base.
func (f *fixture) block(base storage.Offset, rings ...*tailring.Ring) *tailring.Block {
	b := &tailring.Block{Bytes: 10 * len(rings), Rings: rings}
	for range rings {
		s := &storage.Segment{Base: base, Bytes: make([]byte, 10), Ends: []uint32{5, 10}}
		b.Segments = append(b.Segments, s.Share(func(*storage.Segment) { f.freed++ }))
	}
	return b
}

// find releases what it finds.
func find(r *tailring.Ring, at storage.Offset) bool {
	s := r.Find(at)
	if s == nil {
		return false
	}
	defer s.Release()
	return s.Base <= at && at < s.End()
}

func TestFindByOffset(t *testing.T) {
	var f fixture
	var r tailring.Ring
	tails := tailring.New(1000, 1000)
	for base := storage.Offset(10); base < 20; base += 2 {
		tails.Admit(f.block(base, &r))
	}
	for at := storage.Offset(8); at < 22; at++ {
		if want := at >= 10 && at < 20; find(&r, at) != want {
			t.Errorf("offset %d: found %v", at, !want)
		}
	}
}

func TestEachPartitionIsBounded(t *testing.T) {
	var f fixture
	var busy, quiet tailring.Ring
	tails := tailring.New(1000, 25)
	tails.Admit(f.block(0, &quiet))
	for base := storage.Offset(0); base < 20; base += 2 {
		tails.Admit(f.block(base, &busy))
	}
	if !find(&quiet, 0) || find(&busy, 15) || !find(&busy, 16) {
		t.Error("the busy partition keeps the newest two segments, the quiet one all")
	}
	if f.freed != 8 || tails.Bytes() != 30 {
		t.Errorf("%d segments freed, %d bytes left", f.freed, tails.Bytes())
	}
}

func TestOneLargeSegmentStays(t *testing.T) {
	var f fixture
	var r tailring.Ring
	tails := tailring.New(1, 1)
	tails.Admit(f.block(0, &r))
	tails.Admit(f.block(2, &r))
	if find(&r, 1) || !find(&r, 2) {
		t.Error("the newest segment stays however large it is")
	}
}

func TestAllTogetherAreBounded(t *testing.T) {
	var f fixture
	var a, b tailring.Ring
	tails := tailring.New(40, 1000)
	for base := storage.Offset(0); base < 20; base += 2 {
		tails.Admit(f.block(base, &a, &b))
	}
	if find(&a, 15) || find(&b, 15) || !find(&a, 16) || !find(&b, 19) {
		t.Error("the newest two blocks stay")
	}
	if f.freed != 16 || tails.Bytes() != 40 {
		t.Errorf("%d segments freed, %d bytes left", f.freed, tails.Bytes())
	}
}

func TestAReaderKeepsWhatIsEvicted(t *testing.T) {
	var f fixture
	var r tailring.Ring
	tails := tailring.New(10, 10)
	tails.Admit(f.block(0, &r))
	held := r.Find(0)
	tails.Admit(f.block(2, &r))
	if find(&r, 0) || f.freed != 0 {
		t.Fatal("evicted, and not freed while it is held")
	}
	held.Release()
	if f.freed != 1 {
		t.Error("freed with the last reference")
	}
}

func TestClearEmptiesOneRing(t *testing.T) {
	var f fixture
	var a, b tailring.Ring
	tails := tailring.New(1000, 1000)
	tails.Admit(f.block(0, &a, &b))
	tails.Admit(f.block(2, &a))
	tails.Clear(&a)
	if find(&a, 0) || !find(&b, 0) || tails.Bytes() != 20 {
		t.Errorf("one ring is empty, and its block gone: %d bytes", tails.Bytes())
	}
	tails.Close()
	if f.freed != 3 || tails.Bytes() != 0 {
		t.Errorf("%d segments freed, %d bytes left", f.freed, tails.Bytes())
	}
}

func TestEvictionSkipsWhatIsGone(t *testing.T) {
	var f fixture
	var a, b tailring.Ring
	tails := tailring.New(50, 20)
	tails.Admit(f.block(0, &a, &b))
	for base := storage.Offset(2); base < 40; base += 2 {
		tails.Admit(f.block(base, &a))
	}
	if find(&a, 35) || !find(&a, 36) || !find(&b, 0) {
		t.Error("the shared block stays for its other partition")
	}
}
