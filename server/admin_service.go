package server

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// backupChunkBytes is the most that one chunk of a backup has.
const backupChunkBytes = 256 << 10

// The errors of a Backup function that clients are told apart.
var (
	// ErrBackupRunning is returned when a backup is under way.
	ErrBackupRunning = errors.New("server: a backup is running")
	// ErrBackupTooSlow is returned when a backup was written more slowly than others
	// published.
	ErrBackupTooSlow = errors.New("server: the backup was written too slowly")
)

// Backup writes a backup of the store while the server goes on. It ends early with
// the context's cause. When it gives up while a write hangs it calls w's method
// Abort(error). Errors: ErrBackupRunning, ErrBackupTooSlow, those of storage, what w
// fails with.
type Backup func(ctx context.Context, w io.Writer) error

// adminService is for those who run the server.
type adminService struct {
	headracev1.UnimplementedAdminServiceServer

	backup   Backup
	loops    *loops
	stopping <-chan struct{}
}

var _ headracev1.AdminServiceServer = (*adminService)(nil)

// Backup streams a backup. The one who writes it may be stuck in a write when it
// ends early; only the handler's return frees it.
func (s *adminService) Backup(_ *headracev1.BackupRequest, stream grpc.ServerStreamingServer[headracev1.BackupResponse]) error {
	if s.backup == nil {
		return notServed("backup")
	}
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	result := make(chan error, 1) // its one result, also when nobody waits for it
	w := &chunkWriter{stream: stream, abort: cancel}
	s.loops.running.Go(func() { result <- s.backup(ctx, w) })
	select {
	case err := <-result:
		return err
	case <-s.stopping: // What is half written is of no use to anybody.
		cancel(broker.ErrDraining)
		return broker.ErrDraining
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// chunkWriter sends what is written in chunks.
type chunkWriter struct {
	stream grpc.ServerStreamingServer[headracev1.BackupResponse]
	abort  context.CancelCauseFunc
}

// Abort ends the stream, also while a write hangs: the client reads too slowly.
func (w *chunkWriter) Abort(cause error) { w.abort(errors.Join(ErrBackupTooSlow, cause)) }

func (w *chunkWriter) Write(p []byte) (n int, err error) {
	for n < len(p) {
		chunk := p[n:min(len(p), n+backupChunkBytes)]
		if err := w.stream.Send(&headracev1.BackupResponse{Chunk: chunk}); err != nil {
			return n, err
		}
		n += len(chunk)
	}
	return n, nil
}
