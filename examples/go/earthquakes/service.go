package main

import (
	"context"
	"flag"

	"github.com/headrace/headrace/sdk/go"
)

// settings are what a service is started with.
type settings struct {
	addr, name, subscription, dir string
}

func parseSettings(service string, args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet(service, flag.ContinueOnError)
	flags.StringVar(&s.addr, "addr", "127.0.0.1:7070", "the server")
	flags.StringVar(&s.name, "name", service, "this process's name")
	flags.StringVar(&s.subscription, "subscription", service, "what to receive from")
	flags.StringVar(&s.dir, "dir", ".", "where the files go")
	return s, flags.Parse(args)
}

// work handles one delivery and writes what came of it.
type work func(ctx context.Context, d *headrace.Delivery, out *lines) error

// serve receives until ctx ends. A delivery whose work returns nil is acked; one
// whose work fails is retried.
func serve(ctx context.Context, s settings, do work, opts ...headrace.ReceiveOption) error {
	client, err := headrace.Dial(ctx, s.addr, headrace.WithClientID(s.name))
	if err != nil {
		return err
	}
	defer client.Close()
	out, err := createLines(s.dir, s.name)
	if err != nil {
		return err
	}
	defer out.close()
	return client.Subscription(s.subscription).Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
		return do(ctx, d, out)
	}, opts...)
}
