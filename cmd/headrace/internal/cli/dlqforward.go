package cli

import (
	"fmt"
	"strings"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// forwardView is what became of forwarding a dead letter.
type forwardView struct {
	Topic     string  `json:"topic,omitempty"`
	Partition *uint32 `json:"partition,omitempty"`
	Offset    *uint64 `json:"offset,omitempty"`
	Failure   string  `json:"failure,omitempty"`
}

func viewForward(f *headracev1.DeadLetterForward) *forwardView {
	if f == nil {
		return nil
	}
	v := &forwardView{Topic: f.GetTopic()}
	if f.GetFailure() != headracev1.DeadLetterForwardFailure_DEAD_LETTER_FORWARD_FAILURE_UNSPECIFIED {
		v.Failure = strings.ReplaceAll(shortEnum(f.GetFailure().String(), "DEAD_LETTER_FORWARD_FAILURE_"), "_", "-")
	}
	if at := f.GetPosition(); at != nil {
		partition, offset := at.GetPartition(), at.GetOffset()
		v.Partition, v.Offset = &partition, &offset
	}
	return v
}

// text says it in words; nothing of one that was not to be forwarded.
func (v *forwardView) text() string {
	switch {
	case v == nil:
		return ""
	case v.Offset == nil:
		return "no: " + v.Failure
	case v.Topic == "":
		return "yes, and the topic is gone"
	default:
		return fmt.Sprintf("%s %d-%d", v.Topic, *v.Partition, *v.Offset)
	}
}
