package cli

import (
	"time"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/storage/backup"
)

// backupView is what is in a backup, and what writing or restoring it took.
type backupView struct {
	// Path is the file that was written, or the directory that was restored.
	Path          string               `json:"path"`
	Store         string               `json:"store"`
	LastBatch     uint64               `json:"last_batch"`
	Topics        uint64               `json:"topics"`
	Subscriptions uint64               `json:"subscriptions"`
	Messages      uint64               `json:"messages"`
	MessageBytes  uint64               `json:"message_bytes"`
	FileBytes     int64                `json:"file_bytes,omitempty"`
	Seconds       float64              `json:"seconds"`
	Positions     []backupPositionView `json:"positions"`
}

// backupPositionView is how far one partition reaches.
type backupPositionView struct {
	TopicID     uint32 `json:"topic_id"`
	Partition   uint16 `json:"partition"`
	FirstOffset uint64 `json:"first_offset"`
	NextOffset  uint64 `json:"next_offset"`
}

func newBackupView(path string, c *backup.Contents, size int64, took time.Duration) backupView {
	v := backupView{
		Path: path, Store: c.StoreText(), LastBatch: c.LastBatch, Topics: c.Topics, Subscriptions: c.Subscriptions,
		Messages: c.Messages, MessageBytes: c.Bytes, FileBytes: size, Seconds: took.Seconds(),
		Positions: []backupPositionView{},
	}
	for _, p := range c.Positions {
		v.Positions = append(v.Positions, backupPositionView{
			TopicID: uint32(p.Partition.Topic), Partition: p.Partition.Partition,
			FirstOffset: uint64(p.First), NextOffset: uint64(p.Next),
		})
	}
	return v
}

var contentColumns = []output.Column[backupView]{
	{Head: "of store", Cell: func(v backupView) string { return v.Store }},
	{Head: "as of batch", Cell: func(v backupView) string { return output.Count(v.LastBatch) }},
	{Head: "topics", Cell: func(v backupView) string { return output.Count(v.Topics) }},
	{Head: "subscriptions", Cell: func(v backupView) string { return output.Count(v.Subscriptions) }},
	{Head: "messages", Cell: func(v backupView) string { return amountText(v.Messages, v.MessageBytes) }},
}

var secondsColumn = output.Column[backupView]{Head: "took", Cell: func(v backupView) string { return secondsText(v.Seconds) }}

var backupColumns = append(append([]output.Column[backupView]{
	{Head: "file", Cell: func(v backupView) string { return v.Path }},
	{Head: "size", Cell: func(v backupView) string { return output.Size(uint64(v.FileBytes)) }},
}, contentColumns...), secondsColumn)

var restoreColumns = append(append([]output.Column[backupView]{
	{Head: "restored", Cell: func(v backupView) string { return v.Path }},
}, contentColumns...), secondsColumn)
