package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Import writes the state that [Export] wrote to dir into the store. It creates missing tables and containers. No
// other process may write to the store meanwhile.
//
// Import first checks the whole folder. If the folder is damaged, or belongs to another app, the error is Invalid and
// names file and line, and nothing is written. At the end, Import reads the store back. Errors: Conflict if a row or
// blob exists with other content, unless [Options.Overwrite] is set; also Conflict if, at the end, the store lacks
// content of the folder or has more. After any error, callers may repeat Import, which continues where it stopped.
func Import(ctx context.Context, dir string, store storage.Store, plan Plan, o Options) (r Report, err error) {
	defer fault.Wrap(&err, "import")
	m, digest, err := readManifest(dir)
	if err != nil {
		return r, err
	}
	i := &importing{dir: dir, store: store, plan: plan, o: o, m: m, want: map[string]tally{}}
	if err := i.admit(); err != nil {
		return r, err
	}
	if err := m.fits(plan); err != nil {
		return r, err
	}
	if err := i.check(ctx); err != nil {
		return r, err
	}
	i.point, err = readCheckpoint(dir, digest)
	if err != nil {
		return r, err
	}
	resumed := len(i.point.Done) > 0
	if err = i.once(ctx); resumed && errors.Is(err, errDiffers) {
		// The checkpoint may be from an import into another store, so it is ignored.
		i.point.Done = map[string]int{}
		err = i.once(ctx)
	}
	if err != nil && !errors.Is(err, errDiffers) {
		return i.report, err
	}
	// The checkpoint is also removed if the store differs, so that the next import compares from the first line.
	return i.report, errors.Join(err, i.point.remove(dir))
}

// errDiffers is in the chain of every error that reports a difference between store and folder.
var errDiffers = errors.New("the store differs from the folder")

// importing is the state of one call of Import.
type importing struct {
	dir    string
	store  storage.Store
	plan   Plan
	o      Options
	m      manifest
	want   map[string]tally // by table, the count and digest of the rows that must be present
	point  checkpoint
	report Report
}

// once writes all that is not covered by the checkpoint, and verifies the store.
func (i *importing) once(ctx context.Context) error {
	i.report = Report{}
	if err := i.create(ctx); err != nil {
		return err
	}
	// Blobs are written before rows, because rows refer to blobs, and blobs never refer to rows.
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
	tables := i.plan.Tables
	if i.plan.Hints != "" {
		tables = append(slices.Clip(tables), i.plan.Hints)
	}
	for _, name := range tables {
		if err := i.store.Table(name).Create(ctx); err != nil {
			return err
		}
	}
	for _, name := range i.plan.Containers {
		if err := i.store.Container(name).Create(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint is the progress of an import.
type checkpoint struct {
	Manifest string         `json:"manifest"` // SHA-256 of the manifest that the checkpoint belongs to
	Done     map[string]int `json:"done"`     // by file, the number of lines that are in the store
}

// readCheckpoint returns the checkpoint in a folder. If there is none, or if it belongs to another export, it returns
// an empty checkpoint.
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

// differs returns the Conflict for a difference between store and folder.
func differs(format string, args ...any) error {
	return fault.New(fault.Conflict, "%w: %s", errDiffers, fmt.Sprintf(format, args...))
}
