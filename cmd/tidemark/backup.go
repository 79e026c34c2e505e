package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

const backupLong = `Write a copy of the embedded store to one file, while Tidemark runs or when it is
stopped: every source with its history, every capture and snapshot, every entry
and vector, and what waits in queues, all as they are at one moment.

The file has its name only when it is whole. It holds checksums of everything,
which "tidemark restore" verifies; with --check alone. It is as secret as what
was crawled. Room is needed for it and, meanwhile, for a copy of the rows.

The search index is not in it: the first start after a restore fills it from the
snapshots. State in Azurite or in an account is copied with "tidemark export".`

const backupExample = `  tidemark backup /var/backups/tidemark-$(date +%F).backup
  tidemark backup - | ssh elsewhere 'cat > tidemark.backup'
  tidemark restore --check /var/backups/tidemark-2026-11-23.backup`

func backupCommand(p *program) *cobra.Command {
	var data string
	var overwrite bool
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Copy the embedded store to a file, while Tidemark runs", Long: backupLong,
		Example: backupExample, Args: one("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBackup(cmd.Context(), p, data, args[0], overwrite)
		},
	}
	dataFlag(p, cmd, &data)
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace FILE if it is there")
	return cmd
}

func dataFlag(p *program, cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", p.setting("TIDEMARK_DATA", ".tidemark"), "`FOLDER` for all data (TIDEMARK_DATA)")
}

func runBackup(ctx context.Context, p *program, data, name string, overwrite bool) error {
	data, err := filepath.Abs(data)
	if err != nil {
		return err
	}
	kind, err := sourceKind(p, data)
	if err != nil {
		return err
	}
	if kind != embedded {
		return fmt.Errorf("STORAGE is %s, and a backup is of the embedded store: stop Tidemark and run "+
			"`%s export FOLDER`, which copies any store", kind, p.name())
	}
	bars := &bars{p: p}
	o := sqlitestore.BackupOptions{MadeAt: p.now(), MadeBy: "tidemark " + thisBuild().Version, Progress: bars.bytes}
	c, err := backupTo(ctx, p, app.StoreFolder(data), name, overwrite, o)
	bars.bar.end()
	if err != nil {
		return err
	}
	if name == "-" {
		p.note("backed up %s", contentsText(c))
		return nil
	}
	p.say("backed up %s to %s", contentsText(c), name)
	return nil
}

// backupTo writes the backup beside its name, and renames it.
func backupTo(ctx context.Context, p *program, store, name string, overwrite bool,
	o sqlitestore.BackupOptions) (c sqlitestore.Contents, err error) {
	if name == "-" {
		return scratched(&o, func() (sqlitestore.Contents, error) { return sqlitestore.Backup(ctx, store, p.out, o) })
	}
	if name, err = filepath.Abs(name); err != nil {
		return c, err
	}
	if exists(name) && !overwrite {
		return c, fmt.Errorf("%s is there already: choose another name, or --overwrite it", name)
	}
	part := name + ".part" // the same each time, so that what a killed one left is used again
	o.Scratch = part + ".db"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return c, err
	}
	defer os.Remove(part) // it has another name when all went well
	c, err = sqlitestore.Backup(ctx, store, f, o)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return c, err
	}
	return c, renameSynced(part, name)
}

// renameSynced makes a name stand when the power goes.
func renameSynced(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// scratched gives what do does a file for a copy of the database among the temporary files.
func scratched(o *sqlitestore.BackupOptions, do func() (sqlitestore.Contents, error)) (sqlitestore.Contents, error) {
	dir, err := os.MkdirTemp("", "tidemark-backup-")
	if err != nil {
		return sqlitestore.Contents{}, err
	}
	defer os.RemoveAll(dir)
	o.Scratch = filepath.Join(dir, "state.db")
	return do()
}

// contentsText says what a backup holds.
func contentsText(c sqlitestore.Contents) string {
	return fmt.Sprintf("%s, %s and %s (%s)", words.Count(c.Rows, "row"), words.Count(c.Messages, "message"),
		words.Count(c.Blobs, "snapshot"), megabytes(c.Bytes))
}

// megabytes rounds up, so that nothing has none.
func megabytes(n int64) string { return words.Thousands(int((n+1<<20-1)>>20)) + " MB" }

// bytes shows progress in megabytes.
func (b *bars) bytes(doing string, done, total int64) {
	b.show(transfer.Progress{Doing: doing, Name: "(MB)", Done: int(done >> 20), Total: max(1, int(total>>20))})
}

// backupReader opens a backup; "-" is standard input.
func (p *program) backupReader(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(p.in), nil
	}
	return os.Open(name)
}
