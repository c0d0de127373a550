package cli

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/durationpb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

func behind(name string, messages uint64, age time.Duration) lagView {
	return lagView{Subscription: name, flowView: flowView{BacklogMessages: messages, OldestAgeSeconds: age.Seconds()}}
}

func TestLagChecksItsLimits(t *testing.T) {
	views := []lagView{behind("calm", 10, time.Second), behind("busy", 500, time.Minute)}
	for name, c := range map[string]struct {
		limits lagLimits
		code   int
		says   string
	}{
		"no limits":              {lagLimits{}, exitOK, ""},
		"limits that hold":       {lagLimits{warn: 500, critical: 900, warnAge: time.Minute}, exitOK, ""},
		"a warning":              {lagLimits{warn: 499, critical: 900}, exitWarning, "busy"},
		"a warning by age":       {lagLimits{warnAge: 59 * time.Second}, exitWarning, "busy"},
		"an alarm":               {lagLimits{warn: 1, critical: 499}, exitCritical, "busy"},
		"an alarm by age":        {lagLimits{criticalAge: 500 * time.Millisecond}, exitCritical, "calm"},
		"an alarm and a warning": {lagLimits{warn: 5, critical: 400}, exitCritical, "busy"},
	} {
		err := c.limits.check(views)
		if c.code == exitOK {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var check checkError
		if !errors.As(err, &check) || exitCode(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhyNothingComes(t *testing.T) {
	blocked := func(causes ...string) sessionView { return sessionView{BlockedBy: causes} }
	for name, c := range map[string]struct {
		sessions []sessionView
		want     []string
	}{
		"nobody subscribes":      {nil, []string{"no_session"}},
		"one of two gets some":   {[]sessionView{blocked("no_messages"), blocked()}, []string{}},
		"the commonest is first": {[]sessionView{blocked("b"), blocked("c", "a"), blocked("c")}, []string{"c", "a", "b"}},
	} {
		if d := cmp.Diff(c.want, causes(c.sessions)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestJSONCarriesAllThatTheTableShows: no two fields of an embedded view share a
// name, for JSON then drops both.
func TestJSONCarriesAllThatTheTableShows(t *testing.T) {
	sub := &headracev1.Subscription{Name: "default/s", Topic: "default/t"}
	stats := &headracev1.SubscriptionStats{
		Backlog:          &headracev1.Amount{Messages: 7, Bytes: 70},
		OldestUnackedAge: durationpb.New(1500 * time.Millisecond),
		Sessions: []*headracev1.SessionStats{{
			ClientId:  "c",
			BlockedBy: []headracev1.BlockedBy{headracev1.BlockedBy_BLOCKED_BY_NO_CREDIT_BYTES},
		}},
	}
	text, err := json.Marshal(viewSubInfo(sub, stats))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"name":"default/s"`, `"topic":"default/t"`, `"backlog_messages":7`, `"backlog_bytes":70`,
		`"oldest_age_seconds":1.5`, `"blocked_by":["no_credit_bytes"]`, `"client_id":"c"`, `"mode":`, `"redelivered":0`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}
