package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

type diffData struct {
	ID, Name string
	api.Diff
	Part           string // the part of the page that is compared
	Whole          bool   // whether the whole page is shown, because the part that is watched now is the same
	Captures       []api.Capture
	Earlier, Later string // addresses of the changes before and after this one
}

// diff shows two captures of an item side by side.
func (a area) diff(r *http.Request) (page, error) {
	id, q := r.PathValue("id"), r.URL.Query()
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: id})
	if err != nil {
		return page{}, err
	}
	d := diffData{ID: it.ID, Name: itemTitle(it.Item), Part: q.Get("part"), Captures: bodies(it.Captures)}
	between := api.DiffQuery{ID: id, From: q.Get("from"), To: q.Get("to"), Part: d.Part}
	d.Diff, err = api.GetDiff.Call(r.Context(), a.client, between)
	if err == nil && d.Part != "" && len(d.Hunks) == 0 && d.From.SHA256 != d.To.SHA256 {
		d.Part, between.Part, d.Whole = "", "", true // a message may lead here from before the settings were changed
		d.Diff, err = api.GetDiff.Call(r.Context(), a.client, between)
	}
	at := slices.IndexFunc(d.Captures, func(c api.Capture) bool { return c.SHA256 == d.To.SHA256 })
	pair := func(from, to int) string { // from and to are indexes of captures, which are newest first
		if at < 0 || to < 0 || from >= len(d.Captures) {
			return ""
		}
		return linkTo(Root+"/items/"+url.PathEscape(d.ID)+"/diff",
			url.Values{"from": {d.Captures[from].SHA256}, "to": {d.Captures[to].SHA256}})
	}
	d.Earlier, d.Later = pair(at+2, at+1), pair(at, at-1)
	return page{Name: "diff", Title: "Changes of " + itemTitle(it.Item), Data: d}, err
}

// A beside is a pair of lines, one from each of two texts, that are shown side by side.
type beside struct{ Old, New api.DiffLine }

// besides pairs each removed line with the added line that replaces it. Lines without a partner stay alone.
func besides(h api.DiffHunk) (out []beside) {
	free := 0 // the first row without an added line
	for _, l := range h.Lines {
		switch {
		case l.Op == "same":
			out = append(out, beside{l, l})
			free = len(out)
		case l.Op == "removed":
			out = append(out, beside{Old: l})
		case free < len(out):
			out[free].New = l
			free++
		default:
			out = append(out, beside{New: l})
			free = len(out)
		}
	}
	return out
}

// A block is what is shown together of a difference: hunks of lines, or one of a table.
type block struct {
	Table *api.DiffTable
	Hunks []numbered
}

// numbered is a hunk with its number, from 1.
type numbered struct {
	api.DiffHunk
	N int
}

// blocks returns hunks as they are shown.
func blocks(hunks []api.DiffHunk) (out []block) {
	for i, h := range hunks {
		if len(out) == 0 || h.Table != nil || out[len(out)-1].Table != nil {
			out = append(out, block{Table: h.Table})
		}
		b := &out[len(out)-1]
		b.Hunks = append(b.Hunks, numbered{h, i + 1})
	}
	return out
}

// facts puts into words what is known of a thing that a page lists.
func facts(of any) []form.Fact {
	switch of := of.(type) {
	case api.TagSettings:
		return form.Facts(of)
	case api.SearchResult:
		return form.Facts(of)
	case api.Capture:
		return form.Facts(of)
	case api.FeedChange:
		of.Why, of.Fields = "", nil // they have places of their own
		return form.Facts(of)
	}
	return nil
}

// Facts puts a part of what is known of the item into words: its settings, what a browser showed
// (rendered), or the rest (other). Its tags and values have places of their own.
func (d itemData) Facts(of string) (out []form.Fact) {
	for _, f := range form.OfItem(d.ItemDetail) {
		part := "other"
		if around, _, _ := strings.Cut(f.Path, "."); around == "rendered" || around == "fields" || around == "tags" {
			part = around
		} else if f.From != "" {
			part = "settings"
		}
		if part == of {
			out = append(out, f)
		}
	}
	return out
}

// held returns the settings of an item or a tag that are in force, each with its origin.
func held(known []form.Fact, e *api.Effective) (out []form.Fact) {
	for _, f := range known {
		if e != nil && e.From[f.Path] != "" {
			out = append(out, f)
		}
	}
	return out
}
