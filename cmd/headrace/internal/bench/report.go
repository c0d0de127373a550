package bench

import (
	"math"
	"time"
)

// The policies say what a confirmed message has gone through.
const (
	SyncPolicy     = "synced to disk before each result, delivery and ack confirmation"
	BufferedPolicy = "synced to disk after the result, before each delivery and ack confirmation"
)

// Report has the figures of one run, and what they hold for.
type Report struct {
	Mode Mode `json:"mode"`
	// MessagesPerSecond counts results in Publish, confirmed acks in EndToEnd.
	MessagesPerSecond  float64 `json:"messages_per_second"`
	MegabytesPerSecond float64 `json:"megabytes_per_second"`
	// The latency is from the call that publishes a message to its result in
	// Publish, to its arrival at the subscriber in EndToEnd.
	LatencyP50MS float64 `json:"latency_p50_ms"`
	LatencyP99MS float64 `json:"latency_p99_ms"`
	// CPU of the server is known when it is a child process of the benchmark.
	ServerCPUPerMessageUS *float64 `json:"server_cpu_us_per_message"`
	ClientCPUPerMessageUS float64  `json:"client_cpu_us_per_message"`
	// FdatasyncPerSecond is the disk alone: an overwritten, preallocated KiB and
	// its sync, idle, before and after the run; from the median.
	FdatasyncPerSecond float64 `json:"fdatasync_per_second"`

	// PublishedPerSecond counts results also in EndToEnd; above
	// MessagesPerSecond the subscriber fell behind.
	PublishedPerSecond float64 `json:"published_per_second"`
	Messages           uint64  `json:"messages"`
	Seconds            float64 `json:"seconds"`
	WarmupSeconds      float64 `json:"warmup_seconds"`

	MessageBytes  int     `json:"message_bytes"`
	Publishers    int     `json:"publishers"`
	InFlight      int     `json:"in_flight"`
	Connections   int     `json:"connections"`
	Subscribers   int     `json:"subscribers"`
	Window        int     `json:"window_messages"`
	Topics        int     `json:"topics"`
	IdleTopics    int     `json:"idle_topics"`
	Producers     bool    `json:"producers"`
	Partitions    int     `json:"partitions"`
	BatchMessages int     `json:"batch_messages"`
	BatchBytes    int     `json:"batch_bytes"`
	BatchDelayMS  float64 `json:"batch_delay_ms"`
	SyncPolicy    string  `json:"sync_policy"`

	// LoneMessagesPerSecond is one publisher with one message in flight, in the
	// same run, where that was measured.
	LoneMessagesPerSecond float64 `json:"lone_messages_per_second,omitempty"`
	RatioToLone           float64 `json:"ratio_to_lone,omitempty"`
}

func newReport(o Options, w window, m *meter) Report {
	messages := m.counted()
	seconds := w.elapsed.Seconds()
	r := Report{
		Mode:                  o.Mode,
		MessagesPerSecond:     round(float64(messages) / seconds),
		MegabytesPerSecond:    round(float64(messages) * float64(o.Size) / 1e6 / seconds),
		LatencyP50MS:          milliseconds(m.latency.Quantile(0.5)),
		LatencyP99MS:          milliseconds(m.latency.Quantile(0.99)),
		ClientCPUPerMessageUS: perMessage(w.clientCPU, messages),
		PublishedPerSecond:    round(float64(m.published.Load()) / seconds),
		Messages:              messages,
		Seconds:               round(seconds),
		WarmupSeconds:         o.Warmup.Seconds(),
		MessageBytes:          o.Size,
		Publishers:            o.Publishers,
		InFlight:              o.InFlight,
		Connections:           o.connections(),
		Topics:                o.Topics,
		IdleTopics:            o.IdleTopics,
		Producers:             !o.WithoutProducer,
		Partitions:            o.Partitions,
		BatchMessages:         o.BatchMessages,
		BatchBytes:            o.BatchBytes,
		BatchDelayMS:          milliseconds(o.BatchDelay),
		SyncPolicy:            SyncPolicy,
	}
	if o.Buffered {
		r.SyncPolicy = BufferedPolicy
	}
	if o.Mode == EndToEnd {
		r.Subscribers, r.Window = o.Subscribers, o.Window
	}
	if w.serverCPUKnown {
		server := perMessage(w.serverCPU, messages)
		r.ServerCPUPerMessageUS = &server
	}
	return r
}

// compare adds a lone publisher's figures.
func (r *Report) compare(lone Report) {
	r.LoneMessagesPerSecond = lone.MessagesPerSecond
	if lone.MessagesPerSecond > 0 {
		r.RatioToLone = round(r.MessagesPerSecond / lone.MessagesPerSecond)
	}
}

func perMessage(used time.Duration, messages uint64) float64 {
	if messages == 0 {
		return 0
	}
	return round(float64(used.Microseconds()) / float64(messages))
}

func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d.Microseconds())) / 1e3
}

// round keeps two digits behind the point.
func round(x float64) float64 { return math.Round(x*100) / 100 }
