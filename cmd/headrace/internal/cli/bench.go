package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/bench"
	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/sdk/go"
)

// benchWindowMessages is how far the server may run ahead of a subscriber of the
// benchmark, unless it is told otherwise.
const benchWindowMessages = 10_000

func (a *App) bench() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure a server",
		Long: "Measure a server: one started for the purpose on a temporary directory, or the\n" +
			"one at --addr. Everything shares this machine's cores, so compare figures of\n" +
			"one machine only, and repeat them.",
	}
	c.AddCommand(
		a.benchMode(bench.Publish, "Measure publishing: a message counts when its result is there"),
		a.benchMode(bench.EndToEnd, "Measure publish, push and ack: a message counts when its ack is confirmed"),
	)
	return c
}

func (a *App) benchMode(mode bench.Mode, short string) *cobra.Command {
	o := bench.Options{Mode: mode, Say: a.sayf, Log: a.Err}
	c := &cobra.Command{Use: string(mode), Short: short}
	addBenchFlags(c, &o)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := o.Validate(); err != nil {
			return usageError{err}
		}
		ctx, stop := untilStopped(c.Context())
		defer stop()
		report, err := a.runBench(ctx, o)
		if err != nil {
			return err
		}
		return output.One(a.printer(), report, benchColumns)
	}
	return c
}

func (a *App) runBench(ctx context.Context, o bench.Options) (bench.Report, error) {
	binary, err := os.Executable()
	if err != nil {
		return bench.Report{}, err
	}
	o.Binary = binary
	report, err := bench.Run(ctx, o)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return report, errors.New("stopped before the end: there are no figures")
	}
	return report, err
}

func addBenchFlags(c *cobra.Command, o *bench.Options) {
	flags := c.Flags()
	flags.StringVar(&o.Addr, "addr", "", "measure the server at this host:port (default: one started for the purpose)")
	flags.StringVar(&o.Dir, "dir", "", "where the temporary directory of the started server goes (default: the system's place)")
	flags.StringVar(&o.Profile, "profile", "", "write client.pprof, and server.pprof of a started server, to this directory")
	flags.IntVar(&o.Size, "size", 1024, "payload of a message, in bytes, random")
	flags.IntVar(&o.Publishers, "publishers", 1, "number of publishers")
	flags.IntVar(&o.Connections, "connections", 0, "connections that the publishers share, and batches with them; 0: one each")
	flags.IntVar(&o.InFlight, "in-flight", 1000, "messages of one publisher that await their result")
	flags.IntVar(&o.Partitions, "partitions", 1, "partitions of each topic")
	flags.BoolVar(&o.WithoutProducer, "without-producer", false, "publish without producers: what a broken stream leaves is not sent again")
	flags.BoolVar(&o.Buffered, "buffered", false, "results come when messages are accepted, before they are synced")
	flags.IntVar(&o.IdleTopics, "idle-topics", 0, "topics that are there besides and get nothing")
	flags.IntVar(&o.BatchMessages, "batch-messages", headrace.DefaultBatchMessages, "most messages of one batch of the client")
	flags.IntVar(&o.BatchBytes, "batch-bytes", headrace.DefaultBatchBytes, "most bytes of one batch of the client")
	flags.DurationVar(&o.BatchDelay, "batch-delay", headrace.DefaultBatchDelay, "longest wait for a batch to fill")
	flags.Float64Var(&o.Rate, "rate", 0, "messages sent a second, all publishers together; 0: as many as go")
	flags.DurationVar(&o.Warmup, "warmup", 2*time.Second, "time before the measurement")
	flags.DurationVar(&o.Duration, "duration", 15*time.Second, "time of the measurement")
	o.Subscribers, o.Window, o.Topics = 1, benchWindowMessages, 1
	if o.Mode == bench.EndToEnd {
		flags.BoolVar(&o.ExactlyOnce, "exactly-once", false, "the subscription delivers exactly once; else at least once")
		flags.IntVar(&o.Subscribers, "subscribers", 1, "number of subscribers, each with a connection of its own")
		flags.IntVar(&o.Window, "window", benchWindowMessages, "messages that one subscriber holds unsettled at most")
	} else {
		flags.IntVar(&o.Topics, "topics", 1, "topics that get messages, one after the other")
		flags.BoolVar(&o.Lone, "lone", false, "first measure a lone publisher with one message in flight, and compare")
	}
}

var benchColumns = []output.Column[bench.Report]{
	{Head: "messages", Cell: func(r bench.Report) string { return perSecondText(r.MessagesPerSecond) }},
	{Head: "payload", Cell: func(r bench.Report) string { return fmt.Sprintf("%.1f MB/s", r.MegabytesPerSecond) }},
	{Head: "latency p50", Cell: func(r bench.Report) string { return fmt.Sprintf("%.3f ms", r.LatencyP50MS) }},
	{Head: "latency p99", Cell: func(r bench.Report) string { return fmt.Sprintf("%.3f ms", r.LatencyP99MS) }},
	{Head: "server CPU", Cell: serverCPUText},
	{Head: "client CPU", Cell: func(r bench.Report) string { return fmt.Sprintf("%.2f µs/message", r.ClientCPUPerMessageUS) }},
	{Head: "published", Cell: func(r bench.Report) string { return perSecondText(r.PublishedPerSecond) }},
	{Head: "disk alone", Cell: func(r bench.Report) string {
		return output.Count(int(r.FdatasyncPerSecond)) + " fdatasync/s, idle, 1 KiB overwritten"
	}},
	{Head: "measured", Cell: func(r bench.Report) string {
		return fmt.Sprintf("%s messages in %.1f s, after %.1f s of warm-up", output.Count(r.Messages), r.Seconds, r.WarmupSeconds)
	}},
	{Head: "message size", Cell: func(r bench.Report) string { return output.Count(r.MessageBytes) + " bytes" }},
	{Head: "in flight", Cell: func(r bench.Report) string {
		return fmt.Sprintf("%s publisher(s) with %s each, over %s connection(s)",
			output.Count(r.Publishers), output.Count(r.InFlight), output.Count(r.Connections))
	}},
	{Head: "batch", Cell: func(r bench.Report) string {
		return fmt.Sprintf("at most %s messages, %s or %g ms",
			output.Count(r.BatchMessages), output.Size(uint64(r.BatchBytes)), r.BatchDelayMS)
	}},
	{Head: "subscribers", Cell: func(r bench.Report) string {
		return fmt.Sprintf("%s, window %s", output.Count(r.Subscribers), output.Count(r.Window))
	}},
	{Head: "topics", Cell: func(r bench.Report) string {
		return fmt.Sprintf("%s of %s partition(s) each, and %s idle",
			output.Count(r.Topics), output.Count(r.Partitions), output.Count(r.IdleTopics))
	}},
	{Head: "sync policy", Cell: func(r bench.Report) string { return r.SyncPolicy }},
	{Head: "lone publisher", Cell: loneText},
}

func perSecondText(rate float64) string { return output.Count(int(rate)) + "/s" }

func serverCPUText(r bench.Report) string {
	if r.ServerCPUPerMessageUS == nil {
		return "unknown: the server was not started here"
	}
	return fmt.Sprintf("%.2f µs/message", *r.ServerCPUPerMessageUS)
}

func loneText(r bench.Report) string {
	if r.LoneMessagesPerSecond == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%s, this is %.1f times as much", perSecondText(r.LoneMessagesPerSecond), r.RatioToLone)
}
