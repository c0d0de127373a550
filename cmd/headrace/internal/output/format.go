package output

import "fmt"

// Format is how data is written.
type Format string

// The formats.
const (
	// Table is aligned columns with a head line, for people.
	Table Format = "table"
	// JSON is one document: an array for lists, an object for one thing.
	JSON Format = "json"
	// JSONL is one JSON object a line.
	JSONL Format = "jsonl"
)

// String gives the format's name.
func (f Format) String() string { return string(f) }

// Set takes a format by its name, so that a Format can be a flag.
func (f *Format) Set(name string) error {
	switch Format(name) {
	case Table, JSON, JSONL:
		*f = Format(name)
		return nil
	}
	return fmt.Errorf("%q is none of table, json, jsonl", name)
}

// Type names the flag's value in help texts.
func (f *Format) Type() string { return "table|json|jsonl" }
