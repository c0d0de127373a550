package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/headrace/headrace/internal/serverproc"
)

// smokeMessages is how many small messages each publishes unless told otherwise.
const smokeMessages = 10_000

// errDiffers is returned when something did not come as it was sent.
var errDiffers = errors.New("not everything came as it was sent")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var parties []party
	flags := flag.NewFlagSet("interop", flag.ContinueOnError)
	server := flags.String("server", "bin/headrace", "the server's binary")
	messages := flags.Int("messages", smokeMessages, "how many small messages each language publishes")
	keep := flags.String("keep", "", "a directory to keep all files in; default: none is kept")
	flags.Func("party", "language=command; once for each", func(s string) error {
		language, command, _ := strings.Cut(s, "=")
		parties = append(parties, party{language, strings.Fields(command)})
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	slices.SortFunc(parties, func(a, b party) int { return strings.Compare(a.language, b.language) })
	dir := *keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "headrace-interop-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	verdicts, err := play(ctx, *server, dir, parties, corpora(*messages))
	if err != nil {
		return err
	}
	return report(out, verdicts)
}

// play has everybody publish and everybody receive, through a server of its own.
func play(ctx context.Context, binary, dir string, parties []party, corpora []corpus) (verdicts []verdict, err error) {
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	server, err := serverproc.Start(serverproc.Options{
		Binary: binary, Dir: filepath.Join(dir, "data"), Log: log, Args: []string{fmt.Sprintf("--max-message-bytes=%d", largestBytes)},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	s, err := newStage(server.Address, dir, parties, corpora)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, c := range corpora {
		if err := s.setUp(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := s.publish(ctx); err != nil {
		return nil, err
	}
	if err := s.consume(ctx); err != nil {
		return nil, err
	}
	return s.judge(ctx)
}

// report prints a line a comparison.
func report(out io.Writer, verdicts []verdict) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	failed := false
	fmt.Fprintln(t, "what\tpublished by\treceived by\tmessages\t")
	for _, v := range verdicts {
		outcome := "ok"
		if len(v.differences) > 0 {
			failed = true
			outcome = "DIFFERS: " + strings.Join(v.differences, "; ")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\n", v.corpus, v.publisher, v.consumer, v.messages, outcome)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if failed {
		return errDiffers
	}
	return nil
}
