package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/headrace/headrace/sdk/go"
)

// explain is the text of an error for a person: what went wrong with its reason,
// and what to do where that is known.
func (a *App) explain(err error) string {
	text := strings.TrimPrefix(err.Error(), "headrace: ")
	switch {
	case errors.Is(err, headrace.ErrUnreachable):
		return "no server answers at " + a.server +
			": start one with `headrace dev`, or name yours with --addr or " + addrVariable + "; " + text
	case errors.Is(err, context.DeadlineExceeded):
		return "the server at " + a.server + " did not answer in time: " + text
	}
	return text
}

// oneLine puts an error's text on one line, for what is read is the last one: joined
// errors break it.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), "; ")
}
