// Package lineage decides which captures may be compared with each other: only those whose URLs and texts were
// normalized by the same rules (requirements B1 and B3; spec 000 §1 and §3).
//
// [Current] is the [Version] of the rules in force. Every collection run records the version at its start and never
// changes it. If the output of the rules for URLs (package source) or for text (package extract) changes, the number
// after "url" or "text" must be raised. Until it is raised, the golden-file tests of those packages fail (B6).
//
//	http_snapshot _ url_v1 _ text_v1
//	└ collector ┘   └ components, each with its own number ┘
package lineage

import (
	"cmp"
	"hash/fnv"
	"strconv"
	"strings"
	"time"
)

// Version identifies the normalization rules of a run:
//
//	<collector>_<component>_v<n>[.<patch>][_<component>_v<n>[.<patch>]…]
//
// This text is what is stored. Each set of rules has exactly one spelling, so versions can be compared with ==. The
// zero Version means that there is no version.
type Version string

// Current is the version of the rules compiled into this program.
const Current Version = "http_snapshot_url_v2_text_v6"

// maxPatch bounds the number of a patch, so that it fits into a 32-bit column.
const maxPatch = 1_000_000

// String returns the version as stored.
func (v Version) String() string { return string(v) }

// Component returns the component with the given name, including its number, such as "url_v2" or "text_v1.1". It
// returns "" if the version has no such component.
func (v Version) Component(name string) string {
	words := strings.Split(string(v), "_")
	for i, word := range words[:len(words)-1] {
		number, numbered := strings.CutPrefix(words[i+1], "v")
		if word == name && numbered && number != "" && strings.Trim(number, "0123456789.") == "" {
			return word + "_v" + number
		}
	}
	return ""
}

// Under returns the version for settings that change the output of the rules, such as another list of trackers. It
// derives a patch number for the component with the given name from the settings. So the same settings give the same
// version everywhere.
func (v Version) Under(name, settings string) Version {
	h := fnv.New32a()
	_, _ = h.Write([]byte(settings)) // never fails
	part := v.Component(name)
	rules, _, _ := strings.Cut(part, ".")
	return Version(strings.Replace(string(v), part, rules+"."+strconv.Itoa(1+int(h.Sum32()%maxPatch)), 1))
}

// Comparable reports whether captures of two versions may be compared, deduplicated and joined by edges. They may
// only if the versions are equal (B3), including their patches. A missing version is not comparable with any version,
// not even with another missing one.
func Comparable(a, b Version) bool { return a == b && a != "" }

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
