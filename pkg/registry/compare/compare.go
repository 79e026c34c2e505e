// Package compare shows the differences between two captures of an item, with the item's watch settings applied. It
// also creates rules for ignoring lines.
//
// The package works on stored captures and sends no request to the site.
package compare

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Comparer compares captures.
type Comparer struct {
	items   *registry.Items
	tags    *registry.Tags
	memory  *registry.FieldLog
	history *history.History
}

// New makes a Comparer. The watch settings come from the items and their tags, and what moves on a page from its
// memory.
func New(items *registry.Items, tags *registry.Tags, memory *registry.FieldLog, past *history.History) *Comparer {
	return &Comparer{items, tags, memory, past}
}

// Query selects what to compare.
type Query struct {
	From, To string // digests of captures; if empty, the captures before and after the last change
	Part     string // "page", or "watched" for the watched part; "" means "page"
}

// Diff is the differences between two captures.
type Diff struct {
	From, To snapshot.Capture
	Hunks    []Hunk
	Cut      bool // the comparison or the list of differences is incomplete

	texts    [2]string // what is compared
	language string    // of the later text
}

// Hunk is a passage in which the texts differ, with a few lines of context around it, or a table that differs.
type Hunk struct {
	Lines []Line
	Table *Table // nil for lines of text

	changed []textdiff.Row // the lines that differ, in pairs
}

// Line is a line of one text or of both. Removed lines come before the lines that replaced them.
type Line struct {
	Old, New int // line numbers, starting at 1; 0 if the text does not contain the line
	Pieces   []textdiff.Piece
	Ignored  string // the rule that excludes the line from the comparison; empty if the line counts
	// Partly is the rule that excludes some of what differs in the line; empty if the line counts whole, or not at
	// all.
	Partly string
}

// Diff compares two captures of a past.
func (c *Comparer) Diff(ctx context.Context, p history.Past, q Query) (d Diff, err error) {
	if q.From == "" || q.To == "" {
		if q.From, q.To, err = p.LastChange(ctx, q.From, q.To); err != nil {
			return d, err
		}
	}
	if q.Part != "" && q.Part != "page" && q.Part != "watched" {
		return d, fault.Field("part", "part must be page or watched, not %.40q", q.Part)
	}
	set, err := c.tags.Effective(ctx, &p.Item)
	if err != nil {
		return d, err
	}
	w, err := c.watched(p, set.Watch)
	if err != nil {
		return d, err
	}
	var views [2]part.View
	for i, side := range []struct {
		field, digest string
		capture       *snapshot.Capture
	}{{"from", q.From, &d.From}, {"to", q.To, &d.To}} {
		if !history.IsDigest(side.digest) {
			return d, fault.Field(side.field, "%s is not 64 hexadecimal digits", side.field)
		}
		r, err := w.read(ctx, side.digest)
		if err != nil {
			return d, err
		}
		text, view := r.of(q.Part), r.part.Page
		if q.Part == "watched" {
			view = r.part.Own
		}
		clipped := words.Clip(text, textdiff.MaxText)
		*side.capture, views[i] = r.capture, view(clipped)
		d.Cut = d.Cut || len(text) > textdiff.MaxText
		d.texts[i], d.language = clipped, r.language
	}
	hunks, long := part.Compare(views[0], views[1])
	d.Cut = d.Cut || long
	for _, h := range hunks {
		d.Hunks = append(d.Hunks, hunkOf(h))
	}
	return d, nil
}

// hunkOf returns the lines of a hunk.
func hunkOf(from part.Hunk) (h Hunk) {
	var gone, come []Line
	flush := func() {
		h.Lines = append(append(h.Lines, gone...), come...)
		gone, come = nil, nil
	}
	if from.Table != nil {
		h.Table = tableOf(from)
	}
	for _, r := range from.Rows {
		if r.OldN > 0 && r.NewN > 0 && !differs(r.Row) {
			flush()
			h.Lines = append(h.Lines, Line{Old: r.OldN, New: r.NewN, Pieces: r.New})
			continue
		}
		was, is := r.Rules()
		h.Table.add(from.Table, r)
		if h.changed = append(h.changed, r.Row); r.OldN > 0 {
			gone = append(gone, Line{Old: r.OldN, Pieces: r.Old, Ignored: was, Partly: r.Gone.Part()})
		}
		if r.NewN > 0 {
			come = append(come, Line{New: r.NewN, Pieces: r.New, Ignored: is, Partly: r.Come.Part()})
		}
	}
	flush()
	h.Table.narrow()
	return h
}

func differs(r textdiff.Row) bool {
	for _, side := range [][]textdiff.Piece{r.Old, r.New} {
		for _, p := range side {
			if p.Hit && p.Text != "" {
				return true
			}
		}
	}
	return false
}

// reader reads the captures of a past with the item's watch settings applied.
type reader struct {
	history *history.History
	past    history.Past
	part    *part.Reader // nil if the whole page is compared
	out     *part.Reader // reads what is excluded; nil if nobody asks
	fields  []field.Spec // fields that are read, too
}

func (c *Comparer) watched(p history.Past, set *api.Watch) (reader, error) {
	if set == nil {
		return reader{history: c.history, past: p}, nil
	}
	r := part.NewReader(options.Spec(set))
	_, err := r.Rules()
	return reader{history: c.history, past: p, part: r}, err
}

// reading is a capture after it was read.
type reading struct {
	capture snapshot.Capture
	text    string     // text of the page
	part    *part.Part // the part that is compared; nil for the whole page

	out      *part.Part // what is excluded; nil if nobody asks
	language string
	fields   []field.Result
}

// of returns the text of the page, or of the watched part.
func (r reading) of(which string) string {
	if r.part != nil && which == "watched" {
		return valid(r.part.Doc.Text)
	}
	return r.text
}

func (r reader) read(ctx context.Context, digest string) (out reading, err error) {
	c, body, err := r.past.Load(ctx, digest)
	if err != nil {
		return out, err
	}
	doc, fields, err := r.extract(ctx, c, body)
	out = reading{capture: c, text: valid(doc.Text), language: doc.Language, fields: fields}
	if err == nil && r.part != nil {
		p := r.part.Read(doc, body, c.ContentType(), history.BaseURL)
		out.part = &p
	}
	if err == nil && r.out != nil {
		p := r.out.Read(doc, body, c.ContentType(), history.BaseURL)
		out.out = &p
	}
	return out, err
}

// extract reads the document and the fields of a capture.
func (r reader) extract(ctx context.Context, c snapshot.Capture, body []byte) (
	doc extract.Document, fields []field.Result, err error) {
	if len(r.fields) == 0 {
		doc, err = r.history.Read(ctx, c, body)
		return doc, nil, err
	}
	of := part.NewFieldReader(r.fields, cmp.Or(c.FetchURL, c.CanonicalURI))
	if doc, err = r.history.ReadTree(ctx, c, body, of.Tree(nil)); err != nil {
		return doc, nil, err
	}
	all, why := of.Results(doc, body, c.ContentType())
	if why == "" {
		return doc, all[:len(r.fields)], nil // the others are declared
	}
	for _, f := range r.fields {
		fields = append(fields, field.Result{Name: f.Name, State: field.Unread, Evidence: field.Evidence{Reason: why}})
	}
	return doc, fields, nil
}

// valid replaces invalid UTF-8 in a text, because JSON requires valid UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "�") }

// Nobody reads more of a table than maxTableRows rows and maxTableColumns columns.
const (
	maxTableRows    = 200
	maxTableColumns = 12
)

// Table is what differs in a table.
type Table struct {
	Columns               []textdiff.Column
	Rows                  []TableRow
	Same, Moved           int // see [textdiff.Table]
	MoreRows, MoreColumns int // numbers of rows that differ, and of columns, that are left out
}

// TableRow is a row of a table that differs.
type TableRow struct {
	Op      string // changed, added, removed or moved
	Cells   []textdiff.Cell
	Ignored string // the rule that excludes the row from the comparison; empty if some of it counts
	Partly  string // the rule that excludes some of what differs; see [Line]
}

// tableOf returns the table of a hunk, without rows.
func tableOf(h part.Hunk) *Table {
	return &Table{Columns: h.Table.Columns, Same: h.Table.Same, Moved: h.Table.Moved}
}

// add adds a row. Lines of text and headers are no rows.
func (t *Table) add(of *textdiff.Table, r part.Row) {
	switch {
	case t == nil || r.Header:
		return
	case len(t.Rows) == maxTableRows:
		t.MoreRows++
		return
	}
	row := TableRow{Op: "changed", Cells: of.Cells(r.Row)}
	was, is := r.Rules()
	if (r.OldN == 0 || was != "") && (r.NewN == 0 || is != "") {
		row.Ignored = cmp.Or(is, was)
	} else {
		row.Partly = cmp.Or(r.Come.Rule, r.Gone.Rule)
	}
	switch {
	case r.NewN == 0:
		row.Op = "removed"
	case r.OldN == 0:
		row.Op = "added"
	case r.Moved:
		row.Op = "moved"
	}
	t.Rows = append(t.Rows, row)
}

// narrow leaves out columns of a table that has too many. The first column stays, and those in which rows differ come
// before others.
func (t *Table) narrow() {
	if t == nil || len(t.Columns) <= maxTableColumns {
		return
	}
	kept := make([]bool, len(t.Columns))
	left := maxTableColumns
	keep := func(i int) {
		if left > 0 && !kept[i] {
			kept[i] = true
			left--
		}
	}
	keep(0)
	for i := range kept {
		if slices.ContainsFunc(t.Rows, func(r TableRow) bool { return r.Op == "changed" && r.Cells[i].Differs() }) {
			keep(i)
		}
	}
	for i := range kept {
		keep(i)
	}
	t.MoreColumns = len(t.Columns) - maxTableColumns
	t.Columns = those(t.Columns, kept)
	for i := range t.Rows {
		t.Rows[i].Cells = those(t.Rows[i].Cells, kept)
	}
}

// those returns the elements that are kept.
func those[T any](all []T, kept []bool) (out []T) {
	for i, e := range all {
		if kept[i] {
			out = append(out, e)
		}
	}
	return out
}
