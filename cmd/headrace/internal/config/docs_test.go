package config_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
)

// TestDocumentListsEveryKey compares the table of docs/operations.md with the
// keys, so that neither is changed alone.
func TestDocumentListsEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| key | unit | default | meaning |\n| --- | --- | --- | --- |\n")
	if !found {
		t.Fatal("docs/operations.md has no table of keys")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var want strings.Builder
	for _, k := range config.Keys() {
		fmt.Fprintf(&want, "| `%s` | %s | `%s` | %s |\n", k.Name, k.Unit, k.Default, k.Help)
	}
	if d := cmp.Diff(want.String(), table+"\n"); d != "" {
		t.Errorf("docs/operations.md (+) is not what the keys say (-):\n%s", d)
	}
}

func TestEveryKeyIsExplained(t *testing.T) {
	for _, k := range config.Keys() {
		if k.Name == "" || k.Unit == "" || !strings.HasSuffix(k.Help, ".") {
			t.Errorf("%+v", k)
		}
	}
}
