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

// Hash writes a digest the way every column does.
func Hash(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Capture is one immutable record of bytes fetched for an item.
type Capture struct {
	ItemID       source.ID
	RawHash      string // sha256:<hex> of the body
	ContentHash  string `col:"contentSha256,always"` // content_sha256 of spec 000
	TextHash     string `col:"textSha256,always"`
	CanonicalURI string `col:"canonicalUri,always"`
	// that answered with the body; "" when it must not be shown
	FetchURL             string              `col:"fetchUrl,always"`
	MimeType             string              `col:"mimeType,always"`
	StatusCode           int                 `col:"httpStatusCode"`
	Header               map[string][]string `col:"httpHeader,always"` // what a replay of the response needs
	Bytes                int64               `col:"bytes"`
	NormalizationVersion string              `col:"normalizationVersion,always"`
	RunID                string              `col:"runId,always"`
	CapturedAt           time.Time           `col:"capturedAt,always"`
	// LastVerifiedAt is when the source last answered with this content. For its present capture an item knows a
	// later time.
	LastVerifiedAt time.Time `col:"lastVerifiedAt,always"`
	// ReprocessedAt is when the body, kept since CapturedAt, was read by the rules of NormalizationVersion; zero for
	// a capture that was read as it was fetched.
	ReprocessedAt time.Time `col:"reprocessedAt"`
	// What the page says of itself (H4); empty where it does not, and in captures of before.
	PublishedAt time.Time `col:"publishedAt"`
	ModifiedAt  time.Time `col:"modifiedAt"`
	Author      string    `col:"author"`
	SiteName    string    `col:"siteName"`

	// Words are those of the text that was read in the body (of [change.Words]), and Change is what the capture
	// means to its item. Both are given to be kept beside the capture, and are not read with it.
	Words  []byte
	Change Change
}

// ContentType is the header that the body came with, or its media type.
func (c Capture) ContentType() string {
	if v := c.Header["Content-Type"]; len(v) > 0 {
		return v[0]
	}
	return c.MimeType
}

func captureKey(id source.ID, rawHash string) storage.Key {
	return storage.Key{Partition: string(id), Row: strings.TrimPrefix(rawHash, "sha256:")}
}

// readingKey is the row of a capture whose body the item has an older capture of, under another version.
func readingKey(id source.ID, rawHash, version string) storage.Key {
	key := captureKey(id, rawHash)
	key.Row += "|" + version
	return key
}

// captures is the table of captures, look-ups and edges.
type captures struct{ storage.Table }

// find reads the first capture of a body, and the one under a version, which may be the same; zero where there is
// none.
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

// absent turns the error of reading a row that is not there into success.
func absent(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

var captureRow = row.Of[Capture]()

func captureOf(e storage.Entity) Capture {
	c, _ := captureRow.Decode(e.Props) // what is damaged is empty
	digest, _, _ := strings.Cut(e.Row, "|")
	c.ItemID, c.RawHash = source.ID(e.Partition), "sha256:"+digest
	return c
}
