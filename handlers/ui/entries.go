package ui

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxShownText bounds a text of an entry that is shown, in bytes: what is more is said to be left out.
const maxShownText = 64 << 10

type entriesData struct {
	api.EntryPage
	Policies api.Policies
	Policy   string
	First    bool // the first page of the list
}

// entries lists what was pushed in.
func entries(o Options, r *http.Request) (page, error) {
	q := r.URL.Query()
	d := entriesData{Policy: q.Get("policy"), First: q.Get("after") == ""}
	var err error
	if d.Policies, err = api.ListPolicies.Call(r.Context(), o.Client, api.None{}); err != nil {
		return page{}, err
	}
	d.EntryPage, err = api.ListEntries.Call(r.Context(), o.Client, api.EntryQuery{Policy: d.Policy, Top: pageSize,
		Continuation: q.Get("after")})
	return page{name: "entries", title: "Entries", data: d}, err
}

type entryData struct {
	api.EntryDetail
	Texts    []text
	Metadata string // JSON for people
}

// text is one of the texts of an entry, which may be long.
type text struct {
	Name, Text string
	Cut        bool // the text is longer than what is shown
}

// entry shows all that is known of one entry.
func entry(o Options, r *http.Request) (page, error) {
	e, err := api.GetEntry.Call(r.Context(), o.Client, api.EntryID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
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
			return page{}, err
		}
		d.Metadata = string(b)
	}
	return page{name: "entry", title: entryTitle(e), data: d}, nil
}

// entryTitle names an entry for people.
func entryTitle(e api.EntryDetail) string {
	return cmp.Or(e.Title, e.Gist, e.RetrievalExcerpt, e.URL, e.ID)
}

// actEntry has a model describe an entry.
func actEntry(o Options, r *http.Request) (page, error) {
	if r.PostForm.Get("do") != "describe" {
		return page{}, badRequest("an entry can be described")
	}
	id := r.PathValue("id")
	_, err := api.Enrich.Call(r.Context(), o.Client, api.EnrichRequest{EntryID: id})
	return page{to: "/entries/" + url.PathEscape(id) + "?done=described"}, err
}

// at is a time that an entry has as text; the zero time for none.
func at(text string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, text)
	return t
}
