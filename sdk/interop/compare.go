package main

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"strings"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/proto"
)

// maxDifferences is how many are told of one comparison.
const maxDifferences = 5

// digest stands for what a message says: all but what the server sets, and the dedupe
// id, which is not for those who receive.
type digest [sha256.Size]byte

// digestOf is a message's; without what is unknown if that is not shown.
func digestOf(m *headracev1.Message, unknown bool) digest {
	said := proto.CloneOf(m)
	said.MessageId, said.PublishTime, said.DedupeId = "", nil, ""
	if !unknown {
		said.ProtoReflect().SetUnknown(nil)
	}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(said)
	if err != nil {
		panic(err) // it was parsed just now
	}
	return sha256.Sum256(encoded)
}

// sent is a message that was published.
type sent struct {
	id, key, publisher string
	digest             digest
}

// differences are what a comparison finds, the first ones.
type differences []string

func (d *differences) addf(format string, args ...any) {
	if len(*d) < maxDifferences {
		*d = append(*d, fmt.Sprintf(format, args...))
	}
}

// compare looks whether each message that was sent came once, as it was sent, under its
// id, and nothing else; and, where order counts, those of a key in the order in which
// they were sent.
func compare(published []sent, came iter.Seq2[*headracev1.Message, error], unknown, order bool) differences {
	var found differences
	expected := map[string]sent{}
	for _, s := range published {
		if _, twice := expected[s.id]; twice {
			found.addf("two messages have the id %s", s.id)
		}
		expected[s.id] = s
	}
	keys := map[string][]string{}
	for m, err := range came {
		if err != nil {
			found.addf("its output: %v", err)
			break
		}
		s, known := expected[m.GetMessageId()]
		switch {
		case !known:
			found.addf("%s came, which was not sent, or came before", m.GetMessageId())
		case s.digest != digestOf(m, unknown):
			found.addf("%s came changed: key %.60q, %d attributes, %d bytes",
				s.id, m.GetOrderingKey(), len(m.GetAttributes()), len(m.GetData()))
		}
		delete(expected, m.GetMessageId())
		keys[m.GetOrderingKey()] = append(keys[m.GetOrderingKey()], m.GetMessageId())
	}
	for _, s := range published {
		if _, missing := expected[s.id]; missing {
			found.addf("%s of %s did not come", s.id, s.publisher)
		}
	}
	if order {
		found.compareOrder(published, keys)
	}
	return found
}

// compareOrder looks at each key: one partition, whoever published, and one order.
func (d *differences) compareOrder(published []sent, came map[string][]string) {
	want := map[string][]string{}
	for _, s := range published {
		want[s.key] = append(want[s.key], s.id)
	}
	for key, ids := range want {
		if key == "" {
			continue
		}
		if !slices.Equal(ids, came[key]) {
			d.addf("key %.60q came as %v, sent as %v", key, came[key], ids)
		}
		for _, id := range ids {
			if partition(id) != partition(ids[0]) {
				d.addf("key %.60q is in two partitions: %s and %s", key, ids[0], id)
			}
		}
	}
}

// partition is that of a message that entered the log directly: its id names it.
func partition(id string) string {
	number, _, _ := strings.Cut(id, "-")
	return number
}
