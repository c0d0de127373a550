package node

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/shardlog"
)

// figures are what the store and its engine say at one moment.
type figures struct {
	shardlog.Metrics
	engine badgerlog.Stats
}

// figure is one metric.
type figure struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(figures) float64
}

func gauge(name, help string, value func(figures) float64) figure {
	return figure{prometheus.NewDesc("headrace_"+name, help, nil, nil), prometheus.GaugeValue, value}
}

func counter(name, help string, value func(figures) float64) figure {
	return figure{prometheus.NewDesc("headrace_"+name, help, nil, nil), prometheus.CounterValue, value}
}

// storeFigures are the metrics of the store. A mean is a quotient of two rates:
// the mean commit takes rate(commit_seconds_total) / rate(commits_total).
var storeFigures = []figure{
	counter("commits_total", "Group commits, each synced to disk.",
		func(f figures) float64 { return float64(f.Commits) }),
	counter("commit_seconds_total", "Time that commits took, sync included.",
		func(f figures) float64 { return f.CommitTime.Seconds() }),
	counter("commit_messages_total", "Messages committed.",
		func(f figures) float64 { return float64(f.CommittedMessages) }),
	counter("commit_bytes_total", "Bytes of messages committed.",
		func(f figures) float64 { return float64(f.CommittedBytes) }),
	counter("commit_records_total", "Records written by commits.",
		func(f figures) float64 { return float64(f.CommittedKeys) }),
	gauge("publish_queues_waiting", "Streams whose publishes wait for a commit.",
		func(f figures) float64 { return float64(f.WaitingQueues) }),
	gauge("tail_bytes", "Memory of recent messages kept for live subscribers.",
		func(f figures) float64 { return float64(f.TailBytes) }),
	counter("tail_hits_total", "Lookups of messages that found them in memory.",
		func(f figures) float64 { return float64(f.RingHits) }),
	counter("tail_misses_total", "Lookups of messages that did not find them among the recent ones.",
		func(f figures) float64 { return float64(f.RingMisses) }),
	counter("cache_hits_total", "Reads of older messages that found them in memory.",
		func(f figures) float64 { return float64(f.CacheHits) }),
	counter("disk_reads_total", "Reads of older messages that went to the disk.",
		func(f figures) float64 { return float64(f.DiskReads) }),
	counter("trimmed_messages_total", "Messages removed after everybody had settled them.",
		func(f figures) float64 { return float64(f.TrimmedMessages) }),
	counter("holed_messages_total", "Messages removed behind one that is not settled, after everybody had settled them.",
		func(f figures) float64 { return float64(f.HoledMessages) }),
	counter("moved_segments_total", "Pieces of the log of which little was left, moved to free the rest.",
		func(f figures) float64 { return float64(f.MovedSegments) }),
	counter("moved_bytes_total", "Bytes of messages that were moved so.",
		func(f figures) float64 { return float64(f.MovedBytes) }),
	gauge("damaged", "Partitions and subscriptions fenced because stored data is damaged.",
		func(f figures) float64 { return float64(f.Damaged) }),

	gauge("disk_free_bytes", "What the disk has left.",
		func(f figures) float64 { return float64(f.engine.FreeBytes) }),
	gauge("disk_high_mark_bytes", "Free space below which publishes are refused.",
		func(f figures) float64 { return float64(f.engine.HighMarkBytes) }),
	gauge("disk_low_mark_bytes", "Free space below which nothing is stored.",
		func(f figures) float64 { return float64(f.engine.LowMarkBytes) }),
	gauge("ballast_bytes", "Disk kept to be given up when the server has to start on a full disk; 0: none.",
		func(f figures) float64 { return float64(f.engine.BallastBytes) }),
	gauge("aside_bytes", "Disk taken by copies of what crashes left of the write-ahead logs.",
		func(f figures) float64 { return float64(f.engine.AsideBytes) }),
	gauge("aside_copy_seconds", "Time that the start took to make such a copy; 0: it made none.",
		func(f figures) float64 { return f.engine.AsideTime.Seconds() }),
	gauge("waits_for_disk", "1 while everything waits for room on the disk, else 0.",
		func(f figures) float64 {
			if f.WaitsForSpace {
				return 1
			}
			return 0
		}),
	gauge("lsm_bytes", "Disk taken by tables of records.",
		func(f figures) float64 { return float64(f.engine.LSMBytes) }),
	gauge("wal_bytes", "Disk taken by write-ahead logs.",
		func(f figures) float64 { return float64(f.engine.LogBytes) }),
	gauge("value_log_bytes", "Disk taken by message bodies.",
		func(f figures) float64 { return float64(f.engine.ValueLogBytes) }),
	counter("early_tables_total", "Tables written early so that disk space comes back.",
		func(f figures) float64 { return float64(f.engine.EarlyTables) }),
	counter("gc_runs_total", "Collections of disk space.",
		func(f figures) float64 { return float64(f.engine.GCRuns) }),
	counter("gc_rewrites_total", "Files that collections rewrote.",
		func(f figures) float64 { return float64(f.engine.GCRewrites) }),
	counter("gc_held_back_total", "Collections put off because commits were slow.",
		func(f figures) float64 { return float64(f.engine.GCHeldBack) }),
	counter("gc_errors_total", "Collections that failed.",
		func(f figures) float64 { return float64(f.engine.GCErrors) }),
	counter("engine_errors_total", "Errors that the storage engine logged.",
		func(f figures) float64 { return float64(f.engine.BadgerErrors) }),
	gauge("descriptors_open", "Open file descriptors.",
		func(f figures) float64 { return float64(f.engine.Descriptors) }),
	gauge("descriptors_limit", "File descriptors that the process may open.",
		func(f figures) float64 { return float64(f.engine.DescriptorLimit) }),
}

// storeCollector asks the store for its figures at each scrape.
type storeCollector struct {
	store  *shardlog.Store
	engine *badgerlog.Engine
}

var _ prometheus.Collector = (*storeCollector)(nil)

// Describe names every metric.
func (c *storeCollector) Describe(out chan<- *prometheus.Desc) {
	for _, f := range storeFigures {
		out <- f.desc
	}
}

// Collect asks for the figures.
func (c *storeCollector) Collect(out chan<- prometheus.Metric) {
	now := figures{c.store.Metrics(), c.engine.Stats()}
	for _, f := range storeFigures {
		out <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(now))
	}
}
