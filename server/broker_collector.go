package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headrace/headrace/server/broker"
)

// scrapeTimeout bounds how long a scrape waits for the subscriptions' loops; what
// did not answer shows its last figures.
const scrapeTimeout = 2 * time.Second

// brokerCollector asks the broker for its figures at each scrape.
type brokerCollector struct {
	broker *broker.Broker
	store  Store
	// most bounds the topics, and the subscriptions, that are shown.
	most int
}

var _ prometheus.Collector = (*brokerCollector)(nil)

// figure is one metric of a resource of type T.
type figure[T any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(T) float64
}

func gauge[T any](name, help string, labels []string, value func(T) float64) figure[T] {
	return figure[T]{desc(name, help, labels...), prometheus.GaugeValue, value}
}

func counter[T any](name, help string, labels []string, value func(T) float64) figure[T] {
	return figure[T]{desc(name, help, labels...), prometheus.CounterValue, value}
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// The labels of a topic's and of a subscription's metrics.
var (
	byTopic        = []string{"topic"}
	bySubscription = []string{"topic", "subscription"}
)

var topicFigures = []figure[broker.TopicStats]{
	gauge("retained_messages", "Messages that a topic keeps.", byTopic,
		func(s broker.TopicStats) float64 { return float64(s.Retained.Messages) }),
	gauge("retained_bytes", "Bytes of messages that a topic keeps.", byTopic,
		func(s broker.TopicStats) float64 { return float64(s.Retained.Bytes) }),
	counter("published_messages_total", "Messages stored since the server started.", byTopic,
		func(s broker.TopicStats) float64 { return float64(s.Published.Messages) }),
	counter("published_bytes_total", "Bytes of messages stored since the server started.", byTopic,
		func(s broker.TopicStats) float64 { return float64(s.Published.Bytes) }),
	gauge("subscriptions", "Subscriptions of a topic.", byTopic,
		func(s broker.TopicStats) float64 { return float64(s.Subscriptions) }),
}

var subscriptionFigures = []figure[broker.SubscriptionStats]{
	gauge("backlog_messages", "Messages not settled, outstanding ones included.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Backlog.Messages) }),
	gauge("backlog_bytes", "Bytes of messages not settled.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Backlog.Bytes) }),
	gauge("oldest_unacked_age_seconds", "Age of the oldest message not settled.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return s.OldestUnackedAge.Seconds() }),
	gauge("outstanding_messages", "Messages that sessions hold.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Outstanding.Messages) }),
	gauge("outstanding_bytes", "Bytes of messages that sessions hold.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Outstanding.Bytes) }),
	gauge("credit_available_messages", "Messages that sessions have credit for.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(credit(s).Messages) }),
	gauge("credit_available_bytes", "Bytes that sessions have credit for.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(credit(s).Bytes) }),
	gauge("without_credit_seconds", "For how long the session that waits longest for credit has had none.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return withoutCredit(s).Seconds() }),
	gauge("sessions", "Open sessions.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(len(s.Sessions) - away(s)) }),
	gauge("sessions_away", "Sessions whose stream broke and that wait to be taken up again.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(away(s)) }),
	gauge("parked_keys", "Ordering keys that wait to be released.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.ParkedKeys) }),
	gauge("dead_letters", "Dead letters that are kept.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.DeadLetters) }),
	gauge("loop_busy_ratio", "Share of time that the subscription's loop worked.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return s.BusyShare }),
	counter("deliveries_total", "Deliveries sent.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Delivered) }),
	counter("redeliveries_total", "Deliveries that were not a message's first.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Redelivered) }),
	counter("acks_total", "Messages acked.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Acked) }),
	counter("retries_total", "Deliveries that ended with a retry.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Retried) }),
	counter("releases_total", "Deliveries given back.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Released) }),
	counter("expirations_total", "Deliveries that ended with their lease or session.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Expired) }),
	counter("dead_lettered_total", "Messages that became dead letters.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.DeadLettered) }),
	counter("forwarded_dead_letters_total", "Dead letters forwarded to dead_letter_topic, since the server started.",
		bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Forwarded) }),
	counter("not_forwarded_dead_letters_total",
		"Dead letters that were to be forwarded and could not, since the server started.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.NotForwarded) }),
	counter("removed_messages_total", "Messages that retention removed before they were settled.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Removed) }),
	counter("dropped_messages_total", "Messages that the cap on the backlog dropped before they were settled.", bySubscription,
		func(s broker.SubscriptionStats) float64 { return float64(s.Dropped) }),
}

var brokerFigures = []figure[*broker.Broker]{
	gauge("outbound_bytes", "Memory of frames that wait to be written to subscribers.", nil,
		func(b *broker.Broker) float64 { return float64(b.OutboundBytes()) }),
	gauge("publishing_bytes", "Memory of messages between receipt and result.", nil,
		func(b *broker.Broker) float64 { return float64(b.PublishingBytes()) }),
}

var acceptsPublishes = desc("accepts_publishes", "1 while the disk has room for messages, else 0.")

// Describe names every metric.
func (c *brokerCollector) Describe(out chan<- *prometheus.Desc) {
	out <- acceptsPublishes
	out <- blockedSessions
	out <- pausedSubscription
	for _, f := range brokerFigures {
		out <- f.desc
	}
	for _, f := range topicFigures {
		out <- f.desc
	}
	for _, f := range subscriptionFigures {
		out <- f.desc
	}
}

// Collect asks for the figures. A resource that went away meanwhile is left out.
func (c *brokerCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	out <- prometheus.MustNewConstMetric(acceptsPublishes, prometheus.GaugeValue, asNumber(c.store.AcceptsPublishes()))
	emit(out, brokerFigures, c.broker)
	request := broker.ListRequest{Namespace: broker.AllNamespaces, PageSize: broker.MaxPageSize}
	for t := range resources(request, c.most, c.broker.ListTopics) {
		if stats, err := c.broker.TopicStats(t.Name); err == nil {
			emit(out, topicFigures, stats, string(t.Name))
		}
	}
	for s := range resources(request, c.most, c.broker.ListSubscriptions) {
		if stats, err := c.broker.SubscriptionStats(ctx, s.Name); err == nil {
			emit(out, subscriptionFigures, stats, string(s.Topic), string(s.Name))
			emitBlocked(out, &stats, s.Paused, string(s.Topic), string(s.Name))
		}
	}
}

func emit[T any](out chan<- prometheus.Metric, figures []figure[T], stats T, labels ...string) {
	for _, f := range figures {
		out <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(stats), labels...)
	}
}

// resources lists resources page by page, at most a number of them.
func resources[T any](
	r broker.ListRequest, most int, list func(broker.ListRequest) ([]T, string, error),
) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		for most > 0 {
			page, next, err := list(r)
			if err != nil {
				return
			}
			for _, t := range page[:min(len(page), most)] {
				if !yield(t) {
					return
				}
			}
			most -= len(page)
			r.PageToken = next
			if next == "" {
				return
			}
		}
	}
}

// credit is what the sessions of a subscription may still be sent.
func credit(s broker.SubscriptionStats) (sum broker.Amount) {
	for _, session := range s.Sessions {
		if session.Away {
			continue
		}
		sum.Messages += session.Credit.Messages
		sum.Bytes += session.Credit.Bytes
	}
	return sum
}

// withoutCredit is for how long the session that waits longest for credit has had none.
func withoutCredit(s broker.SubscriptionStats) (longest time.Duration) {
	for _, session := range s.Sessions {
		longest = max(longest, session.WithoutCredit)
	}
	return longest
}

// away counts the sessions that wait to be taken up again.
func away(s broker.SubscriptionStats) (n int) {
	for _, session := range s.Sessions {
		if session.Away {
			n++
		}
	}
	return n
}

func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
