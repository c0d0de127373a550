package headrace_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"

	headrace "github.com/headrace/headrace/sdk/go"
)

// benchSize is the payload of a message in bytes.
const benchSize = 1_024

// reportCPU reports what a message costs in CPU time of the whole process: the
// client's part, gRPC's on both sides and the loopback server's.
func reportCPU(b *testing.B) func() {
	b.Helper()
	before := cpuNanoseconds(b)
	return func() {
		b.ReportMetric(float64(cpuNanoseconds(b)-before)/float64(b.N), "cpu-ns/op")
	}
}

func cpuNanoseconds(b *testing.B) int64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// BenchmarkPublishAsync keeps up to 1,000 messages in flight.
func BenchmarkPublishAsync(b *testing.B) {
	c := startLoopback(b, 1, 1, headrace.WithPublishBuffer(1_000, 64<<20))
	topic, m := c.Topic("orders"), headrace.Message{Data: make([]byte, benchSize)}
	b.ReportAllocs()
	b.SetBytes(benchSize)
	done := reportCPU(b)
	for b.Loop() {
		topic.PublishAsync(context.Background(), m)
	}
	if err := topic.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	done()
}

// BenchmarkPublishOneWay asks for no results.
func BenchmarkPublishOneWay(b *testing.B) {
	c := startLoopback(b, 1, 1, headrace.WithPublishBuffer(1_000, 64<<20))
	topic, m := c.Topic("orders"), headrace.Message{Data: make([]byte, benchSize)}
	b.ReportAllocs()
	b.SetBytes(benchSize)
	done := reportCPU(b)
	for b.Loop() {
		if err := topic.PublishOneWay(context.Background(), m); err != nil {
			b.Fatal(err)
		}
	}
	done()
}

// BenchmarkPublish has publishers that wait for each result.
func BenchmarkPublish(b *testing.B) {
	for _, publishers := range []int{1, 64} {
		b.Run(fmt.Sprintf("publishers=%d", publishers), func(b *testing.B) {
			c := startLoopback(b, 1, 1)
			topic, m := c.Topic("orders"), headrace.Message{Data: make([]byte, benchSize)}
			b.ReportAllocs()
			done := reportCPU(b)
			var running sync.WaitGroup
			for p := range publishers {
				running.Go(func() {
					for i := p; i < b.N; i += publishers {
						if _, err := topic.Publish(context.Background(), m); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			running.Wait()
			done()
		})
	}
}

// BenchmarkReceive acks at once.
func BenchmarkReceive(b *testing.B) {
	for _, batch := range []int{1, 28, 64, 250} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			c := startLoopback(b, batch, benchSize)
			b.ReportAllocs()
			b.SetBytes(benchSize)
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			n := 0
			done := reportCPU(b)
			err := c.Subscription("billing").Receive(ctx, func(context.Context, *headrace.Delivery) error {
				n++
				if n == b.N {
					stop()
				}
				return nil
			})
			done()
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkDeliveries acks at once, in a loop.
func BenchmarkDeliveries(b *testing.B) {
	c := startLoopback(b, 64, benchSize)
	b.ReportAllocs()
	b.SetBytes(benchSize)
	n := 0
	done := reportCPU(b)
	for d, err := range c.Subscription("billing").Deliveries(context.Background()) {
		if err != nil {
			b.Fatal(err)
		}
		d.Ack()
		n++
		if n == b.N {
			break
		}
	}
	done()
}
