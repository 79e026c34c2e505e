package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/mbox/mboxtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// importMails writes a file of mails below the import root.
func (r *rig) importMails(name string, mails int) mboxtest.Made {
	r.t.Helper()
	f, err := os.Create(filepath.Join(r.mails, name))
	must(r.t, err)
	made, err := mboxtest.Write(f, mboxtest.Options{Mails: mails})
	must(r.t, err)
	must(r.t, f.Close())
	return made
}

func importOf(t *testing.T, body []byte) api.Import {
	t.Helper()
	var im api.Import
	must(t, json.Unmarshal(body, &im))
	return im
}

// TestD6Contract checks that a small file is imported within the request, and that the answer names the failed mails,
// and those that were not enqueued, with the reason (D6).
func TestD6Contract(t *testing.T) {
	r := newRig(t)
	r.importMails("in.mbox", 14)
	var log strings.Builder
	for _, step := range []struct{ name, method, path, body string }{
		{"D6 import", "POST", "/api/import/email/mbox",
			`{"mbox_path":"in.mbox","batch_size":500,"insert_chunk_size":200,"completion_window":"24h"}`},
		{"D6 how far it is", "GET", "/api/import/email/mbox-20260301t120001z-token", ""},
		{"D6 the latest imports", "GET", "/api/import/email?top=5", ""},
		{"D6 import again", "POST", "/api/import/email/mbox", `{"mbox_path":"in.mbox"}`},
	} {
		r.now = r.now.Add(time.Second)
		w := do(t, r, step.method, step.path, step.body)
		body := strings.ReplaceAll(pretty(t, w.Body.Bytes()), r.mails, "/mails")
		fmt.Fprintf(&log, "=== %s\n%s %s\n%s\n%d %s\n%s\n\n", step.name, step.method, step.path, step.body, w.Code,
			w.Header().Get("Content-Type"), body)
	}
	golden(t, "imports.golden", log.String())
}

// TestD6ImportGoesOn checks that work which does not finish within the request is continued by the queue and by the
// sweep (D6).
func TestD6ImportGoesOn(t *testing.T) {
	down := false
	r := newRig(t, func(s storage.Store) storage.Store {
		return storagetest.Hooked(s, storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
			if down && c.Op == "table.Transact" && c.Name == "Entries" {
				return fault.New(fault.Unavailable, "storage is down")
			}
			return nil
		}})
	})
	made := r.importMails("in.mbox", 60)
	down = true
	w := do(t, r, "POST", "/api/import/email/mbox", `{"mbox_path":"in.mbox"}`)
	im := importOf(t, w.Body.Bytes())
	if w.Code != http.StatusAccepted || im.Status != api.ImportReading || im.Mails != 0 || im.ID == "" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	message := binaryEnvelope([]byte(`{"import":"` + im.ID + `","turn":0}`))
	if w := do(t, r, "POST", "/MboxWorker", message); w.Code != http.StatusInternalServerError {
		t.Errorf("storage is down: %d %s", w.Code, w.Body)
	}
	down = false
	r.now = r.now.Add(5 * time.Minute)
	if w := do(t, r, "POST", "/CrawlTimer", `{"Data":{}}`); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r.work()
	im = importOf(t, do(t, r, "GET", "/api/import/email/"+im.ID, "").Body.Bytes())
	if im.Status != api.ImportDone || im.Mails != made.Mails || im.Inserted != made.Newsletter+made.Threads ||
		im.Failed != made.Broken {
		t.Errorf("%+v", im)
	}
	if w := do(t, r, "POST", "/MboxWorker", binaryEnvelope([]byte(`{}`))); w.Code != http.StatusOK {
		t.Errorf("a message that is none: %d %s", w.Code, w.Body)
	}
}

func TestD6Errors(t *testing.T) {
	r := newRig(t)
	r.importMails("in.mbox", 1)
	for _, tt := range []struct {
		name, request, body string
		status              int
		field, detail       string
	}{
		{"no path", "POST /api/import/email/mbox", `{}`, 400, "mbox_path", "mbox_path is missing"},
		{"unknown field", "POST /api/import/email/mbox", `{"path":"in.mbox"}`, 400, "path", "no field"},
		{"traversal", "POST /api/import/email/mbox", `{"mbox_path":"../../etc/passwd"}`, 400, "mbox_path", ". or .."},
		{"outside", "POST /api/import/email/mbox", `{"mbox_path":"/etc/passwd"}`, 400, "mbox_path",
			"not below EMAIL_IMPORT_ROOT"},
		{"missing", "POST /api/import/email/mbox", `{"mbox_path":"none.mbox"}`, 404, "", "no such file"},
		{"small batch", "POST /api/import/email/mbox", `{"mbox_path":"in.mbox","batch_size":100}`, 400, "batch_size",
			"from 500 to 2000"},
		{"no batch", "POST /api/import/email/mbox", `{"mbox_path":"in.mbox","batch_size":0}`, 400, "batch_size",
			"not be 0: leave it out for 500"},
		{"large batch", "POST /api/import/email/mbox", `{"mbox_path":"in.mbox","batch_size":2001}`, 400, "batch_size",
			"from 500 to 2000"},
		{"no chunk", "POST /api/import/email/mbox", `{"mbox_path":"in.mbox","insert_chunk_size":0}`, 400, "insert_chunk_size",
			"not be 0: leave it out for 200"},
		{"window", "POST /api/import/email/mbox", `{"mbox_path":"in.mbox","completion_window":"7d"}`, 400,
			"completion_window", "24h"},
		{"no id", "GET /api/import/email/x", "", 400, "import_id", "not the id"},
		{"unknown id", "GET /api/import/email/mbox-x", "", 404, "", "no import has the id"},
		{"a parameter", "GET /api/import/email/mbox-x?verbose=1", "", 400, "verbose", "no parameter"},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		w := do(t, r, method, path, tt.body)
		p := problemOf(t, w)
		field := ""
		if len(p.Errors) > 0 {
			field = p.Errors[0].Field
		}
		if w.Code != tt.status || field != tt.field || !strings.Contains(p.Detail, tt.detail) {
			t.Errorf("%s: %d %s", tt.name, w.Code, w.Body)
		}
	}
}
