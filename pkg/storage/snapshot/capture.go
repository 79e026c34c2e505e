package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Hash returns the digest of a body in the form that all columns use.
func Hash(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Capture is an immutable record of the bytes that were fetched for an item.
type Capture struct {
	ItemID       source.ID
	RawHash      string // sha256:<hex>, the digest of the body
	ContentHash  string `col:"contentSha256,always"` // content_sha256 of spec 000
	TextHash     string `col:"textSha256,always"`
	CanonicalURI string `col:"canonicalUri,always"`
	// the URL that answered with the body; "" if the URL must not be shown
	FetchURL             string              `col:"fetchUrl,always"`
	MimeType             string              `col:"mimeType,always"`
	StatusCode           int                 `col:"httpStatusCode"`
	Header               map[string][]string `col:"httpHeader,always"` // the headers that a replay needs
	Bytes                int64               `col:"bytes"`
	NormalizationVersion string              `col:"normalizationVersion,always"`
	RunID                string              `col:"runId,always"`
	CapturedAt           time.Time           `col:"capturedAt,always"`
	// LastVerifiedAt is the time when the source last answered with this content. For the current capture, the item's
	// own row has a later time.
	LastVerifiedAt time.Time `col:"lastVerifiedAt,always"`
	// ReprocessedAt is the time when the stored body was read by the rules of NormalizationVersion. It is zero for a
	// capture whose body was read when it was fetched.
	ReprocessedAt time.Time `col:"reprocessedAt"`
	// PlainHash is the digest of the body that the source sent, if the captured body is that of a page in a browser. The
	// header is that of the source's answer, and its body is kept as well.
	PlainHash string `col:"plainSha256"`
	// SameTextAs is the hash of the body that was captured first with this text, if this body came later with other
	// bytes. Such a capture supersedes nothing and does not count for [Retention] (see [Store.SaveSame]).
	SameTextAs string `col:"sameTextAs"`
	// Declared is a digest of the values that the page declares about its product. It is empty if there are none. For
	// [Retention], bodies that declare other values have not the same text.
	Declared string `col:"declared"`
	// Fields are the values of fields that were read in the body, as JSON. It is empty if there are none.
	Fields []byte `col:"fields"`
	// The following fields hold statements of the page about itself (H4). They are empty if the page makes none.
	PublishedAt time.Time `col:"publishedAt"`
	ModifiedAt  time.Time `col:"modifiedAt"`
	Author      string    `col:"author"`
	SiteName    string    `col:"siteName"`
	// First is the change of a capture that is its item's first content. It is empty for other captures.
	First FirstChange `col:"first"`

	// Words holds the words of the body's text (see [change.Words]). Change describes how the item changed with this
	// capture. Words and Change are not read back with the capture (see [Store.Words] and [Store.Changes]).
	Words  []byte
	Change Change
	// Sent is the body of PlainHash. It is not read back with the capture, either.
	Sent []byte
}

// RenderedType is the Content-Type of rendered pages.
const RenderedType = "text/html; charset=utf-8"

// ContentType returns the Content-Type header of the body, or its media type.
func (c Capture) ContentType() string {
	if c.PlainHash != "" {
		return RenderedType
	}
	if v := c.Header["Content-Type"]; len(v) > 0 {
		return v[0]
	}
	return c.MimeType
}

func captureKey(id source.ID, rawHash string) storage.Key {
	return storage.Key{Partition: string(id), Row: strings.TrimPrefix(rawHash, "sha256:")}
}

// readingKey returns the key of a capture of a body under another version than that of the body's first capture.
func readingKey(id source.ID, rawHash, version string) storage.Key {
	key := captureKey(id, rawHash)
	key.Row += "|" + version
	return key
}

// captures is the table of captures, look-up rows and edges.
type captures struct{ storage.Table }

// find reads the first capture of a body, and the capture of the body under a version. The two may be the same. A
// capture that does not exist is zero.
func (t captures) find(ctx context.Context, id source.ID, rawHash, version string) (first, c Capture, err error) {
	e, err := t.Get(ctx, captureKey(id, rawHash))
	if err != nil {
		return first, c, absent(err)
	}
	if first = captureOf(e); first.NormalizationVersion == version {
		return first, first, nil
	}
	if e, err = t.Get(ctx, readingKey(id, rawHash, version)); err != nil {
		return first, c, absent(err)
	}
	return first, captureOf(e), nil
}

// absent converts a NotFound error of a read to success.
func absent(err error) error { return fault.Except(err, fault.NotFound) }

var captureRow = row.Of[Capture]()

func captureOf(e storage.Entity) Capture {
	c, _ := captureRow.Decode(e.Props) // a damaged column becomes empty
	digest, _, _ := strings.Cut(e.Row, "|")
	c.ItemID, c.RawHash = source.ID(e.Partition), "sha256:"+digest
	return c
}
