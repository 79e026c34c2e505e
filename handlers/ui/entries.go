package ui

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const (
	// entriesShown is the number of entries that a page lists.
	entriesShown = 50
	// maxShownText limits the number of bytes of an entry's text that are shown.
	maxShownText = 64 << 10
)

type entriesData struct {
	api.EntryPage
	Policies api.Policies
	Policy   string
	First    bool // whether this is the first page of the list
}

// entries lists the entries.
func (a pushedArea) entries(r *http.Request) (frame.Page, error) {
	q := r.URL.Query()
	d := entriesData{Policy: q.Get("policy"), First: q.Get("after") == ""}
	var err error
	if d.Policies, err = api.ListPolicies.Call(r.Context(), a.client, api.None{}); err != nil {
		return frame.Page{}, err
	}
	d.EntryPage, err = api.ListEntries.Call(r.Context(), a.client, api.EntryQuery{Policy: d.Policy, Top: entriesShown,
		Continuation: q.Get("after")})
	return frame.Page{Name: "entries", Title: "Entries", Data: d}, err
}

type entryData struct {
	api.EntryDetail
	Texts    []text
	Metadata string // the entry's metadata as indented JSON
}

// A text is one of the texts of an entry.
type text struct {
	Name, Text string
	Cut        bool // whether only the beginning of the text is shown
}

// entry shows all data about an entry.
func (a pushedArea) entry(r *http.Request) (frame.Page, error) {
	e, err := api.GetEntry.Call(r.Context(), a.client, api.EntryID{ID: r.PathValue("id")})
	if err != nil {
		return frame.Page{}, err
	}
	d := entryData{EntryDetail: e}
	for _, t := range []text{{Name: "Searched text", Text: e.CleanText},
		{Name: "Extracted text", Text: e.ExtractedText}, {Name: "Original text", Text: e.CaptureText}} {
		if t.Text == "" {
			continue
		}
		if len(t.Text) > maxShownText {
			t.Text, t.Cut = words.Clip(t.Text, maxShownText), true
		}
		d.Texts = append(d.Texts, t)
	}
	if len(e.Metadata) > 0 {
		b, err := json.MarshalIndent(e.Metadata, "", "  ")
		if err != nil {
			return frame.Page{}, err
		}
		d.Metadata = string(b)
	}
	return frame.Page{Name: "entry", Title: entryTitle(e), Data: d}, nil
}

// entryTitle returns a title for an entry.
func entryTitle(e api.EntryDetail) string {
	return cmp.Or(e.Title, e.Gist, e.RetrievalExcerpt, e.URL, e.ID)
}

// actEntry lets a model describe an entry.
func (a pushedArea) actEntry(r *http.Request) (frame.Page, error) {
	if r.PostForm.Get("do") != "describe" {
		return frame.Page{}, frame.BadRequest("an entry can be described")
	}
	id := r.PathValue("id")
	_, err := api.Enrich.Call(r.Context(), a.client, api.EnrichRequest{EntryID: id})
	return frame.GoTo("/entries/" + url.PathEscape(id) + "?done=described"), err
}
