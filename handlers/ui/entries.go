package ui

import (
	"cmp"
	"encoding/json"
	"errors"
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
}

// entries lists the entries.
func (v *visit) entries() page {
	q := v.URL.Query()
	var d entriesData
	d.Policies = ask(v, api.ListPolicies, api.None{})
	d.EntryPage = ask(v, api.ListEntries, api.EntryQuery{Policy: q.Get("policy"), Top: entriesShown,
		Continuation: q.Get("after")})
	return page{Name: "entries", Title: "Entries", Data: d}
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
func (v *visit) entry() page {
	e := ask(v, api.GetEntry, api.EntryID{ID: v.PathValue("id")})
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
		v.fail(err)
		d.Metadata = string(b)
	}
	return page{Name: "entry", Title: entryTitle(e), Data: d}
}

// entryTitle returns a title for an entry.
func entryTitle(e api.EntryDetail) string {
	return cmp.Or(e.Title, e.Gist, e.RetrievalExcerpt, e.URL, e.ID)
}

// actEntry lets a model describe an entry.
func (v *visit) actEntry() page {
	if v.PostForm.Get("do") != "describe" {
		return v.fail(badRequest("an entry can be described"))
	}
	id := v.PathValue("id")
	ask(v, api.Enrich, api.EnrichRequest{EntryID: id})
	return goTo("/entries/" + url.PathEscape(id) + "?done=described")
}

// importsShown is the number of imports that a page lists.
const importsShown = 50

// imports lists the latest imports of mailboxes.
func (v *visit) imports() page {
	list := ask(v, api.ListImports, api.ImportQuery{Top: importsShown})
	return page{Name: "imports", Title: "Imports", Data: list}
}

// mailbox shows the import of one mailbox.
func (v *visit) mailbox() page {
	im := ask(v, api.GetImport, api.ImportID{ID: v.PathValue("id")})
	return page{Name: "import", Title: "Import of " + im.MboxPath, Data: im}
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
func (v *visit) importForm() page {
	return page{Name: "importlist", Title: "Import a list", Data: listData{}}
}

// importList starts the import of a list.
func (v *visit) importList() page {
	d := listData{Content: v.PostForm.Get("content"), Format: v.PostForm.Get("format")}
	req := api.ListImportRequest{Content: d.Content, Format: d.Format}
	uploaded, err := fileOf(v.Request, "file")
	if err != nil {
		return v.fail(err)
	}
	if uploaded != "" {
		req.Content, d.Uploaded = uploaded, true
	}
	im := ask(v, api.ImportList, req)
	if d.Problem = v.refused(); d.Problem != nil {
		return page{Name: "importlist", Title: "Import a list", Data: d, Refused: d.Problem}
	}
	return goTo("/import/" + url.PathEscape(im.ID))
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
func (v *visit) listImport() page {
	im := ask(v, api.GetListImport, api.ListImportID{ID: v.PathValue("id")})
	return page{Name: "listimport", Title: "Import of a list", Data: im}
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
	Older string // id of the last batch on this page; "" on the last page
}

// batches lists the batches of the current schema, newest first.
func (v *visit) batches() page {
	before := v.URL.Query().Get("before")
	list := ask(v, api.ListEnrichBatches, api.EnrichQuery{Top: batchesShown, Before: before})
	d := batchesData{EnrichBatches: list}
	if n := len(list.Batches); n == batchesShown {
		d.Older = list.Batches[n-1].ID
	}
	return page{Name: "batches", Title: "Enrichment", Data: d}
}

type batchData struct {
	api.EnrichBatch
	Shown []api.EnrichLine // entries of the batch, failed ones first
	Bar   progressBar
}

// batch shows a batch and the outcome for each of its entries.
func (v *visit) batch() page {
	b := ask(v, api.GetEnrichBatch, api.EnrichBatchID{ID: v.PathValue("id")})
	slices.SortStableFunc(b.Lines, func(a, b api.EnrichLine) int { return cmp.Compare(rank(a), rank(b)) })
	d := batchData{EnrichBatch: b, Shown: b.Lines[:min(len(b.Lines), linesShown)], Bar: batchBar(b)}
	return page{Name: "batch", Title: "Batch of " + words.Count(b.Entries, "entry"), Data: d}
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
func (v *visit) actBatch() page {
	if v.PostForm.Get("do") != "cancel" {
		return v.fail(badRequest("a batch can be cancelled"))
	}
	b := ask(v, api.CancelEnrichBatch, api.EnrichBatchID{ID: v.PathValue("id")})
	return goTo("/entries/batches/" + url.PathEscape(b.ID) + "?done=batch-cancel")
}
