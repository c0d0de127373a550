package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/headrace/headrace/sdk/go"
)

// demoTimeout is how long the whole demo may take, building apart.
const demoTimeout = 2 * time.Minute

// demo is the story and what it needs.
type demo struct {
	dir, binary, inputPath string
	input                  []byte
	progress               *progress

	commands map[string]command // by language
	cast     cast

	client   *headrace.Client
	addr     string
	services map[string]*process
}

// runDemo runs the demo in a directory of its own, and keeps that directory when
// something was off or when it was named.
func runDemo(ctx context.Context, args []string) error {
	d := &demo{services: map[string]*process{}, progress: newProgress()}
	flags := flag.NewFlagSet("earthquakes", flag.ContinueOnError)
	flags.StringVar(&d.dir, "dir", "", "keep all files in this directory (default: a temporary one, removed in the end)")
	flags.StringVar(&d.binary, "headrace", "", "the server's binary (default: it is built)")
	flags.StringVar(&d.inputPath, "input", "examples/data/earthquakes.jsonl", "the events, one JSON object a line")
	languages := flags.String("languages", "", "of the services, as in go,java: left out is an error then (default: those installed)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	d.progress.sayf("building what the services need")
	if err := d.learn(ctx, builders, *languages); err != nil {
		return err
	}
	temporary := d.dir == ""
	if err := d.prepare(ctx); err != nil {
		return err
	}
	err := d.run(ctx)
	if err == nil && temporary {
		return os.RemoveAll(d.dir)
	}
	fmt.Fprintf(os.Stderr, "all files are in %s\n", d.dir)
	return err
}

// prepare reads the input, makes the directory and builds the server.
func (d *demo) prepare(ctx context.Context) (err error) {
	if d.input, err = os.ReadFile(d.inputPath); err != nil {
		return err
	}
	if d.dir == "" {
		d.dir, err = os.MkdirTemp("", "headrace-demo-")
	} else {
		err = os.MkdirAll(d.dir, 0o750)
	}
	if err != nil || d.binary != "" {
		return err
	}
	d.progress.sayf("building the server")
	d.binary, err = buildServer(ctx, d.dir)
	return err
}

// run is the story from the server's start to its end.
func (d *demo) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoTimeout)
	defer cancel()
	server, addr, err := startServer(d.dir, d.binary)
	if err != nil {
		return err
	}
	d.addr = addr
	d.progress.sayf("the server listens on %s, its data is in %s", addr, filepath.Join(d.dir, "data"))
	o, err := d.tell(ctx)
	d.progress.done()
	if err := errors.Join(err, d.stopServices(), server.stop()); err != nil {
		return err
	}
	if err := d.readFiles(&o); err != nil {
		return err
	}
	printTable(os.Stdout, o)
	return report(os.Stdout, check(o))
}

// tell is the story while the server runs.
func (d *demo) tell(ctx context.Context) (o outcome, err error) {
	if d.client, err = headrace.Dial(ctx, d.addr); err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, d.client.Close()) }()
	if err := setUp(ctx, d.client, d.cast.subscriptions()); err != nil {
		return o, err
	}
	if err := d.startServices(ctx); err != nil {
		return o, err
	}
	d.progress.sayf("publishing %d events", len(splitLines(d.input)))
	if o.publishTook, err = publish(ctx, d.client.Topic(topicName), d.input); err != nil {
		return o, err
	}
	if err := d.follow(ctx); err != nil {
		return o, err
	}
	err = d.readStats(ctx, &o)
	return o, err
}

// startServices starts each service as a process and waits until all of them
// have their session.
func (d *demo) startServices(ctx context.Context) error {
	for _, r := range d.cast {
		line := append(d.commands[r.language](r.program),
			"--addr", d.addr, "--name", r.name, "--subscription", r.subscription, "--dir", d.dir)
		p, err := startProcess(d.dir, r.name, nil, line[0], line[1:]...)
		if err != nil {
			return err
		}
		d.services[r.name] = p
	}
	return d.awaitSessions(ctx)
}

// stopServices asks every service that still runs to finish.
func (d *demo) stopServices() error {
	var errs []error
	for _, p := range d.services {
		errs = append(errs, p.stop())
	}
	return errors.Join(errs...)
}
