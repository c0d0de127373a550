package cli

import (
	"context"
	"fmt"

	"github.com/schollz/progressbar/v3"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/sdk/go"
)

// publishedView is the outcome of one message, a line of `pub -o jsonl`.
type publishedView struct {
	Line      int    `json:"line"`
	MessageID string `json:"message_id,omitempty"`
	Partition uint32 `json:"partition"`
	Offset    uint64 `json:"offset"`
	Error     string `json:"error,omitempty"`
}

// pubView is the outcome of a whole `pub`.
type pubView struct {
	Topic     string `json:"topic"`
	Published int    `json:"published"`
	Failed    int    `json:"failed"`
	FirstID   string `json:"first_id"`
	LastID    string `json:"last_id"`
}

var pubColumns = []output.Column[pubView]{
	{Head: "TOPIC", Cell: func(v pubView) string { return v.Topic }},
	{Head: "PUBLISHED", Cell: func(v pubView) string { return output.Count(v.Published) }},
	{Head: "FAILED", Cell: func(v pubView) string { return output.Count(v.Failed) }},
	{Head: "FIRST ID", Cell: func(v pubView) string { return v.FirstID }},
	{Head: "LAST ID", Cell: func(v pubView) string { return v.LastID }},
}

// maxFailuresSaid is how many failures are told one by one.
const maxFailuresSaid = 10

// pubReport collects the results of a `pub`.
type pubReport struct {
	app      *App
	progress *progressbar.ProgressBar
	lines    *output.Stream[publishedView] // nil but for jsonl, which has a line each.
	total    pubView
	// lastSaid is the failure that was told last: one that repeats is told once.
	lastSaid string
}

func newPubReport(a *App, topic string, progress *progressbar.ProgressBar) *pubReport {
	r := &pubReport{app: a, progress: progress, total: pubView{Topic: topic}}
	if a.format == output.JSONL {
		r.lines = output.NewStream(a.printer(), func(v publishedView) string { return v.MessageID })
	}
	return r
}

// collect waits for each result in turn and then writes the outcome.
func (r *pubReport) collect(ctx context.Context, pending <-chan pendingPublish) error {
	var writeErr error
	for p := range pending {
		position, err := p.result.Position(ctx)
		if e := r.add(p.line, position, err); e != nil && writeErr == nil {
			writeErr = e
		}
	}
	if r.progress != nil {
		_ = r.progress.Finish()
	}
	if writeErr == nil && r.lines == nil {
		writeErr = output.One(r.app.printer(), r.total, pubColumns)
	}
	if writeErr != nil {
		return writeErr
	}
	if r.total.Failed > 0 {
		all := r.total.Failed + r.total.Published
		return fmt.Errorf("%s of %s messages were not published", output.Count(r.total.Failed), output.Count(all))
	}
	return nil
}

// add counts one result.
func (r *pubReport) add(line int, p headrace.Position, err error) error {
	view := publishedView{Line: line, Partition: p.Partition, Offset: p.Offset}
	if err != nil {
		r.total.Failed++
		view.Error = r.app.explain(err)
		r.say(line, view.Error)
	} else {
		r.total.Published++
		view.MessageID = p.String()
		r.total.LastID = p.String()
		if r.total.FirstID == "" {
			r.total.FirstID = p.String()
		}
	}
	if r.lines == nil {
		return nil
	}
	return r.lines.Write(view)
}

// say tells a failure, unless it is the one before again or there were many.
func (r *pubReport) say(line int, failure string) {
	if failure == r.lastSaid || r.total.Failed > maxFailuresSaid {
		return
	}
	r.lastSaid = failure
	r.app.sayf("headrace: message %d: %s", line, failure)
}
