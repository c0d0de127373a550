package output

import (
	"encoding/json"
	"io"
)

// Printer writes data in one format.
type Printer struct {
	Out    io.Writer
	Format Format
}

// Column is one column of a table over items of type T.
type Column[T any] struct {
	// Head is the column's title.
	Head string
	// Right aligns the cells to the right, for numbers.
	Right bool
	// Cell is the text of an item's cell.
	Cell func(T) string
}

// List writes items: a table with a head line, a JSON or YAML array, or a JSON object
// a line. An empty list is an empty array, no line, or the head line alone.
func List[T any](p *Printer, items []T, columns []Column[T]) error {
	switch p.Format {
	case JSON:
		if items == nil {
			items = []T{}
		}
		return writeIndented(p.Out, items)
	case JSONL:
		return writeLines(p.Out, items)
	case YAML:
		if items == nil {
			items = []T{}
		}
		return writeYAML(p.Out, items)
	default:
		return writeTable(p.Out, rows(items, columns))
	}
}

// One writes a single item: a table of two columns (name and value), or a JSON or
// YAML object.
func One[T any](p *Printer, item T, columns []Column[T]) error {
	switch p.Format {
	case JSON:
		return writeIndented(p.Out, item)
	case JSONL:
		return writeLines(p.Out, []T{item})
	case YAML:
		return writeYAML(p.Out, item)
	default:
		return writeTable(p.Out, pairs(item, columns))
	}
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func writeLines[T any](w io.Writer, items []T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, item := range items {
		if err := e.Encode(item); err != nil {
			return err
		}
	}
	return nil
}
