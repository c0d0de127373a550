package crash

import (
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// has says whether an answer carries a reason of the contract.
func has(err error, reason headracev1.ErrorReason) bool {
	want := strings.TrimPrefix(reason.String(), "ERROR_REASON_")
	for _, detail := range status.Convert(err).Details() {
		if info, is := detail.(*errdetails.ErrorInfo); is && info.GetReason() == want {
			return true
		}
	}
	return false
}
