package cli

import (
	"fmt"
	"strings"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const keyPolicyPrefix = "KEY_FAILURE_POLICY_"

// keyPolicyFlag is a policy by its short name.
type keyPolicyFlag headracev1.KeyFailurePolicy

// Type names the flag's values in a command's help.
func (*keyPolicyFlag) Type() string { return "policy" }

// String is the short name.
func (f *keyPolicyFlag) String() string {
	if *f == 0 {
		return ""
	}
	return shortEnum(headracev1.KeyFailurePolicy(*f).String(), keyPolicyPrefix)
}

// Set reads a short name, as "park-key".
func (f *keyPolicyFlag) Set(text string) error {
	name := strings.ToUpper(strings.ReplaceAll(text, "-", "_"))
	value, ok := headracev1.KeyFailurePolicy_value[keyPolicyPrefix+name]
	if !ok || value == 0 {
		return fmt.Errorf("there is no policy %q", text)
	}
	*f = keyPolicyFlag(value)
	return nil
}

// keyPolicyText is a policy's short name, empty where no order is kept.
func keyPolicyText(p headracev1.KeyFailurePolicy) string {
	if p == headracev1.KeyFailurePolicy_KEY_FAILURE_POLICY_UNSPECIFIED {
		return ""
	}
	return shortEnum(p.String(), keyPolicyPrefix)
}

// orderText is an order with what a failing message does to it.
func orderText(v subView) string {
	if v.KeyFailurePolicy == "" {
		return v.Order
	}
	return v.Order + ", " + v.KeyFailurePolicy
}
