package badgerlog

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// BenchmarkCommit commits what a committer would, message size and topics touched
// by a commit varied, and gives what a message costs. Everything is synced.
//
// Bodies are the same for each commit: their copying is measured, their making is
// not.
func BenchmarkCommit(b *testing.B) {
	for _, c := range []struct{ topics, messages, messageBytes int }{
		{1, 1, 1 << 10}, {1, 64, 1 << 10}, {1, 512, 1 << 10}, {1, 4000, 1 << 10}, {1, 4000, 100},
		{1000, 1000, 1 << 10}, {1000, 1000, 100},
	} {
		name := fmt.Sprintf("topics=%d/messages=%d/bytes=%d/synced", c.topics, c.messages, c.messageBytes)
		b.Run(name, func(b *testing.B) {
			e := mustOpen(b, testOptions(b.TempDir()))
			w := newWork(c.topics, c.messages, c.messageBytes)
			start := processCPU(b)
			for b.Loop() {
				mustCommit(b, e, w.next())
			}
			cpu := processCPU(b) - start
			messages := float64(b.N * c.messages)
			b.ReportMetric(float64(cpu.Microseconds())/messages, "cpu-µs/message")
			b.ReportMetric(messages/b.Elapsed().Seconds(), "messages/s")
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/commit")
		})
	}
}

// work makes batches as the committer does, with records of the real layout.
type work struct {
	appends  []storage.Append
	builders []record.SegmentBuilder
	batch    storage.Batch
	memory   []byte
	previous uint64
}

func newWork(topics, messages, messageBytes int) *work {
	w := &work{appends: make([]storage.Append, topics), memory: make([]byte, 0, 4<<20)}
	for i := range w.appends {
		a := &w.appends[i]
		a.Partition.Topic = storage.TopicID(i + 1)
		n := messages / topics
		a.Messages = make([]byte, n*messageBytes)
		for k := range n {
			a.Ends = append(a.Ends, uint32((k+1)*messageBytes))
		}
	}
	return w
}

// next is the next batch: segments, a pointer for each run, a checkpoint, a header.
func (w *work) next() *storage.Batch {
	w.batch.Number++
	w.batch.Epoch = 1
	w.batch.Ops, w.memory = w.batch.Ops[:0], w.memory[:0]
	chunk := 0
	for i := range w.appends {
		a := &w.appends[i]
		for from := 0; from < len(a.Ends); {
			b := w.builder(chunk)
			taken := b.Add(a, from, time.Unix(0, int64(w.batch.Number)))
			if from += taken; taken == 0 {
				w.finish(chunk)
				chunk++
			}
		}
		a.Base += storage.Offset(len(a.Ends))
	}
	w.finish(chunk)
	w.header()
	return &w.batch
}

func (w *work) builder(chunk int) *record.SegmentBuilder {
	if chunk == len(w.builders) {
		w.builders = append(w.builders, record.SegmentBuilder{})
	}
	b := &w.builders[chunk]
	if b.Messages() > 0 && b.Runs()[0].LogTime.UnixNano() != int64(w.batch.Number) {
		b.Reset()
	}
	return b
}

func (w *work) finish(chunk int) {
	b := &w.builders[chunk]
	key := w.cut(func(m []byte) []byte { return record.AppendSegmentKey(m, w.batch.Number, uint16(chunk)) })
	w.put(key, b.Finish(key))
	for _, run := range b.Runs() {
		key := w.cut(func(m []byte) []byte { return record.AppendPointerKey(m, run.Partition, run.Base) })
		p := run.Pointer(w.batch.Number, uint16(chunk), record.Totals{Messages: uint64(run.Base)})
		w.put(key, w.cut(func(m []byte) []byte { return record.AppendPointer(m, key, &p) }))
	}
}

func (w *work) header() {
	h := record.Header{Number: w.batch.Number, Epoch: 1, Previous: w.previous, Ops: uint32(len(w.batch.Ops) + 1)}
	key := w.cut(func(m []byte) []byte { return record.AppendBatchKey(m, h.Number) })
	w.put(key, w.cut(func(m []byte) []byte { return record.AppendHeader(m, key, &h) }))
	w.batch.Hash = h.Hash()
	w.previous = w.batch.Hash
}

func (w *work) put(key, value []byte) {
	w.batch.Ops = append(w.batch.Ops, storage.Op{Key: key, Value: value})
}

// cut appends to the batch's memory and gives what was appended.
func (w *work) cut(appendTo func([]byte) []byte) []byte {
	start := len(w.memory)
	w.memory = appendTo(w.memory)
	return w.memory[start:len(w.memory):len(w.memory)]
}

func processCPU(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkDescend looks a pointer up that has a long trimmed past before it, which
// is where a subscriber that lags begins to read.
func BenchmarkDescend(b *testing.B) {
	const trimmed, perBatch = 200_000, 10_000
	e := mustOpen(b, testOptions(b.TempDir()))
	key := func(i uint64) []byte { return binary.BigEndian.AppendUint64([]byte("m"), i) }
	number := uint64(0)
	for _, value := range [][]byte{[]byte("pointer"), nil} {
		for i := uint64(0); i < trimmed; i += perBatch {
			number++
			var ops []storage.Op
			for k := i; k < i+perBatch; k++ {
				ops = append(ops, storage.Op{Key: key(k), Value: value})
			}
			mustCommit(b, e, batch(number, 1, ops...))
		}
	}
	mustCommit(b, e, batch(number+1, 1, storage.Op{Key: key(trimmed), Value: []byte("pointer")}))
	for b.Loop() {
		err := e.View(func(r storage.Reader) error {
			return r.Descend([]byte("m"), key(trimmed+10), func([]byte, storage.Value) (bool, error) { return false, nil })
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens a store with many small records, which is what checking all
// tables costs.
func BenchmarkOpen(b *testing.B) {
	const batches = 100
	o := testOptions(b.TempDir())
	e := mustOpen(b, o)
	value := make([]byte, 60)
	value[0] = 1
	for number := range uint64(batches) {
		ops := make([]storage.Op, record.MaxBatchKeys-1)
		for i := range ops {
			key := binary.BigEndian.AppendUint64([]byte("m"), number*record.MaxBatchKeys+uint64(i))
			ops[i] = storage.Op{Key: key, Value: value}
		}
		mustCommit(b, e, batch(number+1, 1, ops...))
	}
	size := e.Stats().LSMBytes
	mustClose(b, e)
	for b.Loop() {
		mustClose(b, mustOpen(b, o))
	}
	b.ReportMetric(float64(size>>20), "MiB-tables")
}

// BenchmarkOpenAfterKill opens what a kill leaves at worst: each memtable's log full,
// as when compactions are behind, and the last value log file too. The copies aside
// are part of it, and given apart.
func BenchmarkOpenAfterKill(b *testing.B) {
	const batches, inlineBatchBytes, largeBytes = 90, 128 << 10, 4 * 330 << 10
	o := testOptions(b.TempDir())
	e := mustOpen(b, o)
	for number := range uint64(batches) {
		var ops []storage.Op
		for i := range uint64(inlineBatchBytes / 1024) {
			key := binary.BigEndian.AppendUint64([]byte("m"), number<<32|i)
			ops = append(ops, storage.Op{Key: key, Value: make([]byte, 900)})
		}
		for i := range byte(4) {
			ops = append(ops, storage.Op{Key: []byte{'s', byte(number), i}, Value: make([]byte, largeBytes/4)})
		}
		for _, op := range ops {
			op.Value[0] = 1
		}
		mustCommit(b, e, batch(number+1, 1, ops...))
	}
	image := crashImage(b, o.Dir)
	mustClose(b, e)
	memtables := filepath.Join(image, badgerDirName, "%05d.mem")
	for n := 2; n <= o.MemTables+2; n++ {
		if err := copySparse(fmt.Sprintf(memtables, n), fmt.Sprintf(memtables, 1)); err != nil {
			b.Fatal(err)
		}
	}
	var aside time.Duration
	var bytes uint64
	for b.Loop() {
		b.StopTimer()
		o.Dir = crashImage(b, image)
		unix.Sync()
		b.StartTimer()
		e := mustOpen(b, o)
		b.StopTimer()
		s := e.Stats()
		aside, bytes = aside+s.AsideTime, s.AsideBytes
		mustClose(b, e)
		b.StartTimer()
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/open")
	b.ReportMetric(aside.Seconds()/float64(b.N), "s-aside/open")
	b.ReportMetric(float64(bytes>>20), "MiB-aside")
}
