package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

const backupHelp = `backup FILE
Copy the embedded store to a file, while Tidemark runs

Copy the embedded store to one file, while Tidemark runs or is stopped: every source
with its history, every capture and snapshot, every entry and vector, and the queues,
all from the same moment.

The file gets its name when it is complete. It has checksums of everything, which
"tidemark restore" verifies; "tidemark restore --check" only verifies. The file is as
secret as the crawled pages. It needs disk space, and so does a temporary copy of the
rows.

The search index is not included: the first start after a restore fills it from the
snapshots. To copy state in Azurite or an account, use "tidemark export".

  tidemark backup /var/backups/tidemark-$(date +%F).backup
  tidemark backup - | ssh elsewhere 'cat > tidemark.backup'
  tidemark restore --check /var/backups/tidemark-2026-11-23.backup`

func backupCommand(t *terminal.Terminal, getenv func(string) string, version string) *cobra.Command {
	b := backup{t: t, by: "tidemark " + version}
	var data string
	cmd := command.New(backupHelp, command.One("file"), func(ctx context.Context, args []string) error {
		return runBackup(ctx, b, getenv, data, args[0])
	})
	folder.DataFlag(cmd.Flags(), getenv, &data)
	cmd.Flags().BoolVar(&b.overwrite, "overwrite", false, "replace FILE if it exists")
	return cmd
}

// A backup holds the inputs for making a backup.
type backup struct {
	t         *terminal.Terminal
	by        string // this program and its version
	overwrite bool
}

func runBackup(ctx context.Context, b backup, getenv func(string) string, data, name string) error {
	data, err := filepath.Abs(data)
	if err != nil {
		return err
	}
	kind, err := sourceKind(b.t, getenv, data)
	if err != nil {
		return err
	}
	if kind != folder.Embedded {
		return fmt.Errorf("STORAGE is %s, and a backup is of the embedded store: stop Tidemark and run "+
			"`%s export FOLDER`, which copies any store", kind, b.t.Name)
	}
	bars := &bars{t: b.t}
	o := sqlitestore.BackupOptions{MadeAt: b.t.Now(), MadeBy: b.by, Progress: bars.bytes}
	c, err := b.to(ctx, app.StoreFolder(data), name, o)
	bars.bar.End()
	if err != nil {
		return err
	}
	if err := app.NoteBackup(data, b.t.Now()); err != nil {
		b.t.Note("the metrics do not know of this backup: %v", err)
	}
	b.t.NoteWhen(name == "-", "backed up %s", contentsText(c))
	b.t.SayWhen(name != "-", "backed up %s to %s", contentsText(c), name)
	return nil
}

// to(…) writes the backup under a temporary name, and then renames it.
func (b backup) to(ctx context.Context, store, name string, o sqlitestore.BackupOptions) (c sqlitestore.Contents,
	err error) {
	if name == "-" {
		return scratched(&o, filepath.Dir(store), func() (sqlitestore.Contents, error) {
			return sqlitestore.Backup(ctx, store, b.t.Out, o)
		})
	}
	if name, err = filepath.Abs(name); err != nil {
		return c, err
	}
	if folder.Exists(name) && !b.overwrite {
		return c, fmt.Errorf("%s is there already: choose another name, or --overwrite it", name)
	}
	part := name + ".part" // the name is always the same, so that the next backup reuses the file of a killed one
	o.Scratch = part + ".db"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return c, err
	}
	defer os.Remove(part) // fails if all went well, because the file was renamed
	c, err = sqlitestore.Backup(ctx, store, f, o)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return c, err
	}
	return c, folder.Rename(part, name)
}

// scratched calls do, with a temporary file in o for the copy of the database. The file is in the folder beside: a
// folder for temporary files is often in memory.
func scratched(o *sqlitestore.BackupOptions, beside string, do func() (sqlitestore.Contents, error),
) (sqlitestore.Contents, error) {
	dir, err := os.MkdirTemp(beside, "tidemark-backup-")
	if err != nil {
		return sqlitestore.Contents{}, err
	}
	defer os.RemoveAll(dir)
	o.Scratch = filepath.Join(dir, "state.db")
	return do()
}

// contentsText lists what a backup contains.
func contentsText(c sqlitestore.Contents) string {
	return fmt.Sprintf("%s, %s and %s (%s)", words.Count(c.Rows, "row"), words.Count(c.Messages, "message"),
		words.Count(c.Blobs, "snapshot"), terminal.Megabytes(c.Bytes))
}

// bytes shows progress in megabytes.
func (b *bars) bytes(doing string, done, total int64) {
	b.show(transfer.Progress{Doing: doing, Name: "(MB)", Done: int(done >> 20), Total: max(1, int(total>>20))})
}
