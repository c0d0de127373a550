package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// row is a line of the table.
type row struct {
	sdk, mode string
	size      int
	figures   figures
}

func (f figures) rate() float64 { return float64(f.messages) / f.elapsed.Seconds() }

// printTable prints the rows, each with its ratio to the first SDK's, and what they
// were measured with.
func printTable(w io.Writer, s *settings, rows []row, syncs float64) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tSIZE\tSDK\tMESSAGES/S\tMB/S\tRATIO\tSDK CPU µs/MESSAGE\tSERVER CPU µs/MESSAGE\t")
	var first row
	for _, r := range rows {
		if r.mode != first.mode || r.size != first.size {
			first = r
		}
		f := r.figures
		fmt.Fprintf(t, "%s\t%d\t%s\t%.0f\t%.1f\t%.2f\t%.1f\t%.1f\t\n", r.mode, r.size, r.sdk, f.rate(), f.rate()*float64(r.size)/1e6,
			f.rate()/first.figures.rate(), perMessage(f.client.Seconds(), f), perMessage(f.server.Seconds(), f))
	}
	_ = t.Flush()
	fmt.Fprintf(w, `
messages      %d after a warm-up of %d, all to one topic of one partition, median of %d run(s)
publish       %d in flight, batches of at most 1,000 messages, 128 KiB or 1 ms; until every result is there
receive       a backlog, %d unsettled at most, acked one by one; until the acks are stored
sync policy   synced to disk before each result, delivery and ack confirmation
disk alone    %.0f fdatasync/s, idle, 1 KiB overwritten
`, s.messages, s.messages/2, s.runs, s.inFlight, s.inFlight, syncs)
}

func perMessage(seconds float64, f figures) float64 { return seconds * 1e6 / float64(f.messages) }
