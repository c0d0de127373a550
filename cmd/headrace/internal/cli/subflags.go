package cli

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go"
)

// subFixedFlags are the properties of a subscription that are fixed when it is
// created.
type subFixedFlags struct {
	topic, mode, order, guarantee, from string
	ephemeral                           bool
}

func (f *subFixedFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.topic, "topic", "", "the topic")
	c.Flags().BoolVar(&f.ephemeral, "ephemeral", false, "it lives while a session does, and 60s")
	c.Flags().StringVar(&f.mode, "mode", "shared", "who may receive: shared, exclusive, failover")
	c.Flags().StringVar(&f.order, "order", "",
		"which order is kept: key, none, partition (of an exclusive subscription); default key, at most once none")
	c.Flags().StringVar(&f.guarantee, "guarantee", "at-least-once",
		"how often a message may come: at-least-once, at-most-once, exactly-once")
	c.Flags().StringVar(&f.from, "from", "latest",
		"where it begins: latest, earliest, a time as 2006-01-02T15:04:05Z, or offsets as partition:offset,…")
}

func (f *subFixedFlags) apply(s *headracev1.Subscription) (headrace.StartOption, error) {
	if f.topic == "" {
		return nil, usagef("--topic is missing")
	}
	mode, ok := headracev1.SubscriptionMode_value["SUBSCRIPTION_MODE_"+strings.ToUpper(f.mode)]
	if !ok {
		return nil, usagef("--mode: there is no mode %q", f.mode)
	}
	order, ok := headracev1.DeliveryOrder_value["DELIVERY_ORDER_"+strings.ToUpper(cmp.Or(f.order, "unspecified"))]
	if !ok {
		return nil, usagef("--order: there is no order %q", f.order)
	}
	guarantee, ok := headracev1.DeliveryGuarantee_value["DELIVERY_GUARANTEE_"+strings.ToUpper(strings.ReplaceAll(f.guarantee, "-", "_"))]
	if !ok {
		return nil, usagef("--guarantee: there is no guarantee %q", f.guarantee)
	}
	s.Topic, s.Mode, s.Order = f.topic, headracev1.SubscriptionMode(mode), headracev1.DeliveryOrder(order)
	s.Ephemeral = f.ephemeral
	s.Guarantee = headracev1.DeliveryGuarantee(guarantee)
	return parseStart(f.from)
}

// parseStart reads where a subscription begins.
func parseStart(text string) (headrace.StartOption, error) {
	switch text {
	case "latest":
		return headrace.FromLatest(), nil
	case "earliest":
		return headrace.FromEarliest(), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return headrace.FromTime(t), nil
	}
	positions, err := parsePositions("--from: none of latest, earliest, a time, or", text)
	return headrace.FromPositions(positions...), err
}

// parsePositions reads partition:offset,…; what says what they are for.
func parsePositions(what, text string) ([]headrace.Position, error) {
	var positions []headrace.Position
	for pair := range strings.SplitSeq(text, ",") {
		left, right, ok := strings.Cut(pair, ":")
		partition, err1 := strconv.ParseUint(left, 10, 32)
		offset, err2 := strconv.ParseUint(right, 10, 64)
		if !ok || err1 != nil || err2 != nil {
			return nil, usagef("%s partition:offset,…: %q", what, text)
		}
		positions = append(positions, headrace.Position{Partition: uint32(partition), Offset: offset})
	}
	return positions, nil
}

// subFlags are the properties of a subscription that can be given and changed.
type subFlags struct {
	lease, maxLease, minBackoff, maxBackoff        time.Duration
	resumeWindow                                   time.Duration
	maxAttempts, maxDeliveries                     uint32
	maxOutstanding, clientMaxOutstanding           uint64
	maxOutstandingBytes, clientMaxOutstandingBytes config.Bytes
	labels                                         []string
	keyFailurePolicy                               keyPolicyFlag
	cap                                            capFlags
	backlog                                        backlogFlags
	expireAfter                                    time.Duration
	deadLetterTopic                                string
}

func (f *subFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.DurationVar(&f.lease, "lease", 0, "the work lease of a delivery (server's default: 30s)")
	flags.DurationVar(&f.maxLease, "max-lease", 0, "the longest lease, extensions included (server's default: 1h)")
	flags.DurationVar(&f.resumeWindow, "resume-window", 0,
		"how long the session of a broken stream waits to be taken up again; 0: not at all (server's default: 30s, of a shared one)")
	flags.DurationVar(&f.minBackoff, "min-backoff", 0, "the first wait after a failed attempt (server's default: 1s)")
	flags.DurationVar(&f.maxBackoff, "max-backoff", 0, "the longest wait after a failed attempt (server's default: 10m)")
	flags.Uint32Var(&f.maxAttempts, "max-attempts", 0,
		"after how many failed attempts a message becomes a dead letter; 0: never (server's default: 16)")
	flags.Uint32Var(&f.maxDeliveries, "max-deliveries", 0,
		"after how many deliveries lost unstarted it does; 0: never (server's default: 100)")
	flags.Uint64Var(&f.maxOutstanding, "max-outstanding", 0,
		"the most messages that all sessions hold together (server's default: 100,000)")
	flags.Var(&f.maxOutstandingBytes, "max-outstanding-bytes",
		"the most bytes that all sessions hold together (server's default: 1GiB)")
	flags.Uint64Var(&f.clientMaxOutstanding, "client-max-outstanding", 0,
		"the most messages that the sessions of one client hold together (default: no bound)")
	flags.Var(&f.clientMaxOutstandingBytes, "client-max-outstanding-bytes",
		"the most bytes that the sessions of one client hold together (default: no bound)")
	flags.Var(&f.keyFailurePolicy, "key-failure-policy",
		"what a message that is given up does to its key: block, park-key, skip (server's default: block)")
	f.cap.add(c)
	f.backlog.add(c)
	c.Flags().DurationVar(&f.expireAfter, "expire-after", 0, "it ends when it had no session this long, 1m to 87600h; 0: never")
	flags.StringVar(&f.deadLetterTopic, "dead-letter-topic", "", "a topic that dead letters are forwarded to; empty: none")
	flags.StringArrayVar(&f.labels, "label", nil, "a label, key=value; may be repeated")
}

// apply sets what was given on the command line and returns the names of those
// fields.
func (f *subFlags) apply(c *cobra.Command, s *headracev1.Subscription) (fields []string, err error) {
	set := func(flag, field string, do func()) {
		if c.Flags().Changed(flag) {
			do()
			fields = append(fields, field)
		}
	}
	set("lease", "lease", func() { s.Lease = durationpb.New(f.lease) })
	set("max-lease", "max_lease", func() { s.MaxLease = durationpb.New(f.maxLease) })
	set("resume-window", "resume_window", func() { s.ResumeWindow = durationpb.New(f.resumeWindow) })
	set("min-backoff", "retry.min_backoff", func() { retryOf(s).MinBackoff = durationpb.New(f.minBackoff) })
	set("max-backoff", "retry.max_backoff", func() { retryOf(s).MaxBackoff = durationpb.New(f.maxBackoff) })
	set("max-attempts", "retry.max_attempts", func() { retryOf(s).MaxAttempts = &f.maxAttempts })
	set("max-deliveries", "retry.max_deliveries", func() { retryOf(s).MaxDeliveries = &f.maxDeliveries })
	set("key-failure-policy", "key_failure_policy", func() { s.KeyFailurePolicy = headracev1.KeyFailurePolicy(f.keyFailurePolicy) })
	set("expire-after", "expire_after", func() { s.ExpireAfter = durationpb.New(f.expireAfter) })
	set("dead-letter-topic", "dead_letter_topic", func() { s.DeadLetterTopic = f.deadLetterTopic })
	set("label", "labels", func() { s.Labels, err = parseLabels(f.labels) })
	fields = append(fields, f.applyCeilings(c, s)...)
	fields = append(fields, f.cap.apply(c, s)...)
	backlog, backlogErr := f.backlog.apply(c, s)
	return append(fields, backlog...), errors.Join(err, backlogErr)
}

// applyCeilings sets the ceilings of which the command line gives a part. The
// other part is sent as 0, which the server takes as its default.
func (f *subFlags) applyCeilings(c *cobra.Command, s *headracev1.Subscription) (fields []string) {
	changed := c.Flags().Changed
	if changed("max-outstanding") || changed("max-outstanding-bytes") {
		s.MaxOutstanding = &headracev1.Amount{Messages: f.maxOutstanding, Bytes: uint64(f.maxOutstandingBytes)}
		fields = append(fields, "max_outstanding")
	}
	if changed("client-max-outstanding") || changed("client-max-outstanding-bytes") {
		s.ClientMaxOutstanding = &headracev1.Amount{Messages: f.clientMaxOutstanding, Bytes: uint64(f.clientMaxOutstandingBytes)}
		fields = append(fields, "client_max_outstanding")
	}
	return fields
}

func retryOf(s *headracev1.Subscription) *headracev1.RetryPolicy {
	if s.GetRetry() == nil {
		s.Retry = &headracev1.RetryPolicy{}
	}
	return s.GetRetry()
}
