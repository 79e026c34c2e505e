package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/llm/openai"
	"github.com/tidemark/tidemark/pkg/run/enrich"
)

// newEnrichRig returns a rig with entries and a model service.
func newEnrichRig(t *testing.T, models enrich.Models) (r *rig, model *llmtest.Server, ids []string) {
	t.Helper()
	r, model = newRig(t), llmtest.NewServer(t, "tier1", 8)
	client, err := openai.New(openai.Options{BaseURL: model.URL, Key: llmtest.Key})
	must(t, err)
	clock := func() time.Time { return r.now }
	tokens := 0
	r.v.Entries = entries.New(r.store, entries.Options{Clock: clock, Token: func() string {
		tokens++
		return strings.Repeat("a", 25) + string(rune('a'+tokens))
	}})
	must(t, r.v.Entries.Create(t.Context()))
	models.Chat, models.Batches = client, client
	r.v.Enrich = enrich.New(r.store, enrich.Kept{Store: r.v.Entries}, models, enrich.Options{
		Schemas: enrich.Schemas(), Clock: clock, Token: func() string { return "token" },
	})
	must(t, r.v.Enrich.Create(t.Context()))
	for i := range 3 {
		res, err := r.v.Entries.In(entries.Production).Insert(t.Context(), entry.Fields{
			"source": "notes", "title": fmt.Sprintf("Note %d", i), "clean_text": fmt.Sprintf("The crane moves at tide %d.", i),
		})
		must(t, err)
		ids = append(ids, res.Entry.Text("entry_id"))
	}
	return r, model, ids
}

// TestD8Contract records a conversation about enrichment (testdata/enrich.golden).
func TestD8Contract(t *testing.T) {
	r, model, ids := newEnrichRig(t, enrich.Models{Default: "tier1", Batch: "tier1"})
	model.End(llmtest.Expires(1))
	batch := enrichID(t, r)
	var log strings.Builder
	for _, step := range []struct{ name, method, path, body string }{
		{"D8 a text", "POST", "/api/enrich/tier1", `{"title":"A crane","text":"The crane was moved."}`},
		{"D8 an entry", "POST", "/api/enrich/tier1", `{"entry_id":"` + ids[0] + `"}`},
		{"D8 the entry again", "POST", "/api/enrich/tier1", `{"entry_id":"` + ids[0] + `"}`},
		{"D8 many entries", "POST", "/api/enrich/tier1/batch", `{"entry_ids":["` + strings.Join(ids, `","`) + `","nobody"]}`},
		{"D9 the timer", "POST", "/EnrichTimer", `{"Data":{"timer":{}},"Metadata":{}}`},
		{"D9 on its way", "GET", "/api/enrich/tier1/batches/" + batch, ""},
		{"D9 the timer, until there is nothing to do", "", "", ""},
		{"D9 the batch", "GET", "/api/enrich/tier1/batches/" + batch, ""},
		{"D9 all batches", "GET", "/api/enrich/tier1/batches?schema=pkm", ""},
		{"D9 older ones", "GET", "/api/enrich/tier1/batches?top=1&before=" + batch, ""},
		{"D9 of the other schema", "GET", "/api/enrich/tier1/batches?schema=pkm_test", ""},
		{"D9 cancel one that is done", "POST", "/api/enrich/tier1/batches/" + batch + "/cancel", ""},
		{"D8 another batch", "POST", "/api/enrich/tier1/batch", `{"entry_ids":["` + ids[0] + `"]}`},
		{"D9 cancel it", "POST", "/api/enrich/tier1/batches/{next}/cancel", ""},
		{"D9 the timer, until there is nothing to do", "", "", ""},
		{"D9 the cancelled one", "GET", "/api/enrich/tier1/batches/{next}", ""},
		{"D3 an entry with its columns", "POST", "/api/db/update", `{"entry_id":"` + ids[1] + `","gist":"of a stranger"}`},
	} {
		r.now = r.now.Add(time.Second)
		step.path = strings.Replace(step.path, "{next}", newest(t, r), 1)
		fmt.Fprintf(&log, "=== %s\n", step.name)
		if step.method == "" {
			for range 10 {
				r.now = r.now.Add(time.Hour)
				do(t, r, "POST", "/EnrichTimer", `{"Data":{"timer":{}},"Metadata":{}}`)
			}
			continue
		}
		w := do(t, r, step.method, step.path, step.body)
		fmt.Fprintf(&log, "%s %s\n%s\n%d %s\n%s\n\n", step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), pretty(t, w.Body.Bytes()))
	}
	golden(t, "enrich.golden", log.String())
	if n := len(model.Asked()); n != 5 {
		t.Errorf("asked %d times: %q", n, model.Asked())
	}
}

// newest returns the id of the newest batch, or "".
func newest(t *testing.T, r *rig) string {
	t.Helper()
	list, err := r.v.Enrich.List(t.Context(), "pkm", 1, "")
	must(t, err)
	if len(list) == 0 {
		return ""
	}
	return list[0].ID
}

// enrichID returns the id of the batch that the conversation makes, four seconds from now.
func enrichID(t *testing.T, r *rig) string {
	t.Helper()
	return fmt.Sprintf("t1-%013d-token", 9_999_999_999_999-r.now.Add(4*time.Second).UnixMilli())
}

// TestD8Errors checks that a bad request is refused with the reason and the field (D8).
func TestD8Errors(t *testing.T) {
	r, model, ids := newEnrichRig(t, enrich.Models{Default: "tier1", Batch: "tier1"})
	for _, tt := range []struct {
		name, request, body string
		status              int
		field, detail       string
	}{
		{"nothing", "POST /api/enrich/tier1", `{}`, 400, "entry_id", "entry_id is missing"},
		{"both", "POST /api/enrich/tier1", `{"entry_id":"` + ids[0] + `","title":"x"}`, 400, "text", "not both"},
		{"unknown field", "POST /api/enrich/tier1", `{"id":"x"}`, 400, "id", `no field "id"`},
		{"blank text", "POST /api/enrich/tier1", `{"text":" "}`, 400, "text", "no text"},
		{"no such entry", "POST /api/enrich/tier1", `{"entry_id":"x"}`, 404, "", "no entry"},
		{"no ids", "POST /api/enrich/tier1/batch", `{"entry_ids":[]}`, 400, "entry_ids", "1 to 2000"},
		{"an empty id", "POST /api/enrich/tier1/batch", `{"entry_ids":[""]}`, 400, "entry_ids", "entry_ids[0]"},
		{"not a batch", "GET /api/enrich/tier1/batches/x", "", 400, "id", "not the id"},
		{"no such batch", "GET /api/enrich/tier1/batches/t1-x", "", 404, "", "no batch"},
		{"a parameter too many", "GET /api/enrich/tier1/batches/t1-x?full=1", "", 400, "full", "no parameter"},
		{"no such schema", "GET /api/enrich/tier1/batches?schema=x", "", 400, "schema", "no schema"},
		{"too many", "GET /api/enrich/tier1/batches?top=101", "", 400, "top", "1 to 100"},
		{"cancel what", "POST /api/enrich/tier1/batches/x/cancel", "", 400, "id", "not the id"},
		{"cancel no such batch", "POST /api/enrich/tier1/batches/t1-x/cancel", "", 404, "", "no batch"},
		{"cancel with a parameter", "POST /api/enrich/tier1/batches/t1-x/cancel?now=1", "", 400, "now", "no parameter"},
		{"before what", "GET /api/enrich/tier1/batches?before=x", "", 400, "before", "not the id"},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		p := problemOf(t, do(t, r, method, path, tt.body))
		field := ""
		if len(p.Errors) > 0 {
			field = p.Errors[0].Field
		}
		if p.Status != tt.status || field != tt.field || !strings.Contains(p.Detail, tt.detail) {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
	if n := len(model.Asked()); n != 0 {
		t.Errorf("asked %d times", n)
	}
}

// TestD8ServiceFails checks that a busy, refusing or failing service is reported as such (D8).
func TestD8ServiceFails(t *testing.T) {
	r, model, ids := newEnrichRig(t, enrich.Models{Default: "tier1"})
	model.Break(llmtest.Status(429, "3600"), llmtest.Status(401, ""))
	for _, want := range []struct {
		path, body string
		status     int
		says       string
	}{
		{"/api/enrich/tier1", `{"entry_id":"` + ids[0] + `"}`, http.StatusTooManyRequests, "pause"},
		{"/api/enrich/tier1", `{"entry_id":"` + ids[0] + `"}`, http.StatusForbidden, "LITELLM_MASTER_KEY"},
		{"/api/enrich/tier1/batch", `{"entry_ids":["` + ids[0] + `"]}`, http.StatusForbidden, "T1_BATCH_MODEL"},
	} {
		w := do(t, r, "POST", want.path, want.body)
		if p := problemOf(t, w); p.Status != want.status || !strings.Contains(p.Detail, want.says) ||
			(w.Header().Get("Retry-After") != "") != (want.status == http.StatusTooManyRequests) {
			t.Errorf("%s: %+v", want.path, p)
		}
	}
}

// TestD9TimerFails checks that the timer reports storage that is down to the host, which calls it again anyway (D9).
func TestD9TimerFails(t *testing.T) {
	r, _, _ := newEnrichRig(t, enrich.Models{Default: "tier1", Batch: "tier1"})
	broken := newRig(t)
	r.v.Enrich = enrich.New(broken.store, enrich.Kept{}, enrich.Models{Batch: "x"},
		enrich.Options{Schemas: enrich.Schemas()})
	w := do(t, r, "POST", "/EnrichTimer", `{"Data":{},"Metadata":{}}`)
	if isObject(t, w); w.Code != http.StatusInternalServerError {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
