package headrace_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage/storagetest"
)

// pulled pulls once and says what came, as text#attempt.
func pulled(t *testing.T, sub *headrace.Subscription, opts ...headrace.PullOption) (all []*headrace.Pulled, texts []string) {
	t.Helper()
	all, err := sub.Pull(t.Context(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		texts = append(texts, fmt.Sprintf("%s#%d", p.Data, p.Attempt))
	}
	slices.Sort(texts)
	return all, texts
}

// TestRealPullAndSettleUnderEveryGuarantee: four messages are pulled, of which one is
// acked and one retried; then the server crashes, and one more is acked.
func TestRealPullAndSettleUnderEveryGuarantee(t *testing.T) {
	for name, c := range map[string]struct {
		guarantee headracev1.DeliveryGuarantee
		retried   error    // of the retry before the crash.
		late      error    // of the ack after it.
		atOnce    []string // what comes after the crash.
		later     []string // what comes when leases have ended.
	}{
		"at least once": {
			guarantee: atLeastOnce, late: headrace.ErrStaleDelivery,
			atOnce: []string{"1#2", "2#1", "3#1"}, later: []string{"1#3", "2#2", "3#2"},
		},
		"at most once": {guarantee: atMostOnce, retried: headrace.ErrStaleDelivery},
		"exactly once": {
			guarantee: exactlyOnce, // Tokens are good after a restart, too.
			atOnce:    []string{"1#2"}, later: []string{"1#3", "3#2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options := servertest.Options{Home: storagetest.MemoryHome()}
				s := servertest.Start(t, options)
				s.CreateTopic("orders")
				s.CreateSubscriptionWith(&headracev1.Subscription{Name: "billing", Topic: "orders", Guarantee: c.guarantee})
				client := dialReal(t, s)
				publishReal(t, client, 4)
				all, _ := pulled(t, client.Subscription("billing"), headrace.PullMessages(4))
				token := map[string]string{}
				for _, p := range all {
					token[string(p.Data)] = p.Token
				}
				failures, err := client.Subscription("billing").AckTokens(t.Context(), token["0"])
				wantFailures(t, "ack", failures, err, nil)
				failures, err = client.Subscription("billing").RetryTokens(t.Context(), []string{token["1"]}, headrace.RetryAfter(time.Second))
				wantFailures(t, "retry", failures, err, c.retried)
				s.Store.Engine.(*storagetest.Memory).Crash()
				s.Stop()
				_ = s.Wait() // It says that its engine failed.

				billing := dialReal(t, servertest.Start(t, options)).Subscription("billing")
				failures, err = billing.AckTokens(t.Context(), token["2"])
				wantFailures(t, "ack after the crash", failures, err, c.late)
				pass(2 * time.Second)
				synctest.Wait() // What is due then is written down.
				if _, got := pulled(t, billing, headrace.PullWait(time.Second)); !slices.Equal(got, c.atOnce) {
					t.Errorf("after the crash came %v, want %v", got, c.atOnce)
				}
				pass(5 * time.Minute)
				synctest.Wait()
				if _, got := pulled(t, billing, headrace.PullWait(time.Second)); !slices.Equal(got, c.later) {
					t.Errorf("later came %v, want %v", got, c.later)
				}
			})
		})
	}
}

func wantFailures(t *testing.T, what string, failures []headrace.TokenFailure, err, want error) {
	t.Helper()
	if err != nil || len(failures) > 1 || (want != nil) != (len(failures) == 1) || want != nil && !errors.Is(failures[0].Err, want) {
		t.Errorf("%s: %v, failures %v, want %v", what, err, failures, want)
	}
}
