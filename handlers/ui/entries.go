package ui

import (
	"cmp"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

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
func (a area) entries(r *http.Request) (page, error) {
	q := r.URL.Query()
	d := entriesData{Policy: q.Get("policy"), First: q.Get("after") == ""}
	var err error
	if d.Policies, err = api.ListPolicies.Call(r.Context(), a.client, api.None{}); err != nil {
		return page{}, err
	}
	d.EntryPage, err = api.ListEntries.Call(r.Context(), a.client, api.EntryQuery{Policy: d.Policy, Top: entriesShown,
		Continuation: q.Get("after")})
	return page{Name: "entries", Title: "Entries", Data: d}, err
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
func (a area) entry(r *http.Request) (page, error) {
	e, err := api.GetEntry.Call(r.Context(), a.client, api.EntryID{ID: r.PathValue("id")})
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
	return page{Name: "entry", Title: entryTitle(e), Data: d}, nil
}

// entryTitle returns a title for an entry.
func entryTitle(e api.EntryDetail) string {
	return cmp.Or(e.Title, e.Gist, e.RetrievalExcerpt, e.URL, e.ID)
}

// actEntry lets a model describe an entry.
func (a area) actEntry(r *http.Request) (page, error) {
	if r.PostForm.Get("do") != "describe" {
		return page{}, badRequest("an entry can be described")
	}
	id := r.PathValue("id")
	_, err := api.Enrich.Call(r.Context(), a.client, api.EnrichRequest{EntryID: id})
	return goTo("/entries/" + url.PathEscape(id) + "?done=described"), err
}

// pushedFuncs are the functions that the templates of this part call.
var pushedFuncs = template.FuncMap{"entryTitle": entryTitle, "importBar": importBar, "listBar": listBar}

// pushedViews returns, by pattern, the pages and forms about content that is not crawled but pushed in by other
// programs: entries, the batches in which a model describes them, and imports of mailboxes and of lists of addresses.
func (a area) pushedViews() map[string]viewFunc {
	return map[string]viewFunc{
		"GET /entries":              a.entries,
		"GET /entries/{id}":         a.entry,
		"GET /entries/batches":      a.batches,
		"GET /entries/batches/{id}": a.batch,
		"GET /entries/imports":      a.imports,
		"GET /entries/imports/{id}": a.mailbox,
		"GET /import":               a.importForm,
		"GET /import/{id}":          a.listImport,

		"POST /entries/{id}":         a.actEntry,
		"POST /entries/batches/{id}": a.actBatch,
		"POST /import":               a.importList,
	}
}

// importsShown is the number of imports that a page lists.
const importsShown = 50

// imports lists the latest imports of mailboxes.
func (a area) imports(r *http.Request) (page, error) {
	list, err := api.ListImports.Call(r.Context(), a.client, api.ImportQuery{Top: importsShown})
	return page{Name: "imports", Title: "Imports", Data: list}, err
}

// mailbox shows the import of one mailbox.
func (a area) mailbox(r *http.Request) (page, error) {
	im, err := api.GetImport.Call(r.Context(), a.client, api.ImportID{ID: r.PathValue("id")})
	return page{Name: "import", Title: "Import of " + im.MboxPath, Data: im}, err
}

// importBar returns the progress of an import: how much of its mailbox file has been processed.
func importBar(im api.Import) progressBar {
	return newBar(int(im.Bytes), max(1, int(im.Size)), "of the file processed")
}

type listData struct {
	Content, Format string // as the person typed them
	Uploaded        bool   // whether the list came from a file, which a page cannot put back into its form
	Problem         *api.Problem
}

// Formats returns the formats that a list may have.
func (listData) Formats() []choice {
	return choices("", "detect automatically", "opml", "OPML", "bookmarks", "browser bookmarks", "csv", "CSV",
		"jsonl", "JSON Lines")
}

// importForm shows the form for a list of addresses.
func (a area) importForm(*http.Request) (page, error) {
	return page{Name: "importlist", Title: "Import a list", Data: listData{}}, nil
}

// importList starts the import of a list.
func (a area) importList(r *http.Request) (page, error) {
	d := listData{Content: r.PostForm.Get("content"), Format: r.PostForm.Get("format")}
	req := api.ListImportRequest{Content: d.Content, Format: d.Format}
	uploaded, err := fileOf(r, "file")
	if err != nil {
		return page{}, err
	}
	if uploaded != "" {
		req.Content, d.Uploaded = uploaded, true
	}
	im, err := api.ImportList.Call(r.Context(), a.client, req)
	if d.Problem = refusal(err); d.Problem != nil {
		return page{Name: "importlist", Title: "Import a list", Data: d, Status: d.Problem.Status}, nil
	}
	return goTo("/import/" + url.PathEscape(im.ID)), err
}

// fileOf reads a file that was sent with a form, and returns "" if there is none.
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

// listImport shows the progress of the import of a list.
func (a area) listImport(r *http.Request) (page, error) {
	im, err := api.GetListImport.Call(r.Context(), a.client, api.ListImportID{ID: r.PathValue("id")})
	return page{Name: "listimport", Title: "Import of a list", Data: im}, err
}

// listBar returns the progress of an import: how much of its list has been processed.
func listBar(im api.ListImport) progressBar {
	return newBar(im.Done, max(1, im.Total), "of the addresses processed")
}

const (
	batchesShown = 20  // the number of batches on a page of the list
	linesShown   = 200 // the number of entries on the page of a batch
)

type batchesData struct {
	api.EnrichBatches
	First bool
	Older string // id of the last batch on this page; "" on the last page
}

// batches lists the batches of the current schema, newest first.
func (a area) batches(r *http.Request) (page, error) {
	before := r.URL.Query().Get("before")
	list, err := api.ListEnrichBatches.Call(r.Context(), a.client, api.EnrichQuery{Top: batchesShown, Before: before})
	d := batchesData{EnrichBatches: list, First: before == ""}
	if n := len(list.Batches); n == batchesShown {
		d.Older = list.Batches[n-1].ID
	}
	return page{Name: "batches", Title: "Enrichment", Data: d}, err
}

type batchData struct {
	api.EnrichBatch
	Shown []api.EnrichLine // entries of the batch, failed ones first
	Bar   progressBar
}

// batch shows a batch and the outcome for each of its entries.
func (a area) batch(r *http.Request) (page, error) {
	b, err := api.GetEnrichBatch.Call(r.Context(), a.client, api.EnrichBatchID{ID: r.PathValue("id")})
	slices.SortStableFunc(b.Lines, func(a, b api.EnrichLine) int { return cmp.Compare(rank(a), rank(b)) })
	d := batchData{EnrichBatch: b, Shown: b.Lines[:min(len(b.Lines), linesShown)], Bar: batchBar(b)}
	return page{Name: "batch", Title: "Batch of " + words.Count(b.Entries, "entry"), Data: d}, err
}

// rank returns a number by which failed entries are sorted first, waiting ones second, and all others last.
func rank(l api.EnrichLine) int { return map[string]int{"failed": -2, "waiting": -1}[l.Outcome] }

// batchBar returns the progress of a batch. Until the batch is done, it counts the processed
// entries in the batch's lines, if the answer has them.
func batchBar(b api.EnrichBatch) progressBar {
	if b.Status == "done" {
		return newBar(1, 1, "entries processed")
	}
	processed := 0
	for _, l := range b.Lines {
		if l.Outcome != "waiting" {
			processed++
		}
	}
	return newBar(processed, len(b.Lines), "entries processed")
}

// actBatch cancels a batch.
func (a area) actBatch(r *http.Request) (page, error) {
	if r.PostForm.Get("do") != "cancel" {
		return page{}, badRequest("a batch can be cancelled")
	}
	b, err := api.CancelEnrichBatch.Call(r.Context(), a.client, api.EnrichBatchID{ID: r.PathValue("id")})
	return goTo("/entries/batches/" + url.PathEscape(b.ID) + "?done=batch-cancel"), err
}
