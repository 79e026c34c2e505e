package items

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/handlers/ui/show"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/policy/options"
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
	d := settingsData{it, form{Form: frame.Form{Values: typed, Problem: problem, Holds: map[string]frame.Fact{}}}}
	d.Form.Tries = len(it.Captures) > 0
	if problem != nil {
		p.Status = problem.Status
	}
	if typed == nil {
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
	if err == nil && f.Get("do") == "preview" {
		return a.previewSettings(r, s.Watch)
	}
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
	if q.Tags = tagsOf(f); len(q.Tags) == 0 {
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

// tagsOf returns the tags of a form.
func tagsOf(f url.Values) (tags []string) {
	for tag := range strings.SplitSeq(f.Get("tags"), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// previewSettings shows what the typed watch would find in the last captures, with what the typed tags add to it.
func (a area) previewSettings(r *http.Request, own *api.Watch) (frame.Page, error) {
	w, err := a.withTags(r.Context(), own, tagsOf(r.PostForm))
	if err != nil {
		return frame.Page{}, err
	}
	trial, err := api.TryWatch.Call(r.Context(), a.client, api.TryRequest{ID: r.PathValue("id"), Watch: w})
	problem := frame.Refusal(err)
	if err != nil && problem == nil {
		return frame.Page{}, err
	}
	p, err := a.settingsPage(r, r.PostForm, problem)
	if d, ok := p.Data.(settingsData); ok && problem == nil {
		d.Form.Trial = &trial
		p.Data = d
	}
	return p, err
}

// withTags returns the watch that applies to an item with a watch of its own and some tags. A tag that does not exist
// adds nothing.
func (a area) withTags(ctx context.Context, own *api.Watch, names []string) (*api.Watch, error) {
	var tags []options.Tag
	for _, name := range names {
		tag, err := api.GetTag.Call(ctx, a.client, api.TagName{Name: name})
		if err == nil {
			tags = append(tags, options.Tag{Name: tag.Name, Options: options.Options{Watch: (*options.Watch)(tag.Watch)}})
		} else if p := frame.Refusal(err); p == nil || p.Status != http.StatusNotFound {
			return nil, err
		}
	}
	all := options.Merge(options.Options{Watch: (*options.Watch)(own)}, tags)
	return (*api.Watch)(all.Watch), nil
}
