package feed

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

// AlikeKey returns what equal changes of a host have in common; see [api.FeedChange.AlikeKey].
func (c Change) AlikeKey() string {
	out := api.FeedChange{ItemID: c.ItemID, Host: c.Host, Kind: api.ChangeKind(c.Kind), Silenced: c.Silenced}
	for _, p := range c.Passages {
		out.Passages = append(out.Passages, api.ChangedPassage{Text: p.Text, Op: string(p.Op), Columns: p.Columns})
	}
	out.Fields = fieldsJSON(c.Fields, c.At)
	return out.AlikeKey()
}

// JSON returns the change in the form of the API and of notifications.
func (c Change) JSON() api.FeedChange {
	out := api.FeedChange{
		ID: c.Position.String(), ItemID: c.ItemID, EntryID: c.EntryID, Type: c.Type, Host: c.Host, URL: c.URL,
		Title: c.Title, Tags: c.Tags, At: c.At, Kind: api.ChangeKind(c.Kind), Why: c.Why, Share: c.Share,
		Listed: (*api.ListedEntry)(c.Entry), WordsAdded: c.WordsAdded, WordsRemoved: c.WordsRemoved,
		From: Digest(c.From), To: Digest(c.To),
	}
	out.Silenced, out.More = c.Silenced, c.More
	if c.Small != nil {
		out.Small = &api.Small{Why: string(c.Small.Why), What: c.Small.What}
	}
	for _, i := range c.Ignored {
		out.Ignored = append(out.Ignored, api.IgnoredChange{Hunk: i.Hunk, Op: string(i.Op), Rule: i.Rule})
	}
	out.Passages = passagesJSON(c.Passages)
	out.Fields = fieldsJSON(c.Fields, c.At)
	for i, f := range out.Fields {
		if out.Field == nil || f.Reported && !out.Field.Reported {
			out.Field = &out.Fields[i]
		}
	}
	if out.From != "" && out.To != "" && out.From != out.To {
		q := url.Values{"from": {out.From}, "to": {out.To}}
		if c.Part {
			q.Set("part", "watched")
		}
		out.Diff = "/api/items/" + url.PathEscape(c.ItemID) + "/diff?" + q.Encode()
	}
	return out
}

// fieldsJSON returns the fields that have changed. What a check saw again is not among them.
func fieldsJSON(all []field.Change, at time.Time) (out []api.ChangedField) {
	for _, c := range all {
		if c.Same {
			continue
		}
		out = append(out, FieldJSON(c, at))
	}
	return out
}

// FieldJSON returns the change of a field in the form of the API. The time is that of the change.
func FieldJSON(c field.Change, at time.Time) api.ChangedField {
	was, is := c.Previous(), c.Current()
	return api.ChangedField{Name: c.Name, Path: c.At, Type: cmp.Or(string(is.Type), string(was.Type)),
		Previous: was.JSON(), Current: is.JSON(), Currency: cmp.Or(is.Currency, was.Currency), Text: c.Text(at),
		First: c.First, State: string(c.State), Reported: c.Reported}
}

// passagesJSON returns passages in the form of the API. A removed passage before an added one is what that replaces.
func passagesJSON(all []Passage) (out []api.ChangedPassage) {
	for i, p := range all {
		out = append(out, api.ChangedPassage{Text: p.Text, Op: string(p.Op), Columns: p.Columns, Of: p.Of,
			Weight: p.Weight, Fact: p.Fact})
		if i > 0 && p.Op == Added && all[i-1].Op == Removed && slices.Equal(all[i-1].Columns, p.Columns) {
			differing := textdiff.Words
			if p.Columns != nil {
				differing = textdiff.RowWords
			}
			before, after := differing(all[i-1].Text, p.Text)
			out[i-1].Pieces, out[i].Pieces = piecesJSON(before), piecesJSON(after)
		}
	}
	for i, p := range all {
		if p.Columns != nil {
			out[i].Cells = cellsJSON(out[i])
		}
	}
	return out
}

// cellsJSON returns the cells of a passage that is a row of a table. All of a row that replaces no other differs.
func cellsJSON(p api.ChangedPassage) [][]api.DiffPiece {
	row := []textdiff.Piece{{Text: p.Text, Hit: true}}
	if p.Pieces != nil {
		row = nil
	}
	for _, piece := range p.Pieces {
		row = append(row, textdiff.Piece{Text: piece.Text, Hit: piece.Changed})
	}
	out := make([][]api.DiffPiece, len(p.Columns))
	for i, cell := range textdiff.RowCells(row) {
		if i < len(out) {
			out[i] = append([]api.DiffPiece{}, piecesJSON(cell)...)
		}
	}
	return out
}

func piecesJSON(all []textdiff.Piece) (out []api.DiffPiece) {
	for _, p := range all {
		out = append(out, api.DiffPiece{Text: p.Text, Changed: p.Hit})
	}
	return out
}

// Digest returns the digest of a capture in the form of the API. For a body that was never stored it returns "".
func Digest(rawHash string) string {
	digest, _ := strings.CutPrefix(rawHash, "sha256:")
	if len(digest) != 64 || strings.Trim(digest, "0123456789abcdef") != "" {
		return ""
	}
	return digest
}
