package lineage

import (
	"cmp"
	"strings"
	"time"
)

// CaptureID names a capture: its item's id, a slash, and the SHA-256 of its bytes in hexadecimal.
type CaptureID string

// NewCaptureID names the capture of an item and the digest of its bytes, with or without "sha256:".
func NewCaptureID(item, rawHash string) CaptureID {
	return CaptureID(item + "/" + strings.TrimPrefix(rawHash, "sha256:"))
}

// Split gives the item's id and the digest as 64 hexadecimal digits.
func (id CaptureID) Split() (item, digest string) {
	item, digest, _ = strings.Cut(string(id), "/")
	return item, digest
}

// Capture is what comparing captures takes. It stands for one by which a source was found to have
// some content, so a source that returns to earlier bytes has the earlier capture again, at another time.
type Capture struct {
	ID           CaptureID
	Version      Version
	CanonicalURI string
	ContentHash  string
	At           time.Time // when the source was found to have it
}

// What an edge's reason and selected may say (seed 000 §4.3).
const (
	SameContent = "same_content_sha256"
	SameURI     = "same_canonical_uri"

	SelectedContent = "content_sha256"
	SelectedURI     = "canonical_uri"
)

// Edge says that a capture took over from an older one, and on what grounds.
type Edge struct {
	Newer, Older CaptureID
	At           time.Time
	Version      Version // of both
	Metadata
}

// Metadata is how the older capture was chosen, as seed 000 §4.3 has it. A match that there was not
// is "".
type Metadata struct {
	Reason             string    // SameContent or SameURI
	ConflictResolved   bool      // the two matches are different captures
	CanonicalURIMatch  CaptureID // the newest with the same canonical URI
	ContentSHA256Match CaptureID // the newest with the same content
	Selected           string    // SelectedContent or SelectedURI
}

// Supersede finds among candidates the capture that an incoming one takes over from (B4, seed 000
// §4): the same content before the same canonical URI, of several the newest, of equally new ones
// the larger id. Candidates of another version, and the incoming capture itself, do not count
// (B3). Found is false when none matches.
func Supersede(in Capture, candidates []Capture) (e Edge, found bool) {
	uri := newest(in, candidates, func(c Capture) bool { return c.CanonicalURI != "" && c.CanonicalURI == in.CanonicalURI })
	content := newest(in, candidates, func(c Capture) bool { return c.ContentHash != "" && c.ContentHash == in.ContentHash })
	e = Edge{Newer: in.ID, At: in.At, Version: in.Version, Metadata: Metadata{
		ConflictResolved:  uri != "" && content != "" && uri != content,
		CanonicalURIMatch: uri, ContentSHA256Match: content,
	}}
	switch {
	case content != "":
		e.Older, e.Reason, e.Selected = content, SameContent, SelectedContent
	case uri != "":
		e.Older, e.Reason, e.Selected = uri, SameURI, SelectedURI
	default:
		return Edge{}, false
	}
	return e, true
}

func newest(in Capture, candidates []Capture, matches func(Capture) bool) CaptureID {
	var best Capture
	for _, c := range candidates {
		if c.ID != in.ID && Comparable(c.Version, in.Version) && matches(c) && (best.ID == "" || Newer(c, best)) {
			best = c
		}
	}
	return best.ID
}

// Newer reports whether a is more recent than b, or as recent with the larger id.
func Newer(a, b Capture) bool {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.ID), string(b.ID))) > 0
}
