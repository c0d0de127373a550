package shardlog

import (
	"testing"
	"time"
)

func TestALonePublisherOfFewMessagesIsNotHeldBack(t *testing.T) {
	var l linger
	if l.begin(&batch{}, &batch{queues: make([]queueShare, 1), messages: lingerMessages - 1, took: time.Hour}) {
		t.Error("held back")
	}
	if l.holds(&batch{}, false) {
		t.Error("held back later")
	}
}

func TestABatchWaitsUntilAllHaveComeBack(t *testing.T) {
	for name, before := range map[string]*batch{
		"several publishers":       {queues: make([]queueShare, 2), messages: 20, took: time.Hour},
		"a lone one with a window": {queues: make([]queueShare, 1), messages: 1000, took: time.Hour},
	} {
		var l linger
		open := &batch{messages: 10}
		if !l.begin(open, before) || !l.holds(open, false) {
			t.Errorf("%s: not held back", name)
		}
		open.messages += before.messages
		if l.holds(open, false) || l.fire != nil {
			t.Errorf("%s: held back though all are there", name)
		}
	}
}

func TestAFullBatchIsNotHeldBack(t *testing.T) {
	var l linger
	l.begin(&batch{}, &batch{messages: 1000, took: time.Hour})
	if l.holds(&batch{messages: 1}, true) {
		t.Error("held back")
	}
}

func TestABatchWaitsAtMostHalfOfACommit(t *testing.T) {
	var l linger
	l.begin(&batch{}, &batch{messages: 1000, took: 2 * time.Millisecond})
	<-l.fire
	l.end()
	if l.holds(&batch{}, false) {
		t.Error("held back after its time")
	}
}
