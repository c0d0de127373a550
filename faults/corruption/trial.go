package corruption

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Outcome is how a trial ended; see the package's comment.
type Outcome string

// The outcomes.
const (
	Harmless Outcome = "harmless"
	Repaired Outcome = "repaired"
	Refused  Outcome = "refused"
	Fenced   Outcome = "fenced"
	Stopped  Outcome = "stopped"
	Last     Outcome = "last"
	Silent   Outcome = "silent"
)

const (
	// dirVariable names the store that a child looks at.
	dirVariable = "HEADRACE_CORRUPTION_DIR"
	// lookTime is how long a child may take before it counts as hung.
	lookTime = time.Minute
)

// base is a store to be copied, and what is in it.
type base struct {
	name, dir string
	killed    bool
	doctor    Doctor
	reading   Reading
}

// trial is one damage of one file.
type trial struct {
	base   *base
	kind   kind
	damage Damage
	random *rand.Rand
}

// run makes a copy in dir, damages it and judges what becomes of it.
func (t *trial) run(ctx context.Context, dir string) (outcome Outcome, file, says string, err error) {
	if err := copyStore(ctx, t.base.dir, dir); err != nil {
		return "", "", "", err
	}
	defer func() { _ = os.RemoveAll(dir) }() // It lies in the test's own directory.
	if file, err = inflict(dir, t.kind, t.damage, t.random); err != nil {
		return "", "", "", err
	}
	file, _ = filepath.Rel(dir, file) // It is in there.
	doctor, reading, err := lookAt(ctx, dir)
	if err != nil {
		return Silent, file, err.Error(), nil
	}
	outcome, says = t.judge(&doctor, &reading)
	told := doctor.Err != "" || doctor.Worst == "warning" || doctor.Worst == "damage"
	if !told && (outcome == Refused || outcome == Fenced || outcome == Stopped) {
		return Silent, file, "the doctor said nothing of: " + says, nil
	}
	return outcome, file, says, nil
}

// judge compares a reading with that of the whole store.
func (t *trial) judge(d *Doctor, r *Reading) (outcome Outcome, says string) {
	if r.Refused != "" {
		return Refused, r.Refused
	}
	for what, want := range t.base.reading.Hashes {
		got, ok := r.Hashes[what]
		switch {
		case r.Errors[what] != "":
			outcome, says = Fenced, r.Errors[what]
		case ok && got == want:
		case t.base.killed && d.LastBatch+1 == t.base.doctor.LastBatch:
			return Last, "the last batch"
		case !ok && len(r.Hashes)+len(r.Errors) < len(t.base.reading.Hashes):
			return Silent, what + " is not there"
		case d.Worst == "damage" && strings.HasPrefix(what, "topic"):
			outcome, says = Fenced, what+" shows as damaged"
		default:
			return Silent, what + " is not as it was"
		}
	}
	if why := r.Errors["close"]; why != "" {
		return Stopped, why
	}
	if len(r.Errors) > 0 && outcome == "" {
		return Fenced, fmt.Sprint(r.Errors)
	}
	if outcome == "" && r.Complaints > t.base.reading.Complaints {
		return Repaired, "recovery logged it"
	}
	if outcome == "" {
		return Harmless, ""
	}
	return outcome, says
}

// copyStore copies a directory, holes as holes.
func copyStore(ctx context.Context, from, to string) error {
	out, err := exec.CommandContext(ctx, "cp", "-a", "--sparse=always", "--reflink=auto", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy %s: %w: %s", from, err, out)
	}
	return nil
}

// lookAt has a child look at a store; a child that crashes or hangs is an error.
func lookAt(ctx context.Context, dir string) (d Doctor, r Reading, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), dirVariable+"="+dir)
	var talk bytes.Buffer
	child.Stderr = &talk
	// A child that hangs says where.
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGQUIT) }
	out, err := child.Output()
	if err != nil {
		return d, r, fmt.Errorf("the child ended with %w:\n%.2000s", err, talk.String())
	}
	lines := json.NewDecoder(bytes.NewReader(out))
	if err := lines.Decode(&d); err != nil {
		return d, r, err
	}
	err = lines.Decode(&r)
	return d, r, err
}
