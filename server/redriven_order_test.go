package server_test

import (
	"testing"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

func redriveAll(t *testing.T, s *servertest.Server) {
	t.Helper()
	var sequences []uint64
	for _, d := range listDeadLetters(t, s, &headracev1.ListDeadLettersRequest{}) {
		sequences = append(sequences, d.GetSequence())
	}
	r, err := s.Subscriptions.RedriveDeadLetters(bounded(t), &headracev1.RedriveDeadLettersRequest{Subscription: "workers", Sequences: sequences})
	if err != nil || len(r.GetSequences()) != len(sequences) {
		t.Fatalf("redrive: %v, %v", r, err)
	}
}

// TestRule12OfAKeyTheRedrivenGoFirst: after what is out of it, before all that follows,
// also after a restart; other keys do not wait.
func TestRule12OfAKeyTheRedrivenGoFirst(t *testing.T) {
	home := storagetest.MemoryHome()
	t.Run("before a restart", func(t *testing.T) {
		s := keyedServer(t, home, nil)
		s.Publish("orders", keyedMessages("a", "a", "a", "a")...)
		c := openKeyed(t, s, false)
		c.wantData("a:1")
		c.send(settling(1, 1, headracev1.Verdict_VERDICT_REJECT, "", ""))
		c.wantData("a:2")
		c.send(settling(2, 2, headracev1.Verdict_VERDICT_REJECT, "", ""))
		c.wantData("a:3")
		redriveAll(t, s)
		s.Publish("orders", keyedMessages("b")...)
		c.wantData("b:1") // What was redriven waits for a:3.
		c.send(ack(3, 3, 3))
		first := c.wantData("a:1")
		c.send(ack(4, first, first))
		c.wantData("a:2")
		c.awaitConfirmed(4)
		c.finish()
	})
	s := servertest.Start(t, servertest.Options{Home: home})
	c := openKeyed(t, s, true)
	c.wantData("a:2", "b:1")
	c.send(ack(1, 1, 1))
	c.wantData("a:4")
	c.finish()
}

// TestAParkedKeyIsRedrivenBeforeItIsReleased: what was redriven of it goes out at once,
// the rest when it is released and that is settled.
func TestAParkedKeyIsRedrivenBeforeItIsReleased(t *testing.T) {
	s := keyedServer(t, nil, parks)
	s.Publish("orders", keyedMessages("a", "a")...)
	c := openKeyed(t, s, false)
	c.wantData("a:1")
	c.send(settling(1, 1, headracev1.Verdict_VERDICT_REJECT, "", ""))
	c.awaitConfirmed(1)
	redriveAll(t, s)
	c.wantData("a:1")
	c.send(settling(2, 2, headracev1.Verdict_VERDICT_REJECT, "", ""))
	c.awaitConfirmed(2)
	if all := parkedKeys(t, s, 0); len(all) != 2 || all[1].GetPartition() != 65535 || all[1].GetOrderingKey() != "a" {
		t.Errorf("parked: %v", all)
	}
	if n := releaseParked(t, s, &headracev1.ReleaseParkedKeysRequest{Partitions: []uint32{65535}}); n != 1 {
		t.Errorf("%d released", n)
	}
	redriveAll(t, s)
	c.wantData("a:1")
	if n := releaseParked(t, s, &headracev1.ReleaseParkedKeysRequest{OrderingKeys: []string{"a"}}); n != 1 {
		t.Errorf("%d released", n)
	}
	c.send(ack(3, 3, 3))
	c.wantData("a:2")
	c.finish()
}
