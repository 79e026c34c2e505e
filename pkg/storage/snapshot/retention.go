package snapshot

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Retention configures which captures of an item are kept. The newest capture, and the captures that the caller
// needs, are always kept.
type Retention struct {
	Age   time.Duration // the longest time since the capture was made; 0 means no limit
	Count int           // the largest number of captures of an item; 0 means no limit
	Bytes int64         // the largest size of an item's captures, before compression; 0 means no limit
	// SameText is the number of captures that are kept of a text beside the first, when the bytes change and the text
	// does not. They do not count for the other limits. Bodies that declare other values have not the same text.
	SameText int
}

// Kept summarizes an item's captures.
type Kept struct {
	Count int
	Bytes int64 // total size before compression; 0 if unknown, until captures are pruned
	// Oldest is the time when the oldest capture was made, apart from the item's current capture and its newest one.
	// If Oldest is zero, there is no other capture, and retention removes nothing until one is added.
	Oldest time.Time
}

// Due reports whether retention may require the removal of captures.
func (r Retention) Due(k Kept, now time.Time) bool {
	return !k.Oldest.IsZero() && (r.aged(k.Oldest, now) || r.Count > 0 && k.Count > r.Count || r.Bytes > 0 &&
		(k.Bytes > r.Bytes || k.Bytes == 0))
}

// Added returns the summary after the addition of a capture with the given size in bytes.
func (k Kept) Added(bytes int64) Kept {
	if k.Count == 0 || k.Bytes > 0 {
		k.Bytes += bytes
	}
	k.Count++
	return k
}

func (r Retention) aged(at, now time.Time) bool { return r.Age > 0 && now.Sub(at) > r.Age }

// split divides captures into those that are kept and those that are removed. It gets one capture of each body, and
// the raw hashes of the captures to keep in any case. The first of these hashes is that of the item's current
// capture.
func (r Retention) split(captures []Capture, keep []string, now time.Time) (kept, gone []Capture) {
	captures = slices.Clone(captures)
	slices.SortFunc(captures, byAge)
	needed := func(i int) bool { return i == 0 || slices.Contains(keep, captures[i].RawHash) }
	count, bytes := 0, int64(0)
	for i, c := range captures {
		if needed(i) {
			count++
			bytes += c.Bytes
		}
	}
	for i, c := range captures {
		if needed(i) {
			kept = append(kept, c)
			continue
		}
		count++
		bytes += c.Bytes // also counts removed captures, so that no older capture is kept
		if r.aged(c.CapturedAt, now) || r.Count > 0 && count > r.Count || r.Bytes > 0 && bytes > r.Bytes {
			gone = append(gone, c)
		} else {
			kept = append(kept, c)
		}
	}
	return kept, gone
}

func byAge(a, b Capture) int {
	return cmp.Or(b.CapturedAt.Compare(a.CapturedAt), strings.Compare(b.RawHash, a.RawHash))
}

// keptOf summarizes the captures of an item that are kept, which must be sorted newest first. It also gets the raw
// hash of the item's current capture.
func keptOf(kept []Capture, present string) Kept {
	k := Kept{Count: len(kept)}
	for i, c := range kept {
		k.Bytes += c.Bytes
		if i > 0 && c.RawHash != present {
			k.Oldest = c.CapturedAt // the last capture is the oldest
		}
	}
	return k
}

// Prune removes the captures of an item that retention does not keep, and the edges to them. The hashes in keep are
// those of captures to keep in any case. The first of them is that of the item's current capture. After an error,
// callers must repeat the call, which continues where it stopped.
func (s *Store) Prune(
	ctx context.Context, id source.ID, r Retention, now time.Time, keep ...string,
) (k Kept, err error) {
	defer fault.Wrap(&err, "prune snapshots of %s", id)
	captures, err := s.List(ctx, id)
	if err != nil {
		return k, err
	}
	bodies := byBody(captures)
	firsts, same := firstOfTexts(bodies)
	kept, gone := r.split(firsts, keep, now)
	is := func(those []Capture, rawHash string) bool {
		return slices.ContainsFunc(those, func(c Capture) bool { return c.RawHash == rawHash })
	}
	first := firstsOf(firsts)
	stays := func(c Capture) bool {
		return slices.Contains(keep, c.RawHash) || is(kept, first[sameTextOf(c)])
	}
	// What came later with a text must be removed before the first body of the text, which would otherwise be another
	// body if this call is interrupted.
	gone = append(slices.DeleteFunc(same, stays), gone...)
	if len(gone) > 0 {
		// Edges must be removed before captures, because the captures to remove determine which edges to remove.
		err := s.dropEdges(ctx, id, r.horizon(now), func(c lineage.CaptureID) bool {
			of, digest := c.Split()
			return of == string(id) && is(gone, "sha256:"+digest)
		})
		if err != nil {
			return k, err
		}
	}
	for _, c := range gone {
		if bodies, err = s.dropBody(ctx, bodies, c.RawHash); err != nil {
			return k, err
		}
	}
	return keptOf(kept, keep[0]), nil
}

// firstOfTexts divides bodies into those that were captured first with their text, and those that came later with it.
func firstOfTexts(bodies [][]Capture) (firsts, same []Capture) {
	var all []Capture
	for _, body := range bodies {
		all = append(all, body[0])
	}
	first := firstsOf(all)
	for _, c := range all {
		if first[sameTextOf(c)] == c.RawHash {
			firsts = append(firsts, c)
		} else {
			same = append(same, c)
		}
	}
	return firsts, same
}

// horizon returns the time before which captures are older than Age.
func (r Retention) horizon(now time.Time) time.Time {
	if r.Age == 0 {
		return time.Time{}
	}
	return now.Add(-r.Age)
}
