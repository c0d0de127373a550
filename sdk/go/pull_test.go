package headrace_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"
)

// TestPulledMessagesAreSettledByTokens: acked, retried, released and rejected, by whoever
// has the token.
func TestPulledMessagesAreSettledByTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		sub := c.Subscription("billing")
		publishReal(t, c, 5)
		all, err := sub.Pull(t.Context(), headrace.PullMessages(4), headrace.PullLease(20*time.Second))
		if err != nil || len(all) != 4 || all[3].ID != "0-3" || all[3].Position.Offset != 3 || all[3].Attempt != 1 || all[3].PublishTime.IsZero() {
			t.Fatalf("pulled %v, %v", all, err)
		}
		token := func(i int) []string { return []string{all[i].Token} }
		for i, settle := range []func() ([]headrace.TokenFailure, error){
			func() ([]headrace.TokenFailure, error) { return sub.AckTokens(t.Context(), token(0)...) },
			func() ([]headrace.TokenFailure, error) {
				return sub.RetryTokens(t.Context(), token(1), headrace.RetryAfter(time.Hour), headrace.RetryBecause("DB", "down"))
			},
			func() ([]headrace.TokenFailure, error) {
				return sub.RejectTokens(t.Context(), token(2), "BAD", "cannot be read")
			},
			func() ([]headrace.TokenFailure, error) {
				return sub.ExtendTokens(t.Context(), time.Minute, token(3)...)
			},
		} {
			if failures, err := settle(); err != nil || failures != nil {
				t.Errorf("settle %d: %v, %v", i, failures, err)
			}
		}
		time.Sleep(30 * time.Second) //nolint:forbidigo // in a bubble: the extended one outlives its first lease
		if failures, err := sub.ReleaseTokens(t.Context(), token(3)...); err != nil || failures != nil {
			t.Errorf("released: %v, %v", failures, err)
		}
		failures, err := sub.AckTokens(t.Context(), all[0].Token, "nonsense")
		if err != nil || len(failures) != 2 || !errors.Is(failures[0].Err, headrace.ErrInvalidToken) || !errors.Is(failures[1].Err, headrace.ErrStaleDelivery) {
			t.Errorf("failures %v, %v", failures, err)
		}
		stats := statsOf(t, c)
		if stats.GetAcked() != 1 || stats.GetRetried() != 1 || stats.GetRejected() != 1 || stats.GetReleased() != 1 || stats.GetExpired() != 0 {
			t.Errorf("stats %v", stats)
		}
	})
}

func TestAPullInVainIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		began := time.Now()
		all, err := c.Subscription("billing").Pull(t.Context(), headrace.PullWait(3*time.Second))
		if err != nil || len(all) != 0 || time.Since(began) != 3*time.Second {
			t.Errorf("%v, %v after %v", all, err, time.Since(began))
		}
		if _, err := c.Subscription("lost").Pull(t.Context()); !errors.Is(err, headrace.ErrSubscriptionNotFound) {
			t.Errorf("lost: %v", err)
		}
		if _, err := c.Subscription("billing").Pull(t.Context(), headrace.PullMessages(1001)); !errors.Is(err, headrace.ErrInvalidField) {
			t.Errorf("too many: %v", err)
		}
	})
}
