package sqlitesearch

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// writer writes pages in one transaction.
type writer struct {
	ctx context.Context
	tx  *sqlitefile.Statements

	words    *vocabulary
	learned  map[uint64]bool  // words that were added to the table "forms"
	vectors  map[int64][]byte // vectors whose signs are yet to be written; see putBits
	added    []row            // texts that are new in the index
	analyzer *ranking.Analyzer
	// postings collects the words of the added chunks, and the chunks that were removed.
	postings *postings.Writer
	last     int64 // number of the last write; see note
	// copied are values of the page that is copied from another index; nil if the page is not copied.
	copied *origin
}

// origin are values of a page's rows in another index, of which this one is a replica.
type origin struct {
	same    string
	numbers map[string]int64 // of the last write of each chunk, by the base of its key
	written int64            // of the last write that concerns all chunks
}

func (w *writer) exec(query string, args ...any) error {
	_, err := w.tx.ExecContext(w.ctx, query, args...)
	return err
}

// changes executes a statement, and reports whether any row changed.
func (w *writer) changes(query string, args ...any) (bool, error) {
	res, err := w.tx.ExecContext(w.ctx, query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// stored is a page that has a row, or gets one.
type stored struct {
	row      int64
	images   int // number of images according to the row
	language string
	known    bool // there was a row before
	shown    shown
	becomes  shown // with the page that is put
	written  int64 // the last write that concerns all chunks
}

// rowOf finds the row of a page. Errors: sql.ErrNoRows if there is none.
func (w *writer) rowOf(id string) (page stored, err error) {
	const query = "SELECT rowid, images, language, url, host, type, title, published_at, tags, written FROM pages " +
		"WHERE id = ?"
	was := &page.shown
	err = w.tx.QueryRowContext(w.ctx, query, id).Scan(&page.row, &page.images, &page.language, &was.url, &was.host,
		&was.kind, &was.title, &was.published, &was.tags, &page.written)
	was.language = page.language
	return page, err
}

// putPage writes the page's row if it differs, and returns the previous row. It does not change the number of images,
// which replaceImages writes.
func (w *writer) putPage(p search.Page) (page stored, err error) {
	const insert = `
INSERT INTO pages (id, url, host, type, title, language, mime, indexed_at, changed_at, same, place,
	published_at, tags, path, capture, written)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET url = excluded.url, host = excluded.host, type = excluded.type, title = excluded.title,
	language = excluded.language, mime = excluded.mime, indexed_at = excluded.indexed_at, changed_at = excluded.changed_at,
	same = excluded.same, place = excluded.place, published_at = excluded.published_at, tags = excluded.tags,
	path = excluded.path, capture = excluded.capture, written = excluded.written
WHERE (url, host, type, title, language, mime, indexed_at, changed_at, same, place, published_at, tags, path,
	capture, written) IS NOT
	(excluded.url, excluded.host, excluded.type, excluded.title, excluded.language, excluded.mime,
	excluded.indexed_at, excluded.changed_at, excluded.same, excluded.place, excluded.published_at, excluded.tags,
	excluded.path, excluded.capture, excluded.written)`
	page, err = w.rowOf(p.ID)
	isNew := errors.Is(err, sql.ErrNoRows)
	page.known = !isNew
	if err != nil && !isNew {
		return stored{}, err
	}
	page.becomes = shownOf(p)
	written := page.written
	switch {
	case w.copied != nil:
		written = w.copied.written
	case isNew || page.shown != page.becomes:
		written = w.last + 1
	}
	res, err := w.tx.ExecContext(w.ctx, insert, p.ID, tokens.Plain(p.URL), tokens.Plain(p.Host), tokens.Plain(p.Type),
		tokens.Plain(p.Title), tokens.Plain(p.Language), tokens.Plain(p.MimeType), p.IndexedAt.UTC().Format(time.RFC3339),
		p.ChangedAt.Unix(), w.sameOf(p), p.Precedence,
		unixOf(p.PublishedAt), tagLines(p.Tags), search.PathOf(p.URL), tokens.Plain(p.Capture),
		written)
	if err == nil && isNew {
		page.row, err = res.LastInsertId()
	}
	return page, err
}

// unixOf returns a time in Unix seconds, or 0 for the zero time.
func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// tagLines joins tags, with a line break on both sides of each.
func tagLines(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "\n" + tokens.Plain(strings.Join(tags, "\n")) + "\n"
}

// tagsOf returns the tags from the output of [tagLines].
func tagsOf(lines string) []string {
	if lines == "" {
		return nil
	}
	return strings.Split(strings.Trim(lines, "\n"), "\n")
}

// sameOf returns a text that is the same for all pages that form one result.
func (w *writer) sameOf(p search.Page) string {
	if w.copied != nil {
		return w.copied.same
	}
	if p.Group == "" {
		return "page " + p.ID
	}
	sum := sha256.Sum256([]byte(p.Group + "\n" + p.Content))
	return "group " + hex.EncodeToString(sum[:])
}

// readChunks reads the rows of a page, by key.
func (w *writer) readChunks(page int64) (map[string]row, error) {
	rows, err := w.readRange(firstSlot(page), lastSlot(page), math.MaxInt32)
	old := make(map[string]row, len(rows))
	for _, r := range rows {
		old[r.key] = r
	}
	return old, err
}

// readRange reads the first rows in a range of ids, at most the given number.
func (w *writer) readRange(from, to int64, most int) (all []row, err error) {
	var r row
	for err := range w.tx.Rows(w.ctx, "SELECT id, document, written, key, uid, title, heading, body, anchor, zone FROM "+
		"chunks WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?", []any{from, to, most},
		&r.id, &r.document, &r.written, &r.key, &r.uid, &r.title, &r.heading, &r.body, &r.anchor, &r.zone) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// replaceChunks writes the difference. It deletes rows first, so that their slots become free. It returns the keys of
// the deleted chunks, and whether it has written others.
func (w *writer) replaceChunks(page int64, want []row) (deleted []string, wrote bool, err error) {
	old, err := w.readChunks(page)
	if err != nil {
		return nil, false, err
	}
	stays := make(map[string]bool, len(want))
	for _, r := range want {
		stays[r.key] = true
	}
	taken := map[int64]bool{}
	for key, o := range old {
		if stays[key] {
			taken[o.id] = true
			continue
		}
		if err := w.removeChunk(o); err != nil {
			return nil, false, err
		}
		deleted = append(deleted, key)
	}
	free := firstSlot(page)
	for _, r := range want {
		o, found := old[r.key]
		changed := true
		if found {
			r.id = o.id
			changed, err = w.updateChunk(o, r)
		} else {
			for taken[free] {
				free++
			}
			r.id = free
			free++
			err = w.addChunk(r)
		}
		if err != nil {
			return nil, false, err
		}
		wrote = wrote || changed
	}
	return deleted, wrote, nil
}

// addText adds the words of a chunk to the postings.
func (w *writer) addText(r *row) (err error) {
	w.added = append(w.added, *r)
	analyzed, length := w.analyzer.Words(r.title, r.heading, r.body, ranking.ZoneFactor(r.zone))
	words := make([]postings.Word, len(analyzed))
	for i, word := range analyzed {
		words[i] = postings.Word{Text: word.Text, Impact: uint16(word.Impact), Positions: word.Positions}
	}
	r.document, err = w.postings.Add(r.id, length, words)
	return err
}

func (w *writer) addChunk(r row) error {
	if err := w.addText(&r); err != nil {
		return err
	}
	const insert = "INSERT INTO chunks (id, document, written, key, uid, title, heading, body, anchor, zone) " +
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	err := w.exec(insert, r.id, r.document, w.number(r.key), r.key, r.uid, r.title, r.heading, r.body, r.anchor, r.zone)
	if err == nil {
		_, err = w.putVector(r)
	}
	return err
}

// putVector writes the vector of a chunk, and returns whether it did. It does not if the index
// already has the vector or the caller passed none. A stored vector of another length is from an earlier model, and
// queries cannot use it.
func (w *writer) putVector(r row) (changed bool, err error) {
	if r.vector == nil {
		return false, nil
	}
	const upsert = `
INSERT INTO vectors (chunk, vector) VALUES (?, ?)
ON CONFLICT (chunk) DO UPDATE SET vector = excluded.vector WHERE length(vector) <> length(excluded.vector)`
	changed, err = w.changes(upsert, r.id, r.vector)
	if changed {
		w.vectors[r.id] = r.vector
	}
	return changed, err
}

func (w *writer) removeChunk(old row) error {
	w.postings.Remove(old.document)
	had, err := w.changes("DELETE FROM vectors WHERE chunk = ?", old.id)
	if err != nil {
		return err
	}
	if had {
		w.vectors[old.id] = nil
	}
	return w.exec("DELETE FROM chunks WHERE id = ?", old.id)
}

// updateChunk changes the row old to r, where they differ, and returns whether they do. Equal keys mean equal vectors.
// But the stored vector may be missing, if the index had no model in the meantime ([useModel]).
func (w *writer) updateChunk(old, r row) (changed bool, err error) {
	if changed, err = w.putVector(r); err != nil {
		return false, err
	}
	sameText := old.title == r.title && old.heading == r.heading && old.body == r.body
	number := w.number(r.key)
	if sameText && old.uid == r.uid && old.anchor == r.anchor && !changed && (w.copied == nil || old.written == number) {
		return false, nil
	}
	if sameText {
		return true, w.exec("UPDATE chunks SET uid = ?, anchor = ?, written = ? WHERE id = ?", r.uid, r.anchor, number, r.id)
	}
	w.postings.Remove(old.document)
	if err := w.addText(&r); err != nil {
		return false, err
	}
	return true, w.exec("UPDATE chunks SET document = ?, uid = ?, title = ?, heading = ?, body = ?, anchor = ?, "+
		"written = ? WHERE id = ?", r.document, r.uid, r.title, r.heading, r.body, r.anchor, number, r.id)
}

// slotBits is the number of low bits in a chunk's row id. They hold the slot, which distinguishes the chunk from the
// other chunks of its page.
const slotBits = 16

// Every chunk of a page must have a slot.
var _ [1<<slotBits - search.MaxChunks]struct{}

// row is a stored chunk.
type row struct {
	id, document, written                  int64 // document is the chunk's number in the postings
	key, uid, title, heading, body, anchor string
	zone                                   string // the key identifies the zone, so it never changes
	vector                                 []byte // to be written; nil if there is none, and in rows that were read
}

func firstSlot(page int64) int64 { return page << slotBits }
func lastSlot(page int64) int64  { return page<<slotBits | (1<<slotBits - 1) }

// picture is a stored image.
type picture struct {
	search.Image
	ordinal int
}

// replaceImages writes the images that differ. It costs nothing if the page neither had nor gets images.
func (w *writer) replaceImages(page stored, want []search.Image) error {
	if page.images == 0 && len(want) == 0 {
		return nil
	}
	old, err := w.readImages(page.row)
	if err != nil {
		return err
	}
	for i, img := range want {
		p := picture{plainImage(img), i}
		if was, found := old[p.ID]; !found || was != p {
			if err := w.putImage(page.row, p); err != nil {
				return err
			}
		}
		delete(old, p.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		if err := w.exec("DELETE FROM images WHERE page = ? AND id = ?", page.row, id); err != nil {
			return err
		}
	}
	if page.images == len(want) {
		return nil
	}
	return w.exec("UPDATE pages SET images = ? WHERE rowid = ?", len(want), page.row)
}

func plainImage(img search.Image) search.Image {
	return search.Image{ID: img.ID, Src: tokens.Plain(img.Src), Alt: tokens.Plain(img.Alt), Title: tokens.Plain(img.Title),
		Caption: tokens.Plain(img.Caption)}
}

func (w *writer) readImages(page int64) (map[string]picture, error) {
	old := map[string]picture{}
	var p picture
	for err := range w.tx.Rows(w.ctx, "SELECT id, ordinal, src, alt, title, caption FROM images WHERE page = ?",
		[]any{page}, &p.ID, &p.ordinal, &p.Src, &p.Alt, &p.Title, &p.Caption) {
		if err != nil {
			return nil, err
		}
		old[p.ID] = p
	}
	return old, nil
}

func (w *writer) putImage(page int64, p picture) error {
	return w.exec("REPLACE INTO images (page, id, ordinal, src, alt, title, caption) VALUES (?, ?, ?, ?, ?, ?, ?)",
		page, p.ID, p.ordinal, p.Src, p.Alt, p.Title, p.Caption)
}

// maxLearned is the maximum number of words of a page that are added to the table "forms" at once. Novels have fewer
// words. Without this bound, a page with ever new random words would make the table grow by megabytes with every
// change.
const maxLearned = 50_000

// learn adds the words of texts of a page to the table "forms", so that queries find them by other forms. It looks at
// each word once, however often the texts repeat it.
func (w *writer) learn(language string, texts []row) error {
	most, met := len(w.learned)+maxLearned, map[string]bool{}
	for _, text := range distinct(texts) {
		for word := range wordsIn(text) {
			if met[word] {
				continue
			}
			met[word] = true
			if !tokens.HasForms(word) {
				continue
			}
			// If two words have the same hash, the second one gets no other forms. This is rare enough.
			language := tokens.StemLanguage(word, language)
			key := xxhash.Sum64String(language) ^ xxhash.Sum64String(word)
			if w.learned[key] || w.words.has(key) {
				continue
			}
			if len(w.learned) == most {
				return nil
			}
			if err := w.learnWord(language, tokens.Fold(word)); err != nil {
				return err
			}
			w.learned[key] = true
		}
	}
	return nil
}

// distinct returns the texts of chunks. A title or heading that is repeated from chunk to chunk comes once.
func distinct(chunks []row) (texts []string) {
	title, heading := "", ""
	for _, r := range chunks {
		if r.title != title {
			title = r.title
			texts = append(texts, title)
		}
		if r.heading != heading {
			heading = r.heading
			texts = append(texts, heading)
		}
		texts = append(texts, r.body)
	}
	return texts
}

func (w *writer) learnWord(language, word string) error {
	return w.exec("INSERT OR IGNORE INTO forms (language, stem, word) VALUES (?, ?, ?)", language,
		tokens.Stem(word, language), word)
}

// wordsIn returns the words of a text, one for each place where they stand.
func wordsIn(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !search.IsWordRune(r) })
}

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

// number returns the number of the write of a chunk.
func (w *writer) number(key string) int64 {
	if w.copied != nil {
		return w.copied.numbers[search.BaseKey(key)]
	}
	return w.last + 1
}

// note records that a page was put, if a follower has to know. Gone are the keys of the deleted chunks.
func (w *writer) note(was stored, p search.Page, gone []string, wrote bool) error {
	if w.copied != nil {
		return nil
	}
	if was.known && was.shown == was.becomes && !wrote && len(gone) == 0 {
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
		have := was.becomes.filters()
		left = slices.DeleteFunc(was.shown.filters(), func(f string) bool { return slices.Contains(have, f) })
	}
	return w.record(p.ID, p.IndexedAt, false, keys, left)
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
