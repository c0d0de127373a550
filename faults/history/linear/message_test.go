package linear

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// row makes operations that come one after the other.
func row(steps ...step) []porcupine.Operation {
	var operations []porcupine.Operation
	for i, x := range steps {
		answer := int64(2*i + 1)
		if x.open {
			answer = int64(never)
		}
		operations = append(operations, porcupine.Operation{Input: x, Call: int64(2 * i), Return: answer})
	}
	return operations
}

func to(session, attempt uint64) step {
	return step{kind: delivered, session: session, attempt: attempt}
}

func of(kind stepKind, session uint64) step { return step{kind: kind, session: session} }

func open(x step) step {
	x.open = true
	return x
}

var stored = step{kind: published}

func TestIllegalHistoriesOfAMessageAreRed(t *testing.T) {
	for name, steps := range map[string][]step{
		"delivered and never published":     {to(1, 1)},
		"delivered to two":                  {stored, to(1, 1), to(2, 1)},
		"delivered again after its ack":     {stored, to(1, 1), of(acked, 1), to(1, 1)},
		"again after its ack and a restart": {stored, to(1, 1), of(acked, 1), of(restarted, 0), to(2, 1)},
		"a retry that was not charged":      {stored, to(1, 1), of(failed, 1), to(1, 1)},
		"a release that was charged":        {stored, to(1, 1), of(released, 1), to(2, 2)},
		"a lease end that was not charged":  {stored, to(1, 1), of(expired, 1), to(2, 1)},
		"a restart that was charged":        {stored, to(1, 1), of(restarted, 0), to(2, 2)},
		"a first delivery as the second":    {stored, to(1, 2)},
		"an ack of what was taken away":     {stored, to(1, 1), of(expired, 1), of(acked, 1)},
		"a stale ack of what is held":       {stored, to(1, 1), of(stale, 1)},
		"two charges for one death":         {stored, to(1, 1), open(of(broken, 1)), to(2, 3)},
		"published twice":                   {stored, stored},
	} {
		if got := message(row(steps...)); got != Illegal {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestLegalHistoriesOfAMessagePass(t *testing.T) {
	for name, steps := range map[string][]step{
		"acked":                                 {stored, to(1, 1), of(acked, 1)},
		"retried":                               {stored, to(1, 1), of(failed, 1), to(1, 2), of(failed, 1), to(2, 3), of(acked, 2)},
		"an open publish that came":             {open(stored), to(1, 1)},
		"an open publish that did not":          {open(stored)},
		"an open ack that counted":              {stored, to(1, 1), open(of(acked, 1)), of(restarted, 0)},
		"an open ack that did not":              {stored, to(1, 1), open(of(acked, 1)), of(restarted, 0), to(2, 1)},
		"an open retry that counted":            {stored, to(1, 1), open(of(failed, 1)), of(restarted, 0), to(2, 2)},
		"a death that was charged":              {stored, to(1, 1), open(of(broken, 1)), to(2, 2)},
		"a death and a restart, not charged":    {stored, to(1, 1), open(of(broken, 1)), of(restarted, 0), to(2, 1)},
		"a death that nobody saw deliveries of": {stored, open(of(broken, 1)), to(2, 2)},
		"a lease end that a restart forgot":     {stored, to(1, 1), of(expired, 1), of(restarted, 0), to(2, 1)},
		"closed in order":                       {stored, to(1, 1), of(closed, 1), to(2, 1)},
		"a stale ack after another's":           {stored, to(1, 1), of(expired, 1), to(2, 2), of(stale, 1), of(acked, 2)},
	} {
		if got := message(row(steps...)); got != Legal {
			t.Errorf("%s: %s", name, got)
		}
	}
}
