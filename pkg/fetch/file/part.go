package file

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Part is a file that was opened for reading from an offset. Its Info describes the whole file. LastModified in this
// Info is the time that the store reports, even if that time is very recent.
type Part struct {
	Info
	body      io.ReadCloser
	failure   func(error) error
	unchanged func() error
}

// OpenAt opens a file of this machine or a blob for reading from an offset to its end, until ctx ends. Errors:
// Conflict if r.Known is not zero and the file has other properties; Invalid for an offset at or beyond the end of
// the file, except 0.
func (c *Client) OpenAt(ctx context.Context, r Request, offset int64) (p *Part, err error) {
	defer fault.Wrap(&err, "read %s", r.Location)
	switch {
	case r.Location.kind == Local && r.Credential != "":
		return nil, errNoCredential()
	case r.Location.kind == Local:
		return c.localAt(r, offset)
	case r.Location.kind == Blob && !r.Location.Whole():
		return c.blobAt(ctx, r, offset)
	}
	return nil, invalid("want a file of this machine or a blob")
}

// Read reads the next bytes. Errors: Conflict if the file has changed since it was opened.
func (p *Part) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	if err != nil && err != io.EOF {
		err = p.failure(err)
	}
	return n, err
}

// Unchanged returns Conflict if the file has changed since it was opened. Blobs need no check, because once a blob
// has changed, no further byte of it can be read.
func (p *Part) Unchanged() error {
	if p.unchanged == nil {
		return nil
	}
	return changed(p.unchanged())
}

// Close releases the file.
func (p *Part) Close() error { return p.body.Close() }

// changed returns Conflict for a file that has changed.
func changed(err error) error {
	if err == errChanged {
		return fault.New(fault.Conflict, "the file has changed")
	}
	return err
}

func (c *Client) localAt(r Request, offset int64) (*Part, error) {
	known := r.Known
	r.Known = Info{}
	s, err := c.openLocal(r)
	if err != nil {
		return nil, err
	}
	f := s.body.(io.ReadSeekCloser)
	p := &Part{Info: Info{LastModified: s.LastModified, Length: s.Length}, body: f, failure: s.failure,
		unchanged: func() error { return s.unchanged(context.Background()) }}
	_, err = f.Seek(offset, io.SeekStart)
	switch {
	case err != nil:
		err = localFailure(err)
	case known != Info{} && !p.Same(known):
		err = changed(errChanged)
	case offset > 0 && offset >= p.Length:
		err = invalid("the file has %d bytes, and is to be read from %d", p.Length, offset)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return p, nil
}

func (c *Client) blobAt(ctx context.Context, r Request, offset int64) (*Part, error) {
	client, err := c.blobClient(r)
	if err != nil {
		return nil, err
	}
	o := blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: offset}}
	if r.Known.ETag != "" {
		o.AccessConditions = onlyIf(blob.ModifiedAccessConditions{IfMatch: quoted(r.Known.ETag)})
	}
	var answer *http.Response
	resp, err := client.DownloadStream(runtime.WithCaptureResponse(ctx, &answer), &o)
	if answer != nil && answer.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return nil, invalid("the blob is shorter than %d bytes", offset)
	}
	if err != nil {
		return nil, changed(refused(r.Location, err))
	}
	info := properties(resp.ETag, resp.LastModified, resp.ContentLength, resp.ContentType)
	if info.Length >= 0 {
		info.Length += offset
	}
	if offset > 0 && info.Length <= offset { // Azurite does not refuse a range beyond the end
		_ = resp.Body.Close()
		return nil, invalid("the blob has %d bytes, and is to be read from %d", info.Length, offset)
	}
	return &Part{
		Info: info,
		body: resp.NewRetryReader(ctx, &blob.RetryReaderOptions{EarlyCloseAsError: true}),
		failure: func(err error) error {
			if ctx.Err() != nil {
				return fault.New(fault.Unavailable, "not read in time: %w", ctx.Err())
			}
			return changed(refused(r.Location, err))
		},
	}, nil
}

// Below reports whether a location is in a folder: a folder of this machine, a container, or a prefix of blob names.
// It compares only the text of the locations. [Client.OpenAt] checks where links on this machine lead.
func (p Location) Below(folder Location) bool {
	if p.kind != folder.kind || p.service != folder.service || p.container != folder.container {
		return false
	}
	if folder.Whole() {
		return !p.Whole()
	}
	_, ok := below(strings.TrimRight(folder.name, "/"), p.name, p.windows)
	return ok
}

// Join returns the file with a name below a folder, with forward slashes. The error is that of [Parse].
func (p Location) Join(name string) (Location, error) {
	name = strings.TrimLeft(name, "/")
	if p.kind == Local {
		return Parse(strings.TrimRight(p.name, "/") + "/" + name)
	}
	if p.name != "" {
		name = strings.TrimRight(p.name, "/") + "/" + name
	}
	return p.named(name)
}
