package broker

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

const (
	// MaxPullWait is the longest that a pull waits for messages.
	MaxPullWait = time.Minute
	// pulledBytes bounds what an answer takes for each message beside its bytes.
	pulledBytes = 160
	// pullMargin is how long before the caller's deadline a pull ends, so that its
	// answer comes in time.
	pullMargin = 200 * time.Millisecond
)

// PullParams is what a client wants to pull.
type PullParams struct {
	Subscription Name
	// ClientID is as in SubscribeParams. The pulls of one client stand side by side on
	// an exclusive subscription.
	ClientID string
	// Most is the most to pull; a single message may have more bytes.
	Most Amount
	// Lease is the work lease, 1 s to 12 h; 0 means the subscription's.
	Lease time.Duration
	// MaxAnswerBytes is what the answer may take.
	MaxAnswerBytes int
	// Wait is how long to wait for a first message, at most MaxPullWait.
	Wait time.Duration
}

// Pulled is a delivery that was pulled.
type Pulled struct {
	Token     string
	Partition uint32
	Offset    uint64
	Attempt   uint32
	// Stored is the message as it is stored, the caller's own.
	Stored []byte

	sequence uint64
}

// Pull takes what is at hand, or waits for something. What it gives is the caller's
// until it is settled by its tokens, or its lease ends; when nothing came, blocked says
// why. Errors: those of Subscribe; then nothing is held.
func (b *Broker) Pull(ctx context.Context, p *PullParams) (all []Pulled, blocked Blocked, err error) {
	s, err := b.catalog.subscription(p.Subscription)
	if err != nil {
		return nil, 0, err
	}
	most := min(p.Most.Messages, uint64(p.MaxAnswerBytes/pulledBytes/2))
	room := uint64(p.MaxAnswerBytes) - most*pulledBytes
	session, err := b.Subscribe(ctx, SubscribeParams{
		Subscription: p.Subscription, ClientID: p.ClientID, Replenish: Manual, Lease: p.Lease,
		Window:        Amount{Messages: most, Bytes: min(p.Most.Bytes, room)},
		MaxFrameBytes: p.MaxAnswerBytes - pulledBytes, pulls: true,
	})
	if err != nil {
		return nil, 0, err
	}
	defer session.EndSending()
	h := harvest{session: session, token: token{
		subscription: s.id, generation: s.view().Generation, session: session.secret,
	}}
	if err := h.gather(ctx, p.Wait); err != nil {
		session.Close(CloseGone)
		return nil, 0, err
	}
	return h.all, h.blocked, nil
}

// harvest gathers what comes to a session that pulls.
type harvest struct {
	session *Session
	token   token
	all     []Pulled
	blocked Blocked
}

// gather waits until all has come. It gives up waiting for a first message after wait,
// and a little before ctx's deadline.
func (h *harvest) gather(ctx context.Context, wait time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(deadline)-pullMargin)
	}
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	for {
		out, err := h.session.out.take()
		switch {
		case errors.Is(err, errNothing):
		case errors.Is(err, io.EOF) && len(h.all) > 0:
			return nil
		case errors.Is(err, io.EOF):
			return ErrDraining // only the server's end comes before what it waits for
		case err != nil:
			return err
		case out.Drained:
			return nil
		default:
			h.take(&out)
			continue
		}
		select {
		case <-h.session.out.wake:
		case <-timer.C:
			if err := h.session.leavePull(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (h *harvest) take(out *Output) {
	switch {
	case out.Frame != nil:
		h.takeFrame(out.Frame)
	case out.Flow != nil:
		h.blocked = out.Flow.Blocked
	case out.Revoked != nil:
		for _, r := range out.Revoked.Ranges {
			h.all = slices.DeleteFunc(h.all, func(p Pulled) bool { return r.First <= p.sequence && p.sequence <= r.Last })
		}
	}
}

// takeFrame copies a frame's messages, and gives its segments back.
func (h *harvest) takeFrame(f *Frame) {
	defer f.Release()
	h.token.sequence = f.FirstSequence
	first := len(h.all)
	for i := range f.Parts {
		part := &f.Parts[i]
		for at := part.First; at < part.End; at++ {
			h.all = append(h.all, Pulled{
				Token: h.token.String(), Partition: f.Runs[i].Partition, Offset: uint64(at), Attempt: 1,
				Stored: slices.Clone(part.Segment.Range(at, at+1)), sequence: h.token.sequence,
			})
			h.token.sequence++
		}
	}
	for _, a := range f.Attempts {
		for i := range a.Count {
			h.all[first+int(a.Index+i)].Attempt = a.Attempt
		}
	}
}

// leavePull waits no more: what there is comes now.
func (s *Session) leavePull() error {
	e := &delivery.Leave{}
	return s.put(letter{event: e, stamp: &e.Stamp})
}
