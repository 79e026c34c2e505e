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
	Proposed []proposedLine // the changed lines of a hunk
	Form     Form
	Captures []api.TriedCapture // what the rules hide in the last captures
}

// proposedLine is a changed line with the pattern that stands in its field.
type proposedLine struct {
	api.IgnoreLine
	N       int
	Pattern string
	Ticked  bool
}

// ignoredShown is the number of changes that a preview shows, out of all that the patterns would have silenced.
const ignoredShown = 50

// First returns the newest changes that the patterns would have silenced.
func (d ignoreData) First() []api.SilencedChange {
	return d.Silenced[:min(len(d.Silenced), ignoredShown)]
}

// More returns the number of the other changes.
func (d ignoreData) More() int { return len(d.Silenced) - len(d.First()) }

// patterns shows a form for rules of lines to ignore.
func (a area) patterns(r *http.Request) (page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	return ignorePage(it.Item, ignoreData{Item: it.Item, Form: Form{Values: url.Values{}}}), err
}

func ignorePage(it api.Item, d ignoreData) page {
	p := page{Name: "ignore", Title: "Ignore lines of " + itemTitle(it), Data: d}
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	return p
}

// ignore shows the changes that some line rules would have suppressed, and saves or removes such rules.
func (a area) ignore(r *http.Request) (page, error) {
	f := r.PostForm
	q := api.IgnoreRequest{ID: r.PathValue("id"), From: f.Get("from"), To: f.Get("to"), Part: f.Get("part"),
		Patterns: words.Parts(f.Get("patterns"), "\n")}
	for _, n := range f["line"] {
		if p := strings.TrimSpace(f.Get("pattern." + n)); p != "" && !slices.Contains(q.Patterns, p) {
			q.Patterns = append(q.Patterns, p)
		}
	}
	if n := f.Get("hunk"); n != "" {
		var err error
		if q.Hunk, err = strconv.Atoi(n); err != nil {
			return page{}, badRequest("the hunk must be a number")
		}
	}
	switch f.Get("do") {
	case "preview":
		return a.ignored(r, q, nil)
	case "ignore":
		return a.saveIgnored(r, q)
	case "undo":
		return a.undoIgnored(r, f["pattern"])
	}
	return page{}, badRequest("the choices are to preview, to ignore, or to undo")
}

// saveIgnored saves the patterns that are chosen.
func (a area) saveIgnored(r *http.Request, q api.IgnoreRequest) (page, error) {
	if len(q.Patterns) == 0 && q.Hunk > 0 {
		return a.ignored(r, q, refusal(badRequest("tick the lines to ignore")))
	}
	asked := q
	asked.Hunk = 0
	out, err := api.IgnoreLines.Call(r.Context(), a.client, asked)
	if problem := refusal(err); problem != nil && problem.Status == http.StatusBadRequest {
		return a.ignored(r, q, problem)
	}
	return goTo(linkTo("/items/"+url.PathEscape(q.ID), url.Values{"done": {"ignored"},
		"rules": {strconv.Itoa(len(out.Rules))}})), err
}

// undoIgnored removes patterns. What they had silenced becomes unread again, if the form asks for that.
func (a area) undoIgnored(r *http.Request, patterns []string) (page, error) {
	q := api.IgnoreRequest{ID: r.PathValue("id"), Patterns: patterns, Undo: true}
	_, err := api.IgnoreLines.Call(r.Context(), a.client, q)
	if err == nil && r.PostForm.Get("unread") != "" {
		err = a.unread(r, q.ID, patterns)
	}
	return goTo("/items/" + url.PathEscape(q.ID) + "?done=counted"), err
}

// unread marks the changes of an item as unread that patterns have silenced.
func (a area) unread(r *http.Request, id string, patterns []string) error {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: id})
	if err != nil {
		return err
	}
	mine := func(i api.IgnoredChange) bool {
		return slices.Contains(patterns, strings.TrimPrefix(i.Rule, "ignore: "))
	}
	q := api.ChangeQuery{Host: it.SourceHost, Silenced: "only", Top: 500}
	read := api.ReadRequest{Unread: true}
	for {
		found, err := api.ListChanges.Call(r.Context(), a.client, q)
		if err != nil {
			return err
		}
		for _, c := range found.Changes {
			if c.ItemID == it.ID && slices.ContainsFunc(c.Ignored, mine) && len(read.IDs) < api.MaxReadIDs {
				read.IDs = append(read.IDs, c.ID)
			}
		}
		if q.Continuation = found.Continuation; q.Continuation == "" || len(read.IDs) == api.MaxReadIDs {
			break
		}
	}
	if len(read.IDs) == 0 {
		return nil
	}
	_, err = api.MarkRead.Call(r.Context(), a.client, read)
	return err
}

// justIgnored returns the rules that a form has just added to an item: the last ones.
func justIgnored(r *http.Request, it api.Item) []string {
	n, err := strconv.Atoi(r.URL.Query().Get("rules"))
	if err != nil || it.Watch == nil || r.URL.Query().Get("done") != "ignored" {
		return nil
	}
	return it.Watch.Ignore[max(0, len(it.Watch.Ignore)-max(0, n)):]
}

// ignored shows what some rules would hide, and what is wrong with them.
func (a area) ignored(r *http.Request, q api.IgnoreRequest, problem *api.Problem) (page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: q.ID})
	if err != nil {
		return page{}, err
	}
	q.Preview = true
	d := ignoreData{Item: it.Item, Asked: q, Form: Form{Of: form.Of[api.TagSettings](), Problem: problem,
		Values: url.Values{"patterns": {strings.Join(q.Patterns, "\n")}}}}
	if err := a.proposed(r, &d, it.Item); err != nil {
		return page{}, err
	}
	if d.Form.Problem != nil {
		return ignorePage(it.Item, d), nil
	}
	now := effectiveWatch(it)
	w := api.Watch{Include: now.Include, Exclude: now.Exclude, Ignore: d.Rules}
	trial, err := api.TryWatch.Call(r.Context(), a.client, api.TryRequest{ID: q.ID, Watch: &w})
	d.Captures = slices.Clone(trial.Captures)
	return ignorePage(it.Item, d), err
}

// proposed adds the lines of a hunk, and what the chosen patterns would have silenced; those that are proposed, if the
// form is shown for the first time.
func (a area) proposed(r *http.Request, d *ignoreData, it api.Item) error {
	q := d.Asked
	ask := func() (err error) {
		out, err := api.IgnoreLines.Call(r.Context(), a.client, q)
		if p := refusal(err); p != nil {
			d.Form.Problem, err = p, nil
		}
		d.IgnoreResult = out
		return err
	}
	if q.Hunk > 0 {
		q.Patterns = nil
		if err := ask(); err != nil || d.Form.Problem != nil && len(d.Lines) == 0 {
			return err
		}
		if d.Proposed = linesIn(r.PostForm, d.Lines); r.PostForm.Has("sent") && len(d.Asked.Patterns) == 0 {
			d.IgnoreResult = api.IgnoreResult{} // all lines are unticked
		}
	}
	if q.Hunk = 0; d.Form.Problem == nil && (len(d.Asked.Patterns) > 0 || d.Asked.Hunk == 0) {
		q.Patterns = d.Asked.Patterns
		return ask()
	}
	return nil
}

// linesIn returns the lines of a hunk as a form has them. In a form that was not sent yet, those are ticked in which no
// fact would be hidden.
func linesIn(f url.Values, lines []api.IgnoreLine) (out []proposedLine) {
	for i, l := range lines {
		n := strconv.Itoa(i + 1)
		p := proposedLine{IgnoreLine: l, N: i + 1, Pattern: l.Pattern, Ticked: !l.Fact && l.Pattern != ""}
		if f.Has("sent") {
			p.Pattern, p.Ticked = f.Get("pattern."+n), slices.Contains(f["line"], n)
		}
		out = append(out, p)
	}
	return out
}
