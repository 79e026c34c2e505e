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
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// rig is the complete enrichment over a strict fake service.
type rig struct {
	*runtest.Rig
	*llmtest.Server
	entries *fakeEntries
	s       *Service
	log     bytes.Buffer
}

const model = "tide-chat"

var schemas = []string{"pkm", "pkm_test"}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newRigOn(t, runtest.Stores["mem"])
}

func newRigOn(t *testing.T, open runtest.Open) *rig {
	t.Helper()
	r := &rig{Rig: runtest.New(t, open, runtest.Noon), Server: llmtest.NewServer(t, model, 8)}
	r.entries = &fakeEntries{hook: &r.Hook}
	log := slog.New(slog.NewTextHandler(&r.log, nil))
	client, err := openai.New(openai.Options{
		BaseURL: r.URL, Key: llmtest.Key, Log: log, Now: r.Clock.Now, Jitter: func() float64 { return 0 },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	r.Must(err)
	tokens := 0
	r.s = New(r.Seen, r.entries, Models{Chat: client, Batches: client, Default: model, Batch: model}, Options{
		Schemas: schemas, Clock: r.Clock.Now, Log: log,
		Token: func() string { tokens++; return fmt.Sprintf("%010d", tokens) },
	})
	r.Must(r.s.Create(t.Context()))
	return r
}

// put makes n entries and returns their ids.
func (r *rig) put(schema string, n int) (ids []string) {
	for i := range n {
		id := fmt.Sprintf("e%d", i)
		r.entries.Put(schema, id, "Title "+id, fmt.Sprintf("The tide of %s turned at noon %d.", schema, i))
		ids = append(ids, id)
	}
	return ids
}

// advance fires the timer, for a day at most, until no batch is active.
func (r *rig) advance() (failures []error) {
	for range 24 * 60 {
		report, err := r.s.Advance(r.Context())
		if err != nil {
			failures = append(failures, err)
		} else if report.Active == 0 {
			return failures
		}
		r.Clock.Pass(time.Minute)
	}
	r.Fatalf("batches do not end: %v\n%s", failures, r.log.String())
	return nil
}

func (r *rig) load(schema, id string) Record {
	r.Helper()
	e, err := r.entries.Load(r.Context(), schema, id)
	r.Must(err)
	return e.Tier1
}

func (r *rig) batch(schema, id string) Batch {
	r.Helper()
	b, err := r.s.Batch(r.Context(), schema, id)
	r.Must(err)
	return b
}

// queue queues a batch of entries.
func (r *rig) queue(schema string, ids ...string) Batch {
	r.Helper()
	b, err := r.s.Schedule(r.Context(), schema, ids)
	r.Must(err)
	return b
}

// outcomes returns the outcomes of a batch's lines, in order.
func (r *rig) outcomes(schema, id string) string {
	r.Helper()
	lines, err := r.s.Lines(r.Context(), schema, id)
	r.Must(err)
	var all []string
	for _, l := range lines {
		all = append(all, string(l.Outcome))
	}
	return strings.Join(all, " ")
}

// asked returns how often the model was asked about a text with those words.
func (r *rig) asked(words string) (n int) {
	for _, user := range r.Asked() {
		if strings.Contains(user, words) {
			n++
		}
	}
	return n
}

// settled checks that every entry of a batch, and of the batches that followed it, matches its line, and counts the
// enriched ones.
func (r *rig) settled(id string) (enriched int) {
	r.Helper()
	for next := id; next != ""; next = r.batch("pkm", next).Next {
		lines, err := r.s.Lines(r.Context(), "pkm", next)
		r.Must(err)
		for _, l := range lines {
			status := r.load("pkm", l.Entry).Status
			if l.Outcome == Written {
				enriched++
			}
			if l.Outcome == Waiting || l.Outcome == Written && status != Enriched || l.Outcome == Fruitless &&
				status != Failed || status == Pending {
				r.Errorf("line %d of %s is %s, its entry %s is %q", l.No, next, l.Outcome, l.Entry, status)
			}
		}
	}
	return enriched
}
