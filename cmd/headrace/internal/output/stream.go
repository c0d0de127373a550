package output

import (
	"encoding/json"
	"io"
)

// Stream writes items one at a time, for commands that run until they are
// stopped. In the formats JSON and YAML the items are the elements of one array,
// which Close ends. It is not safe for concurrent use.
type Stream[T any] struct {
	printer *Printer
	line    func(T) string
	items   int
}

// NewStream makes a stream; line is an item's line in the table format, which
// has neither head nor alignment here.
func NewStream[T any](p *Printer, line func(T) string) *Stream[T] {
	return &Stream[T]{printer: p, line: line}
}

// Write writes one item.
func (s *Stream[T]) Write(item T) error {
	s.items++
	switch s.printer.Format {
	case JSON:
		return s.writeElement(item)
	case JSONL:
		return writeLines(s.printer.Out, []T{item})
	case YAML:
		return writeYAML(s.printer.Out, []T{item})
	default:
		_, err := io.WriteString(s.printer.Out, printable(s.line(item))+"\n")
		return err
	}
}

// Close ends the output. The stream is not used after it.
func (s *Stream[T]) Close() error {
	end := ""
	switch format := s.printer.Format; {
	case s.items == 0 && (format == JSON || format == YAML):
		end = "[]\n"
	case format == JSON:
		end = "\n]\n"
	}
	_, err := io.WriteString(s.printer.Out, end)
	return err
}

func (s *Stream[T]) writeElement(item T) error {
	element, err := json.MarshalIndent(item, "  ", "  ")
	if err != nil {
		return err
	}
	before := ",\n  "
	if s.items == 1 {
		before = "[\n  "
	}
	_, err = io.WriteString(s.printer.Out, before+string(element))
	return err
}
