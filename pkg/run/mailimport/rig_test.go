package mailimport_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/mbox/mboxtest"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

// rig has imports over a store with faults, and a folder of files.
type rig struct {
	*runtest.Rig
	*mailimport.Service
	kept  *entries.Store
	root  string
	tier1 tier1
	turn  time.Duration
	index entries.Index
}

// tier1 accepts batches, or fails.
type tier1 struct {
	batches [][]string
	fail    error
}

func (t *tier1) Schedule(_ context.Context, _ string, ids []string) (enrich.Batch, error) {
	if t.fail != nil {
		return enrich.Batch{}, t.fail
	}
	t.batches = append(t.batches, append([]string{}, ids...))
	return enrich.Batch{Lines: len(ids)}, nil
}

// ids returns the enqueued entries, each once.
func (t *tier1) ids() map[string]bool {
	out := map[string]bool{}
	for _, b := range t.batches {
		for _, id := range b {
			out[id] = true
		}
	}
	return out
}

type noTransport struct{}

func (noTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fault.New(fault.Internal, "the network was asked for %s", r.URL)
}

// newRig performs one piece per message.
func newRig(t *testing.T, store string) *rig {
	t.Helper()
	r := &rig{Rig: runtest.New(t, runtest.Stores[store], runtest.Noon), root: t.TempDir(), turn: -1}
	r.process()
	r.Must(r.kept.Create(t.Context()))
	r.Must(r.Create(t.Context()))
	return r
}

// process starts a new process, which knows nothing of the last one's memory.
func (r *rig) process() {
	r.Helper()
	r.kept = entries.New(r.Seen, entries.Options{Clock: r.Clock.Now, Index: r.index})
	root, err := mailimport.ParseRoot(r.root, "")
	r.Must(err)
	files, err := file.New(file.Config{Root: root.Folder(), RootName: "EMAIL_IMPORT_ROOT",
		Setting: func(string) string { return "" }, Transport: noTransport{}})
	r.Must(err)
	r.Service = mailimport.New(r.Seen, files, r.kept, &r.tier1, mailimport.Options{
		Root: root, Clock: r.Clock.Now, StepTime: r.turn, Token: func() string { return "token" },
	})
}

// write makes a file of mails and returns a description of it.
func (r *rig) write(name string, o mboxtest.Options) mboxtest.Made {
	r.Helper()
	f, err := os.Create(filepath.Join(r.root, name))
	r.Must(err)
	made, err := mboxtest.Write(f, o)
	r.Must(errors.Join(err, f.Close()))
	return made
}

// text makes a file of that text.
func (r *rig) text(name, body string) {
	r.Helper()
	r.Must(os.WriteFile(filepath.Join(r.root, name), []byte(body), 0o644))
}

// start begins an import, late enough that no two have the same id.
func (r *rig) start(q mailimport.Request) mailimport.Import {
	r.Helper()
	r.Clock.Pass(time.Second)
	im, err := r.Start(r.Context(), q)
	r.Must(err)
	return im
}

// finish completes an import as the app does: failures are retried, and the sweep requeues stalled imports.
func (r *rig) finish(id string) mailimport.Import {
	r.Helper()
	q := r.Store.Queue(mailimport.Queue)
	for range 2000 {
		im, err := r.Get(r.Context(), id)
		if err == nil && im.Over() {
			return im
		}
		got, err := q.Receive(r.Context(), 1, time.Minute)
		r.Must(err)
		if len(got) == 0 {
			r.Clock.Pass(5 * time.Minute)
			_, _ = r.RequeueStalled(r.Context()) // may fail like any other call
			continue
		}
		if r.Step(r.Context(), got[0].Body) == nil {
			r.Must(q.Delete(r.Context(), got[0]))
		} else {
			r.process()
			_, err := q.Extend(r.Context(), got[0], 0)
			r.Must(err)
		}
	}
	r.Fatal("the import does not end")
	return mailimport.Import{}
}

// run imports a file and returns the import at its end.
func (r *rig) run(q mailimport.Request) mailimport.Import {
	r.Helper()
	return r.finish(r.start(q).ID)
}

// rows returns the entries of a schema by id.
func (r *rig) rows(table string) map[string]storage.Entity {
	r.Helper()
	out := map[string]storage.Entity{}
	for row, e := range r.all(table) {
		if strings.HasPrefix(row, "e|") {
			out[e.Props["id"].(string)] = e
		}
	}
	return out
}

// all returns the rows of a table by row key.
func (r *rig) all(table string) map[string]storage.Entity {
	r.Helper()
	out := map[string]storage.Entity{}
	for e, err := range r.Store.Table(table).Query(r.Context(), storage.Query{}) {
		r.Must(err)
		out[e.Row] = e
	}
	return out
}
