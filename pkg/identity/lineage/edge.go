package lineage

import (
	"cmp"
	"strings"
	"time"
)

// CaptureID identifies a capture. It consists of the item's id, a slash, and the SHA-256 of the capture's bytes in
// hexadecimal.
type CaptureID string

// NewCaptureID returns the id of an item's capture. The argument rawHash is the digest of the capture's bytes, with
// or without the prefix "sha256:".
func NewCaptureID(item, rawHash string) CaptureID {
	return CaptureID(item + "/" + strings.TrimPrefix(rawHash, "sha256:"))
}

// Split returns the id of the item, and the digest as 64 hexadecimal digits.
func (id CaptureID) Split() (item, digest string) {
	item, digest, _ = strings.Cut(string(id), "/")
	return item, digest
}

// Capture is the properties by which captures are compared. A capture records that a source had some content at a
// time. If a source returns to bytes that it had before, the new capture has the same id as the earlier one, but a
// new time.
type Capture struct {
	ID           CaptureID `col:"capture,always"`
	Version      Version   `col:"normalizationVersion,always"`
	CanonicalURI string    `col:"canonicalUri,always"`
	ContentHash  string    `col:"contentSha256,always"`
	At           time.Time `col:"at,always"` // when the source had this content
}

// The values of the fields Reason and Selected of an edge (spec 000 §4.3).
const (
	sameContent = "same_content_sha256"
	SameURI     = "same_canonical_uri"

	selectedContent = "content_sha256"
	selectedURI     = "canonical_uri"
)

// Edge records that a capture superseded an older capture, and why.
type Edge struct {
	Newer    CaptureID `col:"newer,always"`
	Older    CaptureID `col:"older,always"`
	At       time.Time `col:"at,always"`
	Version  Version   `col:"normalizationVersion,always"` // the version of both captures
	Metadata `col:",inline"`
}

// Metadata records how the older capture was chosen (spec 000 §4.3). A match is empty if no capture matched.
type Metadata struct {
	Reason             string    `col:"reason,always"`             // SameContent or SameURI
	ConflictResolved   bool      `col:"conflictResolved"`          // whether the two matches below are different captures
	CanonicalURIMatch  CaptureID `col:"canonicalUriMatch,always"`  // the newest capture with the same canonical URI
	ContentSHA256Match CaptureID `col:"contentSha256Match,always"` // the newest capture with the same content
	Selected           string    `col:"selected,always"`           // SelectedContent or SelectedURI
}

// Supersede finds the candidate that an incoming capture supersedes (B4, spec 000 §4), if there is one. Candidates
// with the same content take precedence over those with the same canonical URI. Of several, it chooses the newest; of
// several that are equally new, the one with the largest id. It ignores candidates of another version, and the
// incoming capture itself (B3).
func Supersede(in Capture, candidates []Capture) (e Edge, found bool) {
	uri := newest(in, candidates,
		func(c Capture) bool { return c.CanonicalURI != "" && c.CanonicalURI == in.CanonicalURI })
	content := newest(in, candidates,
		func(c Capture) bool { return c.ContentHash != "" && c.ContentHash == in.ContentHash })
	e = Edge{Newer: in.ID, At: in.At, Version: in.Version, Metadata: Metadata{
		ConflictResolved:  uri != "" && content != "" && uri != content,
		CanonicalURIMatch: uri, ContentSHA256Match: content,
	}}
	switch {
	case content != "":
		e.Older, e.Reason, e.Selected = content, sameContent, selectedContent
	case uri != "":
		e.Older, e.Reason, e.Selected = uri, SameURI, selectedURI
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

// Newer reports whether capture a is more recent than capture b. Of two equally recent captures, the one with the
// larger id counts as newer.
func Newer(a, b Capture) bool {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.ID), string(b.ID))) > 0
}
