package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Import brings the state that [Export] wrote to dir into store, whose tables and containers are
// made when they are missing. Nothing else may write to the store meanwhile.
//
// The whole folder is checked first: when it is damaged, or another app's, the error is Invalid
// and names file and line, and nothing was written. A row or blob that is there with other content
// is a Conflict, unless [Options.Overwrite] is set. In the end the store is read back, and is a
// Conflict if it does not hold what the folder holds, or holds more. After any error Import can
// be called again and goes on where it was.
func Import(ctx context.Context, dir string, store storage.Store, plan Plan, o Options) (r Report, err error) {
	defer fault.Wrap(&err, "import")
	m, digest, err := readManifest(dir)
	if err != nil {
		return r, err
	}
	if err := m.fits(plan); err != nil {
		return r, err
	}
	i := &importing{dir: dir, store: store, plan: plan, o: o, m: m, want: map[string]tally{}}
	if err := i.check(ctx); err != nil {
		return r, err
	}
	i.point, err = readCheckpoint(dir, digest)
	if err != nil {
		return r, err
	}
	resumed := len(i.point.Done) > 0
	if err = i.once(ctx); resumed && errors.Is(err, errDiffers) {
		// The checkpoint may be of an import into another store: nothing of it is to be trusted.
		i.point.Done = map[string]int{}
		err = i.once(ctx)
	}
	if err != nil && !errors.Is(err, errDiffers) {
		return i.report, err
	}
	// A store that differs is compared from the first line on the next time.
	return i.report, errors.Join(err, i.point.remove(dir))
}

// errDiffers is in the chain of what a verification finds.
var errDiffers = errors.New("the store differs from the folder")

// importing is one call of Import.
type importing struct {
	dir    string
	store  storage.Store
	plan   Plan
	o      Options
	m      manifest
	want   map[string]tally // by table: what is to be there
	point  checkpoint
	report Report
}

// once writes everything from the checkpoint on and verifies it.
func (i *importing) once(ctx context.Context) error {
	i.report = Report{}
	if err := i.create(ctx); err != nil {
		return err
	}
	// Blobs first: a row may speak of a blob, never the other way round.
	for _, c := range i.m.Containers {
		if err := i.writeBlobs(ctx, c); err != nil {
			return err
		}
	}
	for _, c := range i.m.Tables {
		if err := i.writeTable(ctx, c); err != nil {
			return err
		}
	}
	return i.verify(ctx)
}

func (i *importing) create(ctx context.Context) error {
	var makers []func(context.Context) error
	for _, name := range i.plan.Tables {
		makers = append(makers, i.store.Table(name).Create)
	}
	if i.plan.Hints != "" {
		makers = append(makers, i.store.Table(i.plan.Hints).Create)
	}
	for _, name := range i.plan.Containers {
		makers = append(makers, i.store.Container(name).Create)
	}
	for _, make := range makers {
		if err := make(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint is how far an import has come.
type checkpoint struct {
	Manifest string         `json:"manifest"` // SHA-256 of the manifest that it belongs to
	Done     map[string]int `json:"done"`     // by file: lines that are in the store
}

// readCheckpoint starts anew when there is none, or one of another export.
func readCheckpoint(dir, manifest string) (checkpoint, error) {
	fresh := checkpoint{Manifest: manifest, Done: map[string]int{}}
	b, err := readBounded(filepath.Join(dir, checkpointName), maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return fresh, err
	}
	var c checkpoint
	if strictJSON(b, &c) != nil || c.Manifest != manifest || c.Done == nil {
		return fresh, nil
	}
	return c, nil
}

func (c checkpoint) reach(dir, file string, line int) error {
	c.Done[file] = line
	return writeNote(filepath.Join(dir, checkpointName), indented(c))
}

func (c checkpoint) remove(dir string) error {
	err := os.Remove(filepath.Join(dir, checkpointName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// differs makes a Conflict of what a verification found.
func differs(format string, args ...any) error {
	return fault.New(fault.Conflict, "%w: %s", errDiffers, fmt.Sprintf(format, args...))
}
