package file

import (
	"context"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
)

// openBlob requests a blob if it has changed since its properties were last read. Properties and bytes come in one
// answer, so they belong together. If the connection breaks, the SDK resumes with If-Match.
func (c *Client) openBlob(ctx context.Context, r Request) (stream, error) {
	client, err := c.blobClient(r)
	if err != nil {
		return stream{}, err
	}
	var o blob.DownloadStreamOptions
	if r.Known.ETag != "" {
		o.AccessConditions = onlyIf(blob.ModifiedAccessConditions{IfNoneMatch: quoted(r.Known.ETag)})
	}
	var answer *http.Response
	resp, err := client.DownloadStream(runtime.WithCaptureResponse(ctx, &answer), &o)
	if err != nil {
		return stream{}, refused(r.Location, err)
	}
	if answer.StatusCode == http.StatusNotModified { // the SDK treats status 304 as a success
		return stream{Info: r.Known}, resp.Body.Close()
	}
	return stream{
		Info:     properties(resp.ETag, resp.LastModified, resp.ContentLength, resp.ContentType),
		encoding: text(resp.ContentEncoding),
		body:     resp.NewRetryReader(ctx, &blob.RetryReaderOptions{EarlyCloseAsError: true}),
		failure:  func(err error) error { return refused(r.Location, err) },
	}, nil
}

func onlyIf(c blob.ModifiedAccessConditions) *blob.AccessConditions {
	return &blob.AccessConditions{ModifiedAccessConditions: &c}
}

func (c *Client) blobClient(r Request) (*blob.Client, error) {
	d, err := c.door(r.Location, r.Credential)
	if err != nil {
		return nil, err
	}
	o := &blob.ClientOptions{ClientOptions: c.clientOptions()}
	return connect(d, o, blob.NewClient, blob.NewSharedKeyCredential, blob.NewClientWithSharedKeyCredential,
		blob.NewClientWithNoCredential)
}

// list yields the blobs of a container until yield returns false.
func (c *Client) list(ctx context.Context, folder Location, credential string, yield func(Entry) bool) error {
	client, err := c.containerClient(folder, credential)
	if err != nil {
		return err
	}
	o := container.ListBlobsFlatOptions{MaxResults: &c.page}
	if folder.name != "" {
		prefix := folder.name + "/"
		o.Prefix = &prefix
	}
	for pager := client.NewListBlobsFlatPager(&o); pager.More(); {
		page, err := c.nextPage(ctx, pager)
		if err != nil {
			return refused(folder, err)
		}
		if page.Segment == nil {
			continue
		}
		for _, item := range page.Segment.BlobItems {
			if e, ok := entry(folder, item); ok && !yield(e) {
				return nil
			}
		}
	}
	return nil
}

func (c *Client) nextPage(ctx context.Context,
	pager *runtime.Pager[container.ListBlobsFlatResponse]) (container.ListBlobsFlatResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	return pager.NextPage(ctx)
}

// entry returns the entry of a blob, and whether the blob can be a source. Names that end in a slash are folders by
// convention, and accounts with a hierarchical namespace list their folders, too.
func entry(folder Location, item *container.BlobItem) (Entry, bool) {
	if item.Name == nil || item.Properties == nil || strings.HasSuffix(*item.Name, "/") {
		return Entry{}, false
	}
	p := item.Properties
	place, err := folder.named(*item.Name)
	switch {
	case text(p.ResourceType) == "directory", err == nil && place.Whole():
		return Entry{}, false
	case err != nil:
		return Entry{Refused: err}, true
	}
	return Entry{Location: place, Info: properties(p.ETag, p.LastModified, p.ContentLength, p.ContentType)}, true
}

// containerClient opens a container with the credential of the folder. A credential for a folder lists only that
// folder.
func (c *Client) containerClient(folder Location, credential string) (*container.Client, error) {
	d, err := c.door(folder, credential)
	if err != nil {
		return nil, err
	}
	_, query, signed := strings.Cut(d.address, "?")
	folder.name = ""
	if d.address = folder.String(); signed {
		d.address += "?" + query
	}
	o := &container.ClientOptions{ClientOptions: c.clientOptions()}
	return connect(d, o, container.NewClient, container.NewSharedKeyCredential, container.NewClientWithSharedKeyCredential,
		container.NewClientWithNoCredential)
}
