package ui

import (
	"html/template"
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// sitesFuncs are the functions that the templates of this part call.
var sitesFuncs = template.FuncMap{"foundAt": foundAt, "foundByRun": foundByRun, "siteForm": siteForm,
	"siteInputs": form.Inputs[api.SiteRequest],
	"siteWords":  form.Line[api.SiteSettings], "verdict": verdict}

// sitesViews returns the pages and forms about watched sites, by pattern: the data about each host, how politely it is
// crawled, and the backfills that find its existing pages.
func (a area) sitesViews() map[string]viewFunc {
	return map[string]viewFunc{
		"GET /hosts":         a.hosts,
		"GET /hosts/{host}":  a.host,
		"GET /backfill":      a.backfill,
		"GET /backfill/{id}": a.run,

		"GET /sites/{slug}":           a.site,
		"GET /sites/{slug}/settings":  a.siteSettings,
		"POST /sites/{slug}/settings": a.saveSite,
		"POST /sites/{slug}":          a.actSite,
		"POST /backfill":              a.startBackfill,
		"POST /backfill/{id}":         a.actRun,
	}
}

// site shows a dry run. What is a site is shown with its host.
func (a area) site(r *http.Request) (page, error) {
	s, err := api.GetSite.Call(r.Context(), a.client, api.SiteSlug{Slug: r.PathValue("slug")})
	if err != nil {
		return page{}, err
	}
	if s.DryRun == nil {
		return goTo("/hosts/" + url.PathEscape(s.Domain)), nil
	}
	return page{Name: "dryrun", Title: "Dry run of " + s.Domain, Data: s}, nil
}

// siteForm returns the form of a new site.
func siteForm() Form { return newForm(api.SiteRequest{}) }

type siteData struct {
	api.Site
	Form Form
}

// siteSettings shows the form for the settings of a site that was added.
func (a area) siteSettings(r *http.Request) (page, error) {
	s, err := api.GetSite.Call(r.Context(), a.client, api.SiteSlug{Slug: r.PathValue("slug")})
	return page{Name: "site", Title: "What is read of " + s.Domain, Data: siteData{s, newForm(s.Set)}}, err
}

// saveSite saves what a person changed of the settings of a site, or shows the form again with the errors in it.
func (a area) saveSite(r *http.Request) (page, error) {
	patch, err := changesOf[api.SiteSettings](r.PostForm)
	var s api.Site
	if err == nil {
		s, err = api.PatchSite.Call(r.Context(), a.client,
			api.SitePatch{Slug: r.PathValue("slug"), Patching: api.Patching{Patch: patch}})
	}
	problem := refusal(err)
	if problem == nil {
		return goTo("/hosts/" + url.PathEscape(s.Domain) + "?done=settings"), err
	}
	p, err := a.siteSettings(r)
	if d, is := p.Data.(siteData); is {
		d.Form = d.Form.Typed(r.PostForm, problem)
		p.Data, p.Status = d, problem.Status
	}
	return p, err
}

// actSite polls a site now, or removes it.
func (a area) actSite(r *http.Request) (page, error) {
	q := api.SiteSlug{Slug: r.PathValue("slug")}
	var s api.Site
	var err error
	switch r.PostForm.Get("do") {
	case "look":
		s, err = api.PollSite.Call(r.Context(), a.client, q)
		return goTo("/hosts/" + url.PathEscape(s.Domain)), err
	case "remove":
		s, err = api.RemoveSite.Call(r.Context(), a.client, q)
	default:
		err = badRequest("a site can be polled or removed")
	}
	return goTo("/hosts/" + url.PathEscape(s.Domain) + "?done=site-removed"), err
}
