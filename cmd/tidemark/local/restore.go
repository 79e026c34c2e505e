package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

const restoreHelp = `restore FILE
Bring back a backup of the embedded store, or verify it

Restore what "tidemark backup" wrote. The whole file is read and verified before
anything is replaced; --check only verifies it.

Tidemark must be stopped. A data folder with a store is refused. With --force the
old store and its search index are moved to a folder whose name is printed at the
end. They can be deleted, or moved back while Tidemark is stopped.

Work that was unfinished at the time of the backup is done again; a page may be
requested once more. The first start fills the search index from the snapshots.

  tidemark restore --check tidemark.backup
  tidemark restore --data /var/lib/tidemark tidemark.backup
  tidemark restore --force tidemark.backup`

// restoreOptions are the flags of restore.
type restoreOptions struct {
	data         string
	check, force bool
}

func restoreCommand(t *terminal.Terminal, getenv func(string) string) *cobra.Command {
	var o restoreOptions
	cmd := command.New(restoreHelp, command.One("file"), func(ctx context.Context, args []string) error {
		if o.check {
			return checkBackup(ctx, t, o, args[0])
		}
		return runRestore(ctx, t, getenv, o, args[0])
	})
	folder.DataFlag(cmd.Flags(), getenv, &o.data)
	cmd.Flags().BoolVar(&o.check, "check", false, "verify FILE and change nothing")
	cmd.Flags().BoolVar(&o.force, "force", false, "move the existing store aside")
	return cmd
}

// unpack restores a backup into the folder store. When store is "", unpack only verifies the backup, with a temporary
// file in the folder scratch.
func unpack(ctx context.Context, t *terminal.Terminal, name, store, scratch string,
) (c sqlitestore.Contents, err error) {
	r, err := t.Open(name)
	if err != nil {
		return c, err
	}
	defer r.Close()
	bars := &bars{t: t}
	defer func() { bars.bar.End() }()
	o := sqlitestore.BackupOptions{Progress: bars.bytes}
	if store != "" {
		return sqlitestore.Restore(ctx, r, store, o)
	}
	return scratched(&o, scratch, func() (sqlitestore.Contents, error) { return sqlitestore.Restore(ctx, r, "", o) })
}

// checkBackup verifies a backup. Its scratch file is in the data folder, or beside the backup if there is none.
func checkBackup(ctx context.Context, t *terminal.Terminal, o restoreOptions, name string) error {
	scratch := o.data
	if !folder.Exists(scratch) {
		scratch = filepath.Dir(name)
	}
	c, err := unpack(ctx, t, name, "", scratch)
	if err != nil {
		return err
	}
	t.Say("%s is whole: %s, as of %s, by %s", name, contentsText(c), c.MadeAt.Format(time.RFC3339),
		terminal.Clean(c.MadeBy))
	return nil
}

// restoringDir is the folder in which a store is built from a backup. Nothing else uses that name, so its content may
// always be deleted.
const restoringDir = "restoring"

func runRestore(ctx context.Context, t *terminal.Terminal, getenv func(string) string, o restoreOptions,
	name string) error {
	cfg, err := app.Load(getenv)
	if err != nil {
		return err
	}
	data, err := filepath.Abs(o.data)
	if err != nil {
		return err
	}
	if err := app.MakeDataFolder(data); err != nil {
		return fmt.Errorf("--data (TIDEMARK_DATA): %w", err)
	}
	release, err := folder.Hold(data, folder.AppLock)
	if err != nil {
		return err
	}
	defer release()
	had := len(keptIn(data)) > 0
	if had && !o.force {
		return fmt.Errorf("%s has a store already: choose another folder with --data, or put that store aside with --force",
			data)
	}
	staged := filepath.Join(data, restoringDir)
	if err := os.RemoveAll(staged); err != nil {
		return err
	}
	defer os.RemoveAll(staged)
	if err := os.Mkdir(staged, 0o700); err != nil {
		return err
	}
	c, err := unpack(ctx, t, name, app.StoreFolder(staged), "")
	if err == nil {
		err = fits(ctx, cfg, staged)
	}
	if err != nil {
		return fmt.Errorf("%w\nnothing was changed", err)
	}
	aside := filepath.Join(data, "replaced-"+t.Now().UTC().Format("20060102T150405.000Z"))
	if err := exchange(data, staged, aside); err != nil {
		return err
	}
	t.Say("restored %s, as of %s, by %s", contentsText(c), c.MadeAt.Format(time.RFC3339), terminal.Clean(c.MadeBy))
	t.SayWhen(had, "what was there before is in %s", aside)
	t.Say("the first start fills the search index from the snapshots")
	return nil
}

// fits returns an error if a server with these settings would not read the store in a data folder.
func fits(ctx context.Context, cfg app.Config, data string) error {
	store, err := app.OpenStore(func(name string) string {
		return map[string]string{"STORAGE": app.Embedded, "TIDEMARK_DATA": data}[name]
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(app.CheckForm(ctx, cfg, store), store.Close())
}

// keptIn lists the paths in a data folder that a restore replaces, if they exist.
func keptIn(data string) []string {
	return slices.DeleteFunc(append(app.IndexFiles(data), app.StoreFolder(data)),
		func(path string) bool { return !folder.Exists(path) })
}

// exchange replaces the store in a data folder with the staged store. The order of the steps matters: at every moment
// one of the two stores is whole and in use, even if the process is killed. The index is moved first: a store without
// an index fills a new one, but the new store must not be searched with the old index. After the exchange, the staged
// folder holds the old store. So it is first renamed to aside, a name that no cleanup removes.
func exchange(data, staged, aside string) error {
	have := keptIn(data)
	if len(have) == 0 {
		return folder.Rename(app.StoreFolder(staged), app.StoreFolder(data))
	}
	if err := folder.Rename(staged, aside); err != nil {
		return err
	}
	for _, path := range have {
		if path == app.StoreFolder(data) {
			continue
		}
		if err := os.Rename(path, filepath.Join(aside, filepath.Base(path))); err != nil {
			return err
		}
	}
	if err := folder.Sync(data); err != nil {
		return err
	}
	if err := folder.Exchange(app.StoreFolder(aside), app.StoreFolder(data)); err != nil {
		return err
	}
	return errors.Join(folder.Sync(aside), folder.Sync(data))
}
