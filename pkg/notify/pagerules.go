package notify

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// A rule for one page is stored under its page, so that a change finds the rules of its page without reading any other.
// Its id begins with the id of the page. There may be any number of such rules.
const pagesPartition = "pages"

// pagesKey is the row that says since when there are rules for one page. It is read together with the other rules, so
// that a follower asks for rules of pages only if there are any.
var pagesKey = storage.Key{Partition: rulesPartition, Row: "pages"}

type pagesRow struct {
	Since string `col:"since"`
}

var pagesRows = row.Of[pagesRow]()

// isOfPage reports whether an id is that of a rule for one page.
func isOfPage(id string) bool { return strings.Contains(id, ".") }

// keyOf returns the key of a stored rule.
func keyOf(id string) storage.Key {
	if isOfPage(id) {
		return storage.Key{Partition: pagesPartition, Row: id}
	}
	return storage.Key{Partition: rulesPartition, Row: id}
}

// ofPage lists the rules for one page.
func (s *Book) ofPage(ctx context.Context, item string) (out []rule, err error) {
	if item == "" {
		return nil, nil
	}
	query := storage.Query{Partition: pagesPartition, RowFrom: item + ".", RowTo: item + ".~"}
	for e, err := range s.rows.Query(ctx, query) {
		if err != nil {
			return nil, err
		}
		out = append(out, s.read(ctx, e))
	}
	return out, nil
}

// pageRules lists rules for one page, in the order of pages, beginning at a cursor.
func (s *Book) pageRules(ctx context.Context, after string, top int) (out []rule, next string, err error) {
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: pagesPartition, RowFrom: after}) {
		switch {
		case err != nil:
			return nil, "", err
		case len(out) == top:
			return out, e.Row, nil
		}
		out = append(out, s.read(ctx, e))
	}
	return out, "", nil
}

// pagesBeginAt makes rules for one page begin at the end of the feed, if they begin beyond it. Since is the position
// after which there are such rules; it is nil if there are none. The position of the row is moved last, so that a call
// that fails is made again.
func (s *Book) pagesBeginAt(ctx context.Context, since *feed.Position, end feed.Position) error {
	if since == nil {
		return nil
	}
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: pagesPartition}) {
		if err != nil {
			return err
		}
		if !s.read(ctx, e).since.After(end) {
			continue
		}
		_, err = s.rows.Transact(ctx, storage.Op{Kind: storage.Merge, Entity: storage.Entity{Key: e.Key, ETag: e.ETag,
			Props: storage.Properties{"since": end.String()}}})
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	if !since.After(end) {
		return nil
	}
	_, err := s.rows.Transact(ctx, storage.Op{Kind: storage.Upsert,
		Entity: storage.Entity{Key: pagesKey, Props: pagesRows.Encode(&pagesRow{end.String()})}})
	return err
}

// naming returns a rule that names a channel, if there is one.
func naming(ctx context.Context, s *Book, channel string) (found rule, err error) {
	all, err := s.all(ctx)
	if err != nil {
		return found, err
	}
	of, _, err := s.pageRules(ctx, "", maxListed)
	for _, r := range append(all.rules, of...) {
		if slices.Contains(r.Channels, channel) {
			return r, err
		}
	}
	return found, err
}
