package sqlitesearch

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// The index counts its writes, one for each page that a call changes. The transaction of a write also records it, so
// the index and the list of its writes always agree:
//
//	writes  number, page = pages.id, at (Unix), whole (1 if the page was removed), keys (JSON, of the deleted chunks),
//	        was (host and tags that the page had before and has no more, one a line)
//	chunks  written: the number of the last write of this chunk
//	pages   written: the number of the last write that concerns all chunks of the page, such as of its title or its tags
//	feed    name, forgotten: the number of the last write whose deletions are forgotten
//
// Texts stand in chunks only. So a list of writes has no text of a removed page, and a chunk stands in it once.

// lastWrite returns the number of the last write, or 0.
func lastWrite(ctx context.Context, tx *sqlitefile.Statements) (number int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) FROM writes").Scan(&number)
	return number, err
}

// shown are the values of a page that a follower gets with each chunk and that may change while the chunks stay.
type shown struct {
	url, host, kind, title, language string
	published                        int64
	tags                             string // as in the row
}

func shownOf(p search.Page) shown {
	return shown{url: tokens.Plain(p.URL), host: tokens.Plain(p.Host), kind: tokens.Plain(p.Type),
		title: tokens.Plain(p.Title), language: tokens.Plain(p.Language), published: unixOf(p.PublishedAt),
		tags: tagLines(p.Tags)}
}

// filters returns the lines by which a query can select the page.
func (s shown) filters() []string {
	lines := []string{hostLine(s.host)}
	for _, tag := range tagsOf(s.tags) {
		lines = append(lines, tagLine(tag))
	}
	return lines
}

func hostLine(host string) string { return "host " + host }
func tagLine(tag string) string   { return "tag " + tag }

// note records that a page was put, if a follower has to know. Gone are the keys of the deleted chunks.
func (w *writer) note(was stored, p search.Page, gone []string, wrote bool) error {
	now := shownOf(p)
	all := !was.known || was.shown != now
	if !all && !wrote && len(gone) == 0 {
		return nil
	}
	stays := map[string]bool{}
	for _, c := range p.Chunks {
		stays[search.BaseKey(c.Key)] = true
	}
	keys := []string{}
	for _, key := range gone {
		if key = search.BaseKey(key); !stays[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var left []string
	if was.known {
		have := now.filters()
		left = slices.DeleteFunc(was.shown.filters(), func(f string) bool { return slices.Contains(have, f) })
	}
	if err := w.record(p.ID, p.IndexedAt, false, keys, left); err != nil || !all {
		return err
	}
	return w.exec("UPDATE pages SET written = ? WHERE rowid = ?", w.last, was.row)
}

// noteRemoval records that a page was removed.
func (w *writer) noteRemoval(id string, was stored) error {
	return w.record(id, time.Now(), true, []string{}, was.shown.filters())
}

func (w *writer) record(page string, at time.Time, whole bool, keys, left []string) error {
	w.last++
	return w.exec("INSERT INTO writes (number, page, at, whole, keys, was) VALUES (?, ?, ?, ?, ?, ?)",
		w.last, page, at.Unix(), whole, asJSON(keys), strings.Join(left, "\n"))
}

// forgetting removes what is known of deletions up to a number, and writes by which no chunk is known any more. The
// last write stays, so that no number is given twice.
var forgetting = []string{
	"UPDATE feed SET forgotten = max(forgotten, ?1)",
	"UPDATE writes SET keys = '[]', was = '' WHERE number <= ?1",
	"DELETE FROM writes WHERE number <= ?1 AND number < (SELECT max(number) FROM writes) " +
		"AND number NOT IN (SELECT written FROM chunks) AND number NOT IN (SELECT written FROM pages)",
}

// Forget forgets the deletions before the given time.
func (ix *Index) Forget(ctx context.Context, before time.Time) error {
	return ix.fault("forget", ix.forget(ctx, before))
}

func (ix *Index) forget(ctx context.Context, before time.Time) error {
	tx, prepared, err := ix.writes.Begin(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	const old = "SELECT coalesce(max(number), 0) FROM writes WHERE at < ? AND (whole OR keys <> '[]' OR was <> '')"
	if err := prepared.QueryRowContext(ctx, old, before.Unix()).Scan(&last); err != nil || last == 0 {
		return err
	}
	for _, statement := range forgetting {
		if _, err := prepared.ExecContext(ctx, statement, last); err != nil {
			return err
		}
	}
	return tx.Commit()
}
