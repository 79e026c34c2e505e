package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// addData is the outcome of an addition. What was refused stays in the form.
type addData struct {
	Items   []api.AddURLResult
	Refused string
	Number  int // of the refused ones
	Form    Form
}

// adding shows the form for new pages. Its address may give what it begins with: an address that a phone shares.
func (a area) adding(r *http.Request) (page, error) {
	q := r.URL.Query()
	d := addData{Refused: strings.TrimSpace(q.Get("url")), Form: filesForm()}
	if d.Refused == "" {
		d.Refused = address(q.Get("text"))
	}
	return page{Name: "added", Title: "Watch pages", Data: d}, nil
}

// address returns the first address in a text that was shared.
func address(text string) string {
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://") {
			return word
		}
	}
	return ""
}

// add registers addresses; the form has one on each line.
func (a area) add(r *http.Request) (page, error) {
	sources := words.Parts(r.PostForm.Get("urls"), "\n")
	o := api.AddOptions{Force: r.PostForm.Get("force") != "", Credential: strings.TrimSpace(r.PostForm.Get("credential")),
		GuessScheme: true}
	files, _ := form.Of[api.Settings]().Changes(r.PostForm, filesForm().Was)
	if slices.ContainsFunc(sources, isPath) {
		return a.addPaths(r, sources, o, files)
	}
	if len(files) > 0 {
		const why = "no line above is the path of a folder, such as /srv/docs"
		wrong := []api.FieldError{{Field: "files", Message: why}}
		return notAdded(r, &api.Problem{Status: http.StatusBadRequest, Errors: wrong}), nil
	}
	if len(sources) != 1 {
		batch, err := a.client.AddURLs(r.Context(), sources, o)
		return added(batch.Items), err
	}
	it, err := api.AddURL.Call(r.Context(), a.client, api.AddURLRequest{URL: sources[0], Force: o.Force,
		Credential: o.Credential, GuessScheme: true})
	if problem := refusal(err); problem != nil {
		p := added([]api.AddURLResult{{Source: sources[0], Error: problem.Detail}})
		p.Status = problem.Status
		return p, nil
	}
	done := "?done=added"
	if it.Warning != "" {
		done += "-route"
	}
	if r.PostForm.Get("first") != "" {
		return goTo("/" + done), err
	}
	return goTo("/items/" + url.PathEscape(it.ID) + done), err
}

// isPath reports whether a line is the path of a file or folder, and not an address.
func isPath(line string) bool {
	drive := len(line) > 2 && line[1] == ':' && (line[2] == '\\' || line[2] == '/')
	return strings.HasPrefix(line, "/") && !strings.HasPrefix(line, "//") || drive
}

// filesForm is the form for which files of a folder are wanted.
func filesForm() Form { return newForm(api.Settings{}, "files") }

// addPaths registers files and folders of the server's machine, and the addresses between them.
func (a area) addPaths(r *http.Request, sources []string, o api.AddOptions, files api.Patch) (page,
	error) {
	var pages, paths []string
	for _, source := range sources {
		if isPath(source) {
			paths = append(paths, source)
		} else {
			pages = append(pages, source)
		}
	}
	ofFiles := o
	ofFiles.Patch = files
	batch, err := a.client.AddFiles(r.Context(), paths, ofFiles)
	if problem := refusal(err); problem != nil {
		return notAdded(r, problem), nil
	}
	if err == nil && len(sources) == 1 && batch.Items[0].Item != nil {
		return goTo("/items/" + url.PathEscape(batch.Items[0].Item.ID) + "?done=added"), nil
	}
	if err != nil || len(pages) == 0 {
		return added(batch.Items), err
	}
	more, err := a.client.AddURLs(r.Context(), pages, o)
	return added(append(batch.Items, more.Items...)), err
}

// notAdded shows the form again, with what is wrong with it.
func notAdded(r *http.Request, problem *api.Problem) page {
	d := addData{Refused: r.PostForm.Get("urls"), Form: filesForm()}
	d.Form.Values, d.Form.Problem = r.PostForm, problem
	return page{Name: "added", Title: "Not added", Data: d, Status: problem.Status}
}

// added shows the outcome of an addition.
func added(all []api.AddURLResult) page {
	d := addData{Items: all, Form: filesForm()}
	for _, one := range all {
		if one.Item == nil {
			d.Refused += one.Source + "\n"
			d.Number++
		}
	}
	title := "Added"
	if d.Number == len(all) {
		title = "Not added"
	}
	return page{Name: "added", Title: title, Data: d}
}

// addSite adds a site, or applies what was chosen for it, and leads to the page that says what is found there.
func (a area) addSite(r *http.Request) (page, error) {
	req, err := siteOf(r.PostForm)
	if err != nil {
		return page{}, err
	}
	s, err := api.AddSite.Call(r.Context(), a.client, req)
	if err != nil {
		return page{}, err
	}
	to := "/hosts/" + url.PathEscape(s.Domain)
	switch {
	case s.DryRun != nil:
		to = "/sites/" + url.PathEscape(s.Slug)
	case r.PostForm.Get("first") != "":
		to = "/"
	}
	if s.Warning != "" {
		to += "?done=site-route"
	}
	return goTo(to), nil
}

// siteOf reads the request for a site from the form. The API checks it. A dry run follows links.
func siteOf(form url.Values) (api.SiteRequest, error) {
	req := api.SiteRequest{GuessScheme: true}
	if err := readInto(form, &req); err != nil {
		return req, err
	}
	if req.DryRun && req.Follow == nil {
		req.Follow = &api.SiteFollow{}
	}
	if form.Get("asked") != "" && !req.Named() {
		return req, badRequest("nothing is chosen: go back, and choose at least one source")
	}
	return req, nil
}
