package main_test

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var documentedMetric = regexp.MustCompile("(?m)^\\| `(headrace_[a-z_]+)` \\| (gauge|counter|histogram) \\|")

// TestDocumentListsEveryMetric compares the table of docs/operations.md with what
// a server shows, so that neither is changed alone.
func TestDocumentListsEveryMetric(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range documentedMetric.FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1]+" "+m[2])
	}
	slices.Sort(documented)
	if d := cmp.Diff(shownMetrics(t), documented); d != "" {
		t.Errorf("docs/operations.md (+) is not what a server shows (-):\n%s", d)
	}
}

// shownMetrics are the names and kinds of the product's metrics of a server that
// delivered something, and has a session that waits.
func shownMetrics(t *testing.T) []string {
	t.Helper()
	process := serve(t, filepath.Join(t.TempDir(), "data"), "--ops-listen", "127.0.0.1:0")
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "x", "y")
	c.ok("tail", "--sub", "billing", "-n", "1")
	c.ok("pull", "billing") // and holds it
	r, err := http.Get("http://" + process.OpsAddress + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	var shown []string
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "# TYPE headrace_"); ok {
			shown = append(shown, "headrace_"+name)
		}
	}
	slices.Sort(shown)
	return shown
}
