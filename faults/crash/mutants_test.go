package crash

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/faults/history"
)

// mutantVariable names the promise that a server of the mutants' build breaks.
const mutantVariable = "HEADRACE_CRASH_MUTANT"

// redCampaigns bounds the campaigns, of redRounds each, in which a mutant must be caught.
// Most are within the first three rounds.
const redCampaigns, redRounds = 3, 12

// mutant is a change of the server that breaks a promise when the build's variable
// mutant has its name.
type mutant struct {
	name, file, from, to string
	// caughtBy are the promises that must be seen broken, one of them.
	caughtBy []history.Promise
}

var mutants = []mutant{
	{
		name: "the result goes out before the commit", file: "storage/shardlog/committer.go",
		from:     "	c.seal(b)\n	c.inFlight = b\n",
		to:       "	c.seal(b)\n	c.inFlight = b\n	if mutant == MUTANT {\n		b.completePublishes()\n		for i := range b.queues {\n			b.queues[i].n = 0\n		}\n	}\n",
		caughtBy: []history.Promise{history.Lost, history.Shared},
	},
	{
		name: "the confirmation goes out before the commit", file: "server/broker/delivery/confirm.go",
		from:     "if !s.journal.covers(p.set, p.position) ||",
		to:       "if mutant != MUTANT && !s.journal.covers(p.set, p.position) ||",
		caughtBy: []history.Promise{history.Resurrected},
	},
	{
		name: "attempts are not stored", file: "server/broker/change_set.go",
		from:     "	for _, count := range from.Counts {\n",
		to:       "	for _, count := range from.Counts {\n		if mutant == MUTANT {\n			break\n		}\n",
		caughtBy: []history.Promise{history.WrongAttempt},
	},
	{
		name: "credit is ignored", file: "server/broker/delivery/window.go",
		from:     "func (x *session) left() Credit {\n",
		to:       "func (x *session) left() Credit {\n	if mutant == MUTANT {\n		return Credit{1 << 10, 1 << 30}\n	}\n",
		caughtBy: []history.Promise{history.OverCredited},
	},
	{
		name: "the backoff is ignored", file: "server/broker/delivery/retry.go",
		from:     "	for i := range counts[:n] {\n		counts[i].NotBefore = due\n",
		to:       "	if mutant == MUTANT {\n		due = o.at\n	}\n	for i := range counts[:n] {\n		counts[i].NotBefore = due\n",
		caughtBy: []history.Promise{history.Early},
	},
	{
		name: "no offset is left out after a kill", file: "storage/shardlog/recovery_buffered.go",
		from:     "	if r.shard.Clean ||",
		to:       "	if mutant == MUTANT || r.shard.Clean ||",
		caughtBy: []history.Promise{history.Shared},
	},
	{
		name: "keys are not looked at", file: "server/broker/collect.go",
		from:     "		if l.order == OrderKey {\n",
		to:       "		if l.order == OrderKey && mutant != MUTANT {\n",
		caughtBy: []history.Promise{history.Reordered},
	},
	{
		name: "a restart forgets the acks past the floor", file: "server/broker/change_set.go",
		from:     "		chunk.Acked = append(chunk.Acked, storage.OffsetRange{\n",
		to:       "		if mutant == MUTANT {\n			break\n		}\n		chunk.Acked = append(chunk.Acked, storage.OffsetRange{\n",
		caughtBy: []history.Promise{history.Resurrected},
	},
	{
		name: "what a producer sends again is stored again", file: "storage/shardlog/producers.go",
		from:     "	case b.Last() <= x.highest:\n		return true, nil\n",
		to:       "	case b.Last() <= x.highest:\n		return mutant != MUTANT, nil\n",
		caughtBy: []history.Promise{history.Moved},
	},
	{
		name: "a pause holds nothing back", file: "server/broker/delivery/dispatch.go",
		from:     "s.openSessions == 0 || s.config.Paused ||",
		to:       "s.openSessions == 0 || s.config.Paused && mutant != MUTANT ||",
		caughtBy: []history.Promise{history.Skipped},
	},
	{
		name: "a seek goes too far", file: "storage/shardlog/seek.go",
		from:     "	if start.stays {\n",
		to:       "	if mutant == MUTANT {\n		m.floor = min(m.next, m.floor+2)\n	}\n	if start.stays {\n",
		caughtBy: []history.Promise{history.Lost},
	},
	{
		name: "a seek to a snapshot forgets what that has acked", file: "storage/shardlog/seek.go",
		from:     "	k.settle(b, x, chunkPlace{}, k.first)\n",
		to:       "	if mutant != MUTANT {\n		k.settle(b, x, chunkPlace{}, k.first)\n	}\n",
		caughtBy: []history.Promise{history.Skipped, history.Resurrected, history.StaleConfirmed},
	},
	{
		name: "a restart forgets who holds what, exactly once", file: "server/broker/change_set.go",
		from:     "	c.stored.Sessions = c.storedSessions(from.Sessions, due)\n",
		to:       "	if mutant != MUTANT {\n		c.stored.Sessions = c.storedSessions(from.Sessions, due)\n	}\n",
		caughtBy: []history.Promise{history.Disturbed, history.WrongAttempt},
	},
	{
		name: "what comes at most once is sent before it is settled", file: "server/broker/delivery/guarantee.go",
		from:     "guarded: g != AtLeastOnce,",
		to:       "guarded: g == ExactlyOnce || g == AtMostOnce && mutant != MUTANT,",
		caughtBy: []history.Promise{history.Duplicated},
	},
	{
		name: "a session that could be taken up again is charged", file: "server/broker/delivery/resume.go",
		from:     "	case !x.resumes || window == 0 ||",
		to:       "	case mutant == MUTANT || !x.resumes || window == 0 ||",
		caughtBy: []history.Promise{history.WrongAttempt},
	},
	{
		name: "a redriven dead letter stays", file: "storage/shardlog/replay.go",
		from:     "	x.removeDeadLetters(b, r.ids())\n	r.append.Partition",
		to:       "	if mutant != MUTANT {\n		x.removeDeadLetters(b, r.ids())\n	}\n	r.append.Partition",
		caughtBy: []history.Promise{history.Resurrected, history.Duplicated},
	},
	{
		name: "a restart forgets parked keys", file: "server/broker/change_set.go",
		from:     "		if len(from.Partitions[i].Keys) > 0 {\n",
		to:       "		if len(from.Partitions[i].Keys) > 0 && mutant != MUTANT {\n",
		caughtBy: []history.Promise{history.Skipped},
	},
}

// TestServersThatBreakPromisesAreCaught builds one server that breaks the promise that
// its environment names, and lets the campaign find out.
func TestServersThatBreakPromisesAreCaught(t *testing.T) {
	server := build(t, "mutants", overlayMutants(t))
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			for range redCampaigns {
				if m.caught(t, server) {
					return
				}
			}
			t.Error("nobody noticed")
		})
	}
}

// caught says whether a campaign sees that the mutant breaks the promise. It ends with the
// round that shows it.
func (m *mutant) caught(t *testing.T, server string) bool {
	t.Helper()
	c := newCampaign(t, server)
	c.Rounds, c.Env = redRounds, []string{mutantVariable + "=" + m.name}
	c.Enough = func(seen []history.Violation) bool { return slices.ContainsFunc(seen, m.isShownBy) }
	began := time.Now()
	result, err := c.Run(t.Context())
	var broken *BrokenError
	if !errors.As(err, &broken) {
		t.Logf("not seen: %v", err)
		return false
	}
	if i := slices.IndexFunc(broken.Violations, m.isShownBy); i >= 0 {
		t.Logf("caught after %d rounds, %v: %s", result.Rounds, time.Since(began).Round(time.Second), broken.Violations[i])
		return true
	}
	t.Logf("something else was seen: %v", err)
	return false
}

func (m *mutant) isShownBy(v history.Violation) bool { return slices.Contains(m.caughtBy, v.Promise) }

// overlayMutants lays the mutants' files over the server's, and a file with the variable
// mutant into each of their packages.
func overlayMutants(t *testing.T) map[string]string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, overlay, texts := t.TempDir(), map[string]string{}, map[string]string{}
	for _, m := range mutants {
		if texts[m.file] == "" {
			text, err := os.ReadFile(filepath.Join(root, m.file))
			if err != nil {
				t.Fatal(err)
			}
			texts[m.file] = string(text)
		}
		if strings.Count(texts[m.file], m.from) != 1 {
			t.Fatalf("%s does not say %q once", m.file, m.from)
		}
		texts[m.file] = strings.Replace(texts[m.file], m.from, strings.ReplaceAll(m.to, "MUTANT", `"`+m.name+`"`), 1)
	}
	lay := func(path, text string) {
		name := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, path)] = name
	}
	for file, text := range texts {
		lay(file, text)
		folder := filepath.Dir(file)
		lay(folder+"/mutant.go", "package "+filepath.Base(folder)+"\n\nimport \"os\"\n\nvar mutant = os.Getenv(\""+mutantVariable+"\")\n")
	}
	return overlay
}
