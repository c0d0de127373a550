package record

import (
	"testing"

	"github.com/headrace/headrace/storage"
)

// BenchmarkEncode: no encoder allocates into a slice that is large enough.
func BenchmarkEncode(b *testing.B) {
	dst := make([]byte, 0, 8<<10)
	runs, bitmap := runsChunk(), bitmapChunk()
	bench := func(name string, key []byte, encode func(key []byte)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				encode(key)
			}
		})
	}
	bench("header", AppendBatchKey(nil, 1), func(k []byte) { dst = AppendHeader(dst[:0], k, &sampleHeader) })
	bench("pointer", AppendPointerKey(nil, samplePartition, 1), func(k []byte) { dst = AppendPointer(dst[:0], k, &samplePointer) })
	bench("partition", AppendPartitionKey(nil, samplePartition), func(k []byte) { dst = AppendPartition(dst[:0], k, &sampleRecord) })
	bench("cursor", AppendCursorKey(nil, 1, 1), func(k []byte) { dst = AppendCursor(dst[:0], k, &sampleCursor) })
	var parts []AckPart
	for name, c := range map[string]*storage.Chunk{"ack runs": &runs, "ack bitmap": &bitmap} {
		bench(name, AppendAckKey(nil, AckKey{}), func(k []byte) {
			parts = SplitChunk(parts[:0], c, 1)
			dst = AppendAckPart(dst[:0], k, &parts[0])
		})
	}
}

// BenchmarkSegment builds a full segment, and reads it, by how many runs it has.
// The figure is per message of 1 KiB.
func BenchmarkSegment(b *testing.B) {
	const messages, messageBytes = 127, 1 << 10
	for name, topics := range map[string]int{"one topic": 1, "127 topics": messages} {
		appends := make([]storage.Append, topics)
		for i := range appends {
			a := &appends[i]
			a.Partition.Topic = storage.TopicID(i)
			a.Messages = make([]byte, messages/topics*messageBytes)
			for n := range messages / topics {
				a.Ends = append(a.Ends, uint32(n+1)*messageBytes)
			}
		}
		b.Run("build/"+name, func(b *testing.B) { benchmarkBuild(b, appends) })
		b.Run("read/"+name, func(b *testing.B) { benchmarkRead(b, appends) })
	}
}

func benchmarkBuild(b *testing.B, appends []storage.Append) {
	b.Helper()
	var builder SegmentBuilder
	b.ReportAllocs()
	for b.Loop() {
		builder.Reset()
		for i := range appends {
			builder.Add(&appends[i], 0, sampleTime)
		}
		builder.Finish(segmentKey)
	}
	perMessage(b, builder.Messages())
}

func benchmarkRead(b *testing.B, appends []storage.Append) {
	b.Helper()
	value := buildSegment(segmentKey, appends)
	var s storage.Segment
	b.ReportAllocs()
	for b.Loop() {
		r, err := OpenSegment(segmentKey, value)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Read(r.Runs()-1, &s); err != nil {
			b.Fatal(err)
		}
	}
	perMessage(b, len(s.Ends))
}

func perMessage(b *testing.B, messages int) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(messages), "ns/message")
}
