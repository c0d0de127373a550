package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// kindField is the name under which a match says the kind of event.
const kindField = "event"

// Match picks events: each field that it names has one of the values it gives, the
// kind under the name "event".
type Match map[string]Values

// Values are those that a field may have.
type Values []string

// UnmarshalYAML takes one value, or a list of them.
func (v *Values) UnmarshalYAML(node *yaml.Node) error {
	var many []string
	if node.Kind != yaml.SequenceNode {
		many = make([]string, 1)
		if err := node.Decode(&many[0]); err != nil {
			return err
		}
	} else if err := node.Decode(&many); err != nil {
		return err
	}
	*v = many
	return nil
}

// Matches says whether an event is picked.
func (m Match) Matches(e *Event) bool {
	for field, values := range m {
		got := e.Fields[field]
		if field == kindField {
			got = e.Kind
		}
		if !slices.Contains(values, got) {
			return false
		}
	}
	return true
}

// String is the match in one line, for people.
func (m Match) String() string {
	parts := make([]string, 0, len(m))
	for _, field := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s=%s", field, strings.Join(m[field], "|")))
	}
	return strings.Join(parts, " ")
}
