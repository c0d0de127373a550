package main

import (
	"fmt"
	"runtime"
	"syscall"
	"time"

	"github.com/headrace/headrace/storage/shardlog"
)

// sample is the state of the counters at one time.
type sample struct {
	at      time.Time
	cpu     time.Duration
	memory  runtime.MemStats
	metrics shardlog.Metrics
}

func (b *bench) sample() sample {
	s := sample{at: time.Now(), cpu: cpuTime(), metrics: b.store.Metrics()}
	runtime.ReadMemStats(&s.memory)
	return s
}

// cpuTime is what the process has used, in user and system mode.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // It takes no wrong arguments here.
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// result is what happened between two samples.
type result struct {
	messages, bytes, commits, keys, allocations, allocated float64
	took, cpu, commitTime                                  time.Duration
	trimmed                                                uint64
	onDisk                                                 int64
}

func (s sample) since(before sample) result {
	m, n := s.metrics, before.metrics
	return result{
		messages:    float64(m.CommittedMessages - n.CommittedMessages),
		bytes:       float64(m.CommittedBytes - n.CommittedBytes),
		commits:     float64(m.Commits - n.Commits),
		keys:        float64(m.CommittedKeys - n.CommittedKeys),
		allocations: float64(s.memory.Mallocs - before.memory.Mallocs),
		allocated:   float64(s.memory.TotalAlloc - before.memory.TotalAlloc),
		took:        s.at.Sub(before.at),
		cpu:         s.cpu - before.cpu,
		commitTime:  m.CommitTime - n.CommitTime,
		trimmed:     m.TrimmedMessages - n.TrimmedMessages,
	}
}

const header = "| load | messages/s | MB/s | CPU µs/message | allocations/message | B allocated/message " +
	"| messages/commit | keys/commit | ms/commit | trimmed | MB on disk |\n" +
	"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"

func (r result) row(l *load) string {
	return fmt.Sprintf("| %s | %.0f | %.1f | %.2f | %.2f | %.0f | %.1f | %.1f | %.2f | %d | %.0f |",
		l.name, r.messages/r.took.Seconds(), r.bytes/1e6/r.took.Seconds(),
		float64(r.cpu.Microseconds())/r.messages, r.allocations/r.messages, r.allocated/r.messages,
		r.messages/r.commits, r.keys/r.commits, float64(r.commitTime.Microseconds())/1000/r.commits, r.trimmed, float64(r.onDisk)/1e6)
}
