package chunk

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Span is what a [UID] names: a part of the text of a file.
type Span struct {
	File       string // the path of [VirtualPath]
	SegmentUID string // of the segment it stands in, or empty
	LanguageID string // of that segment, or empty when not known
	Start, End int    // in the text of the file, in UTF-16 code units
	Kind, Name string // tell spans apart that are equal otherwise
}

// Collisions are the metrics of 002 §5.4 for the chunks that were named together. Chunks is the sum
// of ByContext and ByOrdinal.
type Collisions struct {
	Chunks    int      `json:"chunks,omitempty"`    // chunks whose uid another one had too
	ByContext int      `json:"byContext,omitempty"` // of these, told apart by more of what surrounds them
	ByOrdinal int      `json:"byOrdinal,omitempty"` // of these, told apart by counting
	Largest   int      `json:"largest,omitempty"`   // most chunks that shared a uid
	Files     []string `json:"files,omitempty"`     // where they stand, in the order of 002 §5.3
}

// Add counts those of another file, too, and names it while there are fewer than most.
func (c *Collisions) Add(file string, other Collisions, most int) {
	if other.Chunks == 0 {
		return
	}
	c.Chunks, c.ByContext, c.ByOrdinal = c.Chunks+other.Chunks, c.ByContext+other.ByContext, c.ByOrdinal+other.ByOrdinal
	if c.Largest = max(c.Largest, other.Largest); len(c.Files) < most {
		c.Files = append(c.Files, file)
	}
}

// UIDs names spans so that no two have the same name (002 §5). The texts are those of all files.
// Names follow from what is named and do not depend on the order in which it is given.
func UIDs(namespace string, texts map[string]Text, spans []Span) ([]UID, Collisions) {
	uids := make([]UID, len(spans))
	name := func(i, context int) {
		s := spans[i]
		path := VirtualPath(s.File, s.SegmentUID)
		uids[i] = chunkUID(namespace, path, s.LanguageID, texts[s.File], s.Start, s.End, context)
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
	// Over all chunks: what escalated may have met one that did not.
	second := shared(uids)
	for _, group := range second {
		slices.SortStableFunc(group, func(a, b int) int { return compare(spans[a], spans[b]) })
		for ordinal, i := range group {
			uids[i] += UID(":ord" + strconv.Itoa(ordinal+1))
		}
	}
	return uids, measure(spans, first, second)
}

// shared gives the groups of indexes that have a uid together.
func shared(uids []UID) [][]int {
	seen := make(map[UID]int, len(uids)) // where it stands first
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

func measure(spans []Span, first, second [][]int) Collisions {
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

// compare is the order of 002 §5.3.
func compare(a, b Span) int {
	return cmp.Or(compareUnits(a.File, b.File), cmp.Compare(a.SegmentUID, b.SegmentUID),
		cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End),
		compareUnits(a.Kind, b.Kind), compareUnits(a.Name, b.Name))
}

// compareUnits orders texts by their UTF-16 code units, as the reference runtime does. That differs
// from the order of bytes only where one has a surrogate pair and the other U+E000 to U+FFFF.
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
