package ui

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// IsFolder reports whether the item is a folder, or waits to be listed as one.
func (d tellData) IsFolder() bool { return d.Item.Folder != nil || d.Item.Files != nil }

// itemSettings leads from the former address of the settings of a page to the dialogue.
func (v *visit) itemSettings() page {
	return goTo(tellScope{Item: v.PathValue("id"), More: "page"}.Path())
}

// settingsPage shows the settings of a page: all, or when it is checked.
func (v *visit) settingsPage(d tellData, typed url.Values, problem *api.Problem) page {
	it := d.Item
	d.Page.Form = newForm(api.ItemSettings{Tags: it.Tags, Paused: &it.Paused, Settings: it.Settings})
	for path := range d.Page.Was {
		top := topOf(path)
		if strings.HasPrefix(path, "files.") != d.IsFolder() && !slices.Contains(ofFolders, top) ||
			d.Of.More == "schedule" && !slices.Contains(ofFolders[1:], top) {
			delete(d.Page.Was, path)
		}
	}
	d.Page.Tries = len(it.Captures) > 0 && d.Of.More == "page"
	if typed != nil {
		d.Page.Form = d.Page.Typed(typed, problem)
	}
	d.Page.Holds = held(form.OfItem(it), it.Effective)
	p := tellPage(d)
	p.Title, p.Refused = "Settings of "+itemTitle(it.Item), problem
	return p
}

// ofFolders are the settings that folders have, too.
var ofFolders = []string{"tags", "paused", "interval", "schedule", "activeHours", "priority"}

// saveSettings saves what a person changed of the settings of an item. An emptied field removes its setting.
func (v *visit) saveSettings(d tellData) page {
	f, id := v.PostForm, d.Item.ID
	patch := v.valid(changed[api.ItemSettings](f))
	if v.err == nil && f.Get("do") == "preview" {
		return v.previewSettings(d, patch)
	}
	it := ask(v, api.PatchItem, api.ItemPatch{ID: id, Patching: api.Patching{Patch: patch}})
	if problem := v.refused(); problem != nil {
		return v.settingsPage(d, f, problem)
	}
	done := "settings"
	if patch.Sets("watch", "include") && v.findsNothing(id, it.Watch) {
		done = "settings-nothing"
	}
	done += strings.Join(append([]string{""}, it.Replaced...), "-")
	return goTo(withUndo(itemPath(id)+"?done="+done, it.Undo))
}

// findsNothing reports whether the selectors of a watch find nothing in the item's last capture. A
// watch that cannot be tried, as before the first capture, is not said to find nothing.
func (v *visit) findsNothing(id string, w *api.Watch) bool {
	if w == nil || len(w.Include) == 0 {
		return false
	}
	trial, err := api.TryWatch.Call(v.Context(), v.client, api.TryRequest{ID: id, Watch: w})
	return err == nil && slices.ContainsFunc(trial.Captures, func(c api.TriedCapture) bool {
		return c.Current && c.Found == 0 && c.Why == ""
	})
}

// previewSettings shows what the typed watch would find in the last captures, with what the typed tags add to it.
func (v *visit) previewSettings(d tellData, patch api.Patch) page {
	set := api.ItemSettings{Tags: d.Item.Tags, Settings: d.Item.Settings}
	v.fail(patch.Apply(&set))
	w := v.withTags(set.Watch, set.Tags)
	trial := ask(v, api.TryWatch, api.TryRequest{ID: d.Item.ID, Watch: w})
	problem := v.refused()
	if problem == nil {
		d.Page.Trial = &trial
	}
	return v.settingsPage(d, v.PostForm, problem)
}

// withTags returns the watch that applies to an item with a watch of its own and some tags. A tag
// that does not exist adds nothing.
func (v *visit) withTags(own *api.Watch, names []string) *api.Watch {
	var tags []options.Tag
	for _, name := range names {
		tag := ask(v, api.GetTag, api.TagName{Name: name})
		if !v.missing() {
			tags = append(tags, options.Tag{Name: tag.Name, Settings: api.Settings{TagSettings: tag.TagSettings}})
		}
	}
	return options.Merge(api.Settings{TagSettings: api.TagSettings{Watch: own}}, tags).Watch
}

type imagesData struct {
	api.ImageList
	ID       string
	Pictures bool // let the browser load the pictures from their servers
}

// images lists the images of an item. The images are on other servers, and browsers load them only on request.
func (v *visit) images() page {
	it := v.itemHere()
	d := imagesData{ID: it.ID, Pictures: v.URL.Query().Get("pictures") != ""}
	d.ImageList = ask(v, api.ListImages, api.ItemID{ID: it.ID})
	return page{Name: "images", Title: "Images of " + itemTitle(it.Item), Data: d, Pictures: d.Pictures}
}

// act checks, forces, pauses or removes an item, or accepts its present content.
func (v *visit) act() page {
	id, what := v.PathValue("id"), v.PostForm.Get("do")
	var it api.Item
	switch what {
	case "check", "force":
		asked := ask(v, api.ReindexItem, api.ReindexRequest{ID: id, Force: what == "force"})
		if c := asked.Check; c != nil && c.State == "waits" {
			what = "waits"
		}
	case "remove":
		it = ask(v, api.RemoveItem, api.ItemID{ID: id})
	case "pause", "resume":
		paused := what == "pause"
		it = ask(v, api.PatchItem, api.ItemPatch{ID: id,
			ItemSettings: api.ItemSettings{Paused: &paused}})
	case "browser":
		it = v.render(id)
	case "accept":
		ask(v, api.AcceptItem, api.ItemID{ID: id})
	default:
		v.fail(badRequest("an item can be checked, forced, paused, resumed, removed, accepted or read in a browser"))
	}
	done := map[string]string{"check": "check", "waits": "waits", "force": "forced", "remove": "removed",
		"accept": "accepted", "browser": "browser", "pause": "paused", "resume": "resumed"}[what]
	return goTo(withUndo(itemPath(id)+"?done="+done, it.Undo))
}

// render has an item read in a browser from now on, and checks it.
func (v *visit) render(id string) api.Item {
	s := api.ItemSettings{}
	s.Render = "always"
	it := ask(v, api.PatchItem, api.ItemPatch{ID: id, ItemSettings: s})
	ask(v, api.ReindexItem, api.ReindexRequest{ID: id, Force: true})
	return it
}

type tagsData struct {
	All     []countedTag
	Looked  int    // the number of pages whose tags were counted
	More    bool   // whether there are more pages
	Name    string // the name that the person typed
	Problem *api.Problem
}

// countedTag is a tag with the number of pages that have it.
type countedTag struct {
	api.Tag

	Pages int
}

// tags lists the tags: those that have settings, and those of the first pages. It redirects a person who types a name
// into the form to that tag's page.
func (v *visit) tags() page {
	if name := strings.TrimSpace(v.URL.Query().Get("name")); name != "" {
		return goTo("/tags/" + url.PathEscape(name))
	}
	return v.tagsPage("", nil)
}

func (v *visit) tagsPage(name string, problem *api.Problem) page {
	list := ask(v, api.ListTags, api.None{})
	d := tagsData{Name: name, Problem: problem}
	pages := v.countTags(&d)
	for _, t := range list.Tags {
		d.All = append(d.All, countedTag{t, pages[t.Name]})
		delete(pages, t.Name)
	}
	for _, label := range slices.Sorted(maps.Keys(pages)) {
		d.All = append(d.All, countedTag{api.Tag{Name: label}, pages[label]})
	}
	slices.SortFunc(d.All, func(a, b countedTag) int { return cmp.Compare(a.Name, b.Name) })
	return page{Name: "tags", Title: "Tags", Data: d, Refused: problem}
}

// countTags counts the pages with each tag, among the first [countedItems].
func (v *visit) countTags(d *tagsData) map[string]int {
	pages := map[string]int{}
	for list := range v.pages(api.ItemQuery{Top: 1000}) {
		for _, it := range list.Items {
			for _, tag := range it.Tags {
				pages[tag]++
			}
		}
		d.Looked += len(list.Items)
		if d.More = list.Continuation != ""; d.Looked >= countedItems {
			break
		}
	}
	return pages
}

type tagData struct {
	Name  string
	IsSet bool   // whether the tag has settings
	Run   string // the run that reschedules the next checks of the tag's items
	Form  settingsForm
}

// tag shows the form for the settings of a tag.
func (v *visit) tag() page {
	name := v.PathValue("tag")
	t := ask(v, api.GetTag, api.TagName{Name: name})
	if problem := v.refused(http.StatusBadRequest); problem != nil {
		return v.tagsPage(name, problem)
	}
	d := tagData{Name: name, IsSet: !v.missing(), Run: v.URL.Query().Get("run"),
		Form: settingsForm{Form: newForm(t.TagSettings)}}
	d.Form.Holds = held(form.OfTag(t), t.Effective)
	return page{Name: "tag", Title: "Tag " + name, Data: d}
}

// actTag saves or removes the settings of a tag.
func (v *visit) actTag() page {
	name := v.PathValue("tag")
	switch v.PostForm.Get("do") {
	case "save":
		return v.saveTag(name)
	case "remove":
		t := ask(v, api.RemoveTag, api.TagName{Name: name})
		return goTo(withUndo("/tags/"+url.PathEscape(name)+"?done=tag-removed&run="+url.QueryEscape(t.Run), t.Undo))
	}
	return v.fail(badRequest("the settings of a tag can be saved or removed"))
}

// saveTag saves what a person changed of the settings of a tag.
func (v *visit) saveTag(name string) page {
	patch := v.valid(changed[api.TagSettings](v.PostForm))
	t := ask(v, api.PatchTag, api.TagPatch{Name: name, Patching: api.Patching{Patch: patch}})
	if problem := v.refused(); problem != nil {
		d := tagData{Name: name, IsSet: v.PostForm.Get("isSet") != "",
			Form: settingsForm{Form: newForm(api.TagSettings{}).Typed(v.PostForm, problem)}}
		return page{Name: "tag", Title: "Tag " + name, Data: d, Refused: problem}
	}
	return goTo(withUndo("/tags/"+url.PathEscape(t.Name)+"?done=tag-saved"+
		strings.Join(append([]string{""}, t.Replaced...), "-")+"&run="+url.QueryEscape(t.Run), t.Undo))
}

// settingsForm is the form of the settings of an item or a tag.
type settingsForm struct {
	Form
	Tries bool            // what is watched can be tried
	Trial *api.WatchTrial // what the typed watch finds; nil before it is tried
}

// The form has one more input than settings: "every" sets both bounds of the interval.
const (
	every    = "every"
	leastKey = "interval.min"
	mostKey  = "interval.max"
)

// Every returns the value of the input for both bounds.
func (f settingsForm) Every() string {
	if typed := f.Get(every); typed != "" {
		return typed
	}
	if least := f.Get(leastKey); least == f.Get(mostKey) {
		return least
	}
	return ""
}

// Bound returns the value of the input for one bound: empty if both are the same.
func (f settingsForm) Bound(path string) string {
	if f.Every() != "" {
		return ""
	}
	return f.Get(path)
}

// InBrowser returns the inputs about a browser.
func (f settingsForm) InBrowser() []Input {
	var paths []string
	for _, one := range form.Of[api.Rendering]().Fields {
		paths = append(paths, one.Path)
	}
	return f.Inputs(paths...)
}

// changed returns what a person changed in the form.
func changed[T any](typed url.Values) (api.Patch, error) {
	if both := shortSpan(strings.TrimSpace(typed.Get(every))); both != "" {
		typed[leastKey], typed[mostKey] = []string{both}, []string{both}
	}
	return changesOf[T](typed)
}

// units are the words for units of time, and what the API has for them.
var units = map[string]string{"minute": "m", "minutes": "m", "min": "m", "hour": "h", "hours": "h", "day": "d",
	"days": "d", "week": "w", "weeks": "w"}

// shortSpan returns a span of time as the API has it, such as 15m for "every 15 minutes" and 1d for
// "day". It returns any other text as it is: the API says what is wrong with it.
func shortSpan(text string) string {
	words := strings.Fields(strings.TrimPrefix(strings.ToLower(text), "every "))
	if len(words) == 1 && units[words[0]] != "" {
		words = append([]string{"1"}, words...)
	}
	if len(words) == 2 && units[words[1]] != "" {
		return words[0] + units[words[1]]
	}
	return text
}
