package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

const exportLong = `Write all state to a folder: every source with its history, every capture and
every snapshot. "tidemark import-state" brings it into another store.

The store is the one that the environment names, as for "tidemark start". The app
must be stopped, also one that runs elsewhere on the same account. An export that
was interrupted is finished by running it again. The search index is not in the
folder.`

const importLong = `Bring the state that "tidemark export" wrote into the store that the environment
names, as for "tidemark start", and compare all of it afterwards.

The app must be stopped, and the store is best empty: what is there and equal is
passed over, what is there with other content is an error, unless --overwrite is
given. An import that was interrupted goes on where it was when it is run again.
Nothing stays locked or claimed; what is due is checked at the next start.
The search index stays in the data folder that it is in; in a new one the next
start fills it from the snapshots.`

const exportExample = `  tidemark export /var/backups/tidemark-state
  STORAGE=azurite tidemark export state`

const importExample = `  STORAGE=azurite tidemark export state && STORAGE=embedded tidemark import-state state
  AzureWebJobsStorage='DefaultEndpointsProtocol=https;…' tidemark import-state state`

func exportCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "export DIR", Short: "Write all state to a folder", Long: exportLong, Example: exportExample,
		Args: one("folder"),
	}
	onState(p, cmd, sourceKind, func(ctx context.Context, store storage.Store, dir string, plan transfer.Plan,
		o transfer.Options) (string, transfer.Report, error) {
		r, err := transfer.Export(ctx, store, dir, plan, o)
		return "exported", r, notThere(err)
	})
	return cmd
}

func importStateCommand(p *program) *cobra.Command {
	var overwrite bool
	cmd := &cobra.Command{
		Use: "import-state DIR", Short: "Bring exported state into a store", Long: importLong, Example: importExample,
		Args: one("folder"),
	}
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace what is there with other content")
	onState(p, cmd, targetKind, func(ctx context.Context, store storage.Store, dir string, plan transfer.Plan,
		o transfer.Options) (string, transfer.Report, error) {
		o.Overwrite = overwrite
		r, err := transfer.Import(ctx, dir, store, plan, o)
		if fault.Is(err, fault.Conflict) && !overwrite {
			err = fmt.Errorf("%w\nuse an empty store, or --overwrite if the folder is right and the store wrong", err)
		}
		return "imported and compared", r, err
	})
	return cmd
}

// notThere says what a missing table means here.
func notThere(err error) error {
	if fault.Is(err, fault.Unavailable) {
		return fmt.Errorf("%w\nif no app ever ran on this storage, it has no state to export", err)
	}
	return err
}

// sourceKind is the storage to export: one that has something.
func sourceKind(p *program, data string) (string, error) {
	kind, err := storageOf(p, data)
	if err == nil && kind == embedded && !hasEmbedded(data) { // opening it would make it
		err = fmt.Errorf("%s is not there: no app ever ran on the embedded store of this data folder, "+
			"so it has no state to export", app.StoreFolder(data))
	}
	return kind, err
}

// targetKind is the storage to import into, whatever else the folder has.
func targetKind(p *program, _ string) (string, error) { return storageKind(p) }

// mover exports or imports, and names what it did.
type mover func(context.Context, storage.Store, string, transfer.Plan,
	transfer.Options) (did string, r transfer.Report, err error)

// onState has cmd run move on the store of the environment, which choose tells for a data folder.
func onState(p *program, cmd *cobra.Command, choose func(p *program, data string) (string, error), move mover) {
	var e emulatorOptions
	read := emulatorFlags(p, cmd.Flags(), &e)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := read(); err != nil {
			return err
		}
		kind, err := choose(p, e.data)
		if err != nil {
			return err
		}
		return moveState(cmd.Context(), p, kind, e, args[0], move, realParts())
	}
}

// moveState opens the store with nobody else on it, as far as can be known here, and moves.
func moveState(ctx context.Context, p *program, kind string, eo emulatorOptions, dir string, move mover,
	parts parts) error {
	cfg, err := app.Load(p.getenv)
	if err != nil {
		return err
	}
	l := &local{parts: parts, emulation: emulation{
		p: p, options: eo, launch: parts.azurite, tell: p.note, storage: kind,
	}}
	locks := []string{appLock}
	if kind == ownAzurite {
		locks = []string{appLock, azuriteLock}
	}
	if err := l.open(slog.LevelWarn, locks...); err != nil {
		return err
	}
	defer l.close()
	if kind == ownAzurite {
		if err := l.emulation.start(ctx); err != nil {
			return err
		}
		defer l.emulation.stop()
	}
	store, err := l.openStore(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	return moveShown(ctx, p, store, dir, app.StatePlan(cfg), move)
}

// moveShown shows progress, where there is somebody to see it, and sums up.
func moveShown(ctx context.Context, p *program, store storage.Store, dir string, plan transfer.Plan, move mover) error {
	bars := &bars{p: p}
	did, r, err := move(ctx, store, dir, plan, transfer.Options{Progress: bars.show})
	bars.bar.end()
	if err != nil {
		return err
	}
	if did += fmt.Sprintf(" %s and %s (%d bytes)", words.Count(r.Rows, "row"), words.Count(r.Blobs, "snapshot"),
		r.Bytes); r.Found+r.Replaced > 0 {
		did += fmt.Sprintf("; %d were there already, %d were replaced", r.Found, r.Replaced)
	}
	p.say("%s", did)
	return nil
}

// bars show one progress bar after the other.
type bars struct {
	p    *program
	what string
	bar  *bar
}

func (b *bars) show(s transfer.Progress) {
	if what := s.Doing + " " + s.Name; what != b.what {
		b.bar.end()
		b.what, b.bar = what, b.p.bar(s.Total, what)
	}
	b.bar.at(s.Done)
}
