package corruption

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/inspect"
	"github.com/headrace/headrace/storage/shardlog"
)

// Doctor is what an inspection said of a store.
type Doctor struct {
	Worst     string   `json:"worst"`
	LastBatch uint64   `json:"lastbatch"`
	Findings  []string `json:"findings"`
	Err       string   `json:"err"`
}

// Reading is what was read of a store: a hash of all of a partition or a subscription,
// or the error that it answers with.
type Reading struct {
	// Refused is why the store did not open.
	Refused string            `json:"refused"`
	Hashes  map[string]string `json:"hashes"`
	Errors  map[string]string `json:"errors"`
	// Complaints counts what recovery warned of.
	Complaints int `json:"complaints"`
}

// look has a store inspected, opened and read, and writes both results as a line of
// JSON.
func look(dir string, out io.Writer) error {
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(examine(dir)); err != nil {
		return err
	}
	return encoder.Encode(read(context.Background(), dir))
}

func engineOptions(dir string, log *slog.Logger) badgerlog.Options {
	o := badgerlog.DefaultOptions(dir)
	o.GCInterval, o.Logger = 0, log
	o.HighMarkBytes, o.LowMarkBytes, o.BallastBytes = 1<<20, 1<<20, 0
	return o
}

// examine does what the doctor does.
func examine(dir string) (d Doctor) {
	i, err := badgerlog.Inspect(engineOptions(dir, slog.New(slog.DiscardHandler)), "")
	if err != nil {
		d.Err = err.Error()
		return d
	}
	defer func() { _ = i.Close() }() // What it says has been said.
	report := &i.Report
	if i.Records() {
		report = inspect.Records(i, i.Ledger)
		report.Prepend(&i.Report)
	}
	d.LastBatch = report.LastBatch
	if report.Worst != 0 {
		d.Worst = report.Worst.String()
	}
	for _, f := range report.Of(inspect.Warning) {
		d.Findings = append(d.Findings, f.String())
	}
	return d
}

// counter counts what is logged at warning and above, but for what each opening may
// say.
type counter struct {
	slog.Handler

	n *int
}

// Handle implements slog.Handler.
func (c counter) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		*c.n++
	}
	return nil
}

// Enabled implements slog.Handler.
func (counter) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// WithAttrs implements slog.Handler.
func (c counter) WithAttrs([]slog.Attr) slog.Handler { return c }

// read opens a store and reads everything.
func read(ctx context.Context, dir string) Reading {
	r := Reading{Hashes: map[string]string{}, Errors: map[string]string{}}
	log := slog.New(counter{slog.DiscardHandler, &r.Complaints})
	engine, err := badgerlog.Open(engineOptions(dir, log))
	if err != nil {
		r.Refused = err.Error()
		return r
	}
	s, err := shardlog.Open(ctx, engine, shardlog.Options{Logger: log, RetentionTicks: make(chan time.Time)})
	if err != nil {
		r.Refused = err.Error()
		return r
	}
	for _, t := range s.Topics() {
		r.note(fmt.Sprintf("topic %d", t.ID), fmt.Sprintf("%+v", t), nil)
		for p := range t.Partitions {
			id := storage.PartitionID{Topic: t.ID, Partition: p}
			hash, err := partition(ctx, s, id)
			r.note("partition "+id.String(), hash, err)
		}
	}
	for _, u := range s.Subscriptions() {
		cursors, err := s.Cursors(ctx, u.ID)
		r.note(fmt.Sprintf("subscription %d", u.ID), fmt.Sprintf("%+v %+v", u, cursors), err)
	}
	if err := s.Close(); err != nil {
		r.Errors["close"] = err.Error()
	}
	return r
}

func (r *Reading) note(what, content string, err error) {
	if err != nil {
		r.Errors[what] = err.Error()
		return
	}
	r.Hashes[what] = fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
}

// partition hashes all that a partition retains.
func partition(ctx context.Context, s *shardlog.Store, id storage.PartitionID) (string, error) {
	stats, err := s.Stats(id)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%+v", stats) // A hash takes everything.
	for at := stats.First; at < stats.Next; {
		piece, err := s.Read(ctx, id, at)
		if err != nil {
			return "", err
		}
		if piece.Segment == nil {
			_, _ = fmt.Fprintf(hash, "hole %v", piece.Hole)
			at = piece.Hole.End
			continue
		}
		_, _ = hash.Write(piece.Segment.Range(at, piece.Segment.End()))
		at = piece.Segment.End()
		piece.Segment.Release()
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
