package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/faults/history/standing"
)

// Campaign is a series of kills of one server and its clients.
type Campaign struct {
	// Rounds is how often the server is killed under load; there are more kills
	// besides. Seed gives all of what is random here.
	Rounds int
	Seed   uint64
	// Calm is how long all are left alone before the first round.
	Calm time.Duration
	// Enough is asked after each round whether what is broken so far is all that somebody
	// wants to know: then the campaign ends there, and nothing is drained. Nil: it never is.
	Enough func([]history.Violation) bool
	// Server is the headrace binary, Env what it gets besides the environment. Client is
	// started for each client: its main calls Client when IsClient.
	Server, Client string
	Env            []string
	// Dir gets the store, the history and the log.
	Dir string
	// Logf tells how it goes.
	Logf func(format string, args ...any)
}

// Result is what a campaign did.
type Result struct {
	Rounds int
	// Kills counts them by what was hit, and when.
	Kills map[string]int
	// Scratches counts topics that were made and deleted.
	Scratches int
	Buffered  BufferedCounts
	// Accounts are by the names of their subscriptions.
	Accounts map[string]standing.Counts
	// Gone counts what bounds took, by the names of the subscriptions.
	Gone    map[string]uint64
	History history.Counts
	// Store has what the store did meanwhile.
	Store map[string]float64
}

const (
	// leastLife and mostLife bound how long a server lives under load; one in longEvery
	// lives up to longLife, so that logs fill, leases end and collections end.
	leastLife, mostLife = 5 * time.Millisecond, 500 * time.Millisecond
	longEvery, longLife = 8, 3 * time.Second
	// One round in recoveryEvery kills the next server while it starts.
	recoveryEvery = 5
	// One in againEvery kills it again within againLife of serving.
	againEvery, againLife = 6, 30 * time.Millisecond
	// One in togetherEvery kills a client with the server; one in clientEvery one
	// alone.
	togetherEvery, clientEvery = 4, 3

	// One round in takenEvery kills the server at the moment in which something comes that
	// comes at most once; it is not waited for longer than takenTimeout.
	takenEvery, takenTimeout = 2, time.Second

	// toldTimeout bounds how long nobody may get a result, drainTimeout the drain.
	toldTimeout, drainTimeout = time.Minute, 2 * time.Minute
	// lateBound is how long a message may be ready while there is credit.
	lateBound = 20 * time.Second
	// worthAsking is how long a server must have lived to be asked before its end.
	worthAsking = 100 * time.Millisecond
)

// Run makes the campaign's rounds, drains and checks. The error is ErrPromiseBroken,
// with what is wrong, or one of the machine's.
func (c *Campaign) Run(ctx context.Context) (Result, error) {
	r, err := c.begin()
	if err != nil {
		return Result{}, err
	}
	err = r.rounds(ctx)
	if err == nil {
		err = r.drain(ctx)
	}
	var ofBuffered []history.Violation
	r.result.Buffered, ofBuffered = r.witness.end()
	r.endClients()
	if err == nil {
		err = r.endServer()
	} else {
		r.victim.kill()
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	err = errors.Join(err, r.recorder.Close(), r.log.Close())
	violations, checkErr := r.check()
	return r.result, errors.Join(err, broken(append(violations, ofBuffered...)), checkErr)
}

func (c *Campaign) historyDir() string { return filepath.Join(c.Dir, "history") }
func (c *Campaign) storeDir() string   { return filepath.Join(c.Dir, "data") }

// LogName is the file in Dir that gets what the servers and clients log.
const LogName = "log"

// running is a campaign under way.
type running struct {
	*Campaign
	random        *rand.Rand
	recorder      *history.Recorder
	log           io.WriteCloser
	victim        *victim
	administrator *administrator
	witness       *bufferedWitness
	operators     *operators
	// told is signalled when a publisher got its first result of a stream, took when what
	// comes at most once came to somebody.
	told, took wake
	clients    []*client
	started    uint64
	figures    figures
	result     Result
}

func (c *Campaign) begin() (*running, error) {
	if err := os.MkdirAll(c.historyDir(), 0o700); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(c.Dir, LogName))
	if err != nil {
		return nil, err
	}
	recorder, err := history.Create(c.historyDir(), "harness")
	if err != nil {
		return nil, err
	}
	r := &running{
		Campaign: c, random: rand.New(rand.NewPCG(c.Seed, 0)), recorder: recorder, log: log, told: make(wake, 1), took: make(wake, 1),
		figures: figures{}, result: Result{Kills: map[string]int{}},
	}
	if r.victim, err = newVictim(c.Server, c.storeDir(), c.Env, recorder, log); err != nil {
		return nil, err
	}
	conn, err := dial(r.victim.process.Address)
	if err != nil {
		return nil, err
	}
	r.witness = newBufferedWitness(conn)
	if r.operators, err = newOperators(r.victim.process.Address, recorder, c.Seed); err != nil {
		return nil, err
	}
	r.administrator = newAdministrator(conn, recorder, rand.New(rand.NewPCG(c.Seed, administratorClient)))
	return r, nil
}

// rounds makes the rounds, with everybody at work.
func (r *running) rounds(ctx context.Context) error {
	if err := r.administrator.setUp(ctx); err != nil {
		return err
	}
	if err := r.administrator.setUpAccounts(ctx); err != nil {
		return err
	}
	if err := r.startClients(); err != nil {
		return err
	}
	r.witness.begin(ctx)
	r.operators.begin(ctx)
	administering, giveUp := context.WithCancel(ctx)
	defer giveUp()
	stop, ended := make(chan struct{}), make(chan error, 1) // its one result
	go func() { ended <- r.administrator.run(administering, stop) }()
	if err := r.victim.live(time.After(r.Calm)); err != nil {
		giveUp()
		return errors.Join(brokenBy(err), notCancelled(<-ended))
	}
	for round := range r.Rounds {
		if err := r.round(ctx, round); err != nil {
			giveUp()
			return errors.Join(fmt.Errorf("seed %d, round %d: %w", r.Seed, round, err), notCancelled(<-ended))
		}
		r.result.Rounds++
		if err := r.lookBack(); err != nil {
			giveUp()
			return errors.Join(err, notCancelled(<-ended))
		}
	}
	close(stop)
	return <-ended
}

// notCancelled leaves out that somebody was told to give up.
func notCancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (r *running) startClients() error {
	roles := []role{{Publisher: true}, {Publisher: true}, {Subscription: ledgerSubscriptions[0]}, {Subscription: ledgerSubscriptions[3]}}
	for _, s := range ledgerSubscriptions {
		roles = append(roles, role{Subscription: s})
	}
	for _, user := range []string{aProducer, aProducer, aHandler, aHandler, aPuller, aPuller} {
		roles = append(roles, role{User: user})
	}
	for slot, one := range roles {
		one.Slot = slot
		if err := r.startClient(one); err != nil {
			return err
		}
	}
	return nil
}

func (r *running) startClient(one role) error {
	r.started++
	one.Client, one.Seed, one.Address, one.History = r.started, r.Seed, r.victim.process.Address, r.historyDir()
	told := r.told
	if !one.publishes() {
		told = r.took
	}
	c, err := startClient(r.Client, one, told, r.log)
	if err != nil {
		return err
	}
	r.clients = append(r.clients, c)
	return nil
}

// round lets the server live for a while and kills it, and perhaps others, in one of
// several ways.
func (r *running) round(ctx context.Context, round int) error {
	if err := r.awaitTold(ctx); err != nil {
		return err
	}
	life := leastLife + r.moment(mostLife-leastLife)
	if round%longEvery == longEvery-1 || round == 0 {
		life = longLife/2 + r.moment(longLife/2)
	}
	end := time.After(life)
	if r.oneIn(clientEvery) {
		if err := r.victim.live(time.After(r.moment(life))); err != nil {
			return brokenBy(err)
		}
		if err := r.startClient(r.killClient("client alone")); err != nil {
			return err
		}
	}
	if err := r.victim.live(end); err != nil {
		return brokenBy(err)
	}
	if life > worthAsking {
		if err := r.figures.scrape(r.victim.process.OpsAddress); err != nil {
			return err
		}
		r.figures.lookAt(r.storeDir())
	}
	if r.oneIn(takenEvery) {
		if err := r.awaitTaken(); err != nil {
			return err
		}
	}
	if err := r.killServer(); err != nil {
		return err
	}
	return r.rise(round)
}

// brokenBy makes a server that failed by itself a broken promise.
func brokenBy(err error) error { return fmt.Errorf("%w: %w", ErrPromiseBroken, err) }

// awaitTold waits until a publisher got a result of this server.
func (r *running) awaitTold(ctx context.Context) error {
	select {
	case <-r.told:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-r.victim.process.Exited():
		return brokenBy(r.victim.live(nil))
	case <-time.After(toldTimeout):
		return fmt.Errorf("%w: no publisher got a result within %v", ErrPromiseBroken, toldTimeout)
	}
}

// awaitTaken waits until something has just come that comes at most once: what the server
// was to do before it had better be done.
func (r *running) awaitTaken() error {
	select {
	case <-r.took: // before
	default:
	}
	select {
	case <-r.took:
		return nil
	case <-r.victim.process.Exited():
		return brokenBy(r.victim.live(nil))
	case <-time.After(takenTimeout):
		return nil // Nothing comes.
	}
}

// killServer kills the server, sometimes with a client.
func (r *running) killServer() error {
	if !r.oneIn(togetherEvery) {
		r.victim.kill()
		r.result.Kills["server under load"]++
		return nil
	}
	one := r.killClient("client with the server")
	r.victim.kill()
	r.result.Kills["server under load"]++
	return r.startClient(one)
}

// killClient kills one of the clients and gives its role.
func (r *running) killClient(how string) role {
	i := r.random.IntN(len(r.clients))
	c := r.clients[i]
	c.kill(r.recorder)
	r.result.Kills[how]++
	r.clients = slices.Delete(r.clients, i, i+1)
	return c.role
}

// rise starts the next server; some die before one stays.
func (r *running) rise(round int) error {
	if round%recoveryEvery == recoveryEvery-1 {
		served, err := r.victim.startAndKill(r.moment(r.victim.startup))
		if err != nil {
			return brokenBy(err)
		}
		r.countEarly(served)
	}
	if r.oneIn(againEvery) {
		if err := r.victim.start(); err != nil {
			return brokenBy(err)
		}
		if err := r.victim.live(time.After(r.moment(againLife))); err != nil {
			return brokenBy(err)
		}
		r.victim.kill()
		r.result.Kills["server again"]++
	}
	select {
	case <-r.told: // by an earlier life
	default:
	}
	if err := r.victim.start(); err != nil {
		return brokenBy(err)
	}
	return nil
}

func (r *running) countEarly(served bool) {
	if served {
		r.result.Kills["server again"]++
	} else {
		r.result.Kills["server in recovery"]++
	}
}

// moment is a random time below a bound.
func (r *running) moment(below time.Duration) time.Duration {
	return time.Duration(r.random.Int64N(int64(below))).Truncate(time.Millisecond)
}

func (r *running) oneIn(n int) bool { return r.random.IntN(n) == 0 }
