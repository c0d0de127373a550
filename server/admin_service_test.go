package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"google.golang.org/grpc/codes"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage"
)

// backup makes a backup of a server that does it with fn.
func backup(t *testing.T, fn server.Backup) ([]byte, error) {
	t.Helper()
	s := servertest.Start(t, servertest.Options{Server: server.Config{Backup: fn}})
	return receiveBackup(t, s)
}

func receiveBackup(t *testing.T, s *servertest.Server) ([]byte, error) {
	t.Helper()
	stream, err := headracev1.NewAdminServiceClient(s.Conn).Backup(bounded(t), &headracev1.BackupRequest{})
	if err != nil {
		return nil, err
	}
	var file []byte
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return file, nil
		}
		if err != nil {
			return file, err
		}
		if n := len(response.GetChunk()); n == 0 || n > 256<<10 {
			t.Errorf("a chunk of %d bytes", n)
		}
		file = append(file, response.GetChunk()...)
	}
}

func TestABackupIsStreamedInChunks(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789"), 200_000)
	got, err := backup(t, func(_ context.Context, w io.Writer) error {
		n, err := w.Write(want)
		if n != len(want) {
			return fmt.Errorf("%d bytes written: %w", n, err)
		}
		_, err = w.Write([]byte("the end"))
		return err
	})
	if err != nil || !bytes.Equal(got, append(want, "the end"...)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestABackupThatFailsSaysWhy: in reasons that a client can tell apart.
func TestABackupThatFailsSaysWhy(t *testing.T) {
	for _, test := range []struct {
		err    error
		code   codes.Code
		reason string
	}{
		{server.ErrBackupRunning, codes.FailedPrecondition, "BACKUP_RUNNING"},
		{server.ErrBackupTooSlow, codes.Aborted, "BACKUP_TOO_SLOW"},
		{storage.ErrDataLoss, codes.DataLoss, "DATA_LOSS"},
		{storage.ErrUnavailable, codes.Unavailable, "STORE_UNAVAILABLE"},
	} {
		_, err := backup(t, func(context.Context, io.Writer) error { return fmt.Errorf("somewhere: %w", test.err) })
		checkStatus(t, err, test.code, test.reason, "")
	}
}

func TestAServerWithoutBackupsDoesNotServeThem(t *testing.T) {
	_, err := backup(t, nil)
	checkStatus(t, err, codes.InvalidArgument, "NOT_SERVED", "backup")
}

// TestABackupThatGivesUpEndsAlsoInAWrite: the client that does not read is told, and
// the write that hangs is let go.
func TestABackupThatGivesUpEndsAlsoInAWrite(t *testing.T) {
	freed := make(chan error, 1)
	s := servertest.Start(t, servertest.Options{Server: server.Config{Backup: func(_ context.Context, w io.Writer) error {
		a, ok := w.(interface{ Abort(cause error) })
		if !ok {
			return errors.New("no Abort")
		}
		time := make(chan struct{})
		go func() {
			<-time
			a.Abort(errors.New("too slow"))
		}()
		for first := true; ; first = false {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				freed <- err
				return err
			}
			if first {
				close(time)
			}
		}
	}}})
	_, err := receiveBackup(t, s)
	checkStatus(t, err, codes.Aborted, "BACKUP_TOO_SLOW", "")
	if err := <-freed; err == nil {
		t.Error("the write went on")
	}
}

// TestAStoppingServerEndsABackup: half of one is of no use.
func TestAStoppingServerEndsABackup(t *testing.T) {
	began := make(chan struct{})
	s := servertest.Start(t, servertest.Options{Server: server.Config{Backup: func(ctx context.Context, _ io.Writer) error {
		close(began)
		<-ctx.Done()
		return context.Cause(ctx)
	}}})
	go func() {
		<-began
		s.BeginDrain()
	}()
	_, err := receiveBackup(t, s)
	checkStatus(t, err, codes.Unavailable, "DRAINING", "")
}
