package ui

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

type listData struct {
	Content, Format string // as the person typed them
	Uploaded        bool   // whether the list came from a file, which a page cannot put back into its form
	Problem         *api.Problem
}

// Formats returns the formats that a list may have.
func (listData) Formats() []frame.Choice {
	return frame.Choices("", "detect automatically", "opml", "OPML", "bookmarks", "browser bookmarks", "csv", "CSV",
		"jsonl", "JSON Lines")
}

// importForm shows the form for a list of addresses.
func (a pushedArea) importForm(*http.Request) (frame.Page, error) {
	return frame.Page{Name: "importlist", Title: "Import a list", Data: listData{}}, nil
}

// importList starts the import of a list.
func (a pushedArea) importList(r *http.Request) (frame.Page, error) {
	d := listData{Content: r.PostForm.Get("content"), Format: r.PostForm.Get("format")}
	req := api.ListImportRequest{Content: d.Content, Format: d.Format}
	uploaded, err := fileOf(r, "file")
	if err != nil {
		return frame.Page{}, err
	}
	if uploaded != "" {
		req.Content, d.Uploaded = uploaded, true
	}
	im, err := api.ImportList.Call(r.Context(), a.client, req)
	if d.Problem = frame.Refusal(err); d.Problem != nil {
		return frame.Page{Name: "importlist", Title: "Import a list", Data: d, Status: d.Problem.Status}, nil
	}
	return frame.GoTo("/import/" + url.PathEscape(im.ID)), err
}

// fileOf reads a file that was sent with a form, and returns "" if there is none.
func fileOf(r *http.Request, name string) (string, error) {
	f, _, err := r.FormFile(name)
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return "", nil
	}
	if err != nil {
		return "", frame.BadRequest("the file cannot be read: " + err.Error())
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return strings.ToValidUTF8(string(b), "\uFFFD"), err
}

// listImport shows the progress of the import of a list.
func (a pushedArea) listImport(r *http.Request) (frame.Page, error) {
	im, err := api.GetListImport.Call(r.Context(), a.client, api.ListImportID{ID: r.PathValue("id")})
	return frame.Page{Name: "listimport", Title: "Import of a list", Data: im}, err
}

// listBar returns the progress of an import: how much of its list has been processed.
func listBar(im api.ListImport) frame.Bar {
	return frame.NewBar(im.Done, max(1, im.Total), "of the addresses processed")
}
