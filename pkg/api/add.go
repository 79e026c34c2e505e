package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// AddOptions control how sources are registered.
type AddOptions struct {
	Force      bool   // fetch and index the sources even if they have not changed
	Credential string // for private sources: the name of the credential, which is in the setting CREDENTIAL_<name>
	Patch      Patch  // settings, by their names in JSON

	GuessScheme bool // accept URLs without a scheme
}

// AddURLs registers up to [MaxBatch] URLs and returns the result of each, in order.
func (c *Client) AddURLs(ctx context.Context, urls []string, o AddOptions) (AddURLBatch, error) {
	o.GuessScheme = o.GuessScheme &&
		slices.ContainsFunc(urls, func(url string) bool { return !strings.Contains(url, "://") })
	batch, err := addURLs.Call(ctx, c, AddURLRequest{URLs: urls, Force: o.Force, Credential: o.Credential,
		Patching: Patching{o.Patch}, GuessScheme: o.GuessScheme})
	return batch, c.complete(batch, urls, err)
}

// AddFiles registers up to [MaxBatch] files and returns the result of each, in order.
func (c *Client) AddFiles(ctx context.Context, paths []string, o AddOptions) (AddURLBatch, error) {
	batch, err := addFiles.Call(ctx, c, AddFileRequest{Paths: paths, Force: o.Force, Credential: o.Credential,
		Patching: Patching{o.Patch}})
	return batch, c.complete(batch, paths, err)
}

// complete returns err, or an error if the batch does not have one answer for each source. Callers can therefore pair
// answers and sources by position.
func (c *Client) complete(batch AddURLBatch, sources []string, err error) error {
	if err == nil && len(batch.Items) != len(sources) {
		err = fmt.Errorf("%s answered %d of %d sources", c.server, len(batch.Items), len(sources))
	}
	return err
}

// Capture returns the bytes of a capture as they were fetched. It checks that the bytes have the given digest, which
// is in hexadecimal.
func (c *Client) Capture(ctx context.Context, id, digest string) ([]byte, error) {
	return c.capture(ctx, CaptureID{ID: id, SHA256: digest, Raw: true}, digest)
}

// SentCapture returns the bytes that the source sent, of a capture of a rendered page, after it checked them against
// their digest.
func (c *Client) SentCapture(ctx context.Context, id string, of Capture) ([]byte, error) {
	return c.capture(ctx, CaptureID{ID: id, SHA256: of.SHA256, Raw: true, Plain: true}, of.PlainSHA256)
}

func (c *Client) capture(ctx context.Context, q CaptureID, digest string) ([]byte, error) {
	body, err := GetCapture.Call(ctx, c, q)
	if sum := sha256.Sum256(body); err == nil && hex.EncodeToString(sum[:]) != digest {
		err = fmt.Errorf("%s answered with bytes that are not those of capture %s", c.server, digest)
	}
	return body, err
}
