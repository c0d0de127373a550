package server

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headrace/headrace/server/broker"
)

var blockedSessions = desc("blocked_sessions",
	"Open sessions that wait for this reason; there is none without a session that does.",
	"topic", "subscription", "reason")

var pausedSubscription = desc("paused", "1 while a subscription is paused, else 0.", bySubscription...)

// emitBlocked counts the sessions of a subscription by what holds them back.
func emitBlocked(out chan<- prometheus.Metric, stats *broker.SubscriptionStats, paused bool, labels ...string) {
	out <- prometheus.MustNewConstMetric(pausedSubscription, prometheus.GaugeValue, asNumber(paused), labels...)
	for _, c := range blockedCauses {
		sessions := 0
		for i := range stats.Sessions {
			if stats.Sessions[i].Blocked&c.cause != 0 {
				sessions++
			}
		}
		if sessions > 0 {
			reason := strings.ToLower(strings.TrimPrefix(c.proto.String(), "BLOCKED_BY_"))
			out <- prometheus.MustNewConstMetric(blockedSessions, prometheus.GaugeValue, float64(sessions), append(labels, reason)...)
		}
	}
}
