package cli

import (
	"strings"
	"time"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// subView is a subscription as the command line shows it.
type subView struct {
	Name                         string            `json:"name"`
	Topic                        string            `json:"topic"`
	Mode                         string            `json:"mode"`
	Order                        string            `json:"order"`
	KeyFailurePolicy             string            `json:"key_failure_policy,omitempty"`
	Guarantee                    string            `json:"guarantee"`
	LeaseSeconds                 float64           `json:"lease_seconds"`
	MaxLeaseSeconds              float64           `json:"max_lease_seconds"`
	ResumeWindowSeconds          float64           `json:"resume_window_seconds"`
	MinBackoffSeconds            float64           `json:"min_backoff_seconds"`
	MaxBackoffSeconds            float64           `json:"max_backoff_seconds"`
	MaxAttempts                  uint32            `json:"max_attempts"`
	MaxDeliveries                uint32            `json:"max_deliveries"`
	MaxOutstandingMessages       uint64            `json:"max_outstanding_messages"`
	MaxOutstandingBytes          uint64            `json:"max_outstanding_bytes"`
	ClientMaxOutstandingMessages uint64            `json:"client_max_outstanding_messages,omitempty"`
	ClientMaxOutstandingBytes    uint64            `json:"client_max_outstanding_bytes,omitempty"`
	Ephemeral                    bool              `json:"ephemeral,omitempty"`
	ExpireAfterSeconds           float64           `json:"expire_after_seconds,omitempty"`
	DeadLetterTopic              string            `json:"dead_letter_topic,omitempty"`
	Labels                       map[string]string `json:"labels,omitempty"`
	Generation                   uint64            `json:"generation"`
	CreateTime                   time.Time         `json:"create_time"`
	State                        string            `json:"state"`
	Paused                       bool              `json:"paused"`
	capView
	backlogView
}

func viewSub(s *headracev1.Subscription) subView {
	return subView{
		Name:                         s.GetName(),
		Topic:                        s.GetTopic(),
		Mode:                         shortEnum(s.GetMode().String(), "SUBSCRIPTION_MODE_"),
		Order:                        shortEnum(s.GetOrder().String(), "DELIVERY_ORDER_"),
		KeyFailurePolicy:             keyPolicyText(s.GetKeyFailurePolicy()),
		Guarantee:                    shortEnum(s.GetGuarantee().String(), "DELIVERY_GUARANTEE_"),
		LeaseSeconds:                 s.GetLease().AsDuration().Seconds(),
		MaxLeaseSeconds:              s.GetMaxLease().AsDuration().Seconds(),
		ResumeWindowSeconds:          s.GetResumeWindow().AsDuration().Seconds(),
		MinBackoffSeconds:            s.GetRetry().GetMinBackoff().AsDuration().Seconds(),
		MaxBackoffSeconds:            s.GetRetry().GetMaxBackoff().AsDuration().Seconds(),
		MaxAttempts:                  s.GetRetry().GetMaxAttempts(),
		MaxDeliveries:                s.GetRetry().GetMaxDeliveries(),
		MaxOutstandingMessages:       s.GetMaxOutstanding().GetMessages(),
		MaxOutstandingBytes:          s.GetMaxOutstanding().GetBytes(),
		ClientMaxOutstandingMessages: s.GetClientMaxOutstanding().GetMessages(),
		ClientMaxOutstandingBytes:    s.GetClientMaxOutstanding().GetBytes(),
		Ephemeral:                    s.GetEphemeral(),
		ExpireAfterSeconds:           s.GetExpireAfter().AsDuration().Seconds(),
		DeadLetterTopic:              s.GetDeadLetterTopic(),
		Labels:                       s.GetLabels(),
		Generation:                   s.GetGeneration(),
		CreateTime:                   s.GetCreateTime().AsTime(),
		State:                        shortEnum(s.GetState().String(), "RESOURCE_STATE_"),
		Paused:                       s.GetPaused(),
		capView:                      viewCap(s.GetDispatchCap()),
		backlogView:                  viewBacklog(s.GetBacklogCap()),
	}
}

var subColumns = []output.Column[subView]{
	{Head: "SUBSCRIPTION", Cell: func(v subView) string { return v.Name }},
	{Head: "TOPIC", Cell: func(v subView) string { return v.Topic }},
	{Head: "MODE", Cell: func(v subView) string { return v.Mode }},
	{Head: "ORDER", Cell: orderText},
	{Head: "GUARANTEE", Cell: func(v subView) string { return v.Guarantee }},
	{Head: "LEASE", Right: true, Cell: func(v subView) string { return secondsText(v.LeaseSeconds) }},
	{Head: "BACKOFF", Cell: func(v subView) string {
		return secondsText(v.MinBackoffSeconds) + ".." + secondsText(v.MaxBackoffSeconds)
	}},
	{Head: "ATTEMPTS", Right: true, Cell: func(v subView) string { return boundText(v.MaxAttempts) }},
	{Head: "MAX OUTSTANDING", Cell: func(v subView) string {
		return amountText(v.MaxOutstandingMessages, v.MaxOutstandingBytes)
	}},
	{Head: "CAP", Cell: func(v subView) string { return v.capText() }},
	{Head: "BACKLOG CAP", Cell: func(v subView) string { return v.backlogText() }},
	{Head: "DEAD LETTERS TO", Cell: func(v subView) string { return v.DeadLetterTopic }},
	{Head: "ENDS", Cell: endText},
	{Head: "CREATED", Cell: func(v subView) string { return timeText(v.CreateTime) }},
	{Head: "STATE", Cell: stateText},
	{Head: "LABELS", Cell: func(v subView) string { return labelText(v.Labels) }},
}

// endText writes when a subscription ends that nobody uses.
func endText(v subView) string {
	switch {
	case v.Ephemeral:
		return "with its sessions"
	case v.ExpireAfterSeconds > 0:
		return secondsText(v.ExpireAfterSeconds) + " unused"
	}
	return "never"
}

// stateText writes the state of a subscription, a pause included.
func stateText(v subView) string {
	if v.Paused {
		return v.State + ", paused"
	}
	return v.State
}

// boundText writes a bound that may be none.
func boundText(n uint32) string {
	if n == 0 {
		return "any"
	}
	return output.Count(n)
}

// subInfoView is a subscription with its figures.
type subInfoView struct {
	subView
	flowView
	Delivered      uint64             `json:"delivered"`
	Redelivered    uint64             `json:"redelivered"`
	Acked          uint64             `json:"acked"`
	Retried        uint64             `json:"retried"`
	Released       uint64             `json:"released"`
	Expired        uint64             `json:"expired"`
	Rejected       uint64             `json:"rejected"`
	DeadLettered   uint64             `json:"dead_lettered"`
	DeadLetters    uint64             `json:"dead_letters"`
	Forwarded      uint64             `json:"forwarded"`
	NotForwarded   uint64             `json:"not_forwarded"`
	Removed        uint64             `json:"removed"`
	Dropped        uint64             `json:"dropped"`
	ParkedKeys     uint64             `json:"parked_keys"`
	BehindKeys     uint64             `json:"waiting_behind_keys"`
	PartitionStats []subPartitionView `json:"partition_stats"`
}

// subPartitionView is a subscription's figures in one partition.
type subPartitionView struct {
	Partition        uint32 `json:"partition"`
	Floor            uint64 `json:"floor"`
	NextOffset       uint64 `json:"next_offset"`
	SettledPastFloor uint64 `json:"settled_past_floor"`
	BacklogMessages  uint64 `json:"backlog_messages"`
	BacklogBytes     uint64 `json:"backlog_bytes"`
}

func viewSubInfo(s *headracev1.Subscription, stats *headracev1.SubscriptionStats) subInfoView {
	v := subInfoView{
		subView:        viewSub(s),
		flowView:       viewFlow(stats),
		Delivered:      stats.GetDelivered(),
		Redelivered:    stats.GetRedelivered(),
		Acked:          stats.GetAcked(),
		Retried:        stats.GetRetried(),
		Released:       stats.GetReleased(),
		Expired:        stats.GetExpired(),
		Rejected:       stats.GetRejected(),
		DeadLettered:   stats.GetDeadLettered(),
		DeadLetters:    stats.GetDeadLetters(),
		Forwarded:      stats.GetForwarded(),
		NotForwarded:   stats.GetNotForwarded(),
		Removed:        stats.GetRemoved(),
		Dropped:        stats.GetDropped(),
		ParkedKeys:     stats.GetParkedKeys(),
		BehindKeys:     stats.GetWaitingBehindKeys(),
		PartitionStats: []subPartitionView{},
	}
	for _, p := range stats.GetPartitions() {
		v.PartitionStats = append(v.PartitionStats, subPartitionView{
			Partition:        p.GetPartition(),
			Floor:            p.GetFloor(),
			NextOffset:       p.GetNextOffset(),
			SettledPastFloor: p.GetSettledPastFloor(),
			BacklogMessages:  p.GetBacklog().GetMessages(),
			BacklogBytes:     p.GetBacklog().GetBytes(),
		})
	}
	return v
}

var subInfoColumns = append(append(
	embed(subColumns, func(v subInfoView) subView { return v.subView }),
	embed(flowColumns, func(v subInfoView) flowView { return v.flowView })...),
	output.Column[subInfoView]{Head: "DELIVERED", Cell: func(v subInfoView) string {
		return output.Count(v.Delivered) + ", " + output.Count(v.Redelivered) + " of them again"
	}},
	output.Column[subInfoView]{Head: "SETTLED", Cell: func(v subInfoView) string {
		return output.Count(v.Acked) + " acked, " + output.Count(v.Retried) + " retried, " +
			output.Count(v.Released) + " released, " + output.Count(v.Expired) + " expired, " + output.Count(v.Rejected) + " rejected"
	}},
	output.Column[subInfoView]{Head: "DEAD LETTERS", Cell: deadLettersText},
	output.Column[subInfoView]{Head: "WENT UNSETTLED", Cell: func(v subInfoView) string {
		return output.Count(v.Removed) + " by retention, " + output.Count(v.Dropped) + " by the backlog cap"
	}},
	output.Column[subInfoView]{Head: "KEYS", Cell: func(v subInfoView) string {
		return output.Count(v.ParkedKeys) + " parked, " + output.Count(v.BehindKeys) + " messages wait behind theirs"
	}},
	output.Column[subInfoView]{Head: "OFFSETS", Cell: func(v subInfoView) string { return floorsText(v.PartitionStats) }},
)

// deadLettersText writes how many dead letters are kept, and what became of forwarding.
func deadLettersText(v subInfoView) string {
	text := output.Count(v.DeadLetters)
	if v.DeadLetterTopic != "" || v.Forwarded+v.NotForwarded > 0 {
		text += "; since the start " + output.Count(v.Forwarded) + " forwarded, " + output.Count(v.NotForwarded) + " could not be"
	}
	return text
}

// floorsText writes where each partition stands as "partition:floor-next".
func floorsText(partitions []subPartitionView) string {
	var parts []string
	for _, p := range partitions {
		parts = append(parts, output.Count(p.Partition)+":"+output.Count(p.Floor)+"-"+output.Count(p.NextOffset))
	}
	return strings.Join(parts, " ")
}
