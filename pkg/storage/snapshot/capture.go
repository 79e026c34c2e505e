package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
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

// List returns an item's captures. Captures of one body are adjacent, and the first capture of the body comes first.
func (s *Store) List(ctx context.Context, id source.ID) ([]Capture, error) {
	out, _, err := s.captureRows(ctx, id, "", 0)
	return out, err
}

// listed is the form of a capture's position in the list of an item's captures.
var listed = regexp.MustCompile(`^[0-9a-f]{64}(-[a-z0-9_.]+)?$`)

// Page returns at most the given number of an item's captures, from 1 to 999, in the order of their digests. It
// starts after the position that an earlier call returned as next, or at the first capture if the position is empty.
// After the last page, next is empty. Errors: Invalid for a malformed position.
func (s *Store) Page(
	ctx context.Context, id source.ID, after string, most int,
) (page []Capture, next string, err error) {
	if after != "" && !listed.MatchString(after) {
		return nil, "", fault.New(fault.Invalid, "it is no place in a listing of captures")
	}
	page, last, err := s.captureRows(ctx, id, strings.Replace(after, "-", "|", 1), most)
	return page, strings.Replace(last, "|", "-", 1), err
}

// captureRows returns the captures after a row: at most the given number, or all of them if the number is 0. If there
// are more, last is the row of the last capture that is returned. The query begins at the row of a body's first
// capture, because only that row says when the source last answered with the body.
func (s *Store) captureRows(
	ctx context.Context, id source.ID, after string, most int,
) (out []Capture, last string, err error) {
	from, _, _ := strings.Cut(after, "|")
	q := storage.Query{Partition: string(id), RowFrom: max(from, "0"), RowTo: "g"}
	if most > 0 {
		q.PageSize = min(most+2, storage.MaxPage)
	}
	var verified time.Time
	for e, err := range s.captures.Query(ctx, q) {
		if err != nil {
			return nil, "", err
		}
		c := captureOf(e)
		if !strings.Contains(e.Row, "|") {
			verified = c.LastVerifiedAt
		}
		c.LastVerifiedAt = verified
		if e.Row <= after {
			continue
		}
		if most > 0 && len(out) == most {
			return out, last, nil
		}
		out, last = append(out, c), e.Row
	}
	return out, "", nil
}

// byBody groups captures by body, in list order. In each group, the body's first capture comes first.
func byBody(captures []Capture) (groups [][]Capture) {
	for i, c := range captures {
		if i > 0 && captures[i-1].RawHash == c.RawHash {
			groups[len(groups)-1] = append(groups[len(groups)-1], c)
			continue
		}
		groups = append(groups, []Capture{c})
	}
	return groups
}

// Purge removes everything that is kept of an item: its captures, its edges, their look-up rows, and the blobs that
// no other item needs. Edges of other items stay, even if they refer to captures of this item. Meanwhile no process
// may capture the item. After an error, callers must repeat the call, which continues where it stopped.
func (s *Store) Purge(ctx context.Context, id source.ID) (err error) {
	defer fault.Wrap(&err, "purge snapshots of %s", id)
	captures, err := s.List(ctx, id)
	if err != nil {
		return err
	}
	// The tip and edges must be removed first. If the item is captured again before the purge is done, it must not
	// appear to have the captures that were removed.
	if err := s.clear(ctx, id); err != nil {
		return err
	}
	for _, body := range byBody(captures) {
		if err := s.forget(ctx, body); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the captures of one body and their look-up rows.
func (s *Store) forget(ctx context.Context, body []Capture) error {
	for _, c := range body {
		for _, key := range []storage.Key{contentKey(c), uriKey(c)} {
			if err := s.captures.unpoint(ctx, key, c.lineage().ID); err != nil {
				return err
			}
		}
	}
	return s.drop(ctx, body, nil)
}

// drop removes the captures of one body. The row of the first capture is removed last, because it shows that there is
// work left. What captures of the item that are left refer to stays.
func (s *Store) drop(ctx context.Context, body []Capture, left [][]Capture) error {
	for _, c := range body[1:] {
		if err := s.captures.delete(ctx, readingKey(c.ItemID, c.RawHash, c.NormalizationVersion)); err != nil {
			return err
		}
	}
	c := body[0]
	for _, hash := range c.bodies() {
		if slices.ContainsFunc(left, func(o []Capture) bool { return slices.Contains(o[0].bodies(), hash) }) {
			continue
		}
		if err := s.bodies.release(ctx, c.ItemID, hash); err != nil {
			return err
		}
	}
	return s.captures.delete(ctx, captureKey(c.ItemID, c.RawHash))
}

// bodies returns the hashes of the bodies that a capture refers to.
func (c Capture) bodies() []string {
	if c.PlainHash == "" {
		return []string{c.RawHash}
	}
	return []string{c.RawHash, c.PlainHash}
}

func (t captures) delete(ctx context.Context, key storage.Key) error {
	return storage.DeleteRow(ctx, t, key)
}

// clear removes the rows of an item's partition that are not captures. It keeps the look-up rows that refer to
// captures of other items.
func (s *Store) clear(ctx context.Context, id source.ID) error {
	var ops []storage.Op
	for e, err := range s.captures.Query(ctx, storage.Query{Partition: string(id), RowFrom: changeRows}) {
		if err != nil {
			return err
		}
		if item, _ := pointed(e).ID.Split(); item != "" && item != string(id) && e.Row != tipRow {
			continue
		}
		ops = append(ops, storage.DeleteOp(e.Key, storage.AnyETag))
	}
	return storage.TransactAll(ctx, s.captures, ops)
}
