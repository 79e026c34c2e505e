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

// Part is a file that is open for reading from somewhere on. Its Info is that of the whole file;
// LastModified is as the store says, however young.
type Part struct {
	Info
	body    io.ReadCloser
	failure func(error) error
	settled func() error
}

// OpenAt opens a file of this machine or a blob, to be read from offset to its end for as long as
// ctx goes on. A file that is not the one with the known properties is a Conflict, unless they are
// zero. An offset at the end of the file or after it is Invalid, except 0.
func (c *Client) OpenAt(ctx context.Context, r Request, offset int64) (p *Part, err error) {
	defer fault.Wrap(&err, "read %s", r.Place)
	switch {
	case r.Place.kind == Local && r.Credential != "":
		return nil, errNoCredential()
	case r.Place.kind == Local:
		return c.localAt(r, offset)
	case r.Place.kind == Blob && !r.Place.Whole():
		return c.blobAt(ctx, r, offset)
	}
	return nil, invalid("want a file of this machine or a blob")
}

// Read reads on. Errors have kinds, Conflict for a file that changed meanwhile.
func (p *Part) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	if err != nil && err != io.EOF {
		err = p.failure(err)
	}
	return n, err
}

// Settled is a Conflict when the file is not what it was when it was opened. Blobs need no look: of a
// blob that changes nothing more can be read.
func (p *Part) Settled() error {
	if p.settled == nil {
		return nil
	}
	return changed(p.settled())
}

// Close ends reading.
func (p *Part) Close() error { return p.body.Close() }

// changed is a Conflict for a file that is another by now.
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
	p := &Part{Info: Info{LastModified: s.modified, Length: s.Length}, body: f, failure: s.failure,
		settled: func() error { return s.settled(context.Background()) }}
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
		return nil, changed(refused(r.Place, err))
	}
	info := properties(resp.ETag, resp.LastModified, resp.ContentLength, resp.ContentType)
	if info.Length >= 0 {
		info.Length += offset
	}
	if offset > 0 && info.Length <= offset { // Azurite answers such a range
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
			return changed(refused(r.Place, err))
		},
	}, nil
}

// Below reports whether a place lies in a folder: one of this machine, a container, or the beginning of
// blobs' names. Only text is compared: where links of this machine lead is for [Client.OpenAt] to say.
func (p Place) Below(folder Place) bool {
	if p.kind != folder.kind || p.service != folder.service || p.container != folder.container {
		return false
	}
	if folder.Whole() {
		return !p.Whole()
	}
	_, ok := below(strings.TrimRight(folder.name, "/"), p.name, p.windows)
	return ok
}

// Join is the file of a name below a folder, with forward slashes. The error is that of [Parse].
func (p Place) Join(name string) (Place, error) {
	name = strings.TrimLeft(name, "/")
	if p.kind == Local {
		return Parse(strings.TrimRight(p.name, "/") + "/" + name)
	}
	if p.name != "" {
		name = strings.TrimRight(p.name, "/") + "/" + name
	}
	return p.named(name)
}
