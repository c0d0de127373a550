package main_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTopicFromCreationToRemoval(t *testing.T) {
	_, c := start(t)
	created := c.object("topic", "create", "orders", "--partitions", "3", "--min-age", "1h", "--keep-settled", "48h", "--label", "team=sales")
	if created["name"] != "default/orders" || created["partitions"] != 3.0 || created["min_age_seconds"] != 3600.0 || created["keep_settled_seconds"] != 172800.0 || created["state"] != "active" {
		t.Errorf("created %v", created)
	}
	c.refused(1, "TOPIC_EXISTS", "topic", "create", "orders")
	c.ok("topic", "create", "other/orders")

	edited := c.object("topic", "edit", "orders", "--max-message-bytes", "2KiB")
	if edited["max_message_bytes"] != 2048.0 || edited["min_age_seconds"] != 3600.0 {
		t.Errorf("edited %v", edited)
	}
	var listed []map[string]any
	if err := json.Unmarshal([]byte(c.ok("topic", "ls", "-o", "json")), &listed); err != nil || len(listed) != 2 {
		t.Errorf("listed %v, %v", listed, err)
	}
	if table := c.ok("topic", "ls"); !strings.Contains(table, "default/orders") || strings.Count(table, "\n") != 3 {
		t.Errorf("the table:\n%s", table)
	}
	if info := c.object("topic", "info", "orders"); info["subscriptions"] != 0.0 || len(info["partition_stats"].([]any)) != 3 {
		t.Errorf("info %v", info)
	}
	c.refused(2, "--yes", "topic", "rm", "orders")
	if dry := c.ok("topic", "rm", "orders", "--dry-run", "-o", "jsonl"); !strings.Contains(dry, `"removed":false`) {
		t.Errorf("dry run %s", dry)
	}
	c.ok("topic", "info", "orders")
	c.ok("topic", "rm", "orders", "other/orders", "--yes")
	c.refused(1, "TOPIC_NOT_FOUND", "topic", "info", "orders")
	c.refused(1, "TOPIC_NOT_FOUND", "topic", "rm", "orders", "--dry-run")
}

func TestSubscriptionFromCreationToRemoval(t *testing.T) {
	_, c := start(t)
	c.ok("topic", "create", "orders")
	created := c.object("sub", "create", "billing", "--topic", "orders", "--mode", "exclusive", "--lease", "45s",
		"--max-outstanding", "500", "--max-outstanding-bytes", "1MiB")
	if created["name"] != "default/billing" || created["mode"] != "exclusive" || created["lease_seconds"] != 45.0 ||
		created["max_outstanding_messages"] != 500.0 || created["max_outstanding_bytes"] != 1048576.0 {
		t.Errorf("created %v", created)
	}
	c.refused(1, "SUBSCRIPTION_EXISTS", "sub", "create", "billing", "--topic", "orders")
	c.refused(1, "TOPIC_NOT_FOUND", "sub", "create", "lost", "--topic", "absent")
	c.refused(1, "INVALID_FIELD", "sub", "create", "ordered", "--topic", "orders", "--order", "partition")
	c.refused(2, "policy", "sub", "create", "ordered", "--topic", "orders", "--key-failure-policy", "pray")
	ordered := c.object("sub", "create", "ordered", "--topic", "orders", "--key-failure-policy", "skip")
	if ordered["order"] != "key" || ordered["key_failure_policy"] != "skip" {
		t.Errorf("created %v", ordered)
	}
	if edited := c.object("sub", "edit", "ordered", "--key-failure-policy", "block"); edited["key_failure_policy"] != "block" {
		t.Errorf("edited %v", edited)
	}
	c.ok("sub", "rm", "ordered", "--yes")
	c.refused(1, "TOPIC_HAS_SUBSCRIPTIONS", "topic", "rm", "orders", "--yes")

	edited := c.object("sub", "edit", "billing", "--min-backoff", "2s", "--label", "a=b")
	if edited["min_backoff_seconds"] != 2.0 || edited["lease_seconds"] != 45.0 {
		t.Errorf("edited %v", edited)
	}
	if info := c.object("sub", "info", "billing"); info["backlog_messages"] != 0.0 || info["blocked_by"].([]any)[0] != "no_session" {
		t.Errorf("info %v", info)
	}
	if table := c.ok("sub", "ls", "--topic", "orders"); !strings.Contains(table, "default/billing") {
		t.Errorf("the table:\n%s", table)
	}
	c.ok("sub", "rm", "billing", "--yes")
	c.refused(1, "SUBSCRIPTION_NOT_FOUND", "sub", "info", "billing")
}

func TestIllegalNameIsRefusedByTheServer(t *testing.T) {
	_, c := start(t)
	c.refused(1, "INVALID_NAME", "topic", "create", "7up")
	c.refused(1, "INVALID_NAME", "topic", "create", "headrace.own")
}
