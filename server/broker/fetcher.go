package broker

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// fetcher reads for an owner loop what is not at the tail, in one goroutine that
// lives while there is something to read. It holds one request a partition, which
// is what the state machine has open at most twice, so its queue is bounded.
type fetcher struct {
	log   Log
	route *route
	// wake is the loop's, of capacity 1.
	wake chan<- struct{}

	ctx    context.Context //nolint:containedctx // ends the reads of the goroutine when the loop ends
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex
	queue   []fetch
	fetched []fetched
	running bool
	// ready says that fetched is not empty.
	ready atomic.Bool
}

// fetch asks for what stands at an offset and behind it, as long as it is below
// bytes and below head.
type fetch struct {
	partition uint32
	at, head  storage.Offset
	bytes     uint64
}

// fetched answers a fetch: segments, or a hole, or why neither could be read.
type fetched struct {
	partition uint32
	segments  []*storage.Segment
	hole      storage.OffsetRange
	err       error
}

func newFetcher(log Log, r *route, wake chan<- struct{}) *fetcher {
	ctx, cancel := context.WithCancel(context.Background())
	return &fetcher{log: log, route: r, wake: wake, ctx: ctx, cancel: cancel}
}

// ask queues a fetch. Owner loop only.
func (f *fetcher) ask(request fetch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = append(f.queue, request)
	if !f.running {
		f.running = true
		f.done.Go(f.run)
	}
}

// take returns what was fetched since the last call.
func (f *fetcher) take() []fetched {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.fetched
	f.fetched = nil
	f.ready.Store(false)
	return taken
}

// answered says whether there is something to take, without the mutex.
func (f *fetcher) answered() bool { return f.ready.Load() }

// close ends the goroutine, waits for it and gives back what nobody took.
func (f *fetcher) close() {
	f.cancel()
	f.done.Wait()
	for _, unused := range f.take() {
		unused.release()
	}
}

// run fetches until the queue is empty.
func (f *fetcher) run() {
	for {
		request, ok := f.next()
		if !ok {
			return
		}
		answer := f.fetch(request)
		f.mu.Lock()
		f.fetched = append(f.fetched, answer)
		f.ready.Store(true)
		f.mu.Unlock()
		signal(f.wake)
	}
}

// next takes the oldest request; without one the goroutine ends.
func (f *fetcher) next() (fetch, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 || f.ctx.Err() != nil {
		f.running = false
		return fetch{}, false
	}
	request := f.queue[0]
	f.queue = f.queue[:copy(f.queue, f.queue[1:])]
	return request, true
}

// fetch reads segment after segment. The first one decides: when it fails, or is a
// hole, that is the answer; later ones only make it shorter.
func (f *fetcher) fetch(request fetch) fetched {
	answer := fetched{partition: request.partition}
	at, bytes := request.at, uint64(0)
	for at < request.head && (len(answer.segments) == 0 || bytes < request.bytes) {
		piece, err := f.read(request.partition, at)
		first := len(answer.segments) == 0
		if err != nil {
			if first {
				answer.err = err
			}
			break
		}
		if piece.Segment == nil {
			if first {
				answer.hole = piece.Hole
			}
			break
		}
		answer.segments = append(answer.segments, piece.Segment)
		bytes += uint64(len(piece.Segment.Bytes))
		at = piece.Segment.End()
	}
	return answer
}

// read reads one piece. What is no longer retained counts as a hole: everybody who
// may have wanted it has settled it.
func (f *fetcher) read(partition uint32, at storage.Offset) (storage.Piece, error) {
	id := f.route.id(partition)
	piece, err := f.log.Read(f.ctx, id, at)
	if !errors.Is(err, storage.ErrTrimmed) {
		return piece, err
	}
	stats, statsErr := f.log.Stats(id)
	if statsErr != nil || stats.First <= at {
		return storage.Piece{}, err
	}
	return storage.Piece{Hole: storage.OffsetRange{First: at, End: stats.First}}, nil
}

// release gives back the segments of an answer that nobody wants.
func (f *fetched) release() {
	for _, s := range f.segments {
		s.Release()
	}
}

// describe tells the state machine of segments that are at hand. It copies where the
// messages end: the state machine counts with that until everything delivered is
// settled, long after it has given a segment back and the store uses its memory for
// another one.
func describe(partition uint32, segments []*storage.Segment) *delivery.Loaded {
	loaded := &delivery.Loaded{Partition: partition, Segments: make([]delivery.Segment, len(segments))}
	messages := 0
	for _, s := range segments {
		messages += len(s.Ends)
	}
	ends := make([]uint32, 0, messages)
	for i, s := range segments {
		first := len(ends)
		ends = append(ends, s.Ends...)
		loaded.Segments[i] = delivery.Segment{Base: uint64(s.Base), Ends: ends[first:len(ends):len(ends)], Time: s.LogTime.UnixNano()}
	}
	return loaded
}
