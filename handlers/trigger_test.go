package handlers

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"pgregory.net/rapid"
)

func discard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func faultOf(k fault.Kind) error {
	if k == fault.Throttled {
		return fault.After(1500*time.Millisecond, "busy")
	}
	return fault.New(k, "what happened")
}

// binaryEnvelope and doubleEnvelope make envelopes as hosts send them, with dataType binary and without it.
func binaryEnvelope(body []byte) string {
	return wrapped(base64.StdEncoding.EncodeToString(body))
}

func doubleEnvelope(body []byte) string {
	inner, _ := json.Marshal(string(body))
	return wrapped(string(inner))
}

func wrapped(text string) string {
	b, _ := json.Marshal(map[string]any{"Data": map[string]string{"job": text},
		"Metadata": map[string]any{"DequeueCount": "1", "sys": map[string]string{"MethodName": "x"}}})
	return string(b)
}

// register registers a URL and returns the body of its job.
func (r *rig) register(url string) []byte {
	r.t.Helper()
	s, err := source.DefaultRules().ParseURL(url)
	must(r.t, err)
	must(r.t, r.v.Registry.Items.Register(r.t.Context(), []source.Source{s}, registry.RegisterOptions{})[0].Err)
	got, err := r.store.Queue(registry.JobQueue).Receive(r.t.Context(), 1, time.Minute)
	must(r.t, err)
	if len(got) != 1 {
		r.t.Fatalf("%d jobs", len(got))
	}
	return got[0].Body
}

func (r *rig) find(url string) registry.Item {
	r.t.Helper()
	it, err := r.v.Registry.Items.Find(r.t.Context(), source.ID(idOf(r.t, url)))
	must(r.t, err)
	return it
}

// isObject checks that an answer is a JSON object, which the host needs from every envelope endpoint.
func isObject(t interface{ Errorf(string, ...any) }, w *httptest.ResponseRecorder) {
	var res result
	if ct := w.Header().Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		t.Errorf("content type %q", ct)
	}
	if !strings.HasPrefix(w.Body.String(), "{") || json.Unmarshal(w.Body.Bytes(), &res) != nil || res.Outputs == nil ||
		res.Logs == nil {
		t.Errorf("answer %d is no result object: %s", w.Code, w.Body)
	}
}

// TestA19WorkerTakesBothEncodings checks that a job is done in either encoding of the host (A19).
func TestA19WorkerTakesBothEncodings(t *testing.T) {
	for name, encode := range map[string]func([]byte) string{"binary": binaryEnvelope, "double-encoded": doubleEnvelope,
		"plain": func(b []byte) string { return wrapped(string(b)) }} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			job := r.register("https://port.example/ok/é漢")
			w := do(t, r, "POST", "/CrawlWorker", encode(job))
			if isObject(t, w); w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if it := r.find("https://port.example/ok/é漢"); it.Status != registry.Indexed {
				t.Errorf("status %s (%s)", it.Status, it.ErrorMessage)
			}
		})
	}
}

// TestA19Poison checks that the poison handler records the failure on the items (A19).
func TestA19Poison(t *testing.T) {
	r := newRig(t)
	job := r.register("https://port.example/ok/one")
	w := do(t, r, "POST", "/CrawlPoison", binaryEnvelope(job))
	if isObject(t, w); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	it := r.find("https://port.example/ok/one")
	if it.Status != registry.Error || !strings.Contains(it.ErrorMessage, "given up") || !it.NextCrawlAt.After(r.now) {
		t.Errorf("status %s (%s), next %s", it.Status, it.ErrorMessage, it.NextCrawlAt)
	}
}

// TestA19Timer checks that the timer sends jobs for due items (A19).
func TestA19Timer(t *testing.T) {
	r := newRig(t)
	r.register("https://port.example/ok/one")
	r.now = r.now.Add(20 * time.Minute) // the first job is lost
	w := do(t, r, "POST", "/CrawlTimer",
		`{"Data":{"timer":{"Schedule":{},"ScheduleStatus":null,"IsPastDue":false}},"Metadata":{"sys":{}}}`)
	if isObject(t, w); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "1 item claimed in 1 job") {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r.work()
	if it := r.find("https://port.example/ok/one"); it.Status != registry.Indexed {
		t.Errorf("status %s", it.Status)
	}
}

// TestA19PurgeTimer checks that PurgeTimer brings forward the purge of items that were Gone before tombstones had a
// limit (A19).
func TestA19PurgeTimer(t *testing.T) {
	r := newRig(t)
	for range 2 {
		w := do(t, r, "POST", "/PurgeTimer", `{"Data":{"timer":{}},"Metadata":{}}`)
		if isObject(t, w); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"Logs":[]`) {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		r.v.PurgeGone = 24 * time.Hour
	}
}

// TestJunkIsDropped checks that malformed messages are dropped with 200, because a retry would not help.
func TestJunkIsDropped(t *testing.T) {
	r := newRig(t)
	for name, body := range map[string]string{
		"empty": "", "not JSON": "<html>", "null": "null", "a list": "[]", "no data": "{}", "data null": `{"Data":null}`,
		"another binding": `{"Data":{"other":"x"}}`, "a number": `{"Data":{"job":5}}`, "not a job": wrapped(`"hello"`),
		"a job of nothing":   wrapped(`{"partitionKey":"p","host":"h","items":[]}`),
		"binary nonsense":    binaryEnvelope([]byte{0, 255}),
		"a row that is none": wrapped(`{"partitionKey":"p","host":"h","items":[{"rowKey":"host|h"}]}`),
		"a job for nobody": wrapped(
			`{"partitionKey":"port.example","host":"port.example","items":[{"id":"url_x","rowKey":"x"}]}`),
		"a key that storage refuses": wrapped(`{"partitionKey":"a/b","host":"h","items":[{"id":"url_x","rowKey":"x"}]}`),
	} {
		for _, trigger := range []string{"/CrawlWorker", "/crawlpoison"} {
			w := do(t, r, "POST", trigger, body)
			if isObject(t, w); w.Code != http.StatusOK {
				t.Errorf("%s, %s: %d %s", trigger, name, w.Code, w.Body)
			}
		}
	}
}

// TestTriggerFailures checks that a failure or a panic that may not recur is answered with 500, after which the host
// retries.
func TestTriggerFailures(t *testing.T) {
	down := func(s storage.Store) storage.Store {
		return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
			if c.Op == "table.Get" || c.Op == "table.Query" {
				return fault.New(fault.Unavailable, "storage is down")
			}
			return nil
		}})
	}
	job := wrapped(`{"partitionKey":"port.example","host":"port.example","items":[{"id":"url_x","rowKey":"x"}]}`)
	for _, trigger := range []string{"/CrawlWorker", "/CrawlPoison", "/CrawlTimer"} {
		w := do(t, newRig(t, down), "POST", trigger, job)
		if isObject(t, w); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "storage is down") {
			t.Errorf("%s: %d %s", trigger, w.Code, w.Body)
		}
		h := New(Options{Open: func(context.Context) (*Services, error) { panic("broken") }})
		w = do(t, h, "POST", trigger, job)
		if isObject(t, w); w.Code != http.StatusInternalServerError {
			t.Errorf("%s, panic: %d %s", trigger, w.Code, w.Body)
		}
	}
}

// TestPanicOfAPage checks that a page that makes the code panic fails alone, and that its job succeeds.
func TestPanicOfAPage(t *testing.T) {
	r := newRig(t)
	job := r.register("https://port.example/ok/one")
	r.web.panics = true
	if w := do(t, r, "POST", "/CrawlWorker", binaryEnvelope(job)); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if it := r.find("https://port.example/ok/one"); it.Status != registry.Error {
		t.Errorf("status %s", it.Status)
	}
}

// TestEveryAnswerIsAnObject checks that every envelope endpoint answers any input with a JSON object.
func TestEveryAnswerIsAnObject(t *testing.T) {
	r := newRig(t)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(triggerNames).Draw(t, "function")
		body := rapid.OneOf(
			rapid.String(),
			rapid.Custom(func(t *rapid.T) string { return wrapped(rapid.String().Draw(t, "text")) }),
			rapid.Custom(func(t *rapid.T) string { return binaryEnvelope(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) }),
			rapid.Custom(func(t *rapid.T) string {
				b, _ := json.Marshal(registry.Job{
					PartitionKey: rapid.String().Draw(t, "partition"), Host: rapid.String().Draw(t, "host"),
					Items: []registry.JobItem{{ID: source.ID(rapid.String().Draw(t, "id")), RowKey: rapid.String().Draw(t, "row")}},
				})
				return binaryEnvelope(b)
			}),
		).Draw(t, "body")
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest("POST", "/"+name, strings.NewReader(body)))
		isObject(t, w)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	})
}

// FuzzEnvelope checks that a payload is decoded unchanged in both encodings, and that nothing panics.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "", "hello", `"quoted"`, "\x00\xff", "eyJhIjoxfQ==", `{"partitionKey":"p"}`,
		"null", "[1]", "{\"\xed\":\"\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, text := range map[string]string{"binary": binaryEnvelope(body), "double": doubleEnvelope(body),
			"raw": string(body)} {
			var e wire.Envelope
			if json.Unmarshal([]byte(text), &e) != nil {
				continue
			}
			got, err := e.Job()
			if name == "raw" {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var object map[string]json.RawMessage
			if name == "double" && !utf8.Valid(body) {
				continue // JSON cannot represent it
			}
			if json.Unmarshal(body, &object) == nil && object != nil && string(got) != string(body) {
				t.Fatalf("%s: %q became %q", name, body, got)
			}
		}
	})
}

// TestS9FinishedJobAgainCostsNoFetch checks that a finished job that is delivered again causes no fetch. A stopped
// host may lose the confirmation of a job.
func TestS9FinishedJobAgainCostsNoFetch(t *testing.T) {
	r := newRig(t)
	job := r.register("https://port.example/ok/one")
	for delivery := range 3 {
		if w := do(t, r, "POST", "/CrawlWorker", binaryEnvelope(job)); w.Code != http.StatusOK {
			t.Fatalf("delivery %d: %d %s", delivery, w.Code, w.Body)
		}
	}
	if r.web.asked != 1 {
		t.Errorf("the page was fetched %d times", r.web.asked)
	}
	if it := r.find("https://port.example/ok/one"); it.Status != registry.Indexed {
		t.Errorf("the item is %s", it.Status)
	}
}
