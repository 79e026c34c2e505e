package chunk

import (
	"encoding/hex"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// The constants of spec 002 §4.2. Context windows are counted in UTF-16 code units.
const (
	// Namespace is the namespaceKey of pages, entries and local files. Each blob container and each share has a
	// namespace of its own.
	Namespace = "repo"

	contextUnits    = 128  // PRE_CONTEXT_CHARS and POST_CONTEXT_CHARS
	escalationUnits = 1024 // ESCALATION_CONTEXT_CHARS, for the second of MAX_COLLISION_PASSES = 2 passes

	uidPrefix     = "ck64:v1:"
	segmentPrefix = "segu:v1:"
	segmentLabel  = "#seg:" // separates a file's path from a segment's name
)

// NameRules is the version of the rules by which files get their [Name], for a migration.
//
//  1. All files were in [Namespace]. The path of a local file was its path on the machine, and that of a blob the one
//     in its container, so equal files of two containers had the same uids.
//  2. A container or share is a namespace. The path of a local file begins below FILE_ROOT.
//  3. A file that is one listing or table is no segment of itself.
const NameRules = "chunks_v3"

// Name identifies a page or a file for its uids (002 §2, §4.1). No two sources have the same name.
type Name struct {
	Namespace string
	Path      string // the path given to virtualPath: an item id, or a POSIX path below the root of the namespace
}

// Begins returns the beginning of the uids that a segment with this name has, or its file if segmentUID is "".
func (n Name) Begins(segmentUID string) string {
	return uidPrefix + n.Namespace + ":" + virtualPath(n.Path, segmentUID) + ":"
}

// UID is a chunkUid (002 §4.6). It identifies a chunk by its words, the words around it and its virtual path. Tools
// use it to join their outputs; a search index uses [Key].
type UID string

// normalizeForUID returns the text with LF as the only line end, and otherwise unchanged (002 §3.2).
func normalizeForUID(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// segmentUID computes the name of an embedded segment (002 §3) from its type, its language ("" if not known), and its
// text. Equal segments have the same name, on one page or on several.
func segmentUID(segmentType, languageID, text string) string {
	return segmentPrefix + sum("seg\x00"+segmentType+"\x00"+languageID, "", text, "")
}

// virtualPath returns the path from which the chunks of a file, or of a segment in it, get their names (002 §2). If
// segmentUID is "", the result is the path of the file itself. The path argument is that of a [Name].
func virtualPath(path, segmentUID string) string {
	if segmentUID == "" {
		return path
	}
	return path + segmentLabel + segmentUID
}

// chunkUID returns the name of the part of t from start to end, in UTF-16 code units (002 §4). The name also covers
// the text on either side, up to the given number of context units. The languageID is the language of the segment
// that contains the part, or "" outside segments. The part must be within t. The name may not be unique;
// [distinctUIDs] makes names unique.
func chunkUID(namespace, virtualPath, languageID string, t indexedText, start, end, context int) UID {
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

// sum returns the xxh64 of the label, a NUL and the normalized parts, as 16 lower-case hex digits. No border between
// two parts may split a line end.
func sum(label, first, text, last string) string {
	var d xxhash.Digest
	d.Reset()
	for _, part := range [...]string{label, "\x00", first, normalizeForUID(text), last} {
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
