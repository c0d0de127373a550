package inspect

import (
	"errors"
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// Viewer shows the records of a store: an engine, or a copy of one that cannot
// change.
type Viewer interface {
	View(fn func(storage.Reader) error) error
}

const (
	adviceRestore   = "restore a backup"
	adviceTopic     = "it is fenced and the rest is served: restore a backup, or delete the topic"
	adviceSubscribe = "it is fenced and the rest is served: restore a backup, or delete it and create it again"
)

// Records walks all chains of a store: the batch chain, compared with the ledger;
// each partition's pointers from its first offset to its head, gap-free, with their
// cumulative counts, log times, segments and checksums; segments that nobody points
// to; each cursor's count and sum of ack chunks; floors past heads; producers' batches
// and dedupe ids; records without an owner.
func Records(v Viewer, ledger []storage.LedgerEntry) *Report {
	w := &walk{
		viewer: v, ledger: ledger, report: &Report{},
		topics:        map[storage.TopicID]storage.Topic{},
		subscriptions: map[storage.SubscriptionID]storage.Subscription{},
		partitions:    map[storage.PartitionID]*partition{},
		cursors:       map[cursorID]*cursor{},
		segments:      map[segmentID]*segment{},
	}
	for _, step := range []func(){
		w.readShard, w.readBatches, w.readTopics, w.readSubscriptions, w.readPartitions, w.readPointers,
		w.compareEnds, w.readSegments, w.readCursors,
		w.readAcks, w.readHistories, w.readParked, w.readDeadLetters, w.compareSums, w.readSessions,
		w.readProducers, w.readDedupe, w.readOthers,
	} {
		step()
	}
	return w.report
}

// walk is the state of an inspection.
type walk struct {
	viewer Viewer
	ledger []storage.LedgerEntry
	report *Report
	shard  record.Shard

	topics        map[storage.TopicID]storage.Topic
	subscriptions map[storage.SubscriptionID]storage.Subscription
	partitions    map[storage.PartitionID]*partition
	cursors       map[cursorID]*cursor
	segments      map[segmentID]*segment
}

// damagef adds a finding of damage.
func (w *walk) damagef(at Place, advice, format string, args ...any) {
	w.report.Add(Finding{Severity: Damage, Place: at, Advice: advice, Text: fmt.Sprintf(format, args...)})
}

// each hands every record of a kind to fn, with a reader of the same snapshot; what
// fn returns is damage at the place that it names.
func (w *walk) each(kind record.Kind, fn func(r storage.Reader, key, value []byte) error, at func(key []byte) Place, advice string) {
	err := w.viewer.View(func(r storage.Reader) error {
		return r.Ascend(record.AppendPrefix(nil, kind), nil, func(key []byte, value storage.Value) (bool, error) {
			if err := value.Read(func(value []byte) error { return fn(r, key, value) }); err != nil {
				w.damagef(at(key), advice, "%v", err)
			}
			return true, nil
		})
	})
	if err != nil {
		w.damagef(Place{}, adviceRestore, "records of kind %q cannot be read to the end: %v", byte(kind), err)
	}
}

func (w *walk) readShard() {
	w.each(record.KindShard, func(_ storage.Reader, key, value []byte) (err error) {
		w.shard, err = record.DecodeShard(key, value)
		return err
	}, nowhere, adviceRestore)
	w.report.Epoch, w.report.Clean = w.shard.Epoch, w.shard.Clean
}

// nowhere is the place of what concerns the whole store.
func nowhere([]byte) Place { return Place{} }

// readBatches walks the chain of batch headers and compares it with the ledger.
func (w *walk) readBatches() {
	var chain Chain
	w.each(record.KindBatch, func(_ storage.Reader, key, value []byte) error {
		h, err := record.DecodeHeader(key, value)
		if err == nil {
			chain.Add(h)
		}
		return err
	}, nowhere, adviceRestore)
	last := chain.Newest()
	w.report.Batches, w.report.LastBatch = chain.Len(), last.Number
	for _, b := range chain.Breaks(w.shard.AcceptedLosses) {
		if b.Missing {
			w.missing(b, "missing")
			continue
		}
		w.damagef(Place{FirstBatch: b.First, LastBatch: b.Last}, adviceRestore, "the batches do not continue each other")
	}
	other, beyond := chain.Ledger(w.ledger)
	if other != nil {
		w.damagef(Place{FirstBatch: other.First, LastBatch: other.Last}, adviceRestore, "another batch than in the commit ledger")
	}
	if beyond != nil {
		w.missing(*beyond, "in the commit ledger, and missing")
	}
	switch {
	case w.shard.Epoch == 0 && last.Number > 0:
		w.damagef(Place{}, adviceRestore, "the store's own record is missing")
	case w.shard.Epoch > 0 && last.Number == 0:
		w.damagef(Place{}, adviceRestore, "the store was opened %d times, and there is no batch", w.shard.Epoch)
	case last.Epoch > w.shard.Epoch:
		w.damagef(Place{}, adviceRestore, "the last batch is of epoch %d, the store's own record of %d", last.Epoch, w.shard.Epoch)
	}
}

// missing adds missing batches.
func (w *walk) missing(b Break, text string) {
	w.damagef(Place{FirstBatch: b.First, LastBatch: b.Last},
		fmt.Sprintf("restore a backup, or give up what was in them: start once with --accept-loss=%d-%d", b.First, b.Last), "%s", text)
}

// readOthers tells of records that nobody knows, and of what is good to know.
func (w *walk) readOthers() {
	known := map[record.Kind]bool{}
	for kind := range checks {
		known[kind] = true
	}
	for i := range len(record.Reserved) {
		known[record.Kind(record.Reserved[i])] = true
	}
	unknown := 0
	err := w.viewer.View(func(r storage.Reader) error {
		return r.Ascend(nil, nil, func(key []byte, _ storage.Value) (bool, error) {
			if len(key) == 0 || !known[record.Kind(key[0])] {
				unknown++
			}
			return true, nil
		})
	})
	if err != nil {
		w.damagef(Place{}, adviceRestore, "the records cannot be read to the end: %v", err)
	}
	if unknown > 0 {
		w.report.Add(Finding{Severity: Warning, Text: fmt.Sprintf("%d records of kinds that this version does not know", unknown)})
	}
	if w.report.Epoch > 0 && !w.report.Clean {
		w.report.Add(Finding{Severity: Note, Text: "the last stop was not in order; the next start recovers what it left"})
	}
	if w.report.Orphans > 0 {
		w.report.Add(Finding{Severity: Note, Text: fmt.Sprintf("%d commit segments wait for their deletion", w.report.Orphans)})
	}
	for _, l := range w.shard.AcceptedLosses {
		w.report.Add(Finding{
			Severity: Note, Place: Place{FirstBatch: l.First, LastBatch: l.Last},
			Text: fmt.Sprintf("accepted as lost on %s", l.At.UTC().Format("2006-01-02")),
		})
	}
}

// Err joins the findings of damage, for who wants an error.
func (r *Report) Err() error {
	var errs []error
	for _, f := range r.Of(Damage) {
		errs = append(errs, fmt.Errorf("%w: %s", storage.ErrDataLoss, f.String()))
	}
	return errors.Join(errs...)
}
