package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/headrace/headrace/sdk/go"
)

// lineBufferBytes is what is read of an input at once.
const lineBufferBytes = 256 << 10

// pubFlags say where messages come from and what they carry.
type pubFlags struct {
	file, input, key, keyField, contentType string
	producer, dedupeID                      string
	attributes                              []string
}

func (f *pubFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "read messages from this file; - is standard input")
	flags.StringVar(&f.input, "input", "lines", "what a line is: lines (the payload), jsonl (a message as an object)")
	flags.StringVar(&f.key, "key", "", "the ordering key of every message")
	flags.StringVar(&f.keyField, "key-field", "", "payloads are JSON objects, and this field of theirs is the ordering key")
	flags.StringVar(&f.contentType, "content-type", "", "the media type of every message")
	flags.StringVar(&f.producer, "producer", "", "the producer's lasting name: one program at a time (default: a random one)")
	flags.StringVar(&f.dedupeID, "dedupe-id", "", "the dedupe id of every message: within the topic's window only the first is stored")
	flags.StringArrayVar(&f.attributes, "attribute", nil, "an attribute of every message, key=value; may be repeated")
}

// messageSource yields messages one after the other.
type messageSource struct {
	// unit says what line counts, for errors: "line" or "argument".
	unit string
	line int
	// progress shows how much of a file is done; nil when nobody watches.
	progress *progressbar.ProgressBar

	read  func() (string, error)
	parse func(string) (headrace.Message, error)
	close func()
}

// next is the next message; ok is false at the end.
func (s *messageSource) next() (m headrace.Message, ok bool, err error) {
	text, err := s.read()
	if errors.Is(err, io.EOF) {
		return headrace.Message{}, false, nil
	}
	s.line++
	if err == nil {
		m, err = s.parse(text)
	}
	return m, err == nil, err
}

// source opens what the command line names: arguments, a file, or standard
// input.
func (f *pubFlags) source(a *App, args []string) (*messageSource, error) {
	parse, err := f.parser()
	if err != nil {
		return nil, err
	}
	switch {
	case len(args) > 0 && f.file != "":
		return nil, usagef("messages come from the arguments or from --file, not from both")
	case len(args) > 0:
		return &messageSource{unit: "argument", read: fromArguments(args), parse: parse, close: func() {}}, nil
	case f.file == "" || f.file == "-":
		return &messageSource{unit: "line", read: fromLines(a.In), parse: parse, close: func() {}}, nil
	}
	file, err := os.Open(f.file)
	if err != nil {
		return nil, err
	}
	s := &messageSource{unit: "line", parse: parse, close: func() { _ = file.Close() }, progress: a.fileProgress(file)}
	s.read = fromLines(watched(file, s.progress))
	return s, nil
}

// parser makes the function that turns a line into a message.
func (f *pubFlags) parser() (func(string) (headrace.Message, error), error) {
	attributes, err := parseLabels(f.attributes)
	if err != nil {
		return nil, err
	}
	if f.key != "" && f.keyField != "" {
		return nil, usagef("give --key or --key-field, not both")
	}
	var parse func(string) (headrace.Message, error)
	switch f.input {
	case "lines":
		parse = payloadLine
	case "jsonl":
		parse = parseMessageLine
	default:
		return nil, usagef("--input: %q is neither lines nor jsonl", f.input)
	}
	return func(text string) (headrace.Message, error) {
		m, err := parse(text)
		if err != nil {
			return m, err
		}
		return f.complete(m, attributes)
	}, nil
}

// payloadLine takes a line as a payload.
func payloadLine(text string) (headrace.Message, error) { //nolint:unparam // One of two parsers.
	return headrace.Message{Data: []byte(text)}, nil
}

// complete adds to a message what the command line says of all of them.
func (f *pubFlags) complete(m headrace.Message, attributes map[string]string) (headrace.Message, error) {
	if f.dedupeID != "" {
		m.DedupeID = f.dedupeID
	}
	for key, value := range attributes {
		if m.Attributes == nil {
			m.Attributes = map[string]string{}
		}
		m.Attributes[key] = value
	}
	if f.contentType != "" {
		m.ContentType = f.contentType
	}
	if f.key != "" {
		m.OrderingKey = f.key
	}
	if f.keyField == "" {
		return m, nil
	}
	key, err := fieldOf(m.Data, f.keyField)
	m.OrderingKey = key
	return m, err
}

// fieldOf is the text of a field of a JSON object: a string itself, anything
// else as it is written.
func fieldOf(data []byte, field string) (string, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return "", fmt.Errorf("not a JSON object: %w", err)
	}
	raw, ok := object[field]
	if !ok {
		return "", fmt.Errorf("it has no field %q", field)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	return string(raw), nil
}

func fromArguments(args []string) func() (string, error) {
	return func() (string, error) {
		if len(args) == 0 {
			return "", io.EOF
		}
		first := args[0]
		args = args[1:]
		return first, nil
	}
}

// fromLines reads lines without their ends; a last line without an end counts.
func fromLines(r io.Reader) func() (string, error) {
	lines := bufio.NewReaderSize(r, lineBufferBytes)
	return func() (string, error) {
		text, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) && text != "" {
			err = nil
		}
		return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
	}
}
