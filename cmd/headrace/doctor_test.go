package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorFindsNothingInAWholeStore: also after a kill, which is only noted.
func TestDoctorFindsNothingInAWholeStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	c.ok("sub", "create", "billing", "--topic", "orders")
	c.ok("pub", "orders", "a", "b", "c")
	c.refused(1, "directory in use by another process", "doctor", "--data-dir", dir)
	process.Kill()
	r := c.run("", "doctor", "--data-dir", dir)
	if r.code != 0 || !strings.Contains(r.out, "the last stop was not in order") || !strings.Contains(r.err, "3 messages") {
		t.Errorf("exit code %d\n%s%s", r.code, r.out, r.err)
	}
	process = serve(t, dir)
	if err := process.Stop(); err != nil {
		t.Fatal(err)
	}
	// The kill left a copy of the logs aside.
	found := c.object("doctor", "--data-dir", dir)
	if found["worst"] != "note" || found["topics"] != 1.0 || found["messages"] != 3.0 || found["clean"] != true {
		t.Errorf("%v", found)
	}
}

// TestDoctorNamesWhatIsDamaged: the exit code is that of a check, and the store is
// looked at although it would not open.
func TestDoctorNamesWhatIsDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	process := serve(t, dir)
	c := client{t, process.Address}
	c.ok("topic", "create", "orders")
	if err := process.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "FORMAT")); err != nil {
		t.Fatal(err)
	}
	c.refused(4, "the store is damaged", "doctor", "--data-dir", dir)
	r := c.run("", "doctor", "--data-dir", dir, "-o", "json")
	var found struct {
		Worst    string `json:"worst"`
		Topics   int    `json:"topics"`
		Findings []struct {
			File string `json:"file"`
		} `json:"findings"`
	}
	if err := json.Unmarshal([]byte(r.out), &found); err != nil {
		t.Fatalf("%v in %s", err, r.out)
	}
	if found.Worst != "damage" || found.Topics != 1 || len(found.Findings) != 1 || found.Findings[0].File != "FORMAT" {
		t.Errorf("%+v", found)
	}
	c.refused(1, "is not a store", "doctor", "--data-dir", t.TempDir())
}
