package crashtest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/headrace/headrace/internal/serverproc"
)

const (
	// leastLife and mostLife bound how long a server lives under load.
	leastLife = 5 * time.Millisecond
	mostLife  = 500 * time.Millisecond
	// mostStart bounds when a server that dies while it starts does so.
	mostStart = 150 * time.Millisecond
	// earlyEvery is how often a server dies while it starts, during recovery.
	earlyEvery = 5
)

// victim is a server on one directory and one address that dies again and again.
type victim struct {
	options serverproc.Options
	process *serverproc.Process
	random  *rand.Rand
}

// newVictim starts the first server, which picks the address for all of them.
func newVictim(binary, dir string, log io.Writer, random *rand.Rand) (*victim, error) {
	v := &victim{options: serverproc.Options{Binary: binary, Dir: dir, Log: log}, random: random}
	process, err := serverproc.Start(v.options)
	if err != nil {
		return nil, err
	}
	v.process = process
	v.options.Args = []string{"--listen", process.Address}
	return v, nil
}

// address is where every server of the run listens.
func (v *victim) address() string { return v.process.Address }

// die lets the server live for a random time after it first acknowledged a
// publish, and kills it. It returns how long that was.
func (v *victim) die(told <-chan struct{}) (time.Duration, error) {
	select {
	case <-told:
	case <-v.process.Exited():
		return 0, fmt.Errorf("%w by itself", serverproc.ErrExited)
	}
	life := leastLife + time.Duration(v.random.Int64N(int64(mostLife-leastLife)))
	select {
	case <-time.After(life):
	case <-v.process.Exited():
		return 0, fmt.Errorf("%w by itself", serverproc.ErrExited)
	}
	v.process.Kill()
	return life, nil
}

// rise starts the next server. Now and then one dies while it starts, before the
// one that comes to serve.
func (v *victim) rise(round int) error {
	if round%earlyEvery == earlyEvery-1 {
		if err := v.stillbirth(); err != nil {
			return err
		}
	}
	process, err := serverproc.Start(v.options)
	if err != nil {
		return err
	}
	v.process = process
	return nil
}

func (v *victim) stillbirth() error {
	process, err := serverproc.Launch(v.options)
	if err != nil {
		return err
	}
	<-time.After(time.Duration(v.random.Int64N(int64(mostStart))))
	process.Kill()
	return nil
}
