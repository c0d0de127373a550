package main_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/headrace/headrace/sdk/go"
)

// TestForwardedDeadLettersOnTheCommandLine: a subscription is told where they go, and the
// list and the explanation say what became of each.
func TestForwardedDeadLettersOnTheCommandLine(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("topic", "create", "failed", "--max-message-bytes", "100")
	c.ok("sub", "create", "repair", "--topic", "failed")
	c.refused(1, "TOPIC_NOT_FOUND", "sub", "create", "billing", "--topic", "orders", "--dead-letter-topic", "nowhere")
	if made := c.object("sub", "create", "billing", "--topic", "orders", "--dead-letter-topic", "failed"); made["dead_letter_topic"] != "default/failed" {
		t.Errorf("%v", made)
	}
	c.refused(1, "INVALID_FIELD", "sub", "edit", "repair", "--dead-letter-topic", "orders")
	c.refused(1, "TOPIC_HAS_SUBSCRIPTIONS", "topic", "rm", "failed", "--yes")
	c.ok("pub", "orders", "a", strings.Repeat("b", 200))
	c.reject(2)
	if table := c.ok("dlq", "ls", "billing"); !strings.Contains(table, "default/failed 0-0") || !strings.Contains(table, "no: too-large") {
		t.Errorf("%s", table)
	}
	if left := c.ok("dlq", "ls", "billing", "--not-forwarded", "-o", "jsonl"); !strings.Contains(left, `"message_id":"0-1"`) || strings.Contains(left, `"0-0"`) {
		t.Errorf("%s", left)
	}
	if where := c.ok("sub", "explain", "billing", "--message", "0-0"); !strings.Contains(where, "forwarded: default/failed 0-0") {
		t.Errorf("%s", where)
	}
	if info := c.object("sub", "info", "billing"); info["forwarded"] != 1.0 || info["not_forwarded"] != 1.0 {
		t.Errorf("%v", info)
	}
	if got := c.ok("peek", "repair", "-o", "jsonl"); !strings.Contains(got, `"headrace.dead_letter.subscription":"default/billing"`) || !strings.Contains(got, `"message_id":"0-0"`) {
		t.Errorf("%s", got)
	}
	if changed := c.object("sub", "edit", "billing", "--dead-letter-topic", ""); changed["dead_letter_topic"] != nil {
		t.Errorf("%v", changed)
	}
}

const (
	forwardedMessages = 240
	// forwardedLives is how often the server is started; all but the last life end with a
	// kill.
	forwardedLives = 5
)

// TestEveryDeadLetterHasItsCopyOverKillsOfTheServer kills the server again and again while
// messages are given up: each is one dead letter, with one copy, which is where the dead
// letter says and names it.
func TestEveryDeadLetterHasItsCopyOverKillsOfTheServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), killedWait)
	defer cancel()
	dir := t.TempDir() + "/data"
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("topic", "create", "failed")
	c.ok("sub", "create", "repair", "--topic", "failed")
	c.ok("sub", "create", "billing", "--topic", "orders", "--dead-letter-topic", "failed")
	publish := []string{"pub", "orders"}
	for n := range forwardedMessages {
		publish = append(publish, strconv.Itoa(n))
	}
	c.ok(publish...)
	for life := 1; life <= forwardedLives && ctx.Err() == nil; life++ {
		stop := rejecting(ctx, t, process.Address)
		for ctx.Err() == nil && c.object("sub", "info", "billing")["dead_letters"].(float64) < float64(life*forwardedMessages/forwardedLives) {
		}
		if life < forwardedLives {
			process.Kill()
			process = serve(t, dir)
			c.addr = process.Address
		}
		stop()
	}
	checkForwarded(t, process.Address)
}

// rejecting gives up whatever comes to billing, one message after the other, until stop
// is called.
func rejecting(ctx context.Context, t *testing.T, addr string) (stop func()) {
	t.Helper()
	sdk, err := headrace.Dial(ctx, addr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		for d, err := range sdk.Subscription("billing").Deliveries(ctx) {
			if err != nil {
				return
			}
			_ = d.RejectConfirm(ctx, "BAD", "") // The server may be killed meanwhile.
		}
	})
	return func() {
		cancel()
		running.Wait()
		_ = sdk.Close()
	}
}

// checkForwarded compares the dead letters of billing with what came to repair.
func checkForwarded(t *testing.T, addr string) {
	t.Helper()
	sdk, err := headrace.Dial(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sdk.Close() }()
	copies := map[uint64]map[string]string{}
	for m, err := range sdk.Subscriptions().Peek(t.Context(), "repair", headrace.Position{}, true) {
		if err != nil {
			t.Fatal(err)
		}
		from := m.GetMessage().GetAttributes()
		copies[m.GetPosition().GetOffset()] = map[string]string{
			"data": string(m.GetMessage().GetData()), "sequence": from["headrace.dead_letter.sequence"],
		}
	}
	dead := map[string]bool{}
	for d, err := range sdk.Subscriptions().DeadLetters(t.Context(), "billing", nil) {
		if err != nil {
			t.Fatal(err)
		}
		data, to := string(d.GetMessage().GetData()), d.GetForward().GetPosition()
		found := copies[to.GetOffset()]
		if to == nil || dead[data] || found["data"] != data || found["sequence"] != strconv.FormatUint(d.GetSequence(), 10) {
			t.Errorf("dead letter %d of %q has its copy at %v, where %v is; twice: %t", d.GetSequence(), data, to, found, dead[data])
		}
		dead[data] = true
	}
	if len(dead) != forwardedMessages || len(copies) != forwardedMessages {
		t.Errorf("%d dead letters and %d copies of %d messages", len(dead), len(copies), forwardedMessages)
	}
}
