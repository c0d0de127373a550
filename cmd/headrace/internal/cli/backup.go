package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
	"github.com/headrace/headrace/cmd/headrace/internal/upkeep"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/storage/backup"
)

func (a *App) backup() *cobra.Command {
	var to, dir, scratch string
	c := &cobra.Command{
		Use:   "backup",
		Short: "Write everything that a server stores into one file",
		Long: "Write everything that a server stores into one file, while it goes on serving;\n" +
			"or, with --data-dir, what a stopped server has stored. The file has the state as\n" +
			"of a moment near the end. It is synced, read back and verified before it gets its\n" +
			"name. An existing file is not written over.",
	}
	a.addAddr(c)
	c.Flags().StringVar(&to, "to", "", "the file to write")
	c.Flags().StringVar(&dir, "data-dir", "", "back up this data directory of a stopped server")
	c.Flags().StringVar(&scratch, "scratch", "",
		"with --data-dir: where to put a copy of the logs (default: the system's temporary directory)")
	_ = c.MarkFlagRequired("to") // It exists.
	c.RunE = func(c *cobra.Command, _ []string) error {
		ctx, stop := untilStopped(c.Context())
		defer stop()
		fill := func(w io.Writer) error { return a.receiveBackup(ctx, w) }
		if dir != "" {
			fill = func(w io.Writer) error { return inUse(upkeep.Backup(ctx, dir, scratch, w)) }
		}
		return a.writeBackup(to, fill)
	}
	return c
}

// writeBackup makes the file and says what is in it.
func (a *App) writeBackup(to string, fill func(io.Writer) error) error {
	start := time.Now()
	contents, size, err := backup.WriteFile(to, fill)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s exists; a backup is not written over another one", to)
	}
	if err != nil {
		return fmt.Errorf("no backup was written: %w", err)
	}
	return output.One(a.printer(), newBackupView(to, &contents, size, time.Since(start)), backupColumns)
}

// receiveBackup writes what the server sends.
func (a *App) receiveBackup(ctx context.Context, w io.Writer) error {
	addr, err := a.locate()
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	stream, err := headracev1.NewAdminServiceClient(conn).Backup(ctx, &headracev1.BackupRequest{})
	for err == nil {
		var response *headracev1.BackupResponse
		if response, err = stream.Recv(); err == nil {
			_, err = w.Write(response.GetChunk())
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return a.backupError(err)
}

// backupError is what a server said, or that none did.
func (a *App) backupError(err error) error {
	st, ok := status.FromError(err)
	switch {
	case !ok:
		return err
	case st.Code() == codes.Unavailable && len(st.Details()) == 0:
		return fmt.Errorf("no server answers at %s, or it went away: %s", a.server, st.Message())
	default:
		return errors.New(st.Message())
	}
}

func (a *App) restore() *cobra.Command {
	var from, dir string
	c := &cobra.Command{
		Use:   "restore",
		Short: "Make a data directory of a backup's file",
		Long: "Make a data directory of a backup's file: the store as it was at the backup's last\n" +
			"batch, under an id of its own. The directory must be new or empty. Everything is\n" +
			"verified on the way, and the store once more at the end; a directory that was not\n" +
			"restored to the end is refused by the server.",
	}
	addDataDir(c, &dir)
	c.Flags().StringVar(&from, "from", "", "the file to read")
	_ = c.MarkFlagRequired("from") // It exists.
	c.RunE = func(*cobra.Command, []string) error {
		start := time.Now()
		contents, err := upkeep.Restore(from, dir)
		if err != nil {
			return fmt.Errorf("nothing was restored: %w", err)
		}
		return output.One(a.printer(), newBackupView(dir, &contents, 0, time.Since(start)), restoreColumns)
	}
	return c
}
