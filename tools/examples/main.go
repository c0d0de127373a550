// Command examples runs every example in every language that is installed against
// one server, and compares what each prints with examples/expected. Then it runs the
// demo with services in all of them.
//
// It exits with 1 when one prints something else, and, when CI=true, also when a
// language is not installed.
//
//	cd tools && go run ./examples [-idea quickstart] [-language java]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "examples:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("examples", flag.ContinueOnError)
	idea := flags.String("idea", "", "only this one (default: all)")
	language := flags.String("language", "", "only this one: go, java or python (default: all)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	ideas, err := findIdeas(root, *idea)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "headrace-examples-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	prepared, err := prepare(ctx, root, work, *language)
	if err != nil {
		return err
	}
	server, err := startServer(ctx, root, work)
	if err != nil {
		return err
	}
	failed := runAll(ctx, ideas, prepared.ready, server.address, os.Stdout)
	if *idea == "" {
		failed += runDemo(ctx, root, work, prepared.ready, os.Stdout)
	}
	return conclude(os.Stdout, failed, prepared.missing, server.stop(), os.Getenv("CI") == "true")
}
