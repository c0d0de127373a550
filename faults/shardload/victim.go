package shardload

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
	dirVariable   = "HEADRACE_SHARDLOAD_DIR"
	seedVariable  = "HEADRACE_SHARDLOAD_SEED"
	lifeVariable  = "HEADRACE_SHARDLOAD_LIFE"
	hastyVariable = "HEADRACE_SHARDLOAD_HASTY"
	notesVariable = "HEADRACE_SHARDLOAD_NOTES"
	stirVariable  = "HEADRACE_SHARDLOAD_STIR"
)

// afterlife is how long a victim may go on promising after the cut.
const afterlife = 100 * time.Millisecond

// IsVictim says whether this process was started as a victim.
func IsVictim() bool { return os.Getenv(dirVariable) != "" }

// PlayVictim is the life of a victim: it loads the store until its standard input
// ends, and gives the code to exit with.
func PlayVictim() int {
	seed, _ := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	life, _ := strconv.ParseUint(os.Getenv(lifeVariable), 10, 32)
	out, err := openNotes()
	if err != nil {
		fmt.Fprintln(os.Stderr, "victim:", err)
		return 1
	}
	stop := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(stop)
	}()
	if os.Getenv(stirVariable) != "" {
		go stir(os.Getenv(dirVariable), stop)
	}
	err = runLoad(context.Background(), loadOptions{
		dir: os.Getenv(dirVariable), seed: seed, life: uint32(life),
		hasty: os.Getenv(hastyVariable) != "",
		log:   slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}, out, stop)
	if err != nil {
		fmt.Fprintln(os.Stderr, "victim:", err)
		return 1
	}
	return 0
}

// openNotes is where a victim's words go: its standard output, and before that a file
// if there is one.
func openNotes() (io.Writer, error) {
	path := os.Getenv(notesVariable)
	if path == "" {
		return os.Stdout, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	return io.MultiWriter(f, os.Stdout), err
}

// VictimOptions say how a victim lives.
type VictimOptions struct {
	// Binary is started as the victim: its main calls PlayVictim when IsVictim.
	Binary string
	// Dir is the store's directory.
	Dir string
	// Seed gives the load. Life is another one for each victim of a store: it keeps
	// the names of their messages apart.
	Seed uint64
	Life int
	// Hasty makes the victim promise before it has stored.
	Hasty bool
	// Notes is a file that gets the victim's words too, before Ledger does; "": none.
	Notes string
	// Stir makes the system write mapped pages back before they are synced.
	Stir bool
	// Ledger gets the victim's words, Log what it logs.
	Ledger *Ledger
	Log    io.Writer
}

// Victim is a child process under load.
type Victim struct {
	command *exec.Cmd
	stdin   io.Closer
	// ready is closed when the load began, or never will.
	ready chan struct{}
	// ended is closed when the last line is in the ledger; then err is set when one
	// was not understood.
	ended chan struct{}
	err   error
}

// StartVictim starts a victim.
func StartVictim(ctx context.Context, o VictimOptions) (*Victim, error) {
	v := &Victim{
		command: exec.CommandContext(ctx, o.Binary), ready: make(chan struct{}), ended: make(chan struct{}),
	}
	v.command.Env = append(os.Environ(),
		dirVariable+"="+o.Dir, notesVariable+"="+o.Notes,
		fmt.Sprintf("%s=%d", seedVariable, o.Seed), fmt.Sprintf("%s=%d", lifeVariable, o.Life))
	if o.Hasty {
		v.command.Env = append(v.command.Env, hastyVariable+"=1")
	}
	if o.Stir {
		v.command.Env = append(v.command.Env, stirVariable+"=1")
	}
	v.command.Stderr = o.Log
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
	go v.listen(out, o.Ledger)
	return v, nil
}

// listen writes all that a victim says into the ledger.
func (v *Victim) listen(out io.Reader, ledger *Ledger) {
	defer close(v.ended)
	begun := false
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		v.err = errors.Join(v.err, ledger.Tell(lines.Text()))
		if !begun && ledger.Ready() {
			begun = true
			close(v.ready)
		}
	}
	if !begun {
		close(v.ready)
	}
}

// Ready is closed when the load began, or never will.
func (v *Victim) Ready() <-chan struct{} { return v.ready }

// Close tells the victim to close its store in order.
func (v *Victim) Close() error { return v.stdin.Close() }

// Live waits for a moment, and says what is wrong when the victim ends before it.
func (v *Victim) Live(ctx context.Context, life time.Duration) error {
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

// Kill ends a victim that had its time to speak after the cut, and waits for it.
func (v *Victim) Kill() error {
	timer := time.AfterFunc(afterlife, func() { _ = v.command.Process.Kill() })
	<-v.ended
	_ = v.command.Wait() // It was killed, or failed, or closed its store.
	timer.Stop()
	return v.err
}

// Wait waits for the end of a victim that closes its store, and says what was wrong.
func (v *Victim) Wait() error {
	<-v.ended
	return errors.Join(v.err, v.command.Wait())
}
