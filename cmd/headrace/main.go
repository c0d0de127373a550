package main

import (
	"os"

	"github.com/headrace/headrace/cmd/headrace/internal/cli"
)

// version is stamped by the linker: -ldflags "-X main.version=v0.1.0".
var version = "dev"

func main() {
	os.Exit(cli.Main(cli.System(version), os.Args[1:]))
}
