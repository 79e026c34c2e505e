package chunk

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// span is a part of a file's text. [distinctUIDs] names it.
type span struct {
	File       string // the file's path, as given to virtualPath
	Zone       string // names one of several texts of the file; "" if there is only one
	SegmentUID string // uid of the segment that contains the span, or ""
	LanguageID string // language of that segment, or "" if not known
	Start, End int    // positions in the text of the zone, in UTF-16 code units
	Kind, Name string // distinguish spans that are otherwise equal
}

// Collisions are the metrics of 002 §5.4 for chunks that were named together. Chunks is the sum of ByContext and
// ByOrdinal.
type Collisions struct {
	Chunks    int      `json:"chunks,omitempty"`    // chunks whose uid another chunk also had
	ByContext int      `json:"byContext,omitempty"` // number of these chunks that more context distinguished
	ByOrdinal int      `json:"byOrdinal,omitempty"` // number of these chunks that only an ordinal distinguished
	Largest   int      `json:"largest,omitempty"`   // size of the largest group of chunks that shared a uid
	Files     []string `json:"files,omitempty"`     // files with collisions, in the order of 002 §5.3
}

// Add adds the collisions of another file. It also appends the file's name to Files, until Files has as many names as
// the last argument allows.
func (c *Collisions) Add(file string, other Collisions, most int) {
	if other.Chunks == 0 {
		return
	}
	c.Chunks, c.ByContext, c.ByOrdinal = c.Chunks+other.Chunks, c.ByContext+other.ByContext, c.ByOrdinal+other.ByOrdinal
	if c.Largest = max(c.Largest, other.Largest); len(c.Files) < most {
		c.Files = append(c.Files, file)
	}
}

// zoneText identifies the text of a zone of a file. Context windows (002 §4.4) do not cross from one zone to another.
type zoneText struct{ File, Zone string }

// distinctUIDs returns distinct names for the spans (002 §5), in the same order. The second argument holds the texts
// that contain the spans. The names depend on which spans there are, but not on their order.
func distinctUIDs(namespace string, texts map[zoneText]indexedText, spans []span) ([]UID, Collisions) {
	uids := make([]UID, len(spans))
	name := func(i, context int) {
		s := spans[i]
		path := virtualPath(s.File, s.SegmentUID)
		uids[i] = chunkUID(namespace, path, s.LanguageID, texts[zoneText{s.File, s.Zone}], s.Start, s.End, context)
	}
	for i := range spans {
		name(i, contextUnits)
	}
	first := shared(uids)
	for _, group := range first {
		for _, i := range group {
			name(i, escalationUnits)
		}
	}
	// The second pass checks all chunks, because a name made with more context may equal the name of a chunk that
	// kept its first name.
	second := shared(uids)
	for _, group := range second {
		slices.SortStableFunc(group, func(a, b int) int { return compare(spans[a], spans[b]) })
		for ordinal, i := range group {
			uids[i] += UID(":ord" + strconv.Itoa(ordinal+1))
		}
	}
	return uids, measure(spans, first, second)
}

// shared returns the groups of indexes with the same uid.
func shared(uids []UID) [][]int {
	seen := make(map[UID]int, len(uids)) // index of the first occurrence
	groups := map[int][]int{}
	for i, uid := range uids {
		if at, found := seen[uid]; !found {
			seen[uid] = i
		} else if groups[at] == nil {
			groups[at] = []int{at, i}
		} else {
			groups[at] = append(groups[at], i)
		}
	}
	return slices.Collect(maps.Values(groups))
}

func measure(spans []span, first, second [][]int) Collisions {
	c, all, files := Collisions{}, map[int]bool{}, map[string]bool{}
	for _, group := range slices.Concat(first, second) {
		c.Largest = max(c.Largest, len(group))
		for _, i := range group {
			all[i], files[spans[i].File] = true, true
		}
	}
	for _, group := range second {
		c.ByOrdinal += len(group)
	}
	c.Chunks, c.Files = len(all), slices.SortedFunc(maps.Keys(files), compareUnits)
	c.ByContext = c.Chunks - c.ByOrdinal
	return c
}

// compare orders two spans as 002 §5.3 requires.
func compare(a, b span) int {
	return cmp.Or(compareUnits(a.File, b.File), cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.SegmentUID, b.SegmentUID),
		cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End),
		compareUnits(a.Kind, b.Kind), compareUnits(a.Name, b.Name))
}

// compareUnits orders texts by their UTF-16 code units, as the reference runtime does. This order differs from the
// order of the bytes only where one text has a surrogate pair and the other a character from U+E000 to U+FFFF.
func compareUnits(a, b string) int {
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		q, m := utf8.DecodeRuneInString(b)
		if r != q {
			if (r > 0xffff) != (q > 0xffff) && min(r, q) >= 0xe000 {
				return cmp.Compare(q, r)
			}
			return cmp.Compare(r, q)
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}
