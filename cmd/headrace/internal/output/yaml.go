package output

import (
	"encoding/json"
	"io"

	"go.yaml.in/yaml/v3"
)

// yamlIndent is by how many blanks a level is indented.
const yamlIndent = 2

// writeYAML writes what JSON would write, in the same order: JSON is YAML, which only
// has to be laid out.
func writeYAML(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return err
	}
	layOut(&document)
	e := yaml.NewEncoder(w)
	e.SetIndent(yamlIndent)
	if err := e.Encode(&document); err != nil {
		return err
	}
	return e.Close()
}

// layOut takes the braces and quotes of JSON off; the encoder quotes what needs it.
func layOut(n *yaml.Node) {
	n.Style = 0
	for _, child := range n.Content {
		layOut(child)
	}
}
