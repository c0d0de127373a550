package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// services are the programs that this one binary can be; the demo starts each of
// them as a process of its own.
var services = map[string]func(context.Context, settings) error{
	"alerting": runAlerting,
	"archiver": runArchiver,
	"worker":   runWorker,
}

func main() {
	// SIGTERM and Ctrl-C end the context. A service then stops gracefully: what
	// it works on is finished, the rest goes back to the server.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "earthquakes:", err)
		os.Exit(1)
	}
}

// run is a service when the first argument names one, else the demo.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		if service, ok := services[args[0]]; ok {
			s, err := parseSettings(args[0], args[1:])
			if err != nil {
				return err
			}
			return service(ctx, s)
		}
	}
	return runDemo(ctx, args)
}
