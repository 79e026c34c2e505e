package handlers

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/entries/entry"
)

const newsletterMail = `From: The Port <news@port.example>\nSubject: [News] Tides\nDate: Sun, 1 Mar 2026 03:00:00 +0000\nMessage-ID: <A.1@port.example>\nList-Unsubscribe: <mailto:x@port.example>\nContent-Type: text/plain; charset=utf-8\n\nHigh water at noon.\n`

// TestEntriesContract records a whole conversation about entries; see TestContract.
func TestEntriesContract(t *testing.T) {
	r := newRig(t)
	var log strings.Builder
	last := "{}"
	for _, step := range []struct {
		name, method, path, body string // LAST means the previous answer
	}{
		{"D1 a message", "POST", "/api/normalize/telegram",
			`{"text":"High tide","source":{"chat_id":-100,"message_id":"7"}}`},
		{"D3 inserted as it is", "POST", "/api/db/insert", "LAST"},
		{"D1 the message, edited", "POST", "/api/normalize/telegram",
			`{"text":"Low tide","source":{"system":"telegram","chat_id":-100,"message_id":7}}`},
		{"D3 updated", "POST", "/api/db/insert", "LAST"},
		{"D1 a link", "POST", "/api/normalize/telegram", `{"text":"Tide tables https://port.example/ok/tides?utm_source=x"}`},
		{"D10 inserted, and its page registered", "POST", "/api/db/insert", "LAST"},
		{"D10 the page", "GET", "/api/items/" + idOf(t, "https://port.example/ok/tides"), ""},
		{"D10 it is found", "GET", "/api/Search?q=tide+tables&type=entry", ""},
		{"D1 a newsletter", "POST", "/api/normalize/email", `{"raw_text":"` + newsletterMail + `"}`},
		{"Y3 a mail with bytes of its own", "POST", "/api/normalize/email", `{"raw_base64":"` +
			base64.StdEncoding.EncodeToString([]byte("From: a@port.example\nSubject: Gr\xfc\xdfe\n"+
				"Content-Type: text/plain; charset=iso-8859-1\n\nGr\xfc\xdfe aus K\xf6ln\n")) + `"}`},
		{"D1 a newsletter, again", "POST", "/api/normalize/email", `{"raw_text":"` + newsletterMail + `"}`},
		{"D3 a batch that goes on", "POST", "/api/db/insert",
			`{"items":[LAST,LAST,{"source":"email"}],"continue_on_error":true}`},
		{"D1 a page", "POST", "/api/normalize/webpage",
			`{"text":"Share\n\nHigh water at noon.","url":"https://port.example/a","content_type":"article"}`},
		{"D3 the page inserted as it is", "POST", "/api/db/insert", "LAST"},
		{"D1 a page that is empty when clean", "POST", "/api/normalize/webpage", `{"text":"Share"}`},
		{"Y1 it is not inserted", "POST", "/api/db/insert", "LAST"},
		{"D3 columns of an entry", "POST", "/api/db/update",
			`{"entry_id":"ENTRY","title":"Tides","metadata":{"retrieval":{"note":"x"}},"created_at":"2001-01-01T00:00:00.000Z"}`},
		{"D3 a batch of updates", "POST", "/api/db/update", `{"items":[{"id":"ENTRY","title":"Low tide"}]}`},
		{"D2 policies", "GET", "/api/policies", ""},
		{"D2 a policy, edited", "PUT", "/api/policies/telegram_link_v1",
			`{"source":"telegram","content_type":"link","conflict_action":"update","update_fields":["title"],"enabled":false}`},
		{"D2 it is off", "POST", "/api/db/insert",
			`{"source":"telegram","idempotency_policy_key":"telegram_link_v1","idempotency_key_primary":"x"}`},
		{"D10 entries, first page", "GET", "/api/entries?top=1", ""},
		{"D10 entries, second page", "GET", "/api/entries?top=1&continuation=entry_email_newsletter_v1-" +
			strings.Repeat("a", 25) + "e", ""},
		{"D10 entries of a policy", "GET", "/api/entries?policy=telegram_link_v1", ""},
		{"D10 an entry", "GET", "/api/entries/ENTRY", ""},
		{"J9 the chunks of an entry", "GET", "/api/entries/ENTRY/chunks", ""},
		{"D10 a link, before its page is crawled", "GET", "/api/entries/LINK", ""},
		{"the worker works", "", "", ""},
		{"D10 a link with its page", "GET", "/api/entries/LINK", ""},
		{"J5 suggestions", "GET", "/api/suggest?q=tid", ""},
		{"D10 search shows the page with it", "GET", "/api/Search?q=tide+tables", ""},
		{"D5 test mode", "GET", "/api/test-mode", ""},
		{"D5 on", "PUT", "/api/test-mode", `{"is_test_mode":true}`},
		{"D5 the entry is not there", "POST", "/api/db/update", `{"entry_id":"ENTRY","title":"Tides"}`},
		{"D10 nor shown", "GET", "/api/entries/ENTRY", ""},
		{"D5 off", "POST", "/api/test-mode/toggle", ""},
		{"D5 settings", "GET", "/api/config", ""},
		{"L10 settings", "GET", "/api/settings", ""},
		{"L11 a setting is changed", "PATCH", "/api/settings", `{"LOG_LEVEL":"debug"}`},
		{"L11 it is taken out of the file", "PATCH", "/api/settings", `{"LOG_LEVEL":null}`},
		{"L11 the environment sets it", "PATCH", "/api/settings", `{"LITELLM_MASTER_KEY":"x"}`},
		{"L11 a value that is none", "PATCH", "/api/settings", `{"LOG_LEVEL":"loud"}`},
	} {
		step.body = strings.ReplaceAll(strings.ReplaceAll(step.body, "LAST", last), "ENTRY",
			"entry_telegram_thought_v1-"+strings.Repeat("a", 25)+"b")
		step.path = strings.NewReplacer("ENTRY", "entry_telegram_thought_v1-"+strings.Repeat("a", 25)+"b", "LINK",
			"entry_telegram_link_v1-"+strings.Repeat("a", 25)+"d").Replace(step.path)
		if step.method == "" {
			r.work()
			continue
		}
		w := do(t, r, step.method, step.path, step.body)
		last = strings.TrimSpace(w.Body.String())
		fmt.Fprintf(&log, "=== %s\n%s %s\n%s\n%d\n%s\n\n", step.name, step.method, step.path, step.body, w.Code,
			pretty(t, w.Body.Bytes()))
	}
	golden(t, "entries.golden", log.String())
}

// TestD3Errors checks that every refusal names the wrong field, and that nothing is written.
func TestD3Errors(t *testing.T) {
	many := `{"items":[` + strings.Repeat(`{},`, 1000) + `{}]}`
	for _, tt := range []struct {
		name, request, body string
		status              int
		field, detail       string
	}{
		{"D1 no text", "POST /api/normalize/telegram", `{}`, 400, "text", "text is missing"},
		{"D1 a chat that is none", "POST /api/normalize/telegram", `{"text":"x","source":{"chat_id":1.5}}`, 400,
			"source.chat_id", "must be a whole number or text, not 1.5"},
		{"D1 a list for a chat", "POST /api/normalize/telegram", `{"text":"x","source":{"message_id":[1]}}`, 400,
			"source.message_id", "must be a whole number or text, not [1]"},
		{"D1 no message", "POST /api/normalize/telegram", `{"text":"x"}`, 400, "source",
			"source.chat_id and source.message_id are required"},
		{"D1 an unknown field", "POST /api/normalize/telegram", `{"text":"x","source":{"chat":1}}`, 400, "source.chat",
			"no field"},
		{"D1 no mail", "POST /api/normalize/email", `{"subject":"x"}`, 400, "raw_text", "raw_text is missing"},
		{"D1 no subject", "POST /api/normalize/email", `{"raw_text":"x"}`, 400, "subject", "subject is missing"},
		{"Y3 two mails", "POST /api/normalize/email", `{"raw_text":"a","raw_base64":"YQ=="}`, 400, "raw_base64", "instead"},
		{"D1 no page", "POST /api/normalize/webpage", `{}`, 400, "text", "text is missing"},
		{"D3 fail closed", "POST /api/db/insert", `{"source":"telegram"}`, 400, "idempotency_policy_key", "is missing"},
		{"D3 an unknown column", "POST /api/db/insert", `{"source":"x","colour":"red"}`, 400, "colour", "no column"},
		{"D3 a wrong type", "POST /api/db/insert", `{"source":"x","link_count":1.5}`, 400, "link_count", "a whole number"},
		{"D3 a column twice", "POST /api/db/insert", `{"source":"x","source":"y"}`, 400, "source", "given twice"},
		{"D3 deep", "POST /api/db/insert", `{"source":"x","metadata":` + strings.Repeat(`{"a":`, 25) + "1" +
			strings.Repeat("}", 25) + `}`, 400, "metadata", "more than 20 levels"},
		{"D3 nothing", "POST /api/db/insert", `null`, 400, "", "a JSON object"},
		{"D3 an item that is none", "POST /api/db/insert", `{"items":[{"source":"a"},7]}`, 400, "",
			"items[1], after 1 that are done: an entry is a JSON object"},
		{"D3 not an object", "POST /api/db/insert", `[]`, 400, "", "a JSON object"},
		{"D3 no items", "POST /api/db/insert", `{"items":[]}`, 400, "items", "1 to 1000"},
		{"D3 too many items", "POST /api/db/insert", many, 400, "items", "1001 items"},
		{"D3 items that are none", "POST /api/db/insert", `{"items":{}}`, 400, "items", "a list of JSON objects"},
		{"D3 a flag that is none", "POST /api/db/insert", `{"items":[{}],"continue_on_error":"yes"}`, 400,
			"continue_on_error", "true or false"},
		{"D3 a column beside items", "POST /api/db/insert", `{"items":[{}],"source":"x"}`, 400, "source", "beside items"},
		{"D3 a batch that ends", "POST /api/db/insert", `{"items":[{"source":"a"},{"source":"email"},{"source":"b"}]}`, 400,
			"idempotency_policy_key", "items[1], after 1 that are done: "},
		{"D3 no entry", "POST /api/db/update", `{"title":"x"}`, 400, "entry_id", "is missing"},
		{"D3 an unknown entry", "POST /api/db/update", `{"entry_id":"x"}`, 404, "", `no entry has the id "x"`},
		{"D2 a bad action", "PUT /api/policies/a", `{"source":"x","conflict_action":"merge"}`, 400, "conflict_action",
			"must be skip or update"},
		{"D2 another key", "PUT /api/policies/a", `{"policy_key":"b","source":"x","conflict_action":"skip"}`, 400,
			"policy_key", "the address names"},
		{"D2 a bad key", "PUT /api/policies/a%20b", `{"source":"x","conflict_action":"skip"}`, 400, "policy_key",
			"lower-case letters"},
		{"D2 no source", "PUT /api/policies/a", `{"conflict_action":"skip"}`, 400, "source", "is missing"},
		{"D2 a parameter", "GET /api/policies?x=1", ``, 400, "x", "no parameter"},
		{"D10 an unknown entry", "GET /api/entries/entry_-x", ``, 404, "", "no entry has the id"},
		{"D10 a parameter of an entry", "GET /api/entries/x?y=1", ``, 400, "y", "no parameter"},
		{"D10 too many entries", "GET /api/entries?top=201", ``, 400, "top", "from 1 to 200"},
		{"D10 a policy that is none", "GET /api/entries?policy=A", ``, 400, "policy", "not the key of a policy"},
		{"D10 no place to go on", "GET /api/entries?continuation=x", ``, 400, "continuation", "does not name an entry"},
		{"D5 no mode", "PUT /api/test-mode", `{}`, 400, "is_test_mode", "is missing"},
		{"D5 a mode that is none", "PUT /api/test-mode", `{"is_test_mode":"on"}`, 400, "is_test_mode", "true or false"},
		{"D5 a parameter", "GET /api/test-mode?x=1", ``, 400, "x", "no parameter"},
		{"D5 a parameter of a toggle", "POST /api/test-mode/toggle?x=1", ``, 400, "x", "no parameter"},
		{"D5 a parameter of the settings", "GET /api/config?x=1", ``, 400, "x", "no parameter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			method, path, _ := strings.Cut(tt.request, " ")
			w := do(t, newRig(t), method, path, tt.body)
			p := problemOf(t, w)
			field := ""
			if len(p.Errors) > 0 {
				field = p.Errors[0].Field
			}
			if w.Code != tt.status || field != tt.field || !strings.Contains(p.Detail, tt.detail) {
				t.Errorf("have %d, field %q: %s; want %d, field %q: …%s…", w.Code, field, p.Detail, tt.status, tt.field, tt.detail)
			}
		})
	}
}

// TestD3Batch checks that an item that fails or is not an object does not end a batch which continues after errors,
// and that a disabled policy refuses entries.
func TestD3Batch(t *testing.T) {
	r := newRig(t)
	s := r.v.Entries.In(entries.Production)
	_, err := s.SavePolicy(t.Context(), entries.Policy{Key: entry.EmailThread, Source: "email",
		OnConflict: entries.Change})
	must(t, err)
	w := do(t, r, "POST", "/api/db/insert",
		`{"continue_on_error":true,"items":[{"source":"a"},{"source":"email","idempotency_policy_key":"email_correspondence_thread_v1","idempotency_key_primary":"p"},{"source":"b"},7,null,"x",[],{"source":"c"}]}`)
	var got api.EntryBatchResult
	must(t, json.Unmarshal(w.Body.Bytes(), &got))
	if w.Code != http.StatusOK || len(got.Results) != 8 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for i, res := range got.Results {
		if ok := i == 0 || i == 2 || i == 7; *res.BatchOK != ok || *res.BatchIndex != i ||
			(res.Action == api.ActionInserted) != ok || (res.Error == "") != ok {
			t.Errorf("item %d: %+v", i, res)
		}
	}
	if !strings.Contains(got.Results[1].Error, "disabled") {
		t.Errorf("error %q", got.Results[1].Error)
	}
	if !strings.Contains(got.Results[3].Error, "a JSON object") {
		t.Errorf("error %q", got.Results[3].Error)
	}
}

// TestD3BatchEnds checks that when an item ends a batch, the items before it are stored and those after it are not.
func TestD3BatchEnds(t *testing.T) {
	r := newRig(t)
	note := func(key string) string {
		return `{"source":"telegram","idempotency_policy_key":"telegram_thought_v1","idempotency_key_primary":"` + key + `"}`
	}
	w := do(t, r, "POST", "/api/db/insert", `{"items":[`+note("a")+`,{"source":"email"},`+note("b")+`]}`)
	if w.Code != http.StatusBadRequest {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w = do(t, r, "POST", "/api/db/insert",
		`{"continue_on_error":true,"items":[`+note("b")+`,`+note("a")+`,`+note("b")+`]}`)
	var got api.EntryBatchResult
	must(t, json.Unmarshal(w.Body.Bytes(), &got))
	if len(got.Results) != 3 || got.Results[0].Action != api.ActionInserted ||
		got.Results[1].Action != api.ActionUpdated || got.Results[2].Action != api.ActionUpdated ||
		*got.Results[2].BatchIndex != 2 || got.Results[0].ID != got.Results[2].ID {
		t.Errorf("%s", w.Body)
	}
}

// TestEntryColumns checks that the contract has exactly one field for each column.
func TestEntryColumns(t *testing.T) {
	var have []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[api.Entry]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		have = append(have, name)
	}
	want := append(entry.Columns(), "id", "entry_id", "created_at", "updated_at", "retrieval_update_skipped")
	slices.Sort(have)
	slices.Sort(want)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-columns +contract):\n%s", diff)
	}
}
