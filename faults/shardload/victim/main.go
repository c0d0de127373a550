// Command victim plays a victim of shardload's: tests build it with a changed store.
package main

import (
	"os"

	"github.com/headrace/headrace/faults/shardload"
)

func main() { os.Exit(shardload.PlayVictim()) }
