package mem

import (
	"context"
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Container = (*container)(nil)

type named struct {
	name string
	blob storage.Blob
}

type container struct {
	gate
	blobs sorted[*named]
}

func newBlobs() sorted[*named] {
	return sorted[*named]{key: func(n *named) string { return n.name }}
}

// Put writes a blob once.
func (c *container) Put(ctx context.Context, name string, b storage.Blob) (created bool, err error) {
	if err := storage.CheckBlobName(name); err != nil {
		return false, err
	}
	if err := storage.CheckBlob(b); err != nil {
		return false, err
	}
	if len(b.Body) > storage.MaxBlobBytes {
		return false, fault.New(fault.TooLarge, "blob of %d bytes, more than %d", len(b.Body), storage.MaxBlobBytes)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.ready(ctx); err != nil {
		return false, err
	}
	if _, taken := c.blobs.get(name); taken {
		return false, nil
	}
	if b.ContentType == "" {
		b.ContentType = storage.DefaultContentType
	}
	c.blobs.put(&named{name: name, blob: cloneBlob(b)})
	return true, nil
}

// Get reads a blob.
func (c *container) Get(ctx context.Context, name string) (storage.Blob, error) {
	n, err := c.find(ctx, name)
	if err != nil {
		return storage.Blob{}, err
	}
	if n == nil {
		return storage.Blob{}, fault.New(fault.NotFound, "no such blob")
	}
	return cloneBlob(n.blob), nil
}

// Exists reports whether a blob exists.
func (c *container) Exists(ctx context.Context, name string) (bool, error) {
	n, err := c.find(ctx, name)
	return n != nil, err
}

// find returns a blob, or nil if it does not exist.
func (c *container) find(ctx context.Context, name string) (*named, error) {
	if err := storage.CheckBlobName(name); err != nil {
		return nil, err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	n, _ := c.blobs.get(name)
	return n, nil
}

// Delete removes a blob.
func (c *container) Delete(ctx context.Context, name string) error {
	if err := storage.CheckBlobName(name); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.ready(ctx); err != nil {
		return err
	}
	c.blobs.remove(name)
	return nil
}

// List yields names, page by page.
func (c *container) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		from := prefix
		for {
			page, err := c.page(ctx, prefix, from)
			if err != nil {
				yield("", err)
				return
			}
			for _, name := range page {
				if !yield(name, nil) {
					return
				}
			}
			if len(page) < storage.MaxPage {
				return
			}
			from = page[len(page)-1] + "\x00" // the smallest name after the last one
		}
	}
}

func (c *container) page(ctx context.Context, prefix, from string) (page []string, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	c.blobs.from(from, func(n *named) bool {
		if !strings.HasPrefix(n.name, prefix) || len(page) == storage.MaxPage {
			return false
		}
		page = append(page, n.name)
		return true
	})
	return page, nil
}
