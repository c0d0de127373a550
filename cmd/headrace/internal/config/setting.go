package config

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FromDefault is where a value comes from that nobody set.
const FromDefault = "default"

// Setting is a key with the value that a server would run with.
type Setting struct {
	Key

	// Value is the value's text, as a file or a flag may have it.
	Value string
	// From is where it comes from: the file's path, "the environment", "the command
	// line", or FromDefault.
	From string
}

// Settings says what a server would run with, key by key in the order of Keys, and
// where that comes from. Errors: those of Load.
func Settings(s Sources) ([]Setting, error) {
	server, err := Load(s)
	if err != nil {
		return nil, err
	}
	from := map[string]string{}
	for _, layer := range s.layers() {
		own, err := layer.load()
		if err != nil {
			return nil, err
		}
		for _, name := range own.Keys() {
			from[name] = layer.name
		}
	}
	values := reflect.ValueOf(server)
	keys := Keys()
	settings := make([]Setting, len(keys))
	for i, k := range keys {
		settings[i] = Setting{Key: k, Value: fmt.Sprint(values.Field(i).Interface()), From: FromDefault}
		if source, set := from[k.Name]; set {
			settings[i].From = source
		}
	}
	return settings, nil
}

// WriteFile writes settings as a file that a server reads, with what each key means.
// Those that have their default are commented out, so that they follow it.
func WriteFile(w io.Writer, settings []Setting) error {
	var b strings.Builder
	for i, s := range settings {
		if i > 0 {
			b.WriteByte('\n')
		}
		value, err := yaml.Marshal(s.Value)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "# %s (%s)\n", s.Help, s.Unit)
		if s.Value == s.Default {
			b.WriteByte('#')
		}
		fmt.Fprintf(&b, "%s: %s", s.Name, value)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
