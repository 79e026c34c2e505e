package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/search"
)

// found returns the titles that a search finds, in order.
func (r *rig) found(query string) (titles []string, res api.SearchResponse) {
	r.t.Helper()
	w := do(r.t, r, "GET", "/api/Search?"+query, "")
	if w.Code != http.StatusOK {
		r.t.Fatalf("%d %s", w.Code, w.Body)
	}
	must(r.t, json.Unmarshal(w.Body.Bytes(), &res))
	for _, found := range res.Results {
		titles = append(titles, found.Title)
	}
	slices.Sort(titles)
	return titles, res
}

// push inserts entries, each of which must succeed.
func (r *rig) push(items ...string) {
	r.t.Helper()
	if w := do(r.t, r, "POST", "/api/db/insert", `{"items":[`+strings.Join(items, ",")+`]}`); w.Code != http.StatusOK {
		r.t.Fatalf("%d %s", w.Code, w.Body)
	}
}

const (
	aThought = `{"source":"telegram","idempotency_policy_key":"telegram_thought_v1","idempotency_key_primary":"1","title":"A thought","clean_text":"The harbour is quiet."}`
	aMail    = `{"source":"email-batch","idempotency_policy_key":"email_newsletter_v1","idempotency_key_primary":"2","title":"A mail","clean_text":"News of the harbour."}`
)

// TestD10EntriesAreFound checks that entries are found with everything else as soon as they are sent, and can be
// searched alone, and that entries of the test schema are not found.
func TestD10EntriesAreFound(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	r.push(aThought, aMail)
	do(t, r, "PUT", "/api/test-mode", `{"is_test_mode":true}`)
	r.push(`{"source":"notes","title":"A test","clean_text":"The harbour of tests."}`)
	for query, want := range map[string][]string{
		"q=harbour":                             {"A mail", "A thought", "one"},
		"q=harbour&type=entry":                  {"A mail", "A thought"},
		"q=harbour&type=page":                   {"one"},
		"q=harbour&host=email":                  {"A mail"},
		"q=harbour&type=entry&host=telegram":    {"A thought"},
		"q=harbour&since=2027-01-01T00:00:00Z":  nil,
		"q=quiet&since=2026-01-01T00:00:00Z":    {"A thought"},
		"q=%22news+of+the+harbour%22&top=1":     {"A mail"},
		"q=harbour&type=entry&nestImages=true":  {"A mail", "A thought"},
		"q=harbour&type=entry&language=en":      nil, // too short for its language to be detected
		"q=tests&type=entry":                    nil,
		"q=thought":                             {"A thought"},
		"q=quiet+nothing+else&type=entry&top=5": {"A thought"},
	} {
		if have, _ := r.found(query); !slices.Equal(have, want) {
			t.Errorf("%s: have %q, want %q", query, have, want)
		}
	}
	_, res := r.found("q=harbour&facets=true")
	if diff := cmp.Diff([]api.Facet{{Value: "entry", Count: 2}, {Value: "page", Count: 1}}, res.Facets.Types); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// down is an index that does not answer while it is down.
type down struct {
	search.Index
	isDown bool
}

func (d *down) Put(ctx context.Context, pages ...search.Page) error {
	if d.isDown {
		return fault.New(fault.Unavailable, "down")
	}
	return d.Index.Put(ctx, pages...)
}

// TestD10IndexIsDown checks that entries are accepted while the index is down or missing, and that the timer makes
// them searchable when the index is back.
func TestD10IndexIsDown(t *testing.T) {
	r := newRig(t)
	index := &down{r.v.Index, true}
	r.v.Entries = entries.New(r.store, entries.Options{Clock: func() time.Time { return r.now }, Index: index})
	timer := func() {
		r.now = r.now.Add(10 * time.Minute)
		if w := do(t, r, "POST", "/EnrichTimer", `{"Data":{"timer":{}},"Metadata":{}}`); w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	r.push(aThought)
	timer()
	if have, _ := r.found("q=harbour"); have != nil {
		t.Errorf("found %q", have)
	}
	index.isDown = false
	timer()
	if have, _ := r.found("q=harbour"); !slices.Equal(have, []string{"A thought"}) {
		t.Errorf("found %q", have)
	}
}

// TestD10PagesOfLinks checks that a link is shown with the page of its address, or with the original of a duplicate,
// and that a page which cannot be looked up is omitted.
func TestD10PagesOfLinks(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	link := `{"source":"telegram","idempotency_policy_key":"telegram_link_v1","idempotency_key_primary":"KEY","title":"Link KEY","url":"https://port.example/KEY"}`
	r.push(strings.ReplaceAll(link, "KEY", "ok/one-again"), strings.ReplaceAll(link, "KEY", "fails"))
	r.work()
	_, res := r.found("q=link&type=entry")
	have := map[string]api.LinkedPage{}
	for _, found := range res.Results {
		if found.Page != nil {
			have[found.Title] = *found.Page
		}
	}
	want := map[string]api.LinkedPage{
		"Link ok/one-again": {ID: idOf(t, "https://port.example/ok/one"), URL: "https://port.example/ok/one", Title: "one",
			Status: api.Status("Indexed")},
		"Link fails": {ID: idOf(t, "https://port.example/fails"), URL: "https://port.example/fails",
			Status: api.Status("Error")},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// TestA19RebuildBringsEntries checks that a rebuild of everything puts entries back into the index, and that the
// rebuild of a host does not.
func TestA19RebuildBringsEntries(t *testing.T) {
	r := newRig(t)
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.push(aThought, aMail)
	r.work()
	ids, err := r.v.Index.IDs(t.Context(), "", 10)
	must(t, err)
	for _, id := range ids {
		must(t, r.v.Index.Remove(t.Context(), id, nil))
	}
	for _, tt := range []struct {
		body    string
		entries int
		want    []string
	}{
		{`{"scope":{"host":"port.example"}}`, 0, []string{"one"}},
		{`{}`, 2, []string{"A mail", "A thought", "one"}},
	} {
		var run api.Rebuild
		must(t, json.Unmarshal(do(t, r, "POST", "/api/RebuildIndex", tt.body).Body.Bytes(), &run))
		for range 5 {
			r.work()
			r.now = r.now.Add(time.Minute)
		}
		w := do(t, r, "GET", "/api/RebuildIndex?id="+run.ID, "")
		run = api.Rebuild{}
		must(t, json.Unmarshal(w.Body.Bytes(), &run))
		if have, _ := r.found("q=harbour"); run.Status != api.RebuildDone || run.Entries != tt.entries ||
			!slices.Equal(have, tt.want) {
			t.Errorf("%s: found %q after %s", tt.body, have, w.Body)
		}
	}
}
