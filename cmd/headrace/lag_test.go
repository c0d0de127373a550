package main_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLagSaysHowFarAndWhy(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b", "c")
	var lags []map[string]any
	if err := json.Unmarshal([]byte(c.ok("lag", "-o", "json")), &lags); err != nil {
		t.Fatal(err)
	}
	if len(lags) != 1 || lags[0]["backlog_messages"] != 3.0 || lags[0]["blocked_by"].([]any)[0] != "no_session" {
		t.Errorf("%v", lags)
	}
	if table := c.ok("lag", "billing"); !strings.Contains(table, "no_session") {
		t.Errorf("the table:\n%s", table)
	}
	c.refused(1, "SUBSCRIPTION_NOT_FOUND", "lag", "absent")
}

func TestLagIsACheck(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b", "c")
	c.ok("lag", "--warn", "3", "--critical", "10")
	c.refused(3, "default/billing is behind by 3 messages", "lag", "--warn", "2", "--critical", "10")
	c.refused(4, "default/billing is behind by 3 messages", "lag", "--warn", "1", "--critical", "2")
}
