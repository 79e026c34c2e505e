package enrich

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/llm/llmtest"
	"github.com/tidemark/tidemark/pkg/llm/openai"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/mem"
)

// rig is the whole of enrichment over a strict service.
type rig struct {
	*llmtest.Server
	t       *testing.T
	now     time.Time
	entries *FakeEntries
	s       *Service
	log     bytes.Buffer
}

const model = "tide-chat"

var schemas = []string{"pkm", "pkm_test"}

// wrap lets a test put something between the service and the store.
func newRig(t *testing.T, wrap ...func(storage.Store) storage.Store) *rig {
	t.Helper()
	r := &rig{Server: llmtest.NewServer(t, model, 8), t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		entries: &FakeEntries{}}
	clock := func() time.Time { return r.now }
	log := slog.New(slog.NewTextHandler(&r.log, nil))
	client, err := openai.New(openai.Options{
		BaseURL: r.URL, Key: llmtest.Key, Log: log, Now: clock, Jitter: func() float64 { return 0 },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	must(t, err)
	var store storage.Store = mem.New(clock)
	for _, w := range wrap {
		store = w(store)
	}
	tokens := 0
	r.s = New(store, r.entries, Models{Chat: client, Batches: client, Default: model, Batch: model}, Options{
		Schemas: schemas, Clock: clock, Log: log,
		Token: func() string { tokens++; return fmt.Sprintf("%010d", tokens) },
	})
	must(t, r.s.Create(t.Context()))
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put makes n entries and gives their ids.
func (r *rig) put(schema string, n int) (ids []string) {
	for i := range n {
		id := fmt.Sprintf("e%d", i)
		r.entries.Put(schema, id, "Title "+id, fmt.Sprintf("The tide of %s turned at noon %d.", schema, i))
		ids = append(ids, id)
	}
	return ids
}

// advance steps as the timer does, for a day at most, until no batch goes on.
func (r *rig) advance() (failures []error) {
	for range 24 * 60 {
		report, err := r.s.Advance(r.t.Context())
		if err != nil {
			failures = append(failures, err)
		} else if report.Active == 0 {
			return failures
		}
		r.now = r.now.Add(time.Minute)
	}
	r.t.Fatalf("batches do not end: %v\n%s", failures, r.log.String())
	return nil
}

func (r *rig) load(schema, id string) Record {
	r.t.Helper()
	e, err := r.entries.Load(r.t.Context(), schema, id)
	must(r.t, err)
	return e.Tier1
}

func (r *rig) batch(schema, id string) Batch {
	r.t.Helper()
	b, err := r.s.Batch(r.t.Context(), schema, id)
	must(r.t, err)
	return b
}

// queue queues a batch of entries.
func (r *rig) queue(schema string, ids ...string) Batch {
	r.t.Helper()
	b, err := r.s.Schedule(r.t.Context(), schema, ids)
	must(r.t, err)
	return b
}

// outcomes are those of the lines of a batch, in order.
func (r *rig) outcomes(schema, id string) string {
	r.t.Helper()
	lines, err := r.s.Lines(r.t.Context(), schema, id)
	must(r.t, err)
	var all []string
	for _, l := range lines {
		all = append(all, string(l.Outcome))
	}
	return strings.Join(all, " ")
}

// asked is how often the model was asked about a text with those words.
func (r *rig) asked(words string) (n int) {
	for _, user := range r.Asked() {
		if strings.Contains(user, words) {
			n++
		}
	}
	return n
}

// settled holds every entry of a batch, and of those that followed it, to what its line says, and
// counts those that it has enriched.
func (r *rig) settled(id string) (enriched int) {
	r.t.Helper()
	for next := id; next != ""; next = r.batch("pkm", next).Next {
		lines, err := r.s.Lines(r.t.Context(), "pkm", next)
		must(r.t, err)
		for _, l := range lines {
			status := r.load("pkm", l.Entry).Status
			if l.Outcome == Written {
				enriched++
			}
			if l.Outcome == Waiting || l.Outcome == Written && status != Enriched || l.Outcome == Fruitless &&
				status != Failed || status == Pending {
				r.t.Errorf("line %d of %s is %s, its entry %s is %q", l.No, next, l.Outcome, l.Entry, status)
			}
		}
	}
	return enriched
}
