package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/search"
)

// TestSearchFacets checks that results are counted by each facet that can narrow them, but only on request.
func TestSearchFacets(t *testing.T) {
	r := newRig(t)
	if w := do(t, r, "POST", "/api/AddUrlDocument",
		`{"urls":["https://port.example/ok/one","https://port.example/ok/two"]}`); w.Code != http.StatusAccepted {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r.work()
	search := func(query string) (found api.SearchResponse) {
		w := do(t, r, "GET", "/api/Search?q=harbour"+query, "")
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		must(t, json.Unmarshal(w.Body.Bytes(), &found))
		return found
	}
	have := search("&facets=true&top=1")
	if have.Facets == nil || have.Count != 2 {
		t.Fatalf("have %+v", have)
	}
	if diff := cmp.Diff([]api.Facet{{Value: "port.example", Count: 2}}, have.Facets.Hosts); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	if plain := search(""); plain.Facets != nil {
		t.Errorf("nobody asked for %+v", plain.Facets)
	}
	if later := search("&since=9999-01-01T00:00:00Z"); later.Count != 0 {
		t.Errorf("changed since the end of days: %+v", later)
	}
}

// TestJ5Narrowing checks that a search is narrowed by present tags without a request to a site, by path, and by the
// time of changes, and that it counts only the requested facets (J5).
func TestJ5Narrowing(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"one", "two"} {
		do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/"+name)))
		r.work() // including the job of its registration
		r.now = r.now.Add(time.Minute)
	}
	search := func(query string) (found api.SearchResponse) {
		t.Helper()
		w := do(t, r, "GET", "/api/Search?q=harbour"+query, "")
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		must(t, json.Unmarshal(w.Body.Bytes(), &found))
		return found
	}
	one := idOf(t, "https://port.example/ok/one")
	tag := func(tags string) {
		asked := r.web.asked
		if w := do(t, r, "PATCH", "/api/items/"+one, `{"tags":`+tags+`}`); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		do(t, r, "POST", "/CrawlTimer", `{"Data":{"timer":{}},"Metadata":{"sys":{}}}`)
		r.work()
		if n := r.web.asked - asked; n > 0 {
			t.Errorf("tags %s: the site was asked %d times", tags, n)
		}
	}
	tag(`["North Sea","tides"]`)
	for query, want := range map[string]int{"": 2, "&tag=tides": 1, "&tag=north%20%20sea": 1, "&tag=sea": 0,
		"&path=/ok/o": 1, "&path=/ok&host=port.example": 2, "&path=/one": 0, "&changedAfter=9999-01-01": 0,
		"&changedAfter=2026-01-01&since=2026-01-01": 2} {
		if have := search(query).Count; have != want {
			t.Errorf("%s: %d found, want %d", query, have, want)
		}
	}
	some := search("&facets=tag,type").Facets
	if diff := cmp.Diff(&api.Facets{Tags: []api.Facet{{Value: "north sea", Count: 1}, {Value: "tides", Count: 1}},
		Types: []api.Facet{{Value: "page", Count: 2}}}, some); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	for body, want := range map[string]bool{`true`: true, `"true"`: true, `["host"]`: true, `false`: false, `""`: false} {
		w := do(t, r, "POST", "/api/Search", `{"q":"harbour","facets":`+body+`}`)
		if have := strings.Contains(w.Body.String(), `"hosts"`); w.Code != http.StatusOK || have != want {
			t.Errorf("facets %s: %d %s", body, w.Code, w.Body)
		}
	}
	newest := search("&sort=changed").Results
	if len(newest) != 2 || !newest[0].ChangedAt.After(newest[1].ChangedAt) || newest[1].ID != one {
		t.Errorf("sorted by change: %+v", newest)
	}
	tag(`[]`)
	if have := search("&tag=tides").Count; have != 0 {
		t.Errorf("%d found by a tag that was taken away", have)
	}
}

// TestJ5AuditComparesTags checks that an audit finds and repairs tags in the index that differ from the item's (J5).
func TestJ5AuditComparesTags(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/one")))
	r.work()
	other := r.index.put[idOf(t, "https://port.example/ok/one")]
	other.Tags = []string{"wrong"}
	must(t, r.v.Index.Put(t.Context(), other))
	if w := do(t, r, "POST", "/api/RebuildIndex", `{"audit":true}`); w.Code != http.StatusAccepted {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r.work()
	if have, err := r.v.Index.Inspect(t.Context(), other.ID); err != nil || len(have.Tags) > 0 {
		t.Errorf("the index has the tags %q, %v", have.Tags, err)
	}
}

// TestH4PublishedAfter checks that a search can be narrowed to pages that declare a publication date since a time,
// and that a page's declared data is shown (H4).
func TestH4PublishedAfter(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"one", "dated"} {
		do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/"+name)))
	}
	for query, want := range map[string]int{"": 2, "&publishedAfter=day": 0, "&publishedAfter=2026-02-10": 1,
		"&publishedAfter=2026-02-11": 0, "&publishedAfter=2026-02-09T23:00:00Z&since=2026-01-01": 1} {
		var found api.SearchResponse
		must(t, json.Unmarshal(do(t, r, "GET", "/api/Search?q=harbour"+query, "").Body.Bytes(), &found))
		if found.Count != want {
			t.Errorf("%s: %d found, want %d", query, found.Count, want)
		}
	}
	id := idOf(t, "https://port.example/ok/dated")
	var it api.ItemDetail
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &it))
	c := it.Captures[0]
	for of, author := range map[string]string{"item " + it.PublishedAt.Format(time.DateOnly): it.Author,
		"capture " + c.PublishedAt.Format(time.DateOnly): c.Author} {
		if author != "O'Brien & Co" || !strings.HasSuffix(of, " 2026-02-10") {
			t.Errorf("%s: by %q", of, author)
		}
	}
	page := do(t, r, "GET", "/api/ui/items/"+id+"/experts", "").Body.String()
	if !strings.Contains(page, "O&#39;Brien &amp; Co") || !strings.Contains(page, "2026-02-10") {
		t.Error("the page of the item does not show author and date")
	}
}

// TestS13UnclosedQuote checks that an unclosed quotation mark is reported wherever the answer is shown, and that its
// words are still found (S13).
func TestS13UnclosedQuote(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/one")))
	for q, told := range map[string]bool{`"harbour tide`: true, "“harbour tide": true, `"harbour of" tide`: false,
		"harbour tide": false} {
		var found api.SearchResponse
		must(t, json.Unmarshal(do(t, r, "GET", "/api/Search?q="+url.QueryEscape(q), "").Body.Bytes(), &found))
		if found.Count != 1 || strings.Contains(found.Note, "a quotation mark is not closed") != told {
			t.Errorf("%s: %d found, note %q", q, found.Count, found.Note)
		}
		page := do(t, r, "GET", "/api/ui/search?q="+url.QueryEscape(q), "").Body.String()
		if strings.Contains(page, "a quotation mark is not closed") != told {
			t.Errorf("%s: the dashboard says so: %t", q, !told)
		}
	}
}

// TestJ5SuggestedOnTheDashboard checks that input is completed with words and titles, and that input without a
// completion is still searched for.
func TestJ5SuggestedOnTheDashboard(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/one")))
	shows(t, r, "/api/ui/search?q=harb", `list="suggested"`, `<option value="harbour">`)
	long := "harbour" + strings.Repeat(" ", search.MaxSuggestRunes) + "tide"
	body := shows(t, r, "/api/ui/search?q="+url.QueryEscape(long), "1 result")
	if strings.Contains(body, "<option value=\"har") {
		t.Error("what is too long to be completed was")
	}
}

// TestJ3DidYouMean checks that the correction of a misspelt query is reported wherever the answer is shown.
func TestJ3DidYouMean(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/CrawlWorker", binaryEnvelope(r.register("https://port.example/ok/one")))
	for q, meant := range map[string]string{"harbuor tide": "harbour tide", "harbour tide": ""} {
		var found api.SearchResponse
		must(t, json.Unmarshal(do(t, r, "GET", "/api/Search?q="+url.QueryEscape(q), "").Body.Bytes(), &found))
		told := found.DidYouMean == meant && strings.Contains(found.Note, "these are the results for "+meant) == (meant != "")
		if found.Count != 1 || !told {
			t.Errorf("%s: %d found, meant %q, note %q", q, found.Count, found.DidYouMean, found.Note)
		}
		page := do(t, r, "GET", "/api/ui/search?q="+url.QueryEscape(q), "").Body.String()
		if strings.Contains(page, "these are the results for") != (meant != "") {
			t.Errorf("%s: the dashboard says so: %t", q, meant == "")
		}
		passages := retrieved(t, r, fmt.Sprintf(`{"queries":[%q,"tide"]}`, q))
		if strings.Contains(passages.Note, "these are the results for "+meant) != (meant != "") {
			t.Errorf("%s: note of the passages: %q", q, passages.Note)
		}
	}
}

// TestT4SignsAreNoError checks that a query of an emoji alone is answered, with a note (T4).
func TestT4SignsAreNoError(t *testing.T) {
	r := newRig(t)
	r.crawl(harbourOne)
	for _, q := range []string{"❤", "🏖️", "→ ✓", "👩‍👩‍👧"} {
		w := do(t, r, "GET", "/api/Search?facets=true&q="+url.QueryEscape(q), "")
		if w.Code != 200 || !strings.Contains(w.Body.String(), "signs and emoji are not searched") ||
			!strings.Contains(w.Body.String(), `"count":0`) {
			t.Errorf("%s: %d %s", q, w.Code, w.Body)
		}
	}
}
