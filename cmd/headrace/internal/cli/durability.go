package cli

import (
	"fmt"
	"strings"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const durabilityPrefix = "DURABILITY_"

// durabilityFlag is a durability by its short name.
type durabilityFlag headracev1.Durability

// Type names the flag's values in a command's help.
func (*durabilityFlag) Type() string { return "synced|buffered" }

// String is the short name.
func (f *durabilityFlag) String() string {
	return shortEnum(headracev1.Durability(*f).String(), durabilityPrefix)
}

// Set reads a short name, as "buffered". What a server does not serve it refuses itself.
func (f *durabilityFlag) Set(text string) error {
	value, ok := headracev1.Durability_value[durabilityPrefix+strings.ToUpper(text)]
	if !ok || value == 0 {
		return fmt.Errorf("there is no durability %q", text)
	}
	*f = durabilityFlag(value)
	return nil
}
