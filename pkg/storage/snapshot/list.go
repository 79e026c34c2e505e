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

// List returns an item's captures. Captures of one body are adjacent, and the first capture of the body comes first.
func (s *Store) List(ctx context.Context, id source.ID) ([]Capture, error) {
	out, _, err := s.captureRows(ctx, id, "", 0)
	return out, err
}

// listed is the form of a capture's position in the list of an item's captures.
var listed = regexp.MustCompile(`^[0-9a-f]{64}(-[a-z0-9_.]+)?$`)

// Page returns at most the given number of an item's captures, from 1 to 999, in the order of their digests. It
// starts after the position that an earlier call returned as next, or at the first capture if the position is empty.
// After the last page, next is empty. Errors: Invalid for a malformed position.
func (s *Store) Page(
	ctx context.Context, id source.ID, after string, most int,
) (page []Capture, next string, err error) {
	if after != "" && !listed.MatchString(after) {
		return nil, "", fault.New(fault.Invalid, "it is no place in a listing of captures")
	}
	page, last, err := s.captureRows(ctx, id, strings.Replace(after, "-", "|", 1), most)
	return page, strings.Replace(last, "|", "-", 1), err
}

// captureRows returns the captures after a row: at most the given number, or all of them if the number is 0. If there
// are more, last is the row of the last capture that is returned. The query begins at the row of a body's first
// capture, because only that row says when the source last answered with the body.
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

// byBody groups captures by body, in list order. In each group, the body's first capture comes first.
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
