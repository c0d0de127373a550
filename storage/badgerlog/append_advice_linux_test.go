package badgerlog

import (
	"os"
	"strings"
	"testing"
)

// TestKernelTakesTheAdvice: the value log of a store that was written to is mapped
// with the flag "rr", random read advised, also when the store is opened through a
// link.
func TestKernelTakesTheAdvice(t *testing.T) {
	dir, link := t.TempDir(), t.TempDir()+"/link"
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	e := mustOpen(t, testOptions(link))
	mustCommit(t, e, batch(1, 1, put("key", "value")))
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, entry, found := strings.Cut(string(smaps), dir+"/badger/000001.vlog\n")
	if !found {
		t.Fatal("the value log is not mapped")
	}
	_, flags, _ := strings.Cut(entry, "VmFlags:")
	flags, _, _ = strings.Cut(flags, "\n")
	if !strings.Contains(" "+flags+" ", " rr ") {
		t.Errorf("the value log is mapped with %q, without rr", flags)
	}
}
