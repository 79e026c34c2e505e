package chunk

import (
	"encoding/hex"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// The constants of spec 002 §4.2. Context windows are counted in UTF-16 code units.
const (
	// Namespace is the namespaceKey of an index that holds one collection.
	Namespace = "repo"

	contextUnits    = 128  // PRE_CONTEXT_CHARS and POST_CONTEXT_CHARS
	escalationUnits = 1024 // ESCALATION_CONTEXT_CHARS, the second of MAX_COLLISION_PASSES = 2

	uidPrefix     = "ck64:v1:"
	segmentPrefix = "segu:v1:"
	segmentLabel  = "#seg:" // between a file and a segment of it
)

// UID is a chunkUid (002 §4.6): a chunk named by its words, the words around it and the virtual
// path it stands in. It is of use for joins between outputs; [Key] is what a search index takes.
type UID string

// NormalizeForUID is text with every line end as LF, and nothing else changed (002 §3.2).
func NormalizeForUID(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// SegmentUID names the content of an embedded segment (002 §3): its type, its language or "" when
// that is not known, and its text. Equal segments of one or several pages have the same name.
func SegmentUID(segmentType, languageID, text string) string {
	return segmentPrefix + sum("seg\x00"+segmentType+"\x00"+languageID, "", text, "")
}

// VirtualPath is the file-like namespace of what stands in a segment of a file, or in the file
// itself when segmentUID is "" (002 §2). The path is an item id, or a POSIX path relative to the
// container of the file.
func VirtualPath(path, segmentUID string) string {
	if segmentUID == "" {
		return path
	}
	return path + segmentLabel + segmentUID
}

// chunkUID names the span of t from start to end, in UTF-16 code units (002 §4), by that many units of
// context. The languageID is that of the segment it stands in; "" for none. The span must lie within t. The
// name may not be unique: [UIDs] makes it so.
func chunkUID(namespace, virtualPath, languageID string, t Text, start, end, context int) UID {
	var b strings.Builder
	b.Grow(len(uidPrefix) + len(namespace) + len(virtualPath) + len(languageID) + 3*17 + 2)
	b.WriteString(uidPrefix + namespace + ":" + virtualPath)
	if languageID != "" {
		b.WriteString(":" + languageID)
	}
	b.WriteString(":" + t.sum("span", start, end))
	if from := max(0, start-context); from < start {
		b.WriteString(":" + t.sum("pre", from, start))
	}
	if to := min(t.Len(), end+context); end < to {
		b.WriteString(":" + t.sum("post", end, to))
	}
	return UID(b.String())
}

// sum is the xxh64 of the label, a NUL and the three parts, normalized, as 16 lower-case hex digits.
// Neither the first nor the last part begins or ends a line.
func sum(label, first, text, last string) string {
	var d xxhash.Digest
	d.Reset()
	for _, part := range [...]string{label, "\x00", first, NormalizeForUID(text), last} {
		_, _ = d.WriteString(part) // never fails
	}
	return hexOf(d.Sum64())
}

func hexOf(n uint64) string {
	var b [8]byte
	for i := range b {
		b[i] = byte(n >> (56 - 8*i))
	}
	return hex.EncodeToString(b[:])
}
