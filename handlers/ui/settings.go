package ui

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

type settingsData struct {
	api.ItemDetail
	Form settingsForm
}

// IsFolder reports whether the item is a folder, or waits to be listed as one.
func (d settingsData) IsFolder() bool { return d.Folder != nil || d.Files != nil }

// settings shows the form for the settings of an item.
func (a area) settings(r *http.Request) (page, error) { return a.settingsPage(r, nil, nil) }

func (a area) settingsPage(r *http.Request, typed url.Values, problem *api.Problem) (page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	p := page{Name: "settings", Title: "Settings of " + itemTitle(it.Item)}
	d := settingsData{ItemDetail: it}
	d.Form.Form = newForm(api.ItemSettings{Tags: it.Tags, Paused: &it.Paused, Settings: it.Settings})
	for path := range d.Form.Was {
		if strings.HasPrefix(path, "files.") != d.IsFolder() && !slices.Contains(ofFolders, strings.SplitN(path, ".", 2)[0]) {
			delete(d.Form.Was, path)
		}
	}
	d.Form.Tries = len(it.Captures) > 0
	if typed != nil {
		d.Form.Form = d.Form.Typed(typed, problem)
	}
	if problem != nil {
		p.Status = problem.Status
	}
	d.Form.Holds = held(form.OfItem(it), it.Effective)
	p.Data = d
	return p, nil
}

// ofFolders are the settings that folders have, too.
var ofFolders = []string{"tags", "paused", "interval", "schedule", "activeHours", "priority"}

// saveSettings saves what a person changed of the settings of an item. An emptied field removes its setting.
func (a area) saveSettings(r *http.Request) (page, error) {
	f, id := r.PostForm, r.PathValue("id")
	patch, err := changed[api.ItemSettings](f)
	if err == nil && f.Get("do") == "preview" {
		return a.previewSettings(r, patch)
	}
	var it api.Item
	if err == nil {
		it, err = api.PatchItem.Call(r.Context(), a.client, api.ItemPatch{ID: id, Patching: api.Patching{Patch: patch}})
	}
	if problem := refusal(err); problem != nil && problem.Status != http.StatusNotFound {
		return a.settingsPage(r, f, problem)
	}
	done := "settings"
	if err == nil && patch.Sets("watch", "include") && a.findsNothing(r, id, it.Watch) {
		done = "settings-nothing"
	}
	done += strings.Join(append([]string{""}, it.Replaced...), "-")
	return goTo("/items/" + url.PathEscape(id) + "?done=" + done), err
}

// findsNothing reports whether the selectors of a watch find nothing in the item's last capture. A
// watch that cannot be tried, as before the first capture, is not said to find nothing.
func (a area) findsNothing(r *http.Request, id string, w *api.Watch) bool {
	if w == nil || len(w.Include) == 0 {
		return false
	}
	trial, err := api.TryWatch.Call(r.Context(), a.client, api.TryRequest{ID: id, Watch: w})
	return err == nil && slices.ContainsFunc(trial.Captures, func(c api.TriedCapture) bool {
		return c.Current && c.Found == 0 && c.Why == ""
	})
}

// previewSettings shows what the typed watch would find in the last captures, with what the typed tags add to it.
func (a area) previewSettings(r *http.Request, patch api.Patch) (page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	set := api.ItemSettings{Tags: it.Tags, Settings: it.Settings}
	if err := patch.Apply(&set); err != nil {
		return page{}, err
	}
	w, err := a.withTags(r.Context(), set.Watch, set.Tags)
	if err != nil {
		return page{}, err
	}
	trial, err := api.TryWatch.Call(r.Context(), a.client, api.TryRequest{ID: it.ID, Watch: w})
	problem := refusal(err)
	if err != nil && problem == nil {
		return page{}, err
	}
	p, err := a.settingsPage(r, r.PostForm, problem)
	if d, ok := p.Data.(settingsData); ok && problem == nil {
		d.Form.Trial = &trial
		p.Data = d
	}
	return p, err
}

// withTags returns the watch that applies to an item with a watch of its own and some tags. A tag
// that does not exist adds nothing.
func (a area) withTags(ctx context.Context, own *api.Watch, names []string) (*api.Watch, error) {
	var tags []options.Tag
	for _, name := range names {
		tag, err := api.GetTag.Call(ctx, a.client, api.TagName{Name: name})
		if err == nil {
			tags = append(tags, options.Tag{Name: tag.Name, Settings: api.Settings{TagSettings: tag.TagSettings}})
		} else if p := refusal(err); p == nil || p.Status != http.StatusNotFound {
			return nil, err
		}
	}
	return options.Merge(api.Settings{TagSettings: api.TagSettings{Watch: own}}, tags).Watch, nil
}

type imagesData struct {
	api.ImageList
	ID       string
	Pictures bool // let the browser load the pictures from their servers
}

// images lists the images of an item. The images are on other servers, and browsers load them only on request.
func (a area) images(r *http.Request) (page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	d := imagesData{ID: it.ID, Pictures: r.URL.Query().Get("pictures") != ""}
	d.ImageList, err = api.ListImages.Call(r.Context(), a.client, api.ItemID{ID: it.ID})
	return page{Name: "images", Title: "Images of " + itemTitle(it.Item), Data: d, Pictures: d.Pictures}, err
}

// act checks, forces, pauses or removes an item, or accepts its present content.
func (a area) act(r *http.Request) (page, error) {
	id, what := r.PathValue("id"), r.PostForm.Get("do")
	var err error
	switch what {
	case "check", "force":
		_, err = api.ReindexItem.Call(r.Context(), a.client, api.ReindexRequest{ID: id, Force: what == "force"})
	case "remove":
		_, err = api.RemoveItem.Call(r.Context(), a.client, api.ItemID{ID: id})
	case "pause", "resume":
		paused := what == "pause"
		_, err = api.PatchItem.Call(r.Context(), a.client, api.ItemPatch{ID: id,
			ItemSettings: api.ItemSettings{Paused: &paused}})
	case "accept":
		_, err = api.AcceptItem.Call(r.Context(), a.client, api.ItemID{ID: id})
	default:
		err = badRequest("an item can be checked, forced, paused, resumed, removed or accepted")
	}
	done := map[string]string{"check": "check", "force": "forced", "remove": "removed", "accept": "accepted",
		"pause": "paused", "resume": "resumed"}[what]
	return goTo("/items/" + url.PathEscape(id) + "?done=" + done), err
}
