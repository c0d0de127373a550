package broker

import "context"

// queriesPerTurn is how many questions a loop answers between two turns, so that who
// asks much does not hold deliveries up.
const queriesPerTurn = 4

// query is a question about the delivery state, answered by the owner loop.
type query struct {
	// answer runs in the loop, and may outlive who asked.
	answer func(*loop)
	// done has capacity 1: the loop signals once and never waits.
	done chan struct{}
}

// ask has a subscription's loop answer a question. Errors: ErrSubscriptionNotFound,
// ErrDataLoss, why the loop ended, ctx's: then the answer is not to be looked at.
func (b *Broker) ask(ctx context.Context, s *subscription, answer func(*loop)) error {
	if err := s.failed(); err != nil {
		return err
	}
	q := query{answer: answer, done: make(chan struct{}, 1)}
	s.loop.orders.give(func(o *orderSlot) { o.queries = append(o.queries, q) })
	select {
	case <-q.done:
		return nil
	case <-s.loop.done:
		return s.loop.fate
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answerQueries answers some of what was asked. Loop only.
func (l *loop) answerQueries() {
	n := min(len(l.queries), queriesPerTurn)
	for _, q := range l.queries[:n] {
		q.answer(l)
		signal(q.done)
	}
	rest := copy(l.queries, l.queries[n:])
	clear(l.queries[rest:])
	l.queries = l.queries[:rest]
}
