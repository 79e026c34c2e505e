package lineage

import (
	"cmp"
	"strings"
	"time"
)

// CaptureID identifies a capture: its item's id, a slash, and the SHA-256 of its bytes in hexadecimal.
type CaptureID string

// NewCaptureID returns the id of an item's capture. rawHash is the digest of the capture's bytes, with or without
// "sha256:".
func NewCaptureID(item, rawHash string) CaptureID {
	return CaptureID(item + "/" + strings.TrimPrefix(rawHash, "sha256:"))
}

// Split returns the item's id and the digest as 64 hexadecimal digits.
func (id CaptureID) Split() (item, digest string) {
	item, digest, _ = strings.Cut(string(id), "/")
	return item, digest
}

// Capture holds the properties by which captures are compared. It records that a source had some content at a time.
// When a source returns to bytes that it had before, the capture has the same id as before, but a new time.
type Capture struct {
	ID           CaptureID `col:"capture,always"`
	Version      Version   `col:"normalizationVersion,always"`
	CanonicalURI string    `col:"canonicalUri,always"`
	ContentHash  string    `col:"contentSha256,always"`
	At           time.Time `col:"at,always"` // when the source was found with this content
}

// These are the values of the fields Reason and Selected of an edge (spec 000 §4.3).
const (
	SameContent = "same_content_sha256"
	SameURI     = "same_canonical_uri"

	SelectedContent = "content_sha256"
	SelectedURI     = "canonical_uri"
)

// Edge records that a capture superseded an older one, and for what reason.
type Edge struct {
	Newer    CaptureID `col:"newer,always"`
	Older    CaptureID `col:"older,always"`
	At       time.Time `col:"at,always"`
	Version  Version   `col:"normalizationVersion,always"` // the version of both captures
	Metadata `col:",inline"`
}

// Metadata records how the older capture was chosen (spec 000 §4.3). An empty match means that no capture matched.
type Metadata struct {
	Reason             string    `col:"reason,always"`             // SameContent or SameURI
	ConflictResolved   bool      `col:"conflictResolved"`          // the two matches below are different captures
	CanonicalURIMatch  CaptureID `col:"canonicalUriMatch,always"`  // the newest capture with the same canonical URI
	ContentSHA256Match CaptureID `col:"contentSha256Match,always"` // the newest capture with the same content
	Selected           string    `col:"selected,always"`           // SelectedContent or SelectedURI
}

// Supersede finds the candidate that an incoming capture supersedes (B4, spec 000 §4). It prefers candidates with the
// same content to those with the same canonical URI. Among several, it chooses the newest, and among equally new ones
// the one with the larger id. It ignores candidates of another version, and the incoming capture itself (B3). The
// result found is false when no candidate matches.
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

// Newer reports whether a is more recent than b. Of two equally recent captures, the one with the larger id is newer.
func Newer(a, b Capture) bool {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.ID), string(b.ID))) > 0
}
