package powercut

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// The environment of a child that is a victim.
const (
	dirVariable   = "HEADRACE_POWERCUT_DIR"
	seedVariable  = "HEADRACE_POWERCUT_SEED"
	roundVariable = "HEADRACE_POWERCUT_ROUND"
	hastyVariable = "HEADRACE_POWERCUT_HASTY"
)

// afterlife is how long a victim may go on promising after the cut.
const afterlife = 100 * time.Millisecond

// IsVictim says whether this process was started as a victim.
func IsVictim() bool { return os.Getenv(dirVariable) != "" }

// Victim is the life of a victim: it loads the store until its standard input ends,
// and gives the code to exit with.
func Victim() int {
	seed, _ := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	round, _ := strconv.ParseUint(os.Getenv(roundVariable), 10, 32)
	stop := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(stop)
	}()
	err := runLoad(context.Background(), loadOptions{
		dir: os.Getenv(dirVariable), seed: seed, round: uint32(round),
		hasty: os.Getenv(hastyVariable) != "",
		log:   slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}, os.Stdout, stop)
	if err != nil {
		fmt.Fprintln(os.Stderr, "victim:", err)
		return 1
	}
	return 0
}

// victim is a child process under load.
type victim struct {
	command *exec.Cmd
	stdin   io.Closer
	// ready is closed when the load began, or never will.
	ready chan struct{}
	// ended is closed when the last line is in the ledger; then err is set when one
	// was not understood.
	ended chan struct{}
	err   error
}

// startVictim starts a binary as a victim whose words go into the ledger.
func startVictim(ctx context.Context, binary string, env []string, ledger *Ledger, log io.Writer) (*victim, error) {
	v := &victim{
		command: exec.CommandContext(ctx, binary), ready: make(chan struct{}), ended: make(chan struct{}),
	}
	v.command.Env = append(os.Environ(), env...)
	v.command.Stderr = log
	var err error
	if v.stdin, err = v.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := v.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := v.command.Start(); err != nil {
		return nil, err
	}
	go v.listen(out, ledger)
	return v, nil
}

// listen writes all that a victim says into the ledger.
func (v *victim) listen(out io.Reader, ledger *Ledger) {
	defer close(v.ended)
	begun := false
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		v.err = errors.Join(v.err, ledger.Tell(lines.Text()))
		if !begun && ledger.ready {
			begun = true
			close(v.ready)
		}
	}
	if !begun {
		close(v.ready)
	}
}

// close tells the victim to close its store in order.
func (v *victim) close() error { return v.stdin.Close() }

// live waits for a moment, and says what is wrong when the victim ends before it.
func (v *victim) live(ctx context.Context, life time.Duration) error {
	timer := time.NewTimer(life)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-v.ended:
		return v.command.Wait()
	}
}

// kill ends a victim that had its time to speak after the cut, and waits for it.
func (v *victim) kill() error {
	timer := time.AfterFunc(afterlife, func() { _ = v.command.Process.Kill() })
	<-v.ended
	_ = v.command.Wait() // It was killed, or failed, or closed its store.
	timer.Stop()
	return v.err
}
