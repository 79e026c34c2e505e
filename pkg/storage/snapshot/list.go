package snapshot

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

// List gives an item's captures, those of one body next to each other, the first one of it first.
func (s *Store) List(ctx context.Context, id source.ID) ([]Capture, error) {
	out, _, err := s.captureRows(ctx, id, "", 0)
	return out, err
}

// listed is a capture's place in the listing of its item's.
var listed = regexp.MustCompile(`^[0-9a-f]{64}(-[a-z0-9_.]+)?$`)

// Page gives so many of an item's captures, from 1 to 999, in the order of their digests: those after a place that an
// earlier call gave as next, or the first ones when it is empty. The last page has no next. A malformed place is
// Invalid.
func (s *Store) Page(
	ctx context.Context, id source.ID, after string, most int,
) (page []Capture, next string, err error) {
	if after != "" && !listed.MatchString(after) {
		return nil, "", fault.New(fault.Invalid, "it is no place in a listing of captures")
	}
	page, last, err := s.captureRows(ctx, id, strings.Replace(after, "-", "|", 1), most)
	return page, strings.Replace(last, "|", "-", 1), err
}

// captureRows reads the captures behind a row, all of them if most is 0; last is the row of the last one that is given
// when there are more. When a source last answered with a body is in the row of its first capture alone, so
// reading begins there.
func (s *Store) captureRows(
	ctx context.Context, id source.ID, after string, most int,
) (out []Capture, last string, err error) {
	from, _, _ := strings.Cut(after, "|")
	q := storage.Query{Partition: string(id), RowFrom: max(from, "0"), RowTo: "g"}
	if most > 0 {
		q.PageSize = min(most+2, storage.MaxPage)
	}
	var verified time.Time
	for e, err := range s.captures.Query(ctx, q) {
		if err != nil {
			return nil, "", err
		}
		c := captureOf(e)
		if !strings.Contains(e.Row, "|") {
			verified = c.LastVerifiedAt
		}
		c.LastVerifiedAt = verified
		if e.Row <= after {
			continue
		}
		if most > 0 && len(out) == most {
			return out, last, nil
		}
		out, last = append(out, c), e.Row
	}
	return out, "", nil
}

// byBody groups captures as they are listed: the first of each group is that of the body's row.
func byBody(captures []Capture) (groups [][]Capture) {
	for i, c := range captures {
		if i > 0 && captures[i-1].RawHash == c.RawHash {
			groups[len(groups)-1] = append(groups[len(groups)-1], c)
			continue
		}
		groups = append(groups, []Capture{c})
	}
	return groups
}
