package server_test

import (
	"context"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// checkStatus checks a status of ours: its code, and its reason and field.
func checkStatus(t *testing.T, err error, code codes.Code, reason, field string) {
	t.Helper()
	info := errorInfo(err)
	if status.Code(err) != code || info.GetReason() != reason || info.GetMetadata()["field"] != field {
		t.Fatalf("got %v with %v; want %v with the reason %s and the field %q", err, info, code, reason, field)
	}
	if info.GetDomain() != "headrace" {
		t.Fatalf("domain %q", info.GetDomain())
	}
}

func errorInfo(err error) *errdetails.ErrorInfo {
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	return nil
}

// bounded is a context for one call of a test.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), streamWait)
	t.Cleanup(cancel)
	return ctx
}
