package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/headrace/headrace/faults/history"
)

// roleVariable is the environment of a process that is a client: its role, as JSON.
const roleVariable = "HEADRACE_CRASH_ROLE"

// role is what a client does, and with what.
type role struct {
	// Client is its number: no two clients of a campaign have the same.
	Client uint64 `json:"client"`
	// Address is the server's, History the directory of the history.
	Address string `json:"address"`
	History string `json:"history"`
	Seed    uint64 `json:"seed"`
	// Publisher publishes; else it subscribes, to Subscription.
	Publisher    bool             `json:"publisher"`
	Subscription subscriptionRole `json:"subscription"`
	// User has an account, or publishes for those: one of the users; "": it does what is
	// said above.
	User string `json:"user"`
	// Slot is another one for each client that is not the successor of a killed one.
	Slot int `json:"slot"`
}

// The users.
const (
	aProducer = "producer"
	aHandler  = "handler"
	aPuller   = "puller"
)

// subscriptionRole says how a client subscribes.
type subscriptionRole struct {
	Number uint64 `json:"number"`
	Name   string `json:"name"`
	// Ordered keeps ordering keys in order.
	Ordered bool `json:"ordered"`
	// Manual grants; else it sets windows.
	Manual bool `json:"manual"`
	// ClientID takes the place of an earlier session on an exclusive subscription.
	ClientID string `json:"client_id"`
	// Cap is the most messages not settled, the oldest are dropped; 0: any number.
	Cap uint64 `json:"cap"`
}

// IsClient says whether this process was started as a client.
func IsClient() bool { return os.Getenv(roleVariable) != "" }

// Client is the life of a client: it does what its role says until its standard input
// ends, and gives the code to exit with.
func Client() int {
	if err := runClient(); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		return 1
	}
	return 0
}

func runClient() error {
	var r role
	if err := json.Unmarshal([]byte(os.Getenv(roleVariable)), &r); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	calm := &calm{}
	go func() {
		calm.follow(os.Stdin)
		stop()
	}()
	recorder, err := history.Create(r.History, fmt.Sprintf("client-%06d", r.Client))
	if err != nil {
		return err
	}
	return errors.Join(r.run(ctx, calm, recorder), recorder.Close())
}

func (r *role) run(ctx context.Context, calm *calm, recorder *history.Recorder) error {
	random := rand.New(rand.NewPCG(r.Seed, r.Client))
	switch r.User {
	case aProducer:
		return runProducer(ctx, r, recorder, random, os.Stdout)
	case aHandler:
		return runHandler(ctx, calm, r, recorder, random)
	case aPuller:
		return runPuller(ctx, calm, r, recorder, os.Stdout)
	}
	conn, err := dial(r.Address)
	if err != nil {
		return err
	}
	if r.Publisher {
		err = (&publisher{conn: conn, recorder: recorder, client: r.Client, random: random, told: os.Stdout}).run(ctx)
	} else {
		s := &subscriber{conn: conn, recorder: recorder, client: r.Client, role: r.Subscription, random: random, calm: calm}
		s.run(ctx)
	}
	return errors.Join(err, conn.Close())
}

// publishes says whether the role gives others something to receive.
func (r *role) publishes() bool { return r.Publisher || r.User == aProducer }

const (
	// The wait before a client connects again.
	shortestWait, longestWait = 5 * time.Millisecond, 40 * time.Millisecond
	// maxFrameBytes is more than any frame has.
	maxFrameBytes = 16 << 20
)

// dial makes a connection that comes back fast.
func dial(address string) (*grpc.ClientConn, error) {
	return grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxFrameBytes)),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: shortestWait, Multiplier: 1.5, MaxDelay: longestWait},
			MinConnectTimeout: time.Second,
		}))
}

// pause waits a little before the next try; false when ctx ends first.
func pause(ctx context.Context) bool { return pauseFor(ctx, longestWait) }

func pauseFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
