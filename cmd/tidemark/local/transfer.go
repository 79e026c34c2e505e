package local

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

const exportHelp = `export DIR
Write all state to a folder

Write all state to a folder: every source with its history, every capture and every
snapshot. "tidemark import-state" copies it into another store.

The store is the one that the environment names, as for "tidemark start". The app
must be stopped, also an app elsewhere that uses the same account. To finish an
interrupted export, run it again. The search index is not exported.

  tidemark export /var/backups/tidemark-state
  STORAGE=azurite tidemark export state`

const importHelp = `import-state DIR
Copy exported state into a store

Copy the state that "tidemark export" wrote into the store that the environment
names, as for "tidemark start", and compare all of it afterwards.

The app must be stopped, and the store should be empty. Existing data that is equal
is skipped, and existing data that differs is an error, unless --overwrite is given.
To continue an interrupted import, run it again. Nothing stays locked or claimed;
whatever is due is checked at the next start. The search index stays in its data
folder; in a new folder the next start fills it from the snapshots.

  STORAGE=azurite tidemark export state && STORAGE=embedded tidemark import-state state
  AzureWebJobsStorage='DefaultEndpointsProtocol=https;…' tidemark import-state state`

func exportCommand(t *terminal.Terminal, getenv func(string) string) *cobra.Command {
	m := moving{t, getenv, folder.Real, func(ctx context.Context, store storage.Store, dir string, plan transfer.Plan,
		o transfer.Options) (string, transfer.Report, error) {
		r, err := transfer.Export(ctx, store, dir, plan, o)
		if fault.Is(err, fault.Unavailable) {
			err = fmt.Errorf("%w\nif no app ever ran on this storage, it has no state to export", err)
		}
		return "exported", r, err
	}}
	return m.command(exportHelp, func(data string) (string, error) { return sourceKind(t, getenv, data) })
}

func importStateCommand(t *terminal.Terminal, getenv func(string) string) *cobra.Command {
	overwrite := false
	m := moving{t, getenv, folder.Real, func(ctx context.Context, store storage.Store, dir string, plan transfer.Plan,
		o transfer.Options) (string, transfer.Report, error) {
		o.Overwrite = overwrite
		r, err := transfer.Import(ctx, dir, store, plan, o)
		if fault.Is(err, fault.Conflict) && !overwrite {
			err = fmt.Errorf("%w\nuse an empty store, or --overwrite if the folder is right and the store wrong", err)
		}
		return "imported and compared", r, err
	}}
	// The kind does not depend on the state in the folder.
	cmd := m.command(importHelp, func(string) (string, error) { return folder.KindOf(getenv) })
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace existing data that differs")
	return cmd
}

// sourceKind returns the kind of the storage to export, which must not be empty.
func sourceKind(t *terminal.Terminal, getenv func(string) string, data string) (string, error) {
	kind, err := folder.KindIn(t, getenv, data)
	if err == nil && kind == folder.Embedded && !folder.HasEmbedded(data) { // opening the store would create it
		err = fmt.Errorf("%s is not there: no app ever ran on the embedded store of this data folder, "+
			"so it has no state to export", app.StoreFolder(data))
	}
	return kind, err
}

// A mover exports or imports, and returns the verb to use in the summary.
type mover func(context.Context, storage.Store, string, transfer.Plan,
	transfer.Options) (did string, r transfer.Report, err error)

// moving is an export from the store of this machine, or an import into it.
type moving struct {
	t        *terminal.Terminal
	getenv   func(string) string
	services folder.Services
	do       mover
}

// command returns the command of the move. The function choose returns the kind of storage of a data folder.
func (m moving) command(help string, choose func(data string) (kind string, err error)) *cobra.Command {
	return folder.Command(help, command.One("folder"), m.getenv,
		func(ctx context.Context, o folder.Options, args []string) error {
			kind, err := choose(o.Data)
			if err != nil {
				return err
			}
			return m.run(ctx, kind, o, args[0])
		})
}

// run opens the store and moves the state. It locks the store against other processes of this machine.
func (m moving) run(ctx context.Context, kind string, o folder.Options, dir string) error {
	return folder.OnStore(ctx, m.t, m.getenv, m.services, kind, o, func(ctx context.Context, _ *folder.Folder,
		cfg app.Config, store storage.Store) error {
		return m.shown(ctx, store, dir, app.StatePlan(cfg))
	})
}

// shown moves the state, shows progress on a terminal, and prints a summary.
func (m moving) shown(ctx context.Context, store storage.Store, dir string, plan transfer.Plan) error {
	bars := &bars{t: m.t}
	did, r, err := m.do(ctx, store, dir, plan, transfer.Options{Progress: bars.show})
	bars.bar.End()
	if err != nil {
		return err
	}
	m.t.Say("%s %s and %s (%d bytes)%s", did, words.Count(r.Rows, "row"),
		words.Count(r.Blobs, "snapshot"), r.Bytes,
		terminal.When(r.Found+r.Replaced > 0, "; %d were there already, %d were replaced", r.Found, r.Replaced))
	return nil
}

// bars show one progress bar after another.
type bars struct {
	t    *terminal.Terminal
	what string
	bar  *terminal.Bar
}

func (b *bars) show(s transfer.Progress) {
	if what := s.Doing + " " + s.Name; what != b.what {
		b.bar.End()
		b.what, b.bar = what, b.t.Bar(s.Total, what)
	}
	b.bar.At(s.Done)
}

// MoveCommands returns the commands that copy the state of Tidemark: backup, restore, export and import-state. They
// make backups of the embedded store while it is in use, and replace data only after the new data was read and
// verified. The version is that of this program; backups record it.
func MoveCommands(t *terminal.Terminal, getenv func(string) string, version string) []*cobra.Command {
	return []*cobra.Command{
		backupCommand(t, getenv, version), restoreCommand(t, getenv), exportCommand(t, getenv), importStateCommand(t, getenv),
	}
}
