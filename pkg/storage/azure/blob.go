package azure

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"iter"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Container = (*blobs)(nil)

type blobs struct {
	name    string
	bad     error // the error if the name is not allowed
	client  *container.Client
	maxBlob int64
}

func (c *blobs) failure(err error) error { return failure("container "+c.name, err) }

// Create makes the container if it is missing.
func (c *blobs) Create(ctx context.Context) error {
	if c.bad != nil {
		return c.bad
	}
	return c.failure(send(ctx, Blob, func(ctx context.Context) error {
		_, err := c.client.Create(ctx, nil)
		if codeOf(err) == "ContainerAlreadyExists" {
			return nil
		}
		return err
	}))
}

func (c *blobs) check(name string) error {
	if c.bad != nil {
		return c.bad
	}
	return storage.CheckBlobName(name)
}

// Put writes a blob once.
func (c *blobs) Put(ctx context.Context, name string, b storage.Blob) (created bool, err error) {
	if err := c.check(name); err != nil {
		return false, err
	}
	if err := storage.CheckBlob(b); err != nil {
		return false, err
	}
	if int64(len(b.Body)) > c.maxBlob {
		return false, c.tooLarge()
	}
	token := rand.Text()[:16]
	upload := call{service: Blob}
	err = upload.send(ctx, func(ctx context.Context) error {
		_, err := c.client.NewBlockBlobClient(name).Upload(ctx, streaming.NopCloser(bytes.NewReader(b.Body)),
			uploadOptions(b, token))
		return err
	})
	if code := codeOf(err); code != "BlobAlreadyExists" && code != "ConditionNotMet" {
		return err == nil, c.failure(err)
	}
	if !upload.retried() {
		return false, nil
	}
	// An earlier try of this call may have written the blob.
	_, metadata, err := c.properties(ctx, name)
	return metadata[storage.TokenProperty] == token, err
}

func (c *blobs) tooLarge() error {
	return fault.New(fault.TooLarge, "container %s: blob of more than %d bytes", c.name, c.maxBlob)
}

func uploadOptions(b storage.Blob, token string) *blockblob.UploadOptions {
	b.ContentType = cmp.Or(b.ContentType, storage.DefaultContentType)
	none := azcore.ETagAny
	metadata := map[string]*string{storage.TokenProperty: &token}
	for k, v := range b.Metadata {
		metadata[k] = &v
	}
	return &blockblob.UploadOptions{
		HTTPHeaders: &blob.HTTPHeaders{BlobContentType: &b.ContentType},
		Metadata:    metadata,
		AccessConditions: &blob.AccessConditions{
			ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: &none},
		},
	}
}

// folded restores the lower case of metadata keys, because their case changes in headers.
func folded(m map[string]*string) map[string]string {
	f := make(map[string]string, len(m))
	for k, v := range m {
		f[strings.ToLower(k)] = value(v)
	}
	return f
}

// Get reads a blob.
func (c *blobs) Get(ctx context.Context, name string) (b storage.Blob, err error) {
	if err := c.check(name); err != nil {
		return b, err
	}
	err = send(ctx, Blob, func(ctx context.Context) error {
		resp, err := c.client.NewBlobClient(name).DownloadStream(ctx, nil)
		if err != nil {
			return err
		}
		reader := resp.NewRetryReader(ctx, nil)
		defer reader.Close()
		b.ContentType, b.Metadata = value(resp.ContentType), folded(resp.Metadata)
		delete(b.Metadata, storage.TokenProperty)
		b.Body, err = c.read(reader, value(resp.ContentLength))
		return err
	})
	if err != nil {
		return storage.Blob{}, c.failure(err)
	}
	return b, nil
}

// read reads a body up to the limit, whatever length the answer declares.
func (c *blobs) read(r io.Reader, length int64) ([]byte, error) {
	if length > c.maxBlob {
		return nil, c.tooLarge()
	}
	var body bytes.Buffer
	body.Grow(int(max(length, 0)) + bytes.MinRead)
	n, err := body.ReadFrom(io.LimitReader(r, c.maxBlob+1))
	if n > c.maxBlob {
		return nil, c.tooLarge()
	}
	return body.Bytes(), err
}

// Exists reports whether a blob exists.
func (c *blobs) Exists(ctx context.Context, name string) (bool, error) {
	exists, _, err := c.properties(ctx, name)
	return exists, err
}

// properties requests the properties of a blob. The answer to a HEAD request has no body, so only the error code in
// the header distinguishes a missing container from a missing blob.
func (c *blobs) properties(ctx context.Context, name string) (exists bool, metadata map[string]string, err error) {
	if err := c.check(name); err != nil {
		return false, nil, err
	}
	err = send(ctx, Blob, func(ctx context.Context) error {
		resp, err := c.client.NewBlobClient(name).GetProperties(ctx, nil)
		metadata = folded(resp.Metadata)
		return err
	})
	if err = c.failure(err); fault.Is(err, fault.NotFound) {
		return false, nil, nil
	}
	return err == nil, metadata, err
}

// Delete removes a blob.
func (c *blobs) Delete(ctx context.Context, name string) error {
	if err := c.check(name); err != nil {
		return err
	}
	err := c.failure(send(ctx, Blob, func(ctx context.Context) error {
		_, err := c.client.NewBlobClient(name).Delete(ctx, nil)
		return err
	}))
	return fault.Except(err, fault.NotFound)
}

// List yields names, page by page.
func (c *blobs) List(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if c.bad != nil {
			yield("", c.bad)
			return
		}
		pager := c.client.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Prefix: &prefix})
		for pager.More() {
			var page container.ListBlobsFlatResponse
			err := send(ctx, Blob, func(ctx context.Context) (err error) {
				page, err = pager.NextPage(ctx)
				return err
			})
			if err != nil {
				yield("", c.failure(err))
				return
			}
			if page.Segment == nil {
				continue
			}
			for _, item := range page.Segment.BlobItems {
				if !yield(value(item.Name), nil) {
					return
				}
			}
		}
	}
}
