package rules

import "github.com/headrace/headrace/sdk/conformance/record"

// Rule is one of them.
type Rule struct {
	// Name is how a scenario names it that makes an exception.
	Name string
	// Check says where a history breaks it; nil: nowhere.
	Check func(events []record.Event) error
}

// All are the standing rules.
var All = []Rule{
	{Name: "messages come as they were published", Check: intact},
	{Name: "no stream ends for a fault of the client", Check: faultless},
	{Name: "every frame is understood", Check: understood},
	{Name: "the window is the one that was set", Check: windowsAsSet},
	{Name: "what is outstanding stays within the window", Check: withinCredit},
	{Name: "settles are numbered without a gap", Check: numbered},
	{Name: "a settle that is sent again is the same", Check: repeated},
	{Name: "every delivery is settled once at most", Check: settledOnce},
	{Name: "only what is held is extended", Check: extendsHeld},
	{Name: "a resume names all that is held", Check: resumesHeld},
}
