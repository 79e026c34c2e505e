package ui

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

type tagsData struct {
	api.Tags
	Name    string // that was asked for
	Problem *api.Problem
}

// tags lists the tags that set something. A name that is typed leads to the page of that tag.
func tags(o Options, r *http.Request) (page, error) {
	if name := strings.TrimSpace(r.URL.Query().Get("name")); name != "" {
		return page{to: "/tags/" + url.PathEscape(name)}, nil
	}
	return tagsPage(o, r, "", nil)
}

func tagsPage(o Options, r *http.Request, name string, problem *api.Problem) (page, error) {
	list, err := api.ListTags.Call(r.Context(), o.Client, api.None{})
	p := page{name: "tags", title: "Tags", data: tagsData{list, name, problem}}
	if problem != nil {
		p.status = problem.Status
	}
	return p, err
}

type tagData struct {
	Name  string
	IsSet bool   // it sets something
	Run   string // that plans the checks of its items anew
	Form  form
}

// tag is the form of what a tag sets.
func tag(o Options, r *http.Request) (page, error) {
	name := r.PathValue("tag")
	t, err := api.GetTag.Call(r.Context(), o.Client, api.TagName{Name: name})
	d := tagData{Name: name, IsSet: err == nil, Run: r.URL.Query().Get("run"), Form: form{Values: valuesOf(t.TagSettings)}}
	if problem := refusal(err); problem != nil {
		if problem.Status == http.StatusBadRequest {
			return tagsPage(o, r, name, problem)
		}
		if problem.Status == http.StatusNotFound {
			err = nil // a tag that sets nothing yet
		}
	}
	return page{name: "tag", title: "Tag " + name, data: d}, err
}

// actTag says what a tag sets, or has it set nothing.
func actTag(o Options, r *http.Request) (page, error) {
	name := r.PathValue("tag")
	switch r.PostForm.Get("do") {
	case "save":
		return saveTag(o, r, name)
	case "remove":
		t, err := api.RemoveTag.Call(r.Context(), o.Client, api.TagName{Name: name})
		return page{to: "/tags/" + url.PathEscape(name) + "?done=tag-removed&run=" + url.QueryEscape(t.Run)}, err
	}
	return page{}, badRequest("the settings of a tag can be saved or removed")
}

func saveTag(o Options, r *http.Request, name string) (page, error) {
	s, err := settingsOf(r.PostForm)
	if err != nil {
		return page{}, err
	}
	t, err := api.SaveTag.Call(r.Context(), o.Client, api.TagRequest{Name: name, TagSettings: s})
	if problem := refusal(err); problem != nil {
		d := tagData{Name: name, IsSet: r.PostForm.Get("isSet") != "", Form: form{Values: r.PostForm, Problem: problem}}
		return page{name: "tag", title: "Tag " + name, data: d, status: problem.Status}, nil
	}
	return page{to: "/tags/" + url.PathEscape(t.Name) + "?done=tag-saved&run=" + url.QueryEscape(t.Run)}, err
}
