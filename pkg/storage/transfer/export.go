package transfer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// parallel is the number of blobs that are in memory at once, each of at most [storage.MaxBlobBytes].
	parallel = 4
	// blobBatch is the number of blobs that are moved between two reports of progress.
	blobBatch = 64
	// progressEvery is the number of rows that are moved between two reports of progress.
	progressEvery = 500
)

// Export writes the state of the store into the folder dir, and creates dir if it is missing. No process may write to
// the store meanwhile. Export completes an export that was interrupted. Errors: Conflict, with the folder unchanged, if
// the folder contains a finished export or other files; Unavailable if a table is missing.
func Export(ctx context.Context, store storage.Store, dir string, plan Plan, o Options) (r Report, err error) {
	defer fault.Wrap(&err, "export")
	if err := prepareFolder(dir); err != nil {
		return r, err
	}
	m := manifest{Format: format, Version: version}
	for _, name := range plan.Tables {
		c, err := exportTable(ctx, store, dir, name, plan, o)
		if err != nil {
			return r, err
		}
		m.Tables, r.Rows = append(m.Tables, c), r.Rows+c.Lines
	}
	for _, name := range plan.Containers {
		c, n, err := exportContainer(ctx, store.Container(name), dir, name, o)
		if err != nil {
			return r, err
		}
		m.Containers, r.Blobs, r.Bytes = append(m.Containers, c), r.Blobs+c.Lines, r.Bytes+n
	}
	// The manifest must be written last, because a folder with a manifest is complete.
	return r, writeWhole(filepath.Join(dir, manifestName), indented(m))
}

// prepareFolder creates the folder, or checks that it contains nothing but an unfinished export.
func prepareFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case manifestName:
			return fault.New(fault.Conflict, "%s holds a finished export: choose another folder", dir)
		case "tables", "blobs", manifestName + ".part":
		default:
			return fault.New(fault.Conflict, "%s holds %s, which is not an export's: choose an empty folder", dir, e.Name())
		}
	}
	return nil
}

func exportTable(ctx context.Context, store storage.Store, dir, name string, plan Plan, o Options) (contents, error) {
	w, err := newLines(dir, name, tableFile(name))
	if err != nil {
		return contents{}, err
	}
	defer w.drop()
	for e, err := range store.Table(name).Query(ctx, storage.Query{}) {
		if err != nil {
			return contents{}, err
		}
		e, _, _ = plan.thaw(name, e)
		line, err := encodeRow(e)
		if err == nil {
			err = w.add(line)
		}
		if err != nil {
			return contents{}, err
		}
		if w.Lines%progressEvery == 0 {
			o.progress("exporting", name, w.Lines, -1)
		}
	}
	o.progress("exporting", name, w.Lines, -1)
	return w.finish()
}

// exportContainer writes the blobs of a container. It also returns the total size of the blobs in bytes.
func exportContainer(ctx context.Context, c storage.Container, dir, name string, o Options) (contents, int64, error) {
	var names []string
	for blob, err := range c.List(ctx, "") {
		if err != nil {
			return contents{}, 0, err
		}
		names = append(names, blob)
	}
	w, err := newLines(dir, name, containerFile(name))
	if err != nil {
		return contents{}, 0, err
	}
	defer w.drop()
	var total int64
	for batch := range slices.Chunk(names, blobBatch) {
		got, err := exportBlobs(ctx, c, dir, name, batch)
		if err != nil {
			return contents{}, 0, err
		}
		for _, l := range got {
			if err := w.add(l.encode()); err != nil {
				return contents{}, 0, err
			}
			total += l.Bytes
		}
		o.progress("exporting", name, w.Lines, len(names))
	}
	done, err := w.finish()
	return done, total, err
}

func exportBlobs(ctx context.Context, c storage.Container, dir, container string, names []string) ([]blobLine, error) {
	got := make([]blobLine, len(names))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, name := range names {
		g.Go(func() (err error) {
			got[i], err = exportBlob(ctx, c, dir, container, name)
			return err
		})
	}
	return got, g.Wait()
}

// exportBlob fetches a blob unless an interrupted export has already fetched it. Blobs never change, so an existing
// file is still right. The file with the blob's line is written after the file with its bytes.
func exportBlob(ctx context.Context, c storage.Container, dir, container, name string) (blobLine, error) {
	path := filepath.Join(dir, filepath.FromSlash(bodyFile(container, name)))
	if text, err := readBounded(path+".json", maxLine); err == nil {
		if l, err := decodeBlob(text); err == nil && l.Name == name {
			if _, err := l.body(dir, container); err == nil {
				return l, nil
			}
		}
	}
	b, err := c.Get(ctx, name)
	if err != nil {
		return blobLine{}, err
	}
	l := blobLineOf(name, b)
	if err := writeWhole(path, b.Body); err != nil {
		return l, err
	}
	return l, writeNote(path+".json", l.encode())
}
