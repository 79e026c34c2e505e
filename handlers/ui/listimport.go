package ui

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

type listData struct {
	Content, Format string // that were typed
	Uploaded        bool   // the list was a file, which nobody can put into a form again
	Problem         *api.Problem
}

// Formats are those of lists.
func (listData) Formats() []choice {
	return []choice{{"", "detect automatically"}, {"opml", "OPML"}, {"bookmarks", "browser bookmarks"},
		{"csv", "CSV"},
		{"jsonl", "JSON Lines"}}
}

// importForm is the form that a list of addresses is given with.
func importForm(Options, *http.Request) (page, error) {
	return page{name: "importlist", title: "Import a list", data: listData{}}, nil
}

// importList begins to import a list.
func importList(o Options, r *http.Request) (page, error) {
	d := listData{Content: r.PostForm.Get("content"), Format: r.PostForm.Get("format")}
	req := api.ListImportRequest{Content: d.Content, Format: d.Format}
	uploaded, err := fileOf(r, "file")
	if err != nil {
		return page{}, err
	}
	if uploaded != "" {
		req.Content, d.Uploaded = uploaded, true
	}
	im, err := api.ImportList.Call(r.Context(), o.Client, req)
	if d.Problem = refusal(err); d.Problem != nil {
		return page{name: "importlist", title: "Import a list", data: d, status: d.Problem.Status}, nil
	}
	return page{to: "/import/" + url.PathEscape(im.ID)}, err
}

// fileOf is a file that a form carries; "" for none.
func fileOf(r *http.Request, name string) (string, error) {
	f, _, err := r.FormFile(name)
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return "", nil
	}
	if err != nil {
		return "", badRequest("the file cannot be read: " + err.Error())
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return strings.ToValidUTF8(string(b), "\uFFFD"), err
}

// listImport shows how far the import of a list is.
func listImport(o Options, r *http.Request) (page, error) {
	im, err := api.GetListImport.Call(r.Context(), o.Client, api.ListImportID{ID: r.PathValue("id")})
	return page{name: "listimport", title: "Import of a list", data: im}, err
}

// listBar is how much of a list is through.
func listBar(im api.ListImport) bar {
	return newBar(im.Done, max(1, im.Total), "of the addresses processed")
}
