package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/transfer"
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

func (p *program) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "export DIR", Short: "Write all state to a folder", Long: exportLong, Example: exportExample, Args: one("folder"),
	}
	p.onState(cmd, p.sourceKind, func(ctx context.Context, store storage.Store, dir string, plan transfer.Plan, o transfer.Options) (string, transfer.Report, error) {
		r, err := transfer.Export(ctx, store, dir, plan, o)
		return "exported", r, notThere(err)
	})
	return cmd
}

func (p *program) importStateCommand() *cobra.Command {
	var overwrite bool
	cmd := &cobra.Command{
		Use: "import-state DIR", Short: "Bring exported state into a store", Long: importLong, Example: importExample, Args: one("folder"),
	}
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "replace what is there with other content")
	p.onState(cmd, p.targetKind, func(ctx context.Context, store storage.Store, dir string, plan transfer.Plan, o transfer.Options) (string, transfer.Report, error) {
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
func (p *program) sourceKind(data string) (string, error) {
	kind, err := p.storageOf(data)
	if err == nil && kind == embedded && !hasEmbedded(data) { // opening it would make it
		err = fmt.Errorf("%s is not there: no app ever ran on the embedded store of this data folder, "+
			"so it has no state to export", app.StoreFolder(data))
	}
	return kind, err
}

// targetKind is the storage to import into, whatever else the folder has.
func (p *program) targetKind(string) (string, error) { return p.storageKind() }

// mover exports or imports, and names what it did.
type mover func(context.Context, storage.Store, string, transfer.Plan, transfer.Options) (did string, r transfer.Report, err error)

// onState has cmd run move on the store of the environment, which choose tells for a data folder.
func (p *program) onState(cmd *cobra.Command, choose func(data string) (string, error), move mover) {
	var e emulatorOptions
	read := p.emulatorFlags(cmd.Flags(), &e)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := read(); err != nil {
			return err
		}
		kind, err := choose(e.data)
		if err != nil {
			return err
		}
		return p.moveState(cmd.Context(), kind, e, args[0], move, realParts())
	}
}

// moveState opens the store with nobody else on it, as far as can be known here, and moves.
func (p *program) moveState(ctx context.Context, kind string, eo emulatorOptions, dir string, move mover, parts parts) error {
	cfg, err := app.Load(p.getenv)
	if err != nil {
		return err
	}
	l := &local{parts: parts, emulation: emulation{
		program: p, options: eo, launch: parts.azurite, tell: p.note, storage: kind,
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
	return p.move(ctx, store, dir, app.StatePlan(cfg), move)
}

// move shows progress, where there is somebody to see it, and sums up.
func (p *program) move(ctx context.Context, store storage.Store, dir string, plan transfer.Plan, move mover) error {
	var o transfer.Options
	bars := &bars{program: p}
	if p.notes.terminal {
		o.Progress = bars.show
	}
	did, r, err := move(ctx, store, dir, plan, o)
	bars.end()
	if err != nil {
		return err
	}
	if did += fmt.Sprintf(" %s and %s (%d bytes)", count(r.Rows, "row"), count(r.Blobs, "snapshot"), r.Bytes); r.Found+r.Replaced > 0 {
		did += fmt.Sprintf("; %d were there already, %d were replaced", r.Found, r.Replaced)
	}
	p.say("%s", did)
	return nil
}

// bars show one progress bar after the other.
type bars struct {
	*program
	what string
	bar  *progressbar.ProgressBar
}

func (b *bars) show(s transfer.Progress) {
	if what := s.Doing + " " + s.Name; what != b.what {
		b.end()
		b.what, b.bar = what, newBar(b.err, s.Total, what, b.notes)
	}
	b.bar.Set(s.Done)
}

func (b *bars) end() {
	if b.bar != nil {
		b.bar.Exit()
		b.bar.Clear()
		b.bar = nil
	}
}
