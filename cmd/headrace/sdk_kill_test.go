package main_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"
)

// breaksOf says what of a guarantee the work on messages 1 to n breaks. A worker that was
// killed may have had an ack that it did not come to say: what it had asked for is counted
// as unknown. Exactly once, nothing else than its death lets a message come again.
func breaksOf(guarantee string, n int, all []work) (broken []string, unknown int) {
	begun, done := map[int]int{}, map[int]int{}
	here, acks, unsaid := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for i, w := range all {
		switch w.what {
		case begunWork:
			if guarantee == "exactly-once" && (done[w.message] > 0 || here[w.message]) {
				broken = append(broken, fmt.Sprintf("line %d: message %d comes again", i, w.message))
			}
			begun[w.message]++
			here[w.message] = true
		case ackWork:
			acks[w.message] = true
		case doneWork:
			done[w.message]++
			delete(acks, w.message)
		case killedWorker:
			maps.Copy(unsaid, acks)
			clear(here)
			clear(acks)
		}
	}
	for message := 1; message <= n; message++ {
		switch {
		case guarantee == "at-most-once" && begun[message] > 1:
			broken = append(broken, fmt.Sprintf("message %d came %d times", message, begun[message]))
		case guarantee == "exactly-once" && done[message] == 0 && unsaid[message]:
			unknown++
		case guarantee != "at-most-once" && done[message] == 0:
			broken = append(broken, fmt.Sprintf("message %d is lost", message))
		case guarantee == "exactly-once" && done[message] > 1:
			broken = append(broken, fmt.Sprintf("message %d was done %d times", message, done[message]))
		}
	}
	return broken, unknown
}

func TestBreaksOfGuaranteesAreSeenInWhatWorkersSay(t *testing.T) {
	begin, acks, end, lose := work{begunWork, 1}, work{ackWork, 1}, work{doneWork, 1}, work{lostWork, 1}
	kill := work{what: killedWorker}
	for _, c := range []struct {
		guarantee string
		all       []work
		broken    bool
		unknown   int
	}{
		{"at-least-once", []work{begin, kill, begin, lose, begin, end, begin, end}, false, 0},
		{"at-least-once", []work{begin, kill}, true, 0},
		{"at-most-once", []work{begin, kill}, false, 0},
		{"at-most-once", nil, false, 0},
		{"at-most-once", []work{begin, kill, begin, end}, true, 0},
		{"exactly-once", []work{begin, acks, end}, false, 0},
		{"exactly-once", []work{begin, kill, begin, acks, end}, false, 0},
		{"exactly-once", []work{begin, acks, kill}, false, 1},
		{"exactly-once", []work{begin, kill}, true, 0},
		{"exactly-once", []work{begin, acks, lose}, true, 0},
		{"exactly-once", []work{begin, lose, begin, acks, end}, true, 0},
		{"exactly-once", []work{begin, acks, end, kill, begin}, true, 0},
		{"exactly-once", []work{begin, begin, acks, end}, true, 0},
		{"exactly-once", []work{begin, acks, end, begin, acks, end}, true, 0},
	} {
		broken, unknown := breaksOf(c.guarantee, 1, c.all)
		if (len(broken) > 0) != c.broken || unknown != c.unknown {
			t.Errorf("%s, %v: %v, %d unknown", c.guarantee, c.all, broken, unknown)
		}
	}
}

// TestGuaranteesOfTheGoSDKOverKills kills the server in the middle of handlers that go
// on, and the subscribers: at most once nothing comes twice, exactly once nothing is done
// twice, at least once nothing is lost.
func TestGuaranteesOfTheGoSDKOverKills(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), killedWait)
	defer cancel()
	dir, addressFile := t.TempDir()+"/data", filepath.Join(t.TempDir(), "address")
	process := serve(t, dir)
	tellAddress(t, addressFile, process.Address)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	guarantees := []string{"at-least-once", "at-most-once", "exactly-once"}
	histories, workers := map[string]*history{}, map[string]*workerProcess{}
	for _, g := range guarantees {
		c.ok("sub", "create", g, "--topic", "orders", "--order", "none", "--guarantee", g, "--lease", "20s", "--resume-window", "20s")
		histories[g] = newHistory()
	}
	publishNumbers(ctx, t, process.Address)
	for _, g := range guarantees {
		workers[g] = startWorker(t, g, addressFile, histories[g])
		t.Cleanup(func() { workers[g].kill() })
	}
	const kills = 4
	for kill := range kills {
		histories["exactly-once"].await(ctx, t, (kill+1)*killedMessages/(kills+2))
		if kill%2 == 0 {
			process.Kill()
			process = serve(t, dir)
			tellAddress(t, addressFile, process.Address)
			continue
		}
		for _, g := range guarantees {
			workers[g].kill()
			workers[g] = startWorker(t, g, addressFile, histories[g])
		}
	}
	awaitNoBacklog(ctx, t, process.Address, guarantees)
	for _, g := range guarantees {
		workers[g].kill()
		broken, unknown := breaksOf(g, killedMessages, histories[g].all)
		t.Logf("%s: %d lines, %d messages done, %d of which nobody knows", g, len(histories[g].all), histories[g].doneMessages(), unknown)
		if len(broken) > 0 || ctx.Err() != nil {
			t.Errorf("%s: %v, %v", g, broken, ctx.Err())
		}
	}
	for _, g := range guarantees[1:] { // The check is worth something: less than a guarantee is seen.
		if broken, _ := breaksOf(g, killedMessages, histories["at-least-once"].all); len(broken) == 0 {
			t.Errorf("%s: a subscription that delivers at least once seems to keep that", g)
		}
	}
}

// awaitNoBacklog waits until subscriptions have settled everything.
func awaitNoBacklog(ctx context.Context, t *testing.T, addr string, subscriptions []string) {
	t.Helper()
	c, err := headrace.Dial(ctx, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for _, name := range subscriptions {
		for {
			stats, err := c.Subscriptions().Stats(ctx, name)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if stats.GetBacklog().GetMessages() == 0 {
				break
			}
			<-look.C
		}
	}
}

// tellAddress tells workers where the server is, at once or not at all.
func tellAddress(t *testing.T, file, addr string) {
	t.Helper()
	if err := os.WriteFile(file+".new", []byte(addr), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}
