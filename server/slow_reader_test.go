package server_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/servertest"
)

// Rule 15: what subscribers that never read cost is bounded for each by its outbound
// queue and for all by outbound_memory; each is cut off in its time, and a subscriber
// that reads notices nothing.
func TestSubscribersThatNeverReadCostWhatTheyMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			// Each message is a frame of its own, and a last frame for every reader fits
			// between the half of the memory, where they come singly, and the point where
			// all are held back.
			readers                = 10
			messages, messageBytes = 128, 256 << 10
			memoryBytes            = 8 << 20
			// What a queue may hold, and how long that may take.
			queueBytes  = 5 << 20
			graceTime   = 20 * time.Second
			slowestTime = graceTime + queueBytes/(64<<10)*time.Second
		)
		s := startQuiet(t, servertest.Options{
			Broker: broker.Config{OutboundMemoryBytes: memoryBytes},
			Dial:   []grpc.DialOption{grpc.WithStaticStreamWindowSize(64 << 10), grpc.WithStaticConnWindowSize(16 << 20)},
		})
		s.CreateTopic("orders")
		s.CreateSubscription("quick", "orders")
		quick := openForHours(t, s, "quick")
		var slow []*subscribeStub
		for i := range readers {
			name := fmt.Sprintf("slow-%d", i)
			s.CreateSubscription(name, "orders")
			slow = append(slow, openForHours(t, s, name))
		}
		began, peak, settles := time.Now(), int64(0), uint64(0)
		for n := range uint64(messages) {
			s.Publish("orders", &headracev1.Message{Data: make([]byte, messageBytes)})
			for quick.received <= n {
				quick.nextBatch()
			}
			settles++
			quick.send(ack(settles, n+1, n+1))
			peak = max(peak, s.Broker.OutboundBytes())
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the quick session took %v beside those that do not read", took)
		}
		t.Logf("at most %d KiB wait for %d readers", peak>>10, readers)
		if peak < memoryBytes/2 || peak > memoryBytes {
			t.Errorf("at most %d bytes waited, %d are allowed", peak, memoryBytes)
		}
		first, last := awaitStreamsEnd(t, s, quick, slow)
		t.Logf("cut off after %v to %v", first.Sub(began), last.Sub(began))
		if first.Sub(began) < graceTime || last.Sub(began) > slowestTime {
			t.Errorf("cut off after %v to %v; %v to %v are right", first.Sub(began), last.Sub(began), graceTime, slowestTime)
		}
		for _, c := range slow {
			checkStatus(t, c.end(), codes.ResourceExhausted, "SLOW_READER", "")
		}
		synctest.Wait()
		if left := s.Broker.OutboundBytes(); left != 0 {
			t.Errorf("%d bytes wait for nobody", left)
		}
		quick.finish()
	})
}

// awaitStreamsEnd sends heartbeats, and says when the first and the last of the slow
// sessions were ended by the server.
func awaitStreamsEnd(t *testing.T, s *servertest.Server, quick *subscribeStub, slow []*subscribeStub) (first, last time.Time) {
	t.Helper()
	all := float64(len(slow) + 1)
	for tick := 0; ; tick++ {
		open := gauge(t, s, "headrace_subscribe_streams")
		if open < all && first.IsZero() {
			first = time.Now()
		}
		if open == 1 {
			return first, time.Now()
		}
		if tick%10 == 0 {
			quick.send(heartbeat())
			for _, c := range slow {
				c.send(heartbeat())
			}
		}
		if tick > 600 {
			t.Fatal("they are never cut off")
		}
		time.Sleep(time.Second) //nolint:forbidigo // in a bubble
	}
}
