package cli

import (
	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/cmd/headrace/internal/upkeep"
	"github.com/headrace/headrace/storage/inspect"
)

// examinationView is what doctor found.
type examinationView struct {
	Worst         string        `json:"worst"` // ok, note, warning, damage
	Readable      bool          `json:"readable"`
	Store         string        `json:"store"`
	Epoch         uint64        `json:"epoch"`
	Clean         bool          `json:"clean"`
	LastBatch     uint64        `json:"last_batch"`
	Topics        int           `json:"topics"`
	Partitions    int           `json:"partitions"`
	Subscriptions int           `json:"subscriptions"`
	Snapshots     int           `json:"snapshots"`
	DeadLetters   int           `json:"dead_letters"`
	Messages      uint64        `json:"messages"`
	Bytes         uint64        `json:"bytes"`
	Findings      []findingView `json:"findings"`
	MoreFindings  int           `json:"more_findings"`
}

// findingView is one finding; what does not apply is left out.
type findingView struct {
	Severity     string  `json:"severity"`
	File         string  `json:"file,omitempty"`
	Topic        string  `json:"topic,omitempty"`
	Subscription string  `json:"subscription,omitempty"`
	Partition    *uint16 `json:"partition,omitempty"`
	FirstOffset  *uint64 `json:"first_offset,omitempty"`
	LastOffset   *uint64 `json:"last_offset,omitempty"`
	FirstBatch   uint64  `json:"first_batch,omitempty"`
	LastBatch    uint64  `json:"last_batch,omitempty"`
	Text         string  `json:"text"`
	Advice       string  `json:"advice,omitempty"`
	place        string
}

var findingColumns = []output.Column[findingView]{
	{Head: "SEVERITY", Cell: func(v findingView) string { return v.Severity }},
	{Head: "WHERE", Cell: func(v findingView) string { return v.place }},
	{Head: "WHAT", Cell: func(v findingView) string { return v.Text }},
	{Head: "WHAT HELPS", Cell: func(v findingView) string { return v.Advice }},
}

func newExaminationView(e *upkeep.Examination) examinationView {
	v := examinationView{
		Worst: "ok", Readable: e.Readable, Store: e.Store, Epoch: e.Epoch, Clean: e.Clean, LastBatch: e.LastBatch,
		Topics: e.Topics, Partitions: e.Partitions, Subscriptions: e.Subscriptions,
		Snapshots: e.Snapshots, DeadLetters: e.DeadLetters,
		Messages: e.Messages, Bytes: e.Bytes, Findings: []findingView{}, MoreFindings: e.More,
	}
	if e.Worst != 0 {
		v.Worst = e.Worst.String()
	}
	for _, f := range e.Findings {
		v.Findings = append(v.Findings, newFindingView(f))
	}
	return v
}

func newFindingView(f inspect.Finding) findingView {
	v := findingView{
		Severity: f.Severity.String(), File: f.File, Topic: f.Topic, Subscription: f.Subscription,
		FirstBatch: f.FirstBatch, LastBatch: f.LastBatch, Text: f.Text, Advice: f.Advice, place: f.Place.String(),
	}
	if f.InPartition {
		v.Partition = &f.Partition
	}
	if f.Offsets.Len() > 0 {
		first, last := uint64(f.Offsets.First), uint64(f.Offsets.End-1)
		v.FirstOffset, v.LastOffset = &first, &last
	}
	return v
}
