package cli

import (
	"strings"
	"time"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// topicView is a topic as the command line shows it.
type topicView struct {
	Name            string            `json:"name"`
	Partitions      uint32            `json:"partitions"`
	Durability      string            `json:"durability"`
	MinAgeSeconds   float64           `json:"min_age_seconds"`
	KeepSeconds     float64           `json:"keep_settled_seconds"`
	MaxAgeSeconds   float64           `json:"max_age_seconds,omitempty"`
	MaxBytes        uint64            `json:"max_bytes,omitempty"`
	MaxMessageBytes uint64            `json:"max_message_bytes"`
	DedupeSeconds   float64           `json:"dedupe_window_seconds"`
	DedupeMaxIDs    uint64            `json:"dedupe_max_ids"`
	Labels          map[string]string `json:"labels,omitempty"`
	CreateTime      time.Time         `json:"create_time"`
	State           string            `json:"state"`
}

func viewTopic(t *headracev1.Topic) topicView {
	return topicView{
		Name:            t.GetName(),
		Partitions:      t.GetPartitions(),
		Durability:      shortEnum(t.GetDurability().String(), "DURABILITY_"),
		MinAgeSeconds:   t.GetRetention().GetMinAge().AsDuration().Seconds(),
		KeepSeconds:     t.GetRetention().GetKeepSettled().AsDuration().Seconds(),
		MaxAgeSeconds:   t.GetRetention().GetMaxAge().AsDuration().Seconds(),
		MaxBytes:        t.GetRetention().GetMaxBytes(),
		MaxMessageBytes: t.GetMaxMessageBytes(),
		DedupeSeconds:   t.GetDedupeWindow().AsDuration().Seconds(),
		DedupeMaxIDs:    t.GetDedupeMaxIds(),
		Labels:          t.GetLabels(),
		CreateTime:      t.GetCreateTime().AsTime(),
		State:           shortEnum(t.GetState().String(), "RESOURCE_STATE_"),
	}
}

var topicColumns = []output.Column[topicView]{
	{Head: "TOPIC", Cell: func(v topicView) string { return v.Name }},
	{Head: "PARTITIONS", Right: true, Cell: func(v topicView) string { return output.Count(v.Partitions) }},
	{Head: "DURABILITY", Cell: func(v topicView) string { return v.Durability }},
	{Head: "MIN AGE", Right: true, Cell: func(v topicView) string { return secondsText(v.MinAgeSeconds) }},
	{Head: "KEEPS", Right: true, Cell: func(v topicView) string { return secondsText(v.KeepSeconds) }},
	{Head: "MAX KEPT", Cell: func(v topicView) string { return keptText(v.MaxAgeSeconds, v.MaxBytes) }},
	{Head: "MAX MESSAGE", Right: true, Cell: func(v topicView) string { return output.Size(v.MaxMessageBytes) }},
	{Head: "DEDUPE", Right: true, Cell: func(v topicView) string { return secondsText(v.DedupeSeconds) }},
	{Head: "CREATED", Cell: func(v topicView) string { return timeText(v.CreateTime) }},
	{Head: "STATE", Cell: func(v topicView) string { return v.State }},
	{Head: "LABELS", Cell: func(v topicView) string { return labelText(v.Labels) }},
}

// keptText writes the bounds on what a topic keeps.
func keptText(seconds float64, bytes uint64) string {
	var bounds []string
	if seconds > 0 {
		bounds = append(bounds, secondsText(seconds))
	}
	if bytes > 0 {
		bounds = append(bounds, output.Size(bytes))
	}
	if len(bounds) == 0 {
		return "any"
	}
	return strings.Join(bounds, ", ")
}

// topicInfoView is a topic with its figures.
type topicInfoView struct {
	topicView
	RetainedMessages  uint64          `json:"retained_messages"`
	RetainedBytes     uint64          `json:"retained_bytes"`
	PublishedMessages uint64          `json:"published_messages"`
	PublishedBytes    uint64          `json:"published_bytes"`
	Subscriptions     uint32          `json:"subscriptions"`
	PartitionStats    []partitionView `json:"partition_stats"`
}

// partitionView is one partition's figures.
type partitionView struct {
	Partition        uint32 `json:"partition"`
	FirstOffset      uint64 `json:"first_offset"`
	NextOffset       uint64 `json:"next_offset"`
	RetainedMessages uint64 `json:"retained_messages"`
	RetainedBytes    uint64 `json:"retained_bytes"`
}

func viewTopicInfo(t *headracev1.Topic, s *headracev1.TopicStats) topicInfoView {
	v := topicInfoView{
		topicView:         viewTopic(t),
		RetainedMessages:  s.GetRetained().GetMessages(),
		RetainedBytes:     s.GetRetained().GetBytes(),
		PublishedMessages: s.GetPublished().GetMessages(),
		PublishedBytes:    s.GetPublished().GetBytes(),
		Subscriptions:     s.GetSubscriptions(),
		PartitionStats:    []partitionView{},
	}
	for _, p := range s.GetPartitions() {
		v.PartitionStats = append(v.PartitionStats, partitionView{
			Partition:        p.GetPartition(),
			FirstOffset:      p.GetFirstOffset(),
			NextOffset:       p.GetNextOffset(),
			RetainedMessages: p.GetRetained().GetMessages(),
			RetainedBytes:    p.GetRetained().GetBytes(),
		})
	}
	return v
}

var topicInfoColumns = append(embed(topicColumns, func(v topicInfoView) topicView { return v.topicView }),
	output.Column[topicInfoView]{Head: "RETAINED", Cell: func(v topicInfoView) string {
		return amountText(v.RetainedMessages, v.RetainedBytes)
	}},
	output.Column[topicInfoView]{Head: "PUBLISHED", Cell: func(v topicInfoView) string {
		return amountText(v.PublishedMessages, v.PublishedBytes) + " since the server started"
	}},
	output.Column[topicInfoView]{Head: "SUBSCRIPTIONS", Cell: func(v topicInfoView) string { return output.Count(v.Subscriptions) }},
	output.Column[topicInfoView]{Head: "OFFSETS", Cell: func(v topicInfoView) string { return offsetsText(v.PartitionStats) }},
)

// offsetsText writes each partition's retained offsets as "partition:first-next".
func offsetsText(partitions []partitionView) string {
	var parts []string
	for _, p := range partitions {
		parts = append(parts, output.Count(p.Partition)+":"+output.Count(p.FirstOffset)+"-"+output.Count(p.NextOffset))
	}
	return strings.Join(parts, " ")
}
