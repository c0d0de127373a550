package server

import (
	"fmt"
	"sync"

	grpcprom "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/headrace/headrace/server/broker"
)

// namespace begins the name of every metric of ours.
const namespace = "headrace"

// latencyBuckets reach from a memory access to a consumer that is hours behind, in
// seconds.
var latencyBuckets = []float64{
	.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60, 600, 3600,
}

// metrics are what the server measures itself. What the broker knows is asked for
// at each scrape, by brokerCollector.
type metrics struct {
	registry *prometheus.Registry
	calls    *grpcprom.ServerMetrics
	// publishStreams and subscribeStreams are the open streams.
	publishStreams, subscribeStreams prometheus.Gauge
	publishLatency                   *prometheus.HistogramVec
	deliveryLatency                  *prometheus.HistogramVec
	topics                           *labels
	subscriptions                    *labels
}

// newMetrics makes the metrics of one server in a registry of their own.
func newMetrics(maxResources int, insecure bool) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		calls:    grpcprom.NewServerMetrics(),
		publishStreams: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "publish_streams", Help: "Open publish streams.",
		}),
		subscribeStreams: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "subscribe_streams", Help: "Open subscribe streams.",
		}),
		publishLatency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "publish_latency_seconds", Buckets: latencyBuckets,
			Help: "From the receipt of a batch to its result, which is durable unless the topic is buffered, by topic.",
		}, []string{"topic"}),
		deliveryLatency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "delivery_latency_seconds", Buckets: latencyBuckets,
			Help: "From the commit of a frame's first message to its first delivery, by subscription.",
		}, []string{"subscription"}),
		topics:        newLabels(maxResources),
		subscriptions: newLabels(maxResources),
	}
	m.registry.MustRegister(m.calls, m.publishStreams, m.subscribeStreams, m.publishLatency, m.deliveryLatency,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "insecure", Help: "1 when the server may be reached without authentication, else 0.",
		}, func() float64 { return asNumber(insecure) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// register adds collectors.
func (m *metrics) register(all []prometheus.Collector) error {
	for _, c := range all {
		if err := m.registry.Register(c); err != nil {
			return fmt.Errorf("server: metrics: %w", err)
		}
	}
	return nil
}

// publish measures a topic, by its name as a client writes it.
func (m *metrics) publish(topic string) prometheus.Observer {
	name, err := broker.ParseName(topic)
	if err != nil {
		name = ""
	}
	return m.publishLatency.WithLabelValues(m.topics.admit(string(name)))
}

// delivery measures a subscription.
func (m *metrics) delivery(subscription broker.Name) prometheus.Observer {
	return m.deliveryLatency.WithLabelValues(m.subscriptions.admit(string(subscription)))
}

// labels bounds the values of a label: those beyond the bound share the empty one.
type labels struct {
	mu       sync.Mutex
	most     int
	admitted map[string]bool
}

func newLabels(most int) *labels { return &labels{most: most, admitted: map[string]bool{}} }

// admit gives the label of a name.
func (l *labels) admit(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.admitted[name] && len(l.admitted) >= l.most {
		return ""
	}
	l.admitted[name] = true
	return name
}
