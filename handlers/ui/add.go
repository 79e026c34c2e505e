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
	Tags    string // typed tags, for all of the pages
	Number  int    // of the refused ones
	Known   int    // of those that were watched already
	Kept    int    // of all that are watched now
	Twice   int    // of those that the list names again
	Form    Form
}

// Summary says what became of the addresses: "36 added, 2 watched already, 2 refused"; "" if there were none.
func (d addData) Summary() string {
	if len(d.Items) == 0 {
		return ""
	}
	said := []string{words.Thousands(d.Kept-d.Known) + " added"}
	if d.Known > 0 {
		said = append(said, words.Thousands(d.Known)+" watched already")
	}
	if d.Twice > 0 {
		said = append(said, words.Thousands(d.Twice)+" named twice")
	}
	if d.Number > 0 {
		said = append(said, words.Thousands(d.Number)+" refused")
	}
	return strings.Join(said, ", ") + "."
}

// adding shows the form for new pages. Its address may give what it begins with: an address that a phone shares.
func (v *visit) adding() page {
	q := v.URL.Query()
	d := addData{Refused: strings.TrimSpace(q.Get("url")), Form: filesForm()}
	if d.Refused == "" {
		d.Refused = address(q.Get("text"))
	}
	return page{Name: "added", Title: "Watch pages", Data: d}
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
func (v *visit) add() page {
	sources := words.Parts(v.PostForm.Get("urls"), "\n")
	o := api.AddOptions{Force: v.PostForm.Get("force") != "", Credential: strings.TrimSpace(v.PostForm.Get("credential")),
		GuessScheme: true}
	files, _ := form.Of[api.Settings]().Changes(v.PostForm, filesForm().Was)
	switch hasPath := slices.ContainsFunc(sources, isPath); {
	case hasPath:
		return v.addPaths(sources, o, files)
	case len(files) > 0:
		const why = "no line above is the path of a folder, such as /srv/docs"
		wrong := []api.FieldError{{Field: "files", Message: why}}
		return v.notAdded(&api.Problem{Status: http.StatusBadRequest, Errors: wrong})
	case len(sources) != 1:
		batch, err := v.client.AddURLs(v.Context(), sources, o)
		if err != nil {
			return v.fail(err)
		}
		return v.added(batch.Items)
	}
	it := ask(v, api.AddURL, api.AddURLRequest{URL: sources[0], Force: o.Force,
		Credential: o.Credential, GuessScheme: true})
	if problem := v.refused(); problem != nil {
		p := v.added([]api.AddURLResult{{Source: sources[0], Error: problem.Detail}})
		p.Refused = problem
		return p
	}
	done := "?done=added"
	if it.Warning != "" {
		done += "-route"
	}
	v.tagAll(v.PostForm.Get("tags"), []string{it.ID})
	return goTo(itemPath(it.ID) + done)
}

// isPath reports whether a line is the path of a file or folder, and not an address.
func isPath(line string) bool {
	drive := len(line) > 2 && line[1] == ':' && (line[2] == '\\' || line[2] == '/')
	return strings.HasPrefix(line, "/") && !strings.HasPrefix(line, "//") || drive
}

// filesForm is the form for which files of a folder are wanted.
func filesForm() Form { return newForm(api.Settings{}, "files") }

// addPaths registers files and folders of the server's machine, and the addresses between them.
func (v *visit) addPaths(sources []string, o api.AddOptions, files api.Patch) page {
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
	batch, err := v.client.AddFiles(v.Context(), paths, ofFiles)
	switch problem := refusal(err); {
	case problem != nil:
		return v.notAdded(problem)
	case err == nil && len(sources) == 1 && batch.Items[0].Item != nil:
		return goTo(itemPath(batch.Items[0].Item.ID) + "?done=added")
	case err == nil && len(pages) > 0:
		var more api.AddURLBatch
		more, err = v.client.AddURLs(v.Context(), pages, o)
		batch.Items = append(batch.Items, more.Items...)
	}
	v.fail(err)
	return v.added(batch.Items)
}

// notAdded shows the form again, with what is wrong with it.
func (v *visit) notAdded(problem *api.Problem) page {
	d := addData{Refused: v.PostForm.Get("urls"), Form: filesForm()}
	d.Form.Values, d.Form.Problem = v.PostForm, problem
	return page{Name: "added", Title: "Not added", Data: d, Refused: problem}
}

// added shows the outcome of an addition, and adds the typed tags to what is watched.
func (v *visit) added(all []api.AddURLResult) page {
	d := addData{Form: filesForm(), Tags: v.PostForm.Get("tags")}
	var ids []string
	for _, one := range all {
		switch {
		case one.Item == nil:
			d.Refused += one.Source + "\n"
			d.Number++
		case slices.Contains(ids, one.Item.ID):
			d.Twice++
			continue
		default:
			ids = append(ids, one.Item.ID)
			if one.Known {
				d.Known++
			}
		}
		d.Items = append(d.Items, one)
	}
	d.Kept = len(ids)
	v.tagAll(d.Tags, ids)
	d.Form.Problem = v.refused()
	title := "Added"
	if d.Number == len(all) {
		title = "Not added"
	}
	return page{Name: "added", Title: title, Data: d}
}

// tagAll adds the tags of a list with commas to items. Those that the items have stay.
func (v *visit) tagAll(tags string, ids []string) {
	for _, tag := range words.Parts(tags, ",") {
		ask(v, api.StartBulk, api.BulkRequest{Op: "tag", Tag: tag, IDs: ids})
	}
}

// addSite adds a site, or applies what was chosen for it, and leads to the page that says what is found there.
func (v *visit) addSite() page {
	req, err := siteOf(v.PostForm)
	if err != nil {
		return v.fail(err)
	}
	s := ask(v, api.AddSite, req)
	to := "/hosts/" + url.PathEscape(s.Domain)
	switch {
	case s.DryRun != nil:
		to = "/sites/" + url.PathEscape(s.Slug)
	case v.PostForm.Get("first") != "":
		to = "/"
	}
	if s.Warning != "" {
		to += "?done=site-route"
	}
	return goTo(to)
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
