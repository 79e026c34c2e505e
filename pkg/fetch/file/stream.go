package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	azfile "github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/file"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// stream is an open file: its properties, and its bytes unless the file is unchanged.
type stream struct {
	Info
	encoding string
	body     io.ReadCloser // nil when the file is unchanged
	// unchanged checks whether Info still describes the bytes that were read. It is nil if the store guarantees that.
	unchanged func(ctx context.Context) error
	// failure gives an error of body its kind of package fault.
	failure func(error) error
}

// read reads the whole stream. It keeps the bytes if they are no longer than limit. Its use of memory does not grow
// with the file beyond that.
func (s stream) read(ctx context.Context, limit int64) (Response, error) {
	resp := Response{Info: s.Info, Encoding: s.encoding}
	sum, body := sha256.New(), io.Reader(inTime{ctx, s.body})
	var read int64
	if s.Length <= limit {
		kept, err := keep(io.TeeReader(body, sum), s.Length, limit)
		if err != nil {
			return Response{}, s.failed(ctx, err)
		}
		if read = int64(len(kept)); read <= limit {
			resp.Body = kept
			return s.finish(ctx, resp, sum, read)
		}
	}
	// The announced length is above the limit, or it is wrong or missing.
	resp.TooLarge = true
	if s.Length > MaxHashed {
		return resp, nil
	}
	n, err := io.CopyBuffer(sum, io.LimitReader(body, MaxHashed-read), make([]byte, 64<<10))
	switch read += n; {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded), read == MaxHashed && s.Length < 0:
		return resp, nil // the file is too long to hash, so only the properties are known
	case err != nil:
		return Response{}, s.failed(ctx, err)
	}
	return s.finish(ctx, resp, sum, read)
}

// keep reads at most one byte more than limit. A wrong announced length does no harm, because it only saves copying.
func keep(r io.Reader, length, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	buf.Grow(int(min(max(length, 0), limit)) + bytes.MinRead)
	_, err := buf.ReadFrom(io.LimitReader(r, limit+1))
	return buf.Bytes(), err
}

// finish checks that the n bytes read are the file that Info describes.
func (s stream) finish(ctx context.Context, resp Response, sum hash.Hash, n int64) (Response, error) {
	if s.Length >= 0 && n != s.Length {
		return Response{}, errChanged
	}
	if s.unchanged != nil {
		if err := s.unchanged(ctx); err != nil {
			return Response{}, err
		}
	}
	resp.RawHash = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	resp.Length = n
	return resp, nil
}

func (s stream) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.Unavailable, "not read in time: %w", ctx.Err())
	}
	return s.failure(err)
}

// inTime ends reading when the context ends, because reads of files do not observe contexts.
type inTime struct {
	ctx context.Context
	r   io.Reader
}

func (t inTime) Read(p []byte) (int, error) {
	if err := t.ctx.Err(); err != nil {
		return 0, err
	}
	return t.r.Read(p)
}

// openShare requests the properties of a file in a share, and then its bytes if the file has changed. Azure Files
// ignores conditions, so the properties are read again after the bytes. If the connection breaks, the SDK continues
// to read whatever the file contains by then. Reading the properties again detects such a change, too.
func (c *Client) openShare(ctx context.Context, r Request) (stream, error) {
	client, err := c.shareClient(r)
	if err != nil {
		return stream{}, err
	}
	stand := func(ctx context.Context) (Info, error) {
		p, err := client.GetProperties(ctx, nil)
		return properties(p.ETag, p.LastModified, p.ContentLength, p.ContentType), refused(r.Location, err)
	}
	info, err := stand(ctx)
	if err != nil || info.Same(r.Known) {
		return stream{Info: info}, err
	}
	resp, err := client.DownloadStream(ctx, nil)
	if err != nil {
		return stream{}, refused(r.Location, err)
	}
	return stream{
		Info:     info,
		encoding: text(resp.ContentEncoding),
		body:     resp.NewRetryReader(ctx, &azfile.RetryReaderOptions{EarlyCloseAsError: true}),
		failure:  func(err error) error { return refused(r.Location, err) },
		unchanged: func(ctx context.Context) error {
			now, err := stand(ctx)
			if err == nil && !now.Same(info) {
				err = errChanged
			}
			return err
		},
	}, nil
}

func (c *Client) shareClient(r Request) (*azfile.Client, error) {
	d, err := c.door(r.Location, r.Credential)
	if err != nil {
		return nil, err
	}
	// The REST API accepts tokens only with this intent. The second option makes the SDK request the name exactly as
	// given.
	intent, dots := azfile.ShareTokenIntentBackup, true
	o := &azfile.ClientOptions{ClientOptions: c.clientOptions(), FileRequestIntent: &intent, AllowTrailingDot: &dots}
	return connect(d, o, azfile.NewClient, azfile.NewSharedKeyCredential, azfile.NewClientWithSharedKeyCredential,
		azfile.NewClientWithNoCredential)
}
