package delivery_test

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/server/broker/delivery/model"
)

var (
	stepsFlag = flag.Int("steps", defaultSteps(), "how many steps TestSimulation takes in all")
	logFlag   = flag.Bool("log", false, "print what happens in TestSimulation")
	seedFlag  = flag.Uint64("seed", 1, "seed of the first episode of TestSimulation")
)

// defaultSteps is what the environment asks for, or enough for a first look.
func defaultSteps() int {
	if steps, err := strconv.Atoi(os.Getenv("HEADRACE_SIM_STEPS")); err == nil {
		return steps
	}
	return 100_000
}

const (
	// episodeSteps is how long one subscription lives in the simulation.
	episodeSteps = 1000
	// checkSteps is after how many steps the whole state is walked, for it costs.
	checkSteps = 20
	// maxWait is the longest that is waited for a deadline: longer than any but that of
	// a delivery which waits for its commit.
	maxWait = 24 * time.Hour
	// maxTurns is how many turns in a row may have more to do at once.
	maxTurns = 10_000
)

// TestSimulation drives the state machine and the naive model with the same random
// events, episode by episode, and fails when the model does not allow, or misses,
// something. A failing episode is replayed with -seed=N -steps=1.
func TestSimulation(t *testing.T) {
	for seed, steps := *seedFlag, 0; steps < *stepsFlag; seed++ {
		n, err := runEpisode(seed)
		if err != nil {
			t.Fatalf("step %d: %v\nreplay: go test ./server/broker/delivery -run 'TestSimulation$' -steps=1 -seed=%d", n, err, seed)
		}
		steps += n
	}
}

// TestCorpus runs the episodes whose seeds once found a fault, or stand for a case.
func TestCorpus(t *testing.T) {
	file, err := os.Open("testdata/seeds.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	episodes := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		word, _, _ := strings.Cut(lines.Text(), " ")
		if word == "" || word == "#" {
			continue
		}
		seed, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := runEpisode(seed); err != nil {
			t.Errorf("seed %d, step %d: %v", seed, n, err)
		}
		episodes++
	}
	if episodes == 0 {
		t.Fatal("the corpus is empty")
	}
}

// runEpisode lets one subscription live for a while; it returns the steps taken.
func runEpisode(seed uint64) (step int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, stack())
		}
	}()
	s := newSim(seed)
	for ; step < episodeSteps; step++ {
		if err := s.step(); err != nil {
			return step, err
		}
	}
	return step, s.finish()
}

// sim is one episode: a subscription, its account, and the world around both.
type sim struct {
	*rand.Rand
	config   delivery.Config
	state    *delivery.State
	model    *model.Model
	now      time.Duration
	store    simStore
	clients  []*simClient
	away     []*simClient // their streams broke
	nextID   delivery.SessionID
	events   []delivery.Event
	shutdown bool
	checks   int
	actions  []action
	keys     int // how many there are
	lastAt   time.Duration
	held     int // a seek comes in so many actions
	stats    delivery.Stats
	looked   uint64 // frames that wait for a commit, so far
	failure  error
	pages    int // bound on pages in a change set, 0: the usual one
}

func newSim(seed uint64) *sim {
	s := &sim{Rand: rand.New(rand.NewPCG(seed, 0x6865616472616365)), nextID: 1}
	s.now = time.Duration(s.IntN(1000)) * time.Second
	s.config = s.randomConfig()
	s.guarantee(seed)
	s.keys = 1 + s.IntN(12)
	s.store.init(s)
	s.store.redriven = seed%3 == 0 && s.config.Order == delivery.OrderKey && len(s.store.partitions) > 1
	s.model = model.New(s.rules(), len(s.store.partitions))
	s.state = s.recovered()
	s.actions = s.randomActions()
	return s
}

// step tells both sides of a few events and lets them take turns until nothing is
// to be done at once.
func (s *sim) step() error {
	s.pass()
	for n := 1 + s.IntN(3); n > 0; n-- {
		s.act()
	}
	if s.failure != nil {
		return s.failure
	}
	if err := s.turn(); err != nil {
		return err
	}
	for turns := 0; ; turns++ {
		deadline, ok := s.state.Deadline()
		if len(s.events) == 0 && (!ok || deadline > s.now) {
			break
		}
		if turns == maxTurns {
			return fmt.Errorf("no end of turns")
		}
		if err := s.turn(); err != nil {
			return err
		}
	}
	return s.check()
}

// check looks at what must hold between steps.
func (s *sim) check() error {
	if len(s.store.loads) == 0 && s.held == 0 {
		if err := s.model.Quiet(); err != nil {
			if *logFlag {
				fmt.Fprint(os.Stdout, delivery.Dump(s.state))
			}
			return err
		}
	}
	s.checks++
	if s.checks%checkSteps == 0 || *logFlag {
		if err := delivery.Check(s.state); err != nil {
			return err
		}
		if err := s.explain(); err != nil {
			return err
		}
	}
	s.state.Stats(&s.stats)
	c := s.stats.Counters
	got := model.Totals{
		Delivered: c.Delivered, Redelivered: c.Redelivered, Acked: c.Acked,
		Retried: c.Retried, Released: c.Released, Expired: c.Expired,
		Rejected: c.Rejected, DeadLettered: c.DeadLettered,
		Removed: c.Removed, Dropped: c.Dropped,
	}
	if want := s.model.Totals(); got != want.Since(s.store.forgotten) {
		return fmt.Errorf("counters %+v, expected %+v less %+v", got, want, s.store.forgotten)
	}
	return nil
}

// explain compares what is said of each message with the model.
func (s *sim) explain() error {
	for _, p := range s.store.partitions {
		for offset := p.floor; offset < min(p.head, p.floor+200); offset++ {
			e, _ := s.state.Explain(p.id, offset)
			holder, attempt := s.model.Holder(p.id, offset)
			if e.Standing == delivery.IsSettled {
				continue // a hole may have settled it while it was held
			}
			if uint64(e.Session) != holder || e.Attempt != attempt {
				return fmt.Errorf("message %d/%d is explained as held by %d at attempt %d, expected %d, %d",
					p.id, offset, e.Session, e.Attempt, holder, attempt)
			}
		}
	}
	return nil
}

// turn is one turn of an owner loop.
func (s *sim) turn() error {
	s.logEvents()
	s.state.Apply(s.now, s.events...)
	s.events = s.events[:0]
	if err := s.sent(); err != nil {
		return err
	}
	s.model.Advance(s.now)
	applied := len(delivery.Decided(s.state))
	effects := s.state.Next(s.now)
	for i, effect := range effects {
		if i < applied && isDeliver(effect) {
			continue // it was performed
		}
		if i == applied {
			if err := s.dispatched(); err != nil {
				return err
			}
		}
		if *logFlag {
			fmt.Fprintf(os.Stdout, "    %T %+v\n", effect, effect)
		}
		if err := s.perform(effect); err != nil {
			return fmt.Errorf("at %v: %w\n\tin %T", s.now, err, effect)
		}
	}
	if err := s.dispatched(); err != nil {
		return err
	}
	return s.model.EndTurn()
}

func (s *sim) logEvents() {
	if !*logFlag {
		return
	}
	fmt.Fprintf(os.Stdout, "%v\n", s.now)
	for _, event := range s.events {
		fmt.Fprintf(os.Stdout, "  %T %+v\n", event, event)
	}
}

// pass lets time go on: a little, a lot, or up to the next deadline.
func (s *sim) pass() {
	s.lastAt = s.now
	switch n := s.IntN(100); {
	case n < 40:
	case n < 70:
		s.now += time.Duration(s.IntN(20)) * time.Millisecond
	case n < 90:
		if deadline, ok := s.state.Deadline(); ok && deadline < s.now+maxWait {
			s.now = max(s.now, deadline)
		}
	case n < 98:
		s.now += time.Duration(s.IntN(2000)) * time.Millisecond
	default:
		s.now += time.Duration(s.IntN(40)) * time.Second
	}
}

// at is when the next event was read: in order, and not after now.
func (s *sim) at() time.Duration {
	s.lastAt += time.Duration(s.Int64N(int64(s.now-s.lastAt) + 1))
	return s.lastAt
}

// emit tells the state machine of an event. The model was told already.
func (s *sim) emit(event delivery.Event) { s.events = append(s.events, event) }

// finish drains the world: with a patient client everything is settled in the end.
func (s *sim) finish() error {
	if s.shutdown {
		return nil
	}
	s.lastAt = s.now
	if s.held > 0 {
		s.seek()
	}
	s.calm()
	for range 2000 {
		s.finishStep()
		if s.failure != nil {
			return s.failure
		}
		if err := s.turn(); err != nil {
			return err
		}
		s.state.Stats(&s.stats)
		if s.stats.Backlog == 0 && s.state.Idle() {
			return s.check()
		}
		if deadline, ok := s.state.Deadline(); ok {
			s.now = max(s.now, deadline)
		}
		s.lastAt = s.now
	}
	return fmt.Errorf("%d messages are not settled in the end: %+v", s.stats.Backlog, s.stats)
}
