package bench

import (
	"testing"
	"time"
)

// measured is a meter that saw 100 results and 50 acks of 1 ms each while open,
// and some before and after.
func measured(mode Mode) *meter {
	m := newMeter(mode)
	count := func() {
		for i := range 100 {
			m.publishDone()
			if i%2 == 0 {
				m.ackDone(1)
				m.took(time.Millisecond)
			}
		}
	}
	count()
	m.open.Store(true)
	count()
	m.open.Store(false)
	count()
	return m
}

var usage = window{elapsed: 2 * time.Second, clientCPU: 100 * time.Microsecond, serverCPU: time.Millisecond, serverCPUKnown: true}

func TestReportCountsWhatTheModeCounts(t *testing.T) {
	for mode, want := range map[Mode]struct{ rate, client, server float64 }{
		Publish:  {rate: 50, client: 1, server: 10},
		EndToEnd: {rate: 25, client: 2, server: 20},
	} {
		r := newReport(Options{Mode: mode, Size: 1000, Publishers: 1}, usage, measured(mode))
		if r.MessagesPerSecond != want.rate || r.ClientCPUPerMessageUS != want.client || *r.ServerCPUPerMessageUS != want.server {
			t.Errorf("%s: %+v", mode, r)
		}
		if r.PublishedPerSecond != 50 || r.LatencyP50MS < 1 || r.LatencyP50MS > 1.04 || r.Connections != 1 {
			t.Errorf("%s: %+v", mode, r)
		}
	}
}

func TestReportOfNothingHasNoInfinity(t *testing.T) {
	r := newReport(Options{Mode: Publish}, window{elapsed: time.Second}, newMeter(Publish))
	r.compare(Report{})
	if r.MessagesPerSecond != 0 || r.ClientCPUPerMessageUS != 0 || r.ServerCPUPerMessageUS != nil || r.RatioToLone != 0 {
		t.Errorf("%+v", r)
	}
}

func TestReportComparesWithALonePublisher(t *testing.T) {
	r := newReport(Options{Mode: Publish}, usage, measured(Publish))
	r.compare(Report{MessagesPerSecond: 5})
	if r.LoneMessagesPerSecond != 5 || r.RatioToLone != 10 {
		t.Errorf("%+v", r)
	}
}

func TestMeterTellsWhenMessagesFlow(t *testing.T) {
	flows := func(m *meter) bool {
		select {
		case <-m.flows:
			return true
		default:
			return false
		}
	}
	m := newMeter(EndToEnd)
	m.publishDone()
	if flows(m) {
		t.Error("a result is no ack")
	}
	m.ackDone(1)
	m.ackDone(1)
	if !flows(m) {
		t.Error("an ack does not show")
	}
	if m := newMeter(Publish); flows(m) {
		t.Error("nothing happened yet")
	}
}
