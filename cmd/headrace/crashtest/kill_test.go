package crashtest

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

const (
	roundsVariable = "HEADRACE_KILL_ROUNDS"
	seedVariable   = "HEADRACE_KILL_SEED"
	// defaultRounds is how often a plain `go test` kills the server.
	defaultRounds = 2

	topicName  = "ledger"
	partitions = 4
	publishers = 2
	// consumersPerSubscription compete for each subscription.
	consumersPerSubscription = 2
	// shownViolations and shownLogBytes are how much a failed test says.
	shownViolations = 20
	shownLogBytes   = 16 << 10
	// drainPoll is how often the end of the drain is looked for.
	drainPoll = 20 * time.Millisecond
)

// subscriptionNames have the ledger's numbers as their indexes.
var subscriptionNames = []string{"first", "second"}

// TestKilledServerKeepsItsPromises kills a server again and again while it is
// published to and received from, and then compares everything that was said.
func TestKilledServerKeepsItsPromises(t *testing.T) {
	rounds, seed := setting(t, roundsVariable, defaultRounds), setting(t, seedVariable, time.Now().UnixNano())
	t.Logf("%d rounds; %s=%d repeats the kills' times", rounds, seedVariable, seed)
	log := openLog(t)
	v, err := newVictim(build(t), filepath.Join(t.TempDir(), "data"), log, rand.New(rand.NewPCG(uint64(seed), 0)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.process.Kill() })

	r := newRun(t, v)
	r.start()
	for round := range int(rounds) {
		life, err := v.die(r.ledger.Told())
		if err == nil {
			err = v.rise(round)
		}
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		t.Logf("round %d: killed after %s", round, life)
	}
	end := r.finish()
	t.Logf("recorded: %v", r.ledger.Count())
	report(t, Check(r.ledger, end))
	if n := r.ledger.Count(); n["acknowledged"] == 0 || n["confirmed"] == 0 {
		t.Errorf("nothing was at stake: %v", n)
	}
	if err := v.process.Stop(); err != nil {
		t.Error(err)
	}
}

// report fails the test with the first violations, and the number of all.
func report(t *testing.T, violations []Violation) {
	t.Helper()
	for _, v := range violations[:min(len(violations), shownViolations)] {
		t.Error(v)
	}
	if len(violations) > shownViolations {
		t.Errorf("and %d more", len(violations)-shownViolations)
	}
}

// run is the load on a victim. Its clients live through all of the victim's
// lives.
type run struct {
	t       *testing.T
	ledger  *Ledger
	admin   *headrace.Client
	clients []*headrace.Client
	victim  *victim

	publishing, consuming         *errgroup.Group
	stopPublishing, stopConsuming context.CancelFunc
	// consumed is closed when consuming ended, by itself too.
	consumed <-chan struct{}
}

func newRun(t *testing.T, v *victim) *run {
	t.Helper()
	r := &run{t: t, ledger: NewLedger(), victim: v, publishing: &errgroup.Group{}}
	r.admin = r.dial()
	t.Cleanup(func() {
		for _, c := range r.clients {
			_ = c.Close()
		}
	})
	return r
}

func (r *run) dial() *headrace.Client {
	c, err := headrace.Dial(r.t.Context(), r.victim.address(), headrace.WithCloseTimeout(time.Second))
	if err != nil {
		r.t.Fatal(err)
	}
	r.clients = append(r.clients, c)
	return c
}

// start makes the topic and its subscriptions and sets everybody going.
func (r *run) start() {
	publishing, stopPublishing := context.WithCancel(r.t.Context())
	consuming, stopConsuming := context.WithCancel(r.t.Context())
	r.stopPublishing, r.stopConsuming = stopPublishing, stopConsuming
	r.consuming, consuming = errgroup.WithContext(consuming)
	r.consumed = consuming.Done()

	r.must(r.admin.Topics().Create(r.t.Context(), &headracev1.Topic{Name: topicName, Partitions: partitions}))
	for i, name := range subscriptionNames {
		r.must(r.admin.Subscriptions().Create(r.t.Context(), &headracev1.Subscription{
			Name: name, Topic: topicName, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
		}))
		for range consumersPerSubscription {
			c := &consumer{uint8(i), r.dial().Subscription(name), r.ledger}
			r.consuming.Go(func() error { return c.run(consuming) })
		}
	}
	for i := range uint32(publishers) {
		p := &publisher{number: i, topic: r.dial().Topic(topicName), ledger: r.ledger}
		r.publishing.Go(func() error { p.run(publishing); return nil })
	}
}

// finish stops publishing, waits until everything is acked, and asks the server
// how it stands.
func (r *run) finish() End {
	r.stopPublishing()
	if err := r.publishing.Wait(); err != nil {
		r.t.Fatal(err)
	}
	r.awaitDrained()
	r.stopConsuming()
	if err := r.consuming.Wait(); err != nil {
		r.t.Error(err)
	}
	end := End{Backlogs: r.backlogs()}
	stats, err := r.admin.Topics().Stats(r.t.Context(), topicName)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range stats.GetPartitions() {
		end.NextOffsets = append(end.NextOffsets, p.GetNextOffset())
	}
	return end
}

// awaitDrained returns when no subscription has a backlog, or consuming failed.
func (r *run) awaitDrained() {
	tick := time.NewTicker(drainPoll)
	defer tick.Stop()
	for {
		left := uint64(0)
		for _, n := range r.backlogs() {
			left += n
		}
		if left == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-r.consumed:
			return
		}
	}
}

func (r *run) backlogs() []uint64 {
	backlogs := make([]uint64, len(subscriptionNames))
	for i, name := range subscriptionNames {
		stats, err := r.admin.Subscriptions().Stats(r.t.Context(), name)
		if err != nil {
			r.t.Fatal(err)
		}
		backlogs[i] = stats.GetBacklog().GetMessages()
	}
	return backlogs
}

func (r *run) must(_ any, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// build compiles the binary under test.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "headrace")
	out, err := exec.Command("go", "build", "-o", binary, "github.com/headrace/headrace/cmd/headrace").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// openLog collects what all servers log and shows it when the test failed.
func openLog(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = f.Close()
		if text, err := os.ReadFile(f.Name()); t.Failed() && err == nil {
			t.Logf("the end of what the servers logged:\n%s", text[max(0, len(text)-shownLogBytes):])
		}
	})
	return f
}

// setting reads a number from the environment.
func setting(t *testing.T, name string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is not a number above 0", name, text)
	}
	return n
}
