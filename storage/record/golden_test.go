package record

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/golden.txt anew: only for a new record or version")

const goldenFile = "testdata/golden.txt"

// TestGoldenBytes holds every key and record to the bytes that are on disks.
func TestGoldenBytes(t *testing.T) {
	got := encodings(t)
	if *update {
		writeGolden(t, got)
	}
	want := readGolden(t)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if h := hex.EncodeToString(got[name]); h != want[name] {
			t.Errorf("%s:\n got %s\nwant %s", name, h, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is in %s and nowhere else", name, goldenFile)
	}
}

func readGolden(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), " = "); ok {
			all[name] = value
		}
	}
	return all
}

func writeGolden(t *testing.T, all map[string][]byte) {
	t.Helper()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s = %x\n", name, all[name])
	}
	if err := os.WriteFile(goldenFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
