package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"golang.org/x/sync/errgroup"
)

// numbered is a blob's line with its line number.
type numbered struct {
	line int
	blobLine
}

// inBatches calls fn with batches of the blobs in a container's file, starting after the line with number skip.
func (i *importing) inBatches(c contents, skip int, fn func([]numbered) error) error {
	file := containerFile(c.Name)
	var batch []numbered
	for line, l := range lines(i.dir, file) {
		if l.err != nil {
			return l.err
		}
		if line <= skip {
			continue
		}
		b, err := decodeBlob(l.text)
		if err != nil {
			return at(file, line, err)
		}
		if batch = append(batch, numbered{line, b}); len(batch) == blobBatch {
			if err := fn(batch); err != nil {
				return err
			}
			batch = nil
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return fn(batch)
}

// each calls fn for the blobs of a batch, a few blobs at once. It adds the line number to errors.
func each(ctx context.Context, c contents, batch []numbered, fn func(context.Context, blobLine) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, b := range batch {
		g.Go(func() error {
			if err := fn(ctx, b.blobLine); err != nil {
				return at(containerFile(c.Name), b.line, err)
			}
			return nil
		})
	}
	return g.Wait()
}

func (i *importing) writeBlobs(ctx context.Context, c contents) error {
	file, container := containerFile(c.Name), i.store.Container(c.Name)
	done := i.point.Done[file]
	i.report.Found += min(done, c.Lines)
	var mu sync.Mutex // guards the report
	return i.inBatches(c, done, func(batch []numbered) error {
		err := each(ctx, c, batch, func(ctx context.Context, l blobLine) error {
			found, replaced, err := i.writeBlob(ctx, container, c.Name, l)
			mu.Lock()
			defer mu.Unlock()
			i.report.Found, i.report.Replaced = i.report.Found+found, i.report.Replaced+replaced
			return err
		})
		if err != nil {
			return err
		}
		last := batch[len(batch)-1].line
		i.o.progress("importing", c.Name, last, c.Lines)
		return i.point.reach(i.dir, file, last)
	})
}

func (i *importing) writeBlob(
	ctx context.Context, c storage.Container, name string, l blobLine,
) (found, replaced int, err error) {
	b, err := l.body(i.dir, name)
	if err != nil {
		return 0, 0, err
	}
	created, err := c.Put(ctx, l.Name, b)
	if err != nil || created {
		return 0, 0, err
	}
	old, err := c.Get(ctx, l.Name)
	switch {
	case err != nil:
		return 0, 0, err
	case l.same(old):
		return 1, 0, nil
	case !i.o.Overwrite:
		return 0, 0, fault.New(fault.Conflict, "blob %s is in the store with other content", l.Name)
	}
	if err := c.Delete(ctx, l.Name); err != nil {
		return 0, 0, err
	}
	created, err = c.Put(ctx, l.Name, b)
	if err == nil && !created {
		err = fault.New(fault.Conflict, "blob %s was written by somebody else", l.Name)
	}
	return 0, 1, err
}

// verifyBlobs reads every blob back.
func (i *importing) verifyBlobs(ctx context.Context, c contents) error {
	container, have := i.store.Container(c.Name), 0
	for _, err := range container.List(ctx, "") {
		if err != nil {
			return err
		}
		have++
	}
	if have != c.Lines {
		return differs("container %s has %d blobs, the folder has %d", c.Name, have, c.Lines)
	}
	return i.inBatches(c, 0, func(batch []numbered) error {
		for _, l := range batch {
			i.report.Blobs, i.report.Bytes = i.report.Blobs+1, i.report.Bytes+l.Bytes
		}
		i.o.progress("verifying", c.Name, batch[len(batch)-1].line, c.Lines)
		return each(ctx, c, batch, func(ctx context.Context, l blobLine) error {
			b, err := container.Get(ctx, l.Name)
			if fault.Is(err, fault.NotFound) {
				return differs("blob %s is not in the store", l.Name)
			}
			if err == nil && !l.same(b) {
				err = differs("blob %s is another in the store", l.Name)
			}
			if err != nil {
				return fmt.Errorf("blob %s: %w", l.Name, err)
			}
			return nil
		})
	})
}

// blobLine describes a blob in a line of JSON. The bytes of the blob are in a separate file.
type blobLine struct {
	Name        string            `json:"name"`
	ContentType string            `json:"contentType"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Bytes       int64             `json:"bytes"`
	SHA256      string            `json:"sha256"` // digest of the bytes
}

func blobLineOf(name string, b storage.Blob) blobLine {
	l := blobLine{Name: name, ContentType: b.ContentType, Bytes: int64(len(b.Body)), SHA256: digestOf(b.Body)}
	if len(b.Metadata) > 0 {
		l.Metadata = maps.Clone(b.Metadata)
	}
	return l
}

// encode returns the line. It cannot fail, because strings and numbers can always be encoded.
func (l blobLine) encode() []byte {
	text, _ := json.Marshal(l)
	return text
}

// decodeBlob decodes only the exact output of encode. All errors are Invalid.
func decodeBlob(text []byte) (blobLine, error) {
	var l blobLine
	if err := strictJSON(text, &l); err != nil {
		return l, err
	}
	if !bytes.Equal(l.encode(), text) {
		return l, fault.New(fault.Invalid, "the line is not as it was written")
	}
	if l.Bytes < 0 || l.Bytes > storage.MaxBlobBytes {
		return l, fault.New(fault.Invalid, "a blob of %d bytes, not 0 to %d", l.Bytes, storage.MaxBlobBytes)
	}
	if err := storage.CheckBlobName(l.Name); err != nil {
		return l, err
	}
	return l, storage.CheckBlob(storage.Blob{ContentType: l.ContentType, Metadata: l.Metadata})
}

// same reports whether b is the blob that the line describes.
func (l blobLine) same(b storage.Blob) bool {
	return bytes.Equal(l.encode(), blobLineOf(l.Name, b).encode())
}

// body reads the blob's bytes from the folder. Errors: Invalid if the bytes do not match the line.
func (l blobLine) body(dir, container string) (storage.Blob, error) {
	file := bodyFile(container, l.Name)
	body, err := readBounded(filepath.Join(dir, filepath.FromSlash(file)), storage.MaxBlobBytes)
	if err != nil {
		return storage.Blob{}, missing(file, err)
	}
	b := storage.Blob{Body: body, ContentType: l.ContentType, Metadata: l.Metadata}
	if !l.same(b) {
		return b, fault.New(fault.Invalid, "%s: the bytes of blob %s do not match their digest", file, l.Name)
	}
	return b, nil
}

// at adds the file and the line to an error.
func at(file string, line int, err error) error {
	return fmt.Errorf("%s:%d: %w", file, line, err)
}
