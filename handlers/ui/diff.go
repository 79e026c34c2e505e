package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/tidemark/tidemark/pkg/api"
)

type diffData struct {
	ID, Name string
	api.Diff
	Part           string // what is compared
	Captures       []api.Capture
	Earlier, Later string // where the changes before and after this one are shown
}

// hunksData are the places where two versions differ, as a part of a page.
type hunksData struct {
	api.Diff
	Page     shown
	ID, Part string
}

// Hunks are the places where two versions differ.
func (v shown) Hunks(id string, d api.Diff, part string) hunksData { return hunksData{d, v, id, part} }

// versionsData lets somebody choose two versions.
type versionsData struct {
	Page               shown
	ID, From, To, Part string
	Captures           []api.Capture
}

// Versions lets somebody choose two versions of an item.
func (v shown) Versions(id string, all []api.Capture, from, to, part string) versionsData {
	return versionsData{v, id, from, to, part, all}
}

// diff shows two captures of an item side by side.
func diff(o Options, r *http.Request) (page, error) {
	id, q := r.PathValue("id"), r.URL.Query()
	it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: id})
	if err != nil {
		return page{}, err
	}
	d := diffData{ID: it.ID, Name: titleOf(it.Item), Part: q.Get("part"), Captures: bodies(it.Captures)}
	d.Diff, err = api.GetDiff.Call(r.Context(), o.Client,
		api.DiffQuery{ID: id, From: q.Get("from"), To: q.Get("to"), Part: d.Part})
	at := slices.IndexFunc(d.Captures, func(c api.Capture) bool { return c.SHA256 == d.To.SHA256 })
	between := func(from, to int) string { // of the captures, which are newest first
		if at < 0 || to < 0 || from >= len(d.Captures) {
			return ""
		}
		return withQuery(Root+"/items/"+url.PathEscape(d.ID)+"/diff",
			url.Values{"from": {d.Captures[from].SHA256}, "to": {d.Captures[to].SHA256}})
	}
	d.Earlier, d.Later = between(at+2, at+1), between(at, at-1)
	return page{name: "diff", title: "Changes of " + titleOf(it.Item), data: d}, err
}

// beside is a line of each of two texts, side by side.
type beside struct{ Old, New api.DiffLine }

// besides puts the lines that came beside those whose place they took, as far as there are of both.
func besides(h api.DiffHunk) (out []beside) {
	free := 0 // the first row that has room for a line that came
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

type ignoreData struct {
	api.IgnoreResult
	Item  api.Item
	Asked api.IgnoreRequest
}

// ignore shows what rules for lines would have silenced, keeps them, or removes one.
func ignore(o Options, r *http.Request) (page, error) {
	f := r.PostForm
	q := api.IgnoreRequest{ID: r.PathValue("id"), Pattern: f.Get("pattern"), From: f.Get("from"), To: f.Get("to"),
		Part: f.Get("part")}
	if n := f.Get("hunk"); n != "" {
		var err error
		if q.Hunk, err = strconv.Atoi(n); err != nil {
			return page{}, badRequest("the hunk must be a number")
		}
	}
	to := "/items/" + url.PathEscape(q.ID) + "?done="
	switch f.Get("do") {
	case "preview":
		q.Preview = true
		it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: q.ID})
		if err != nil {
			return page{}, err
		}
		d := ignoreData{Item: it.Item, Asked: q}
		d.IgnoreResult, err = api.IgnoreLines.Call(r.Context(), o.Client, q)
		return page{name: "ignore", title: "Ignore lines of " + titleOf(it.Item), data: d}, err
	case "ignore":
		_, err := api.IgnoreLines.Call(r.Context(), o.Client, q)
		return page{to: to + "ignored"}, err
	case "undo":
		q.Undo = true
		_, err := api.IgnoreLines.Call(r.Context(), o.Client, q)
		return page{to: to + "counted"}, err
	}
	return page{}, badRequest("the choices are to preview, to ignore, or to undo")
}
