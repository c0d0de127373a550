package output

import (
	"fmt"
	"slices"
	"strings"
)

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
	// YAML is one document with the names and values of JSON.
	YAML Format = "yaml"
)

// formats are those that there are.
var formats = []Format{Table, JSON, JSONL, YAML}

// Formats lists the formats' names.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return names
}

// String gives the format's name.
func (f Format) String() string { return string(f) }

// Set takes a format by its name, so that a Format can be a flag.
func (f *Format) Set(name string) error {
	if !slices.Contains(formats, Format(name)) {
		return fmt.Errorf("%q is none of %s", name, strings.Join(Formats(), ", "))
	}
	*f = Format(name)
	return nil
}

// Type names the flag's value in help texts.
func (f *Format) Type() string { return strings.Join(Formats(), "|") }
