package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"hash/crc32"
	"io/fs"
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Container = (*container)(nil)

type container struct{ *gate }

// blobRow is the row of a blob.
type blobRow struct {
	file        string
	size        int64
	sum         int64
	contentType string
	metadata    []byte
	small       bool // the body is in the row, not in a file
}

// Put writes a blob once.
func (c *container) Put(ctx context.Context, name string, b storage.Blob) (created bool, err error) {
	if err := c.checkPut(name, b); err != nil {
		return false, err
	}
	id, err := c.ready(ctx)
	if err != nil {
		return false, err
	}
	if len(b.Body) <= maxSmall {
		created, _, err = c.insert(ctx, id, name, body{file: fileName(name)}, b)
		return created && err == nil, err
	}
	if taken, err := c.find(ctx, id, name); err != nil || taken != nil {
		return false, err
	}
	f, err := c.s.bodies.write(c.name, name, b.Body)
	if err != nil {
		_ = f.discard()
		return false, c.s.kinded(ctx, err)
	}
	return c.publish(ctx, id, name, f, b)
}

// insert writes a blob's row, with its body if it is small, unless the name exists. Otherwise f is the file with the
// body. If the write is deferred, the marker of the file is removed when the row is durable. If begun is false, the
// row does not exist.
func (c *container) insert(ctx context.Context, id int64, name string, f body, b storage.Blob) (created, begun bool,
	err error) {
	row := rowOf(b)
	var inside any
	if row.small {
		inside = append([]byte{}, b.Body...) // not nil, because SQLite would store nil as NULL
	}
	j := &job{deferred: storage.IsDeferred(ctx), changes: target{id, name}}
	j.do = func(t *tx) error {
		if !t.again {
			begun = true
		}
		if !row.small && (!t.again || created) {
			// While this transaction runs, no other process can remove the body.
			if err := f.stillPending(); err != nil {
				return err
			}
		}
		n, err := t.exec("INSERT INTO blobs (container, name, file, size, sum, type, metadata, body) VALUES (?, ?, ?, ?, ?, "+
			"?, ?, ?) ON CONFLICT (container, name) DO NOTHING",
			id, name, f.file, row.size, row.sum, row.contentType, row.metadata, inside)
		if t.again && created != (n == 1) {
			return fault.New(fault.Conflict, "another process has put or deleted the blob")
		}
		if !t.again {
			created = n == 1
		}
		return err
	}
	if !row.small && j.deferred {
		j.durable = func() { _ = f.clearPending() } // if the marker stays, one more examination is needed later
	}
	err = c.s.submit(ctx, j)
	return created, begun, err
}

func (c *container) checkPut(name string, b storage.Blob) error {
	if err := storage.CheckBlobName(name); err != nil {
		return err
	}
	if err := storage.CheckBlob(b); err != nil {
		return err
	}
	return c.fits(int64(len(b.Body)))
}

func (c *container) fits(size int64) error {
	if size > c.s.maxBlob {
		return fault.New(fault.TooLarge, "blob of %d bytes, more than %d", size, c.s.maxBlob)
	}
	return nil
}

// publish makes a file the body of a blob, unless another blob got the name first.
func (c *container) publish(
	ctx context.Context, id int64, name string, f body, b storage.Blob,
) (created bool, err error) {
	created, begun, err := c.insert(ctx, id, name, f, b)
	switch {
	case err != nil && begun:
		return false, err // it is unknown whether the row exists, so the marker stays for removeLeftovers
	case err != nil || !created:
		_ = f.discard()
		return false, err
	case !storage.IsDeferred(ctx):
		_ = f.clearPending() // if the marker stays, one more examination is needed later
	}
	return true, nil
}

func rowOf(b storage.Blob) blobRow {
	r := blobRow{size: int64(len(b.Body)), sum: int64(crc32.Checksum(b.Body, checksums)), contentType: b.ContentType,
		small: len(b.Body) <= maxSmall}
	r.contentType = cmp.Or(r.contentType, storage.DefaultContentType)
	props := storage.Properties{}
	for key, value := range b.Metadata {
		props[key] = value
	}
	r.metadata = encodeProps(props)
	return r
}

// find returns the row of a blob, or nil if the blob does not exist.
func (c *container) find(ctx context.Context, id int64, name string) (*blobRow, error) {
	if err := c.s.flushFor(ctx, id, name); err != nil {
		return nil, err
	}
	var r blobRow
	err := c.s.read.Row(ctx,
		"SELECT file, size, sum, type, metadata, body IS NOT NULL FROM blobs WHERE container = ? AND name = ?",
		[]any{id, name},
		&r.file, &r.size, &r.sum, &r.contentType, &r.metadata, &r.small)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, c.s.kinded(ctx, err)
	}
	return &r, nil
}

// lookup checks the name of a blob and then finds its row as find does.
func (c *container) lookup(ctx context.Context, name string) (id int64, r *blobRow, err error) {
	if err := storage.CheckBlobName(name); err != nil {
		return 0, nil, err
	}
	if id, err = c.ready(ctx); err != nil {
		return 0, nil, err
	}
	r, err = c.find(ctx, id, name)
	return id, r, err
}

// Get reads a blob.
func (c *container) Get(ctx context.Context, name string) (storage.Blob, error) {
	id, r, err := c.lookup(ctx, name)
	for {
		if err != nil {
			return storage.Blob{}, err
		}
		if r == nil {
			return storage.Blob{}, fault.New(fault.NotFound, "no such blob")
		}
		if err := c.fits(r.size); err != nil {
			return storage.Blob{}, err
		}
		f := c.s.bodies.body(c.name, r.file)
		data, readErr := c.read(ctx, r, f)
		if readErr == nil {
			b, err := r.blob(data)
			return b, c.s.kinded(ctx, err)
		}
		// A process that deletes a blob first removes the row of the blob, and then its file.
		was := r.file
		if r, err = c.find(ctx, id, name); err == nil && r != nil && r.file == was {
			return storage.Blob{}, c.badBody(ctx, name, r, f, readErr)
		}
	}
}

// read reads a blob's body. It returns fs.ErrNotExist if the body no longer exists.
func (c *container) read(ctx context.Context, r *blobRow, f body) (data []byte, err error) {
	if !r.small {
		return f.read(r.size, uint32(r.sum))
	}
	err = c.s.read.Row(ctx, "SELECT body FROM blobs WHERE file = ?", []any{r.file}, &data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, err
	case int64(len(data)) != r.size || crc32.Checksum(data, checksums) != uint32(r.sum):
		return nil, errDamagedBody
	}
	return data, nil
}

func (r *blobRow) blob(data []byte) (storage.Blob, error) {
	props, err := decodeProps(r.metadata, nil)
	if err != nil {
		return storage.Blob{}, err
	}
	b := storage.Blob{Body: data, ContentType: r.contentType}
	for key, value := range props {
		text, ok := value.(string)
		if !ok {
			return storage.Blob{}, errDamagedRow
		}
		if b.Metadata == nil {
			b.Metadata = map[string]string{}
		}
		b.Metadata[key] = text
	}
	return b, nil
}

func (c *container) badBody(ctx context.Context, name string, r *blobRow, f body, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errDamagedBody) {
		return c.s.kinded(ctx, err)
	}
	path := f.path
	if r.small {
		path = c.s.file.Path
	}
	c.s.log.Error("blob damaged", "container", c.name, "blob", name, "path", path, "err", err)
	return fault.New(fault.Unavailable, "blob %s of %s is damaged: restore %s from a backup, or delete the blob (%w)",
		name, c.name, path, err)
}

// Exists reports whether a blob exists.
func (c *container) Exists(ctx context.Context, name string) (bool, error) {
	_, r, err := c.lookup(ctx, name)
	return r != nil, err
}

// Delete removes a blob.
func (c *container) Delete(ctx context.Context, name string) error {
	id, r, err := c.lookup(ctx, name)
	if err != nil || r == nil {
		return err
	}
	f := c.s.bodies.body(c.name, r.file)
	if !r.small {
		if err := f.setPending(); err != nil {
			return c.s.kinded(ctx, err)
		}
	}
	// If another blob was put under the same name in the meantime, that blob stays, because it is newer than this
	// call.
	err = c.s.write(ctx, func(t *tx) error {
		_, err := t.exec("DELETE FROM blobs WHERE container = ? AND name = ? AND file = ?", id, name, r.file)
		return err
	})
	if err != nil || r.small || c.s.bodies.held() {
		return err // the marker stays for removeLeftovers
	}
	if err := f.discard(); err != nil {
		c.s.log.Warn("body of a deleted blob not removed", "path", f.path, "err", err)
	}
	return nil
}

// List yields names, page by page.
func (c *container) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for from, more := prefix, true; more; {
			names, err := c.names(ctx, from)
			if err != nil {
				yield("", err)
				return
			}
			for _, name := range names {
				if !strings.HasPrefix(name, prefix) || !yield(name, nil) {
					return
				}
			}
			if more = len(names) == storage.MaxPage; more {
				from = after(names[len(names)-1])
			}
		}
	}
}

// names reads a page of names, starting at the given name.
func (c *container) names(ctx context.Context, from string) (names []string, err error) {
	id, err := c.ready(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.s.flushFor(ctx, id, ""); err != nil {
		return nil, err
	}
	const query = "SELECT name FROM blobs WHERE container = ? AND name >= ? ORDER BY name LIMIT ?"
	var name string
	for err := range c.s.read.Rows(ctx, query, []any{id, from, storage.MaxPage}, &name) {
		if err != nil {
			return nil, c.s.kinded(ctx, err)
		}
		names = append(names, name)
	}
	return names, nil
}
