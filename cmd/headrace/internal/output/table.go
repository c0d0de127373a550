package output

import (
	"io"
	"strings"
	"unicode/utf8"
)

// columnGap is what stands between two columns.
const columnGap = "  "

// grid is a table's cells, row by row, with the alignment of its columns.
type grid struct {
	right []bool
	cells [][]string
}

func rows[T any](items []T, columns []Column[T]) grid {
	g := grid{right: make([]bool, len(columns))}
	head := make([]string, len(columns))
	for i, c := range columns {
		g.right[i], head[i] = c.Right, c.Head
	}
	g.cells = append(g.cells, head)
	for _, item := range items {
		g.cells = append(g.cells, row(item, columns))
	}
	return g
}

func row[T any](item T, columns []Column[T]) []string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = printable(c.Cell(item))
	}
	return cells
}

func pairs[T any](item T, columns []Column[T]) grid {
	g := grid{right: []bool{false, false}}
	for _, c := range columns {
		g.cells = append(g.cells, []string{c.Head, printable(c.Cell(item))})
	}
	return g
}

func writeTable(w io.Writer, g grid) error {
	widths := g.widths()
	var b strings.Builder
	for _, cells := range g.cells {
		var line strings.Builder
		for i, cell := range cells {
			if i > 0 {
				line.WriteString(columnGap)
			}
			line.WriteString(pad(cell, widths[i], g.right[i]))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g grid) widths() []int {
	widths := make([]int, len(g.right))
	for _, cells := range g.cells {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func pad(cell string, width int, right bool) string {
	gap := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if right {
		return gap + cell
	}
	return cell + gap
}

// printable keeps one cell on one line and keeps bytes of messages and names
// from steering the terminal.
func printable(cell string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '·'
		}
		return r
	}, cell)
}
