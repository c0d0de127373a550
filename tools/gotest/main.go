// Command gotest runs `go test` and does not let a skipped test pass unseen.
//
// It prints what `go test` prints without -v, and besides every skipped test
// with its reason, and ends with a line that counts: "N passed, N failed, N
// skipped". It exits with 1 when a test failed, and, when CI=true, also when
// one was skipped or none ran.
//
//	cd tools && go run ./gotest [-C dir] [arguments of go test]
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

func main() {
	dir, arguments := "..", os.Args[1:]
	if len(arguments) > 1 && arguments[0] == "-C" {
		dir, arguments = arguments[1], arguments[2:]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	report := newReport(os.Stdout)
	err := run(ctx, dir, arguments, report)
	stop()
	report.summarize()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
	if complaint := report.complaint(os.Getenv("CI") == "true"); complaint != "" {
		fmt.Fprintln(os.Stderr, "gotest:", complaint)
		os.Exit(1)
	}
}

// run executes `go test -json` in dir and feeds its events to the report.
func run(ctx context.Context, dir string, arguments []string, report *report) error {
	command := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, arguments...)...)
	command.Dir = dir
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	feed(output, report)
	return command.Wait()
}

// feed decodes events line by line; a line that is no event is printed as it is.
func feed(output io.Reader, report *report) {
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var event event
			if json.Unmarshal(line, &event) == nil { //nolint:musttag // the names are test2json's own
				report.add(event)
			} else {
				report.print(string(line))
			}
		}
		if err != nil {
			return
		}
	}
}
