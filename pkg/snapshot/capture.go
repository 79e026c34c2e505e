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
		"contentSha256": c.ContentHash, "textSha256": c.TextHash, "canonicalUri": c.CanonicalURI,
		"mimeType": c.MimeType, "httpStatusCode": int64(c.StatusCode), "httpHeader": string(header),
		"bytes": c.Bytes, "normalizationVersion": c.NormalizationVersion, "runId": c.RunID,
		"capturedAt": storage.FormatTime(c.CapturedAt), "lastVerifiedAt": storage.FormatTime(c.CapturedAt),
	}
}

func captureOf(e storage.Entity) Capture {
	str := func(name string) string { s, _ := e.Props[name].(string); return s }
	num := func(name string) int64 { n, _ := e.Props[name].(int64); return n }
	at := func(name string) time.Time { return storage.ParseTime(str(name)) }
	c := Capture{
		ItemID: source.ID(e.Partition), RawHash: "sha256:" + e.Row,
		ContentHash: str("contentSha256"), TextHash: str("textSha256"), CanonicalURI: str("canonicalUri"),
		MimeType: str("mimeType"), StatusCode: int(num("httpStatusCode")), Bytes: num("bytes"),
		NormalizationVersion: str("normalizationVersion"), RunID: str("runId"),
		CapturedAt: at("capturedAt"), LastVerifiedAt: at("lastVerifiedAt"),
	}
	_ = json.Unmarshal([]byte(str("httpHeader")), &c.Header) // absent or damaged: no header
	return c
}
