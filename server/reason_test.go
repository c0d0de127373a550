package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

func TestEveryReasonHasTheCodeThatTheContractNames(t *testing.T) {
	contract := contractReasons(t)
	for number, name := range headracev1.ErrorReason_name {
		reason := headracev1.ErrorReason(number)
		comment, ok := contract[name]
		if !ok {
			t.Errorf("%s has no comment in the contract", name)
		}
		v, mapped := verdicts[reason]
		switch {
		case reason == headracev1.ErrorReason_ERROR_REASON_UNSPECIFIED || strings.HasPrefix(comment, "Of one item"):
			if mapped {
				t.Errorf("%s never ends a call, but has a code", name)
			}
		case !mapped:
			t.Errorf("%s has no code", name)
		case !strings.HasPrefix(comment, codeName(v.code)+": "):
			t.Errorf("%s has the code %s, the contract says %q", name, codeName(v.code), comment)
		case strings.Contains(comment, "RetryInfo") != (v.retryAfter > 0):
			t.Errorf("%s waits %v, the contract says %q", name, v.retryAfter, comment)
		}
	}
}

func TestEverySentinelOfTheBrokerIsMapped(t *testing.T) {
	source, err := os.ReadFile("broker/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\t(Err\w+) += errors\.New\("(.+)"\)`).FindAllStringSubmatch(string(source), -1)
	if len(found) < 20 {
		t.Fatalf("found %d sentinels, the pattern is wrong", len(found))
	}
	mapped := map[string]bool{}
	for _, s := range sentinels {
		mapped[s.err.Error()] = true
	}
	for _, sentinel := range found {
		// ErrSessionClosed is what a stream gets that its own handler closed: the
		// handler knows why.
		if !mapped[sentinel[2]] && sentinel[1] != "ErrSessionClosed" {
			t.Errorf("%s is not mapped to a reason", sentinel[1])
		}
	}
}

func TestStatuses(t *testing.T) {
	for name, c := range map[string]struct {
		err      error
		code     codes.Code
		text     string
		reason   string
		metadata map[string]string
		retry    bool
	}{
		"a sentinel, its detail kept from the client": {
			err:  fmt.Errorf("%w: /var/lib/headrace/000042.vlog", broker.ErrDataLoss),
			code: codes.DataLoss, text: "stored data is damaged", reason: "DATA_LOSS",
		},
		"a full disk asks for patience": {
			err: broker.ErrDiskFull, code: codes.ResourceExhausted, reason: "DISK_FULL", retry: true,
			text: "the disk is too full to accept messages",
		},
		"a field of the broker's": {
			err:  fmt.Errorf("create: %w", &broker.FieldError{Field: "lease", Limit: "1 s to 12 h"}),
			code: codes.InvalidArgument, text: "lease: 1 s to 12 h", reason: "INVALID_FIELD",
			metadata: map[string]string{"field": "lease", "limit": "1 s to 12 h"},
		},
		"a refusal": {
			err: tooManyRanges("ranges", 10_001), code: codes.InvalidArgument, reason: "TOO_MANY_RANGES",
			text:     "a frame names 10001 ranges, more than 10000",
			metadata: map[string]string{"field": "ranges", "limit": "10000", "value": "10001"},
		},
		"a malformed frame": {
			err:  fmt.Errorf("%w: bytes", wire.ErrMalformed),
			code: codes.InvalidArgument, text: "a frame is not a strict encoding", reason: "MALFORMED_FRAME",
		},
		"an unknown outcome by a context keeps its reason": {
			err:  fmt.Errorf("%w: %w", broker.ErrUnknownOutcome, context.Canceled),
			code: codes.Unknown, text: "the outcome is not known: it may be stored", reason: "UNKNOWN_OUTCOME",
		},
		"an error that nobody mapped is bare": {
			err: errors.New("secret: /etc/passwd"), code: codes.Internal, text: "internal error", reason: "INTERNAL",
		},
		"a panic": {
			err: fmt.Errorf("%w: oops", errPanic), code: codes.Internal, text: "internal error", reason: "INTERNAL",
		},
		"the client's own end":        {err: context.Canceled, code: codes.Canceled, text: "context canceled"},
		"the client's own deadline":   {err: context.DeadlineExceeded, code: codes.DeadlineExceeded, text: "context deadline exceeded"},
		"what gRPC says of a stream":  {err: status.Error(codes.Unavailable, "gone"), code: codes.Unavailable, text: "gone"},
		"an illegal name, cut to fit": illegalName(),
	} {
		t.Run(name, func(t *testing.T) {
			st, _ := statusOf(c.err)
			if st.Code() != c.code || st.Message() != c.text {
				t.Errorf("status %v %q, want %v %q", st.Code(), st.Message(), c.code, c.text)
			}
			reason, metadata, retry := readDetails(st)
			if reason != c.reason || retry != c.retry {
				t.Errorf("reason %q, retry %v; want %q, %v", reason, retry, c.reason, c.retry)
			}
			if diff := cmp.Diff(c.metadata, metadata); diff != "" && len(c.metadata)+len(metadata) > 0 {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
		})
	}
}

func illegalName() (c struct {
	err      error
	code     codes.Code
	text     string
	reason   string
	metadata map[string]string
	retry    bool
}) {
	_, c.err = parseName("topic", strings.Repeat("ü", 40))
	shown := strings.Repeat("ü", maxShownBytes/2) + "…"
	c.code, c.reason = codes.InvalidArgument, "INVALID_NAME"
	c.text = fmt.Sprintf("topic: %q is not a legal name", shown)
	c.metadata = map[string]string{"field": "topic", "value": shown}
	return c
}

func TestOnlyAnOperatorsBusinessIsLoud(t *testing.T) {
	for err, want := range map[error]bool{
		errors.New("unmapped"):     true,
		broker.ErrDataLoss:         true,
		broker.ErrStoreUnavailable: true,
		broker.ErrTopicNotFound:    false,
		context.Canceled:           false,
	} {
		if _, loud := statusOf(err); loud != want {
			t.Errorf("%v is loud: %v, want %v", err, loud, want)
		}
	}
}

// contractReasons reads the comment of each reason from the contract.
func contractReasons(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, e := range readContract(t, "error_reason.proto") {
		out[e.name[strings.LastIndexByte(e.name, '.')+1:]] = e.comment
	}
	return out
}

// codeName is a code as the contract writes it.
func codeName(c codes.Code) string {
	var out strings.Builder
	for i, r := range c.String() {
		if i > 0 && r >= 'A' && r <= 'Z' {
			out.WriteByte('_')
		}
		out.WriteRune(r)
	}
	return strings.ToUpper(out.String())
}

func readDetails(st *status.Status) (reason string, metadata map[string]string, retry bool) {
	for _, d := range st.Details() {
		switch detail := d.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == errorDomain {
				reason, metadata = detail.GetReason(), detail.GetMetadata()
			}
		case *errdetails.RetryInfo:
			retry = detail.GetRetryDelay().AsDuration() > 0
		}
	}
	return reason, metadata, retry
}
