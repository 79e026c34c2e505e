package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

type ignoreData struct {
	api.IgnoreResult
	Item     api.Item
	Asked    api.IgnoreRequest
	Form     Form
	Captures []api.TriedCapture // what the rules hide in the last captures
}

// patterns shows a form for rules of lines to ignore.
func (a itemsArea) patterns(r *http.Request) (Page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	return ignorePage(it.Item, ignoreData{Item: it.Item, Form: Form{Values: url.Values{}}}), err
}

func ignorePage(it api.Item, d ignoreData) Page {
	p := Page{Name: "ignore", Title: "Ignore lines of " + itemTitle(it), Data: d}
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	return p
}

// ignore shows the changes that some line rules would have suppressed, and saves or removes such rules.
func (a itemsArea) ignore(r *http.Request) (Page, error) {
	f := r.PostForm
	q := api.IgnoreRequest{ID: r.PathValue("id"), From: f.Get("from"), To: f.Get("to"), Part: f.Get("part"),
		Patterns: words.Parts(f.Get("patterns"), "\n")}
	if n := f.Get("hunk"); n != "" && !f.Has("patterns") {
		var err error
		if q.Hunk, err = strconv.Atoi(n); err != nil {
			return Page{}, badRequest("the hunk must be a number")
		}
	}
	to := "/items/" + url.PathEscape(q.ID) + "?done="
	switch f.Get("do") {
	case "preview":
		return a.ignored(r, q, nil)
	case "ignore":
		_, err := api.IgnoreLines.Call(r.Context(), a.client, q)
		if problem := refusal(err); problem != nil && problem.Status == http.StatusBadRequest {
			return a.ignored(r, q, problem)
		}
		return goTo(to + "ignored"), err
	case "undo":
		q.Pattern, q.Patterns, q.Undo = f.Get("pattern"), nil, true
		_, err := api.IgnoreLines.Call(r.Context(), a.client, q)
		return goTo(to + "counted"), err
	}
	return Page{}, badRequest("the choices are to preview, to ignore, or to undo")
}

// ignored shows what some rules would hide, and what is wrong with them.
func (a itemsArea) ignored(r *http.Request, q api.IgnoreRequest, problem *api.Problem) (Page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: q.ID})
	if err != nil {
		return Page{}, err
	}
	q.Preview = true
	d := ignoreData{Item: it.Item, Asked: q, Form: Form{Of: form.Of[api.TagSettings](), Problem: problem,
		Values: url.Values{"patterns": {strings.Join(q.Patterns, "\n")}}}}
	if problem == nil {
		d.IgnoreResult, err = api.IgnoreLines.Call(r.Context(), a.client, q)
		if d.Form.Problem = refusal(err); d.Form.Problem == nil && err != nil {
			return Page{}, err
		}
	}
	if d.Form.Problem != nil {
		return ignorePage(it.Item, d), nil
	}
	d.Form.Set("patterns", strings.Join(d.Rules, "\n"))
	now := effectiveWatch(it)
	w := api.Watch{Include: now.Include, Exclude: now.Exclude, Ignore: d.Rules}
	trial, err := api.TryWatch.Call(r.Context(), a.client, api.TryRequest{ID: q.ID, Watch: &w})
	d.Captures = slices.Clone(trial.Captures)
	return ignorePage(it.Item, d), err
}
