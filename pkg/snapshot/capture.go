package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Hash writes a digest the way every column does.
func Hash(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Capture is one immutable record of bytes fetched for an item.
type Capture struct {
	ItemID               source.ID
	RawHash              string // sha256:<hex> of Body
	ContentHash          string // content_sha256 of seed 000
	TextHash             string
	CanonicalURI         string
	FetchURL             string // that answered with the body; "" when it cannot be shown
	MimeType             string
	StatusCode           int
	Header               map[string][]string // what a replay of the response needs
	Bytes                int64
	NormalizationVersion string
	RunID                string
	CapturedAt           time.Time
	LastVerifiedAt       time.Time // the source still answered with this content
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

func properties(c Capture) storage.Properties {
	header, _ := json.Marshal(c.Header) // a map of strings always encodes
	return storage.Properties{
		"contentSha256": c.ContentHash, "textSha256": c.TextHash, "canonicalUri": c.CanonicalURI, "fetchUrl": c.FetchURL,
		"mimeType": c.MimeType, "httpStatusCode": int64(c.StatusCode), "httpHeader": string(header),
		"bytes": c.Bytes, "normalizationVersion": c.NormalizationVersion, "runId": c.RunID,
		"capturedAt": storage.FormatTime(c.CapturedAt), "lastVerifiedAt": storage.FormatTime(c.CapturedAt),
	}
}

func captureOf(e storage.Entity) Capture {
	c := Capture{
		ItemID: source.ID(e.Partition), RawHash: "sha256:" + e.Row,
		ContentHash: text(e, "contentSha256"), TextHash: text(e, "textSha256"), CanonicalURI: text(e, "canonicalUri"), FetchURL: text(e, "fetchUrl"),
		MimeType: text(e, "mimeType"), StatusCode: int(number(e, "httpStatusCode")), Bytes: number(e, "bytes"),
		NormalizationVersion: text(e, "normalizationVersion"), RunID: text(e, "runId"),
		CapturedAt: moment(e, "capturedAt"), LastVerifiedAt: moment(e, "lastVerifiedAt"),
	}
	_ = json.Unmarshal([]byte(text(e, "httpHeader")), &c.Header) // absent or damaged: no header
	return c
}

// text, number and moment read a column; what is missing or of another type is zero.
func text(e storage.Entity, name string) string { s, _ := e.Props[name].(string); return s }

func number(e storage.Entity, name string) int64 { n, _ := e.Props[name].(int64); return n }

func moment(e storage.Entity, name string) time.Time { return storage.ParseTime(text(e, name)) }
