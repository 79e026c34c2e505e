package snapshot

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Retention says which captures of an item are kept. The newest, and those that are asked for, are
// kept whatever it says.
type Retention struct {
	Age   time.Duration // since a capture was made; 0 is for ever
	Count int           // captures of an item; 0 is all
	Bytes int64         // of the captures of an item, before compression; 0 is any number
}

// Kept is what is left of an item's captures.
type Kept struct {
	Count int
	Bytes int64 // before compression; 0 while it is not known, and it is once captures were pruned
	// Oldest is when the oldest capture was made that is not the item's present one, nor the newest;
	// zero when there is none: then nothing will have to go as long as none is added.
	Oldest time.Time
}

// Due reports whether something of an item may have to go.
func (r Retention) Due(k Kept, now time.Time) bool {
	return !k.Oldest.IsZero() && (r.aged(k.Oldest, now) || r.Count > 0 && k.Count > r.Count || r.Bytes > 0 &&
		(k.Bytes > r.Bytes || k.Bytes == 0))
}

// Added is what is kept once a capture of so many bytes is kept, too.
func (k Kept) Added(bytes int64) Kept {
	if k.Count == 0 || k.Bytes > 0 {
		k.Bytes += bytes
	}
	k.Count++
	return k
}

func (r Retention) aged(at, now time.Time) bool { return r.Age > 0 && now.Sub(at) > r.Age }

// split decides which captures go, of one for each body. Keep are raw hashes; the first is the item's present one.
func (r Retention) split(captures []Capture, keep []string, now time.Time) (kept, gone []Capture) {
	captures = slices.Clone(captures)
	slices.SortFunc(captures, func(a, b Capture) int {
		if n := b.CapturedAt.Compare(a.CapturedAt); n != 0 {
			return n
		}
		return strings.Compare(b.RawHash, a.RawHash)
	})
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
		bytes += c.Bytes // also of one that goes: nothing older stays
		if r.aged(c.CapturedAt, now) || r.Count > 0 && count > r.Count || r.Bytes > 0 && bytes > r.Bytes {
			gone = append(gone, c)
		} else {
			kept = append(kept, c)
		}
	}
	return kept, gone
}

// keptOf sums up what is left, newest first, of an item whose present capture is given.
func keptOf(kept []Capture, present string) Kept {
	k := Kept{Count: len(kept)}
	for i, c := range kept {
		k.Bytes += c.Bytes
		if i > 0 && c.RawHash != present {
			k.Oldest = c.CapturedAt // the last is the oldest
		}
	}
	return k
}

// Prune drops the captures of an item that retention does not keep, with the edges to them. Keep are
// raw hashes that are needed; the first of them is the item's present one. After an error it has to
// be called again, and goes on where it was.
func (s *Store) Prune(
	ctx context.Context, id source.ID, r Retention, now time.Time, keep ...string,
) (k Kept, err error) {
	defer fault.Wrap(&err, "prune snapshots of %s", id)
	captures, err := s.List(ctx, id)
	if err != nil {
		return k, err
	}
	bodies := byBody(captures)
	firsts := make([]Capture, len(bodies))
	for i, body := range bodies {
		firsts[i] = body[0]
	}
	kept, gone := r.split(firsts, keep, now)
	goes := func(digest string) bool {
		return slices.ContainsFunc(gone, func(g Capture) bool { return strings.TrimPrefix(g.RawHash, "sha256:") == digest })
	}
	if len(gone) > 0 {
		// Edges first: the captures that go tell which.
		err := s.dropEdges(ctx, id, r.horizon(now), func(c lineage.CaptureID) bool {
			of, digest := c.Split()
			return of == string(id) && goes(digest)
		})
		if err != nil {
			return k, err
		}
	}
	for _, body := range bodies {
		if !goes(strings.TrimPrefix(body[0].RawHash, "sha256:")) {
			continue
		}
		if err := s.drop(ctx, body); err != nil {
			return k, err
		}
	}
	return keptOf(kept, keep[0]), nil
}

// horizon is before when everything has aged out.
func (r Retention) horizon(now time.Time) time.Time {
	if r.Age == 0 {
		return time.Time{}
	}
	return now.Add(-r.Age)
}
