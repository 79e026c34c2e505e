package file

import (
	"context"

	azfile "github.com/Azure/azure-sdk-for-go/sdk/storage/azfile/file"
)

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
