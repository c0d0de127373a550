package broker

import (
	"sync"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// orders is what others want of an owner loop and must not wait for: one merged
// slot a kind, so that giving one never blocks.
type orders struct {
	// wake is the loop's, of capacity 1.
	wake chan<- struct{}

	mu   sync.Mutex
	slot orderSlot
}

// orderSlot holds the orders not yet taken.
type orderSlot struct {
	// end is why the loop is to end at once.
	end error
	// shutdown and configure are handed to the state machine.
	shutdown  *delivery.Shutdown
	configure *delivery.Configure
	// backlogCap is the cap from now on.
	backlogCap *BacklogCap
	// forwardTo is the topic that dead letters are forwarded to from now on.
	forwardTo *Name
	// asked are those who want a new snapshot; each is signalled, capacity 1.
	asked []chan<- struct{}
	// queries are questions to answer.
	queries []query
	// noticed are sessions whose outbound queue has room again or has failed.
	noticed []*Session
	// replay says that there may be a replay partition since, remembered are the
	// failures of what was redriven to it.
	replay     bool
	remembered []storage.History
	// keys are those who ask for parked keys, or release some.
	keys []keyOrder
	// still is a standstill that is wished for, goOn the end of one.
	still *standstill
	goOn  *goOn
	// memory says that the memory of all outbound queues is below its bound again.
	memory bool
}

// give records an order and wakes the loop.
func (o *orders) give(record func(*orderSlot)) {
	o.mu.Lock()
	record(&o.slot)
	o.mu.Unlock()
	signal(o.wake)
}

// end orders the loop to end. The first reason stays.
func (o *orders) end(err error) {
	o.give(func(s *orderSlot) {
		if s.end == nil {
			s.end = err
		}
	})
}

// ask orders a snapshot; done, of capacity 1, is signalled when it is published.
func (o *orders) ask(done chan<- struct{}) {
	o.give(func(s *orderSlot) { s.asked = append(s.asked, done) })
}

// notice tells that a session's outbound queue changed.
func (o *orders) notice(session *Session) {
	o.give(func(s *orderSlot) { s.noticed = append(s.noticed, session) })
}

// take returns what was ordered since the last call, into the slot whose memory is
// used again.
func (o *orders) take(last orderSlot) orderSlot {
	clear(last.noticed)
	clear(last.asked)
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.slot
	o.slot = orderSlot{asked: last.asked[:0], noticed: last.noticed[:0]}
	return taken
}
