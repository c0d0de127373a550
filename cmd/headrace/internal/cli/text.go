package cli

import (
	"iter"
	"strings"
	"time"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
)

// shortEnum is an enum value without its prefix, in small letters.
func shortEnum(name, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(name, prefix))
}

func secondsText(seconds float64) string {
	return output.Age(time.Duration(seconds * float64(time.Second)))
}

func timeText(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

func amountText(messages, bytes uint64) string {
	return output.Count(messages) + " messages, " + output.Size(bytes)
}

// collect takes a list to its end, one view an item.
func collect[T, V any](list iter.Seq2[T, error], view func(T) V) ([]V, error) {
	var views []V
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		views = append(views, view(item))
	}
	return views, nil
}

// embed makes the columns of a part into columns of the whole.
func embed[Whole, Part any](columns []output.Column[Part], part func(Whole) Part) []output.Column[Whole] {
	wholes := make([]output.Column[Whole], len(columns))
	for i, c := range columns {
		wholes[i] = output.Column[Whole]{Head: c.Head, Right: c.Right, Cell: func(w Whole) string { return c.Cell(part(w)) }}
	}
	return wholes
}
