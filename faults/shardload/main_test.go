package shardload

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if IsVictim() {
		os.Exit(PlayVictim())
	}
	if IsInspector() {
		os.Exit(PlayInspector())
	}
	os.Exit(m.Run())
}
