package storagetest

import (
	"fmt"

	"github.com/headrace/headrace/storage"
)

// Fault is how a commit fails.
type Fault struct {
	// Err is what Commit returns. After ErrUnknown and ErrUnavailable the engine is
	// failed for good.
	Err error
	// Applied: the batch is stored all the same. Only with ErrUnknown.
	Applied bool
}

// fault is what a commit meets: a failure, and a wait before it.
type fault struct {
	Fault
	blocks []*block
}

type block struct{ reached, released chan struct{} }

func (f *fault) wait() {
	for _, b := range f.blocks {
		close(b.reached)
		<-b.released
	}
}

// faults are those still to come.
type faults struct {
	next    []Fault
	numbers map[uint64]Fault
	blocks  []*block
}

// take gives what the batch of a number meets.
func (f *faults) take(number uint64) fault {
	met := fault{blocks: f.blocks}
	f.blocks = nil
	if planned, ok := f.numbers[number]; ok {
		met.Fault = planned
		delete(f.numbers, number)
		return met
	}
	if len(f.next) > 0 {
		met.Fault, f.next = f.next[0], f.next[1:]
	}
	return met
}

// FailNext makes the next commit that is not planned for otherwise fail. Several
// calls make several commits fail, one after the other.
func (m *Memory) FailNext(f Fault) {
	f.check()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults.next = append(m.faults.next, f)
}

// FailBatch makes the commit of the batch with a number fail, once.
func (m *Memory) FailBatch(number uint64, f Fault) {
	f.check()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.faults.numbers == nil {
		m.faults.numbers = map[uint64]Fault{}
	}
	m.faults.numbers[number] = f
}

// Block makes the next commit wait, before anything of it is stored, until release
// is called. reached is closed when it waits.
func (m *Memory) Block() (reached <-chan struct{}, release func()) {
	b := &block{reached: make(chan struct{}), released: make(chan struct{})}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults.blocks = append(m.faults.blocks, b)
	return b.reached, func() { close(b.released) }
}

// Fail makes the engine fail for good, as an I/O error in the background would.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
		close(m.failed)
	}
}

// SetSpace sets what Space says. At first the disk is endless.
func (m *Memory) SetSpace(s storage.Space) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.space = s
}

// Crash kills the engine: every call fails from now on, a commit that waits is not
// stored, and the disk, as of the last durable commit, may be opened again.
func (m *Memory) Crash() *Disk {
	m.shut()
	return m.disk
}

// Disk is the engine's disk.
func (m *Memory) Disk() *Disk { return m.disk }

func (f *Fault) check() {
	if f.Err == nil {
		panic("storagetest: a fault without an error")
	}
	if f.Applied && f.Err != storage.ErrUnknown { //nolint:errorlint // the sentinel itself
		panic(fmt.Sprintf("storagetest: a batch that fails with %v is not applied", f.Err))
	}
}
