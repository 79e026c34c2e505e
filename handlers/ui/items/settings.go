package items

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/handlers/ui/show"
	"github.com/tidemark/tidemark/pkg/api"
)

type settingsData struct {
	api.ItemDetail
	Form form
}

// IsFolder reports whether the item is a folder, or waits to be listed as one.
func (d settingsData) IsFolder() bool { return d.Folder != nil || d.Files != nil }

// settings shows the form for the settings of an item.
func (a area) settings(r *http.Request) (frame.Page, error) { return a.settingsPage(r, nil, nil) }

func (a area) settingsPage(r *http.Request, typed url.Values, problem *api.Problem) (frame.Page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return frame.Page{}, err
	}
	p := frame.Page{Name: "settings", Title: "Settings of " + show.ItemTitle(it.Item)}
	d := settingsData{it, form{frame.Form{Values: typed, Problem: problem, Holds: map[string]frame.Fact{}}}}
	if problem != nil {
		p.Status = problem.Status
	} else {
		d.Form.Values = valuesOf(api.TagSettings{Watch: it.Watch, Interval: it.Interval, Schedule: it.Schedule,
			ActiveHours: it.ActiveHours, Priority: it.Priority, Rendering: it.Rendering})
		d.Form.Set("tags", strings.Join(it.Tags, ", "))
		setFiles(d.Form.Values, it.Files)
		if it.Paused {
			d.Form.Set("paused", "true")
		}
	}
	for _, f := range effectiveFacts(it.Effective) {
		d.Form.Holds[f.Field] = f
	}
	p.Data = d
	return p, nil
}

// saveSettings replaces all settings of an item. If a field is empty, its setting is removed.
func (a area) saveSettings(r *http.Request) (frame.Page, error) {
	f := r.PostForm
	s, err := settingsOf(f)
	if problem := frame.Refusal(err); problem != nil && len(problem.Errors) > 0 {
		return a.settingsPage(r, f, problem)
	}
	if err != nil {
		return frame.Page{}, err
	}
	paused := f.Get("paused") != ""
	q := api.ItemPatch{ID: r.PathValue("id"), ItemSettings: api.ItemSettings{Interval: s.Interval,
		Schedule: s.Schedule, ActiveHours: s.ActiveHours, Priority: s.Priority, Paused: &paused}}
	if q.Files = frame.FilesOf(f); !f.Has("files.include") {
		q.Watch, q.Rendering, q.Null = s.Watch, s.Rendering, unsetRendering(s.Rendering)
	}
	for tag := range strings.SplitSeq(f.Get("tags"), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			q.Tags = append(q.Tags, tag)
		}
	}
	if len(q.Tags) == 0 {
		q.Null = append(q.Null, "tags")
	}
	if q.Priority == nil {
		q.Null = append(q.Null, "priority")
	}
	_, err = api.PatchItem.Call(r.Context(), a.client, q)
	if problem := frame.Refusal(err); problem != nil && problem.Status != http.StatusNotFound {
		return a.settingsPage(r, f, problem)
	}
	done := "settings"
	if err == nil && a.findsNothing(r, q.ID, q.Watch) {
		done = "settings-nothing"
	}
	return frame.GoTo("/items/" + url.PathEscape(q.ID) + "?done=" + done), err
}

// findsNothing reports whether the selectors of a watch find nothing in the item's last capture. A watch that cannot be
// tried, as before the first capture, is not said to find nothing.
func (a area) findsNothing(r *http.Request, id string, w *api.Watch) bool {
	if w == nil || len(w.Include) == 0 {
		return false
	}
	trial, err := api.TryWatch.Call(r.Context(), a.client, api.TryRequest{ID: id, Watch: w})
	return err == nil && slices.ContainsFunc(trial.Captures, func(c api.TriedCapture) bool {
		return c.Current && c.Found == 0 && c.Why == ""
	})
}
