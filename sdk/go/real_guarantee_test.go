package headrace_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/server/servertest"
)

// startGuaranteed starts the real server with a subscription "billing" of a guarantee.
func startGuaranteed(t *testing.T, g headracev1.DeliveryGuarantee) (*servertest.Server, *headrace.Client) {
	t.Helper()
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscriptionWith(&headracev1.Subscription{Name: "billing", Topic: "orders", Guarantee: g})
	return s, dialReal(t, s)
}

const (
	atMostOnce  = headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_MOST_ONCE
	atLeastOnce = headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_AT_LEAST_ONCE
	exactlyOnce = headracev1.DeliveryGuarantee_DELIVERY_GUARANTEE_EXACTLY_ONCE
)

func TestRealReceiveFromASubscriptionThatDeliversAtMostOnce(t *testing.T) {
	for name, options := range map[string][]headrace.ReceiveOption{
		"message by message": nil,
		"some ahead":         {headrace.WithManualCredit(100)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, c := startGuaranteed(t, atMostOnce)
				const n = 500
				publishReal(t, c, n)
				ctx, stop := context.WithCancel(t.Context())
				handled := make(chan string, n)
				err := c.Subscription("billing").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
					handled <- string(d.Data)
					if len(handled) >= n/2 { // Two may have put theirs in before either looks.
						stop()
					}
					return nil
				}, append(options, headrace.WithConcurrency(3))...)
				if err != nil {
					t.Error(err)
				}
				stats := statsOf(t, c)
				if uint64(len(handled))+stats.GetBacklog().GetMessages() != n || stats.GetRedelivered() != 0 || len(stats.GetSessions()) != 0 {
					t.Errorf("%d handled before the stop, then %v", len(handled), stats)
				}
				for d, err := range c.Subscription("billing").Deliveries(t.Context(), options...) {
					if err != nil {
						t.Fatal(err)
					}
					handled <- string(d.Data)
					if len(handled) == n {
						break
					}
				}
				seen := map[string]bool{}
				for len(handled) > 0 {
					seen[<-handled] = true
				}
				if len(seen) != n {
					t.Errorf("%d messages came", len(seen))
				}
			})
		})
	}
}

func TestRealALoopThatIsLeftLosesNothingAtMostOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startGuaranteed(t, atMostOnce)
		const n = 20
		publishReal(t, c, n+5)
		for i := range n {
			began, ahead := time.Now(), 0
			if i == n-1 {
				ahead = 5 // They are lost, and nobody waits for them.
			}
			for d, err := range c.Subscription("billing").Deliveries(t.Context(), headrace.WithManualCredit(ahead)) {
				pass(time.Millisecond)
				if err != nil || string(d.Data) != texts(n)[i] {
					t.Fatalf("loop %d got %v, %v", i, d, err)
				}
				break
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("loop %d took %v", i, took)
			}
		}
	})
}

func TestRealCreditByHandOfEveryGuarantee(t *testing.T) {
	for name, g := range map[string]headracev1.DeliveryGuarantee{
		"at most once": atMostOnce, "at least once": atLeastOnce, "exactly once": exactlyOnce,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := startGuaranteed(t, g)
				line, cut := dialCut(t, s)
				const n = 100
				publishReal(t, c, n)
				ctx, stop := context.WithCancel(t.Context())
				handled := map[string]int{}
				err := cut.Subscription("billing").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
					handled[string(d.Data)]++
					if len(handled)%30 == 0 {
						line.cut() // While nothing is on its way.
					}
					if len(handled) == n {
						stop()
					}
					return nil
				}, headrace.WithManualCredit(0))
				if err != nil {
					t.Error(err)
				}
				for text, times := range handled {
					if times != 1 {
						t.Errorf("message %s came %d times", text, times)
					}
				}
			})
		})
	}
}
