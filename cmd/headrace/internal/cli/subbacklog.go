package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/cmd/headrace/internal/output"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// backlogFlags are the cap on what a subscription has not settled.
type backlogFlags struct {
	messages uint64
	bytes    config.Bytes
	action   string
}

func (f *backlogFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.Uint64Var(&f.messages, "backlog-messages", 0, "the most messages not settled; with --backlog-bytes 0 and this 0: no cap")
	flags.Var(&f.bytes, "backlog-bytes", "the most bytes not settled")
	flags.StringVar(&f.action, "backlog-action", "reject-publish", "what happens at the cap: reject-publish, drop-oldest, dead-letter")
}

// apply sets what was given on the command line and returns the names of those fields.
func (f *backlogFlags) apply(c *cobra.Command, s *headracev1.Subscription) (fields []string, err error) {
	changed := c.Flags().Changed("backlog-messages") || c.Flags().Changed("backlog-bytes")
	if !changed && c.Flags().Changed("backlog-action") {
		return nil, usagef("--backlog-action: give the cap along, --backlog-messages or --backlog-bytes")
	}
	if !changed {
		return nil, nil
	}
	name := "BACKLOG_ACTION_" + strings.ToUpper(strings.ReplaceAll(f.action, "-", "_"))
	action, ok := headracev1.BacklogAction_value[name]
	if !ok || action == 0 {
		return nil, usagef("--backlog-action: there is no action %q", f.action)
	}
	if f.messages > 0 || f.bytes > 0 {
		s.BacklogCap = &headracev1.BacklogCap{
			Max: &headracev1.Amount{Messages: f.messages, Bytes: uint64(f.bytes)}, Action: headracev1.BacklogAction(action),
		}
	}
	return []string{"backlog_cap"}, nil
}

// backlogView is the cap as the command line shows it.
type backlogView struct {
	BacklogMaxMessages uint64 `json:"backlog_max_messages,omitempty"`
	BacklogMaxBytes    uint64 `json:"backlog_max_bytes,omitempty"`
	BacklogAction      string `json:"backlog_action,omitempty"`
}

func viewBacklog(c *headracev1.BacklogCap) backlogView {
	if c == nil {
		return backlogView{}
	}
	return backlogView{
		BacklogMaxMessages: c.GetMax().GetMessages(), BacklogMaxBytes: c.GetMax().GetBytes(),
		BacklogAction: shortEnum(c.GetAction().String(), "BACKLOG_ACTION_"),
	}
}

// backlogText writes the cap and its action.
func (v backlogView) backlogText() string {
	var parts []string
	if v.BacklogMaxMessages > 0 {
		parts = append(parts, output.Count(v.BacklogMaxMessages))
	}
	if v.BacklogMaxBytes > 0 {
		parts = append(parts, output.Size(v.BacklogMaxBytes))
	}
	return strings.TrimSpace(strings.Join(parts, ", ") + " " + v.BacklogAction)
}
