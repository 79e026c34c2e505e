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
func (a itemsArea) tags(r *http.Request) (Page, error) {
	if name := strings.TrimSpace(r.URL.Query().Get("name")); name != "" {
		return goTo("/tags/" + url.PathEscape(name)), nil
	}
	return a.tagsPage(r, "", nil)
}

func (a itemsArea) tagsPage(r *http.Request, name string, problem *api.Problem) (Page, error) {
	list, err := api.ListTags.Call(r.Context(), a.client, api.None{})
	p := Page{Name: "tags", Title: "Tags", Data: tagsData{list, name, problem}}
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
func (a itemsArea) tag(r *http.Request) (Page, error) {
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
	return Page{Name: "tag", Title: "Tag " + name, Data: d}, err
}

// actTag saves or removes the settings of a tag.
func (a itemsArea) actTag(r *http.Request) (Page, error) {
	name := r.PathValue("tag")
	switch r.PostForm.Get("do") {
	case "save":
		return a.saveTag(r, name)
	case "remove":
		t, err := api.RemoveTag.Call(r.Context(), a.client, api.TagName{Name: name})
		return goTo("/tags/" + url.PathEscape(name) + "?done=tag-removed&run=" + url.QueryEscape(t.Run)), err
	}
	return Page{}, badRequest("the settings of a tag can be saved or removed")
}

// saveTag saves what a person changed of the settings of a tag.
func (a itemsArea) saveTag(r *http.Request, name string) (Page, error) {
	patch, err := changed[api.TagSettings](r.PostForm)
	var t api.Tag
	if err == nil {
		t, err = api.PatchTag.Call(r.Context(), a.client, api.TagPatch{Name: name, Patching: api.Patching{Patch: patch}})
	}
	if problem := refusal(err); problem != nil {
		d := tagData{Name: name, IsSet: r.PostForm.Get("isSet") != "",
			Form: settingsForm{Form: newForm(api.TagSettings{}).Typed(r.PostForm, problem)}}
		return Page{Name: "tag", Title: "Tag " + name, Data: d, Status: problem.Status}, nil
	}
	return goTo("/tags/" + url.PathEscape(t.Name) + "?done=tag-saved" +
		strings.Join(append([]string{""}, t.Replaced...), "-") + "&run=" + url.QueryEscape(t.Run)), err
}
