// Command victim plays a victim or an inspector of shardload's: tests build it with a
// changed store.
package main

import (
	"os"

	"github.com/headrace/headrace/faults/shardload"
)

func main() {
	if shardload.IsInspector() {
		os.Exit(shardload.PlayInspector())
	}
	os.Exit(shardload.PlayVictim())
}
