package ui

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

type tagsData struct {
	api.Tags
	Name    string // the name that the person typed
	Problem *api.Problem
}

// tags lists the tags that have settings. It redirects a person who types a name into the form to that tag's page.
func (a area) tags(r *http.Request) (page, error) {
	if name := strings.TrimSpace(r.URL.Query().Get("name")); name != "" {
		return goTo("/tags/" + url.PathEscape(name)), nil
	}
	return a.tagsPage(r, "", nil)
}

func (a area) tagsPage(r *http.Request, name string, problem *api.Problem) (page, error) {
	list, err := api.ListTags.Call(r.Context(), a.client, api.None{})
	p := page{Name: "tags", Title: "Tags", Data: tagsData{list, name, problem}}
	if problem != nil {
		p.Status = problem.Status
	}
	return p, err
}

type tagData struct {
	Name  string
	IsSet bool   // whether the tag has settings
	Run   string // the run that reschedules the next checks of the tag's items
	Form  settingsForm
}

// tag shows the form for the settings of a tag.
func (a area) tag(r *http.Request) (page, error) {
	name := r.PathValue("tag")
	t, err := api.GetTag.Call(r.Context(), a.client, api.TagName{Name: name})
	d := tagData{Name: name, IsSet: err == nil, Run: r.URL.Query().Get("run"),
		Form: settingsForm{Form: newForm(t.TagSettings)}}
	d.Form.Holds = held(form.OfTag(t), t.Effective)
	if problem := refusal(err); problem != nil {
		if problem.Status == http.StatusBadRequest {
			return a.tagsPage(r, name, problem)
		}
		if problem.Status == http.StatusNotFound {
			err = nil // the tag has no settings
		}
	}
	return page{Name: "tag", Title: "Tag " + name, Data: d}, err
}

// actTag saves or removes the settings of a tag.
func (a area) actTag(r *http.Request) (page, error) {
	name := r.PathValue("tag")
	switch r.PostForm.Get("do") {
	case "save":
		return a.saveTag(r, name)
	case "remove":
		t, err := api.RemoveTag.Call(r.Context(), a.client, api.TagName{Name: name})
		return goTo("/tags/" + url.PathEscape(name) + "?done=tag-removed&run=" + url.QueryEscape(t.Run)), err
	}
	return page{}, badRequest("the settings of a tag can be saved or removed")
}

// saveTag saves what a person changed of the settings of a tag.
func (a area) saveTag(r *http.Request, name string) (page, error) {
	patch, err := changed[api.TagSettings](r.PostForm)
	var t api.Tag
	if err == nil {
		t, err = api.PatchTag.Call(r.Context(), a.client, api.TagPatch{Name: name, Patching: api.Patching{Patch: patch}})
	}
	if problem := refusal(err); problem != nil {
		d := tagData{Name: name, IsSet: r.PostForm.Get("isSet") != "",
			Form: settingsForm{Form: newForm(api.TagSettings{}).Typed(r.PostForm, problem)}}
		return page{Name: "tag", Title: "Tag " + name, Data: d, Status: problem.Status}, nil
	}
	return goTo("/tags/" + url.PathEscape(t.Name) + "?done=tag-saved" +
		strings.Join(append([]string{""}, t.Replaced...), "-") + "&run=" + url.QueryEscape(t.Run)), err
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
