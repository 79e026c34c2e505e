// Package snapshot keeps what was fetched, for good: every distinct body once, in a blob named
// by its SHA-256, and beside it one immutable capture row per item and body.
//
//	container snapshots  sha256/ab/cd/<64 hex>                the bytes as decoded from the wire
//	table Captures       PK <item id>  RK <64 hex raw SHA-256> the capture: (item, body) is unique (E4)
//	table Runs           PK run        RK <run id>             one collection effort (B1)
//
// The blob is written first, then the row: a crash between them leaves a blob that the next
// fetch of the same bytes will use. Only the fields about verification change later.
package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Names of what the store keeps its state in.
const (
	Container     = "snapshots"
	CapturesTable = "Captures"
	RunsTable     = "Runs"
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

// Store keeps captures. It is safe for concurrent use.
type Store struct {
	captures, runs storage.Table
	blobs          storage.Container
}

// New opens the captures of a store. It touches nothing; see [Store.Create].
func New(s storage.Store) *Store {
	return &Store{captures: s.Table(CapturesTable), runs: s.Table(RunsTable), blobs: s.Container(Container)}
}

// Create makes the tables and the container that are missing.
func (s *Store) Create(ctx context.Context) error {
	for _, create := range []func(context.Context) error{s.captures.Create, s.runs.Create, s.blobs.Create} {
		if err := create(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Save keeps body and its capture. Saving the same body for the same item again only refreshes
// LastVerifiedAt, so a page that returns to an earlier state keeps its first capture.
func (s *Store) Save(ctx context.Context, c Capture, body []byte) error {
	name, err := blobName(c.RawHash)
	if err != nil {
		return err
	}
	if _, err := s.blobs.Put(ctx, name, storage.Blob{Body: body, ContentType: "application/octet-stream"}); err != nil {
		return fmt.Errorf("snapshot of %s: %w", c.ItemID, err)
	}
	_, err = s.captures.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: storage.Entity{
		Key: captureKey(c.ItemID, c.RawHash), Props: properties(c),
	}})
	if fault.Is(err, fault.Conflict) {
		return s.Verify(ctx, c.ItemID, c.RawHash, c.CapturedAt)
	}
	return err
}

// Verify records that an item's source still answers with a capture's content.
func (s *Store) Verify(ctx context.Context, id source.ID, rawHash string, now time.Time) error {
	_, err := s.captures.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{
		Key: captureKey(id, rawHash), ETag: storage.AnyETag,
		Props: storage.Properties{"lastVerifiedAt": storage.FormatTime(now)},
	}})
	if fault.Is(err, fault.NotFound) {
		return nil // captured under another policy, or purged: nothing to refresh
	}
	return err
}

// Body reads the stored bytes of a capture and checks them against their digest.
func (s *Store) Body(ctx context.Context, rawHash string) ([]byte, error) {
	name, err := blobName(rawHash)
	if err != nil {
		return nil, err
	}
	b, err := s.blobs.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	if Hash(b.Body) != rawHash {
		return nil, fault.New(fault.Internal, "snapshot %s does not match its digest", rawHash)
	}
	return b.Body, nil
}

// Load reads a capture with its body. NotFound if either is not there any more.
func (s *Store) Load(ctx context.Context, id source.ID, rawHash string) (Capture, []byte, error) {
	e, err := s.captures.Get(ctx, captureKey(id, rawHash))
	if err != nil {
		return Capture{}, nil, err
	}
	body, err := s.Body(ctx, rawHash)
	return captureOf(e), body, err
}

// ContentType is the header that the body came with, or its media type.
func (c Capture) ContentType() string {
	if v := c.Header["Content-Type"]; len(v) > 0 {
		return v[0]
	}
	return c.MimeType
}

// List gives an item's captures, in no particular order.
func (s *Store) List(ctx context.Context, id source.ID) ([]Capture, error) {
	var out []Capture
	for e, err := range s.captures.Query(ctx, storage.Query{Partition: string(id)}) {
		if err != nil {
			return nil, err
		}
		out = append(out, captureOf(e))
	}
	return out, nil
}

// Run is one collection effort with one normalization version.
type Run struct {
	ID                   string
	Collector            string
	NormalizationVersion lineage.Version
	StartedAt            time.Time
}

// StartRun records a run. A run that exists is returned as it was started: its version never
// changes (B1), so starting it under another version is a Conflict.
func (s *Store) StartRun(ctx context.Context, run Run) error {
	key := storage.Key{Partition: "run", Row: run.ID}
	_, err := s.runs.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: storage.Entity{Key: key, Props: storage.Properties{
		"collector": run.Collector, "normalizationVersion": run.NormalizationVersion.String(),
		"startedAt": storage.FormatTime(run.StartedAt),
	}}})
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	e, err := s.runs.Get(ctx, key)
	if err != nil {
		return err
	}
	if got := e.Props["normalizationVersion"]; got != run.NormalizationVersion.String() {
		return fault.New(fault.Conflict, "run %s has the normalization version %v, which never changes", run.ID, got)
	}
	return nil
}

func blobName(rawHash string) (string, error) {
	hex, ok := strings.CutPrefix(rawHash, "sha256:")
	if !ok || len(hex) != sha256.Size*2 {
		return "", fault.New(fault.Invalid, "%q is not a SHA-256 digest", rawHash)
	}
	return "sha256/" + hex[:2] + "/" + hex[2:4] + "/" + hex, nil
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
