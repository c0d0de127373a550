package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

func (c *subscribeStub) nextRecall() []*headracev1.SequenceRange {
	c.t.Helper()
	return c.await(func(r *headracev1.SubscribeResponse) bool { return r.GetRecall() != nil }).GetRecall().GetRanges()
}

// release is the answer to a recall.
func release(number uint64, ranges []*headracev1.SequenceRange) *headracev1.SubscribeRequest {
	return settle(&headracev1.SubscribeRequest_Settle{
		Number: number, Ranges: ranges, Verdict: headracev1.Verdict_VERDICT_RELEASE,
	})
}

func TestRule11ALateJoinerGetsItsShareWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		hoarder := hoard(t, s, 100, tells(headracev1.Feature_FEATURE_RECALL))
		hoarder.send(started(sequences(1, 2)...))
		time.Sleep(time.Second) //nolint:forbidigo // in a bubble
		began := time.Now()
		joiner := openSubscribe(t, s, tells())
		hoarder.send(release(1, hoarder.nextRecall()))
		first := joiner.nextBatch()
		if took := time.Since(began); took > time.Second {
			t.Errorf("the first delivery came after %v", took)
		}
		for n := len(first.GetMessages()); n < 30; n += len(joiner.nextBatch().GetMessages()) {
		}
		stats := subscriptionStats(t, s, "workers")
		if stats.GetExpired()+stats.GetRetried() > 0 || len(first.GetAttempts()) > 0 {
			t.Errorf("charged: %v", stats)
		}
		joiner.finish()
		hoarder.finish()
	})
}

func TestRule11AStartedThatCrossesARecallWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		hoarder := hoard(t, s, 2, tells(headracev1.Feature_FEATURE_RECALL))
		joiner := openSubscribe(t, s, tells())
		recalled := hoarder.nextRecall()
		hoarder.send(started(sequences(1, 2)...))
		hoarder.send(ack(1, recalled[0].GetFirst(), recalled[0].GetFirst()))
		hoarder.awaitConfirmed(1)
		if len(hoarder.failures) > 0 || joiner.received > 0 {
			t.Errorf("failures %v, the other one received %d", hoarder.failures, joiner.received)
		}
		joiner.finish()
		hoarder.finish()
	})
}

func TestRule11NobodyIsAskedWhoDidNotAnnounceIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := servertest.Start(t, servertest.Options{})
		hoarder := hoard(t, s, 10, tells())
		joiner := openSubscribe(t, s, tells())
		go joiner.stay(time.Minute)
		hoarder.stay(time.Minute)
		if err := hoarder.stream.CloseSend(); err != nil {
			t.Fatal(err)
		}
		for {
			r, err := hoarder.stream.Recv()
			if err != nil {
				break
			}
			if r.GetRecall() != nil {
				t.Error("a recall")
			}
		}
		joiner.nextBatch()
		joiner.cancel()
	})
}
