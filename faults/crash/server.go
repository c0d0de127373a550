package crash

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/internal/serverproc"
)

// victim is a server on one directory and one address that dies again and again.
type victim struct {
	options  serverproc.Options
	recorder *history.Recorder
	process  *serverproc.Process
	life     uint64
	// startup is how long the last one took to serve.
	startup time.Duration
}

// drainAtMost is how long a server that stops waits for what is out: somebody keeps what
// it took out of subscriptions with bounds.
const drainAtMost = "1s"

// newVictim starts the first server, which picks the address for all of them.
func newVictim(binary, dir string, env []string, recorder *history.Recorder, log io.Writer) (*victim, error) {
	v := &victim{
		options: serverproc.Options{
			Binary: binary, Dir: dir, Log: log, Env: append(os.Environ(), env...),
			Args: []string{"--restless", "--ops-listen", "127.0.0.1:0", "--log-level", "warn", "--drain-timeout", drainAtMost},
		},
		recorder: recorder,
	}
	if err := v.start(); err != nil {
		return nil, err
	}
	v.options.Args = append(v.options.Args, "--listen", v.process.Address)
	return v, nil
}

func (v *victim) record(k history.Kind) {
	v.recorder.Record(history.Event{Kind: k, Fields: history.Fields{Life: v.life}})
}

// launch starts the next server without waiting for it.
func (v *victim) launch() (err error) {
	v.life++
	v.record(history.ServerLaunched)
	v.process, err = serverproc.Launch(v.options)
	return err
}

// start starts the next server and waits until it serves.
func (v *victim) start() error {
	began := time.Now()
	if err := v.launch(); err != nil {
		return err
	}
	if err := v.process.AwaitServing(); err != nil {
		return fmt.Errorf("life %d: %w", v.life, err)
	}
	v.record(history.ServerServing)
	v.startup = time.Since(began)
	return nil
}

// kill ends the server with SIGKILL.
func (v *victim) kill() {
	v.record(history.ServerKilled)
	v.process.Kill()
}

// startAndKill kills the next server after a time, and says whether it had come to
// serve.
func (v *victim) startAndKill(after time.Duration) (served bool, err error) {
	if err := v.launch(); err != nil {
		return false, err
	}
	select {
	case <-time.After(after):
	case <-v.process.Exited():
		return false, fmt.Errorf("life %d: %w: by itself", v.life, serverproc.ErrExited)
	}
	v.kill()
	return v.process.AwaitServing() == nil, nil
}

// live waits, and says so when the server ends by itself meanwhile.
func (v *victim) live(until <-chan time.Time) error {
	select {
	case <-until:
		return nil
	case <-v.process.Exited():
		return fmt.Errorf("life %d: %w: by itself", v.life, serverproc.ErrExited)
	}
}
