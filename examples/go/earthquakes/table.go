package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// printTable shows the outcome, a line a subscription, and then a line a service.
func printTable(w io.Writer, o outcome) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "subscription\tpublished\tdelivered\tredelivered\tacked\tbacklog left\tpublish p50\tp99\tdelivery p50\tp99\t")
	for _, s := range o.subs {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t\n",
			s.name, s.published, s.delivered, s.redelivered, s.acked, s.backlog,
			quantile(o.publishTook, 50), quantile(o.publishTook, 99),
			quantile(s.deliveryTook, 50), quantile(s.deliveryTook, 99))
	}
	_ = t.Flush()
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "service\twritten in\tsubscription\tevents\t")
	for _, s := range o.subs {
		for i, r := range s.services {
			fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\n", r.name, r.language, r.subscription, len(s.files[i]), fate(r))
		}
	}
	_ = t.Flush()
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%s waits for its workers, which take %s for each event\n", indexSub, workTime)
	fmt.Fprintf(w, "alerting printed %d alerts\n", len(o.alerts))
}

// fate is what the demo did to a service.
func fate(r role) string {
	if r.name == victim {
		return "killed"
	}
	return ""
}

// quantile is the duration that percent of all do not exceed.
func quantile(took []time.Duration, percent int) string {
	if len(took) == 0 {
		return "-"
	}
	sorted := slices.Sorted(slices.Values(took))
	d := sorted[(len(sorted)-1)*percent/100]
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}
