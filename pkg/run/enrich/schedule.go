package enrich

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run"
	"golang.org/x/sync/errgroup"
)

// atOnce is the number of entries that are read or written concurrently.
const atOnce = 8

// clockMargin extends the time range in which the service's list is searched for a batch, because the clock of the
// service may be slow.
const clockMargin = time.Hour

// maxScanned limits the number of the service's batches that are searched for a label.
const maxScanned = 2000

// sending is the state of the schedule graph: a batch that is being sent, under the caller's lease.
type sending struct {
	b      *Batch
	asked  []llm.Line
	remote llm.Batch
	next   run.Next // the writes that end the batch if it has no questions
}

// sender has the nodes of the schedule graph.
type sender struct{ svc *Service }

func (s sender) graph() *graph[sending] {
	return newGraph("tier1 batch schedule", s.svc.o.Log,
		node[sending]{nodeLoad, s.claim},
		node[sending]{nodePrompt, s.promptLines},
		node[sending]{nodeLLM, s.hand},
		node[sending]{nodeParse, s.accepted},
		node[sending]{nodeWrite, s.sent})
}

// Schedule queues a batch of entries; [Service.Advance] sends it. When Schedule returns, the batch is durable.
// Repeated ids count once. Errors: Invalid for no ids or more than [MaxLines]; Blocked while T1_BATCH_MODEL is not
// set; Conflict while maxActive batches are active.
func (s *Service) Schedule(ctx context.Context, schema string, ids []string) (Batch, error) {
	if err := on("T1_BATCH_MODEL", s.models.Batch); err != nil {
		return Batch{}, err
	}
	runs, err := s.in(schema)
	if err != nil {
		return Batch{}, err
	}
	if ids, err = checkEntries(ids); err != nil {
		return Batch{}, err
	}
	if err := runs.CheckRoom(ctx); err != nil {
		return Batch{}, err
	}
	now := runs.Now()
	b := Batch{
		ID: newID(now, s.o.Token()), V: 1, Schema: schema, State: Queued, Attempt: 1, Model: s.models.Batch, Lines: len(ids),
		CreatedAt: now,
	}
	if err = s.writeNew(ctx, &b, ids); err == nil {
		err = runs.Begin(ctx, &b, runs.ActiveOp(b.ID))
	}
	return b, err
}

// checkEntries returns the ids in order, without duplicates.
func checkEntries(ids []string) ([]string, error) {
	seen, out := map[string]bool{}, []string{}
	for i, id := range ids {
		if id == "" || len(id) > 256 || strings.ToValidUTF8(id, "") != id {
			return nil, fault.Field("entry_ids", "entry_ids[%d] is not the id of an entry", i)
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	if len(out) == 0 || len(out) > MaxLines {
		return nil, fault.Field("entry_ids", "a batch has 1 to %d entries, not %d", MaxLines, len(out))
	}
	return out, nil
}

// claim claims the entries for this batch. It also decides the lines of entries that need no question or are in
// another batch. The claim may be repeated.
func (s sender) claim(ctx context.Context, w *sending) (string, error) {
	lines, err := s.svc.Lines(ctx, w.b.Schema, w.b.ID)
	if err != nil {
		return "", err
	}
	going, err := s.svc.batches[w.b.Schema].ActiveIDs(ctx)
	if err != nil {
		return "", err
	}
	var mu sync.Mutex
	var decided []Line
	var g errgroup.Group
	g.SetLimit(atOnce)
	for _, l := range lines {
		if l.Outcome != Waiting {
			continue
		}
		g.Go(func() error {
			ask, err := s.claimOne(ctx, w.b, &l, going)
			mu.Lock()
			defer mu.Unlock()
			if ask != nil {
				w.asked = append(w.asked, *ask)
			} else {
				decided = append(decided, l)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return "", err
	}
	slices.SortFunc(w.asked, func(a, b llm.Line) int { return strings.Compare(a.ID, b.ID) })
	return "", s.svc.writeLines(ctx, w.b, decided)
}

// claimOne claims one entry and returns the question about it, or decides the entry's line.
func (s sender) claimOne(ctx context.Context, b *Batch, l *Line, going []string) (ask *llm.Line, err error) {
	err = change(ctx, s.svc.entries, b.Schema, l.Entry, func(e Entry) (Record, bool) {
		ask = nil
		r, err := request(e.Title, e.Text)
		switch {
		case err != nil:
			l.Outcome, l.Message = Fruitless, err.Error()
			return Record{}, false
		case stands(e, digest(r)):
			l.Outcome, l.Message = Skipped, "enriched already"
			return Record{}, false
		case e.Tier1.Status == Pending && root(e.Tier1.Batch) != root(b.ID) &&
			slices.ContainsFunc(going, func(id string) bool { return root(id) == root(e.Tier1.Batch) }):
			l.Outcome, l.Message = Skipped, "in the batch "+e.Tier1.Batch
			return Record{}, false
		}
		ask = &llm.Line{ID: lineID(b.ID, l.No, digest(r)), Request: r}
		claimed := e.Tier1
		claimed.Status, claimed.Batch, claimed.Error, claimed.At = Pending, b.ID, "", s.svc.now()
		return claimed, e.Tier1.Status != Pending || e.Tier1.Batch != b.ID
	})
	if fault.Is(err, fault.NotFound) {
		l.Outcome, l.Message = Fruitless, "there is no such entry"
		return nil, nil
	}
	return ask, err
}

// promptLines sets the model of every question. The questions themselves were made earlier, because they are needed
// to find the entries that already have answers.
func (s sender) promptLines(_ context.Context, w *sending) (next string, err error) {
	for i := range w.asked {
		w.asked[i].Model = w.b.Model
	}
	if len(w.asked) == 0 {
		return nodeWrite, nil
	}
	return "", nil
}

// hand uploads the questions, unless an earlier step has done so, and starts the batch. The id of the file is stored
// in between, so that the file is used again, or deleted.
func (s sender) hand(ctx context.Context, w *sending) (_ string, err error) {
	if w.b.File == "" {
		if w.b.File, err = s.svc.models.Batches.Upload(ctx, w.b.file(), w.asked); err != nil {
			return "", err
		}
		if err := s.svc.batches[w.b.Schema].Save(ctx, w.b); err != nil {
			return "", err
		}
	}
	w.remote, err = s.svc.models.Batches.Start(ctx, llm.Order{File: w.b.File, Window: window, Label: w.b.ID})
	return "", err
}

// file returns the name of the batch's file at the service.
func (b *Batch) file() string { return b.ID + ".jsonl" }

// accepted checks that the service has stored the label of the batch, or the id of its file. If this process dies now,
// they show that the batch was sent.
func (s sender) accepted(ctx context.Context, w *sending) (string, error) {
	if !w.b.is(w.remote) {
		s.svc.o.Log.WarnContext(ctx, "the service keeps no labels of batches and names no input file: a batch whose "+
			"start is not answered will be sent twice", "batch", w.b.ID, "remote", w.remote.ID)
	}
	return "", nil
}

// is reports whether a batch of the service is this one. Some services keep no labels, but name the file.
func (b *Batch) is(remote llm.Batch) bool {
	return remote.Label == b.ID || b.File != "" && remote.Input == b.File
}

// sent records that the service has the batch. If the batch has no questions, sent ends it.
func (s sender) sent(ctx context.Context, w *sending) (_ string, err error) {
	if len(w.asked) == 0 {
		w.next, err = s.svc.finish(ctx, w.b)
		return "", err
	}
	w.b.accept(w.remote)
	return "", nil
}

// accept records the id that the service gave to the batch, and the state of the batch there.
func (b *Batch) accept(remote llm.Batch) {
	b.State, b.Remote, b.Status, b.Message, b.Lease = Running, remote.ID, remote.Status, "", time.Time{}
}

// resume searches the service for a batch that an earlier step may have sent before it died. It records what it
// finds, and reports whether the service has the batch.
func (t *batchStep) resume(ctx context.Context, b *Batch) (found bool, err error) {
	looked := 0
	for remote, err := range t.svc.models.Batches.Recent(ctx) {
		if err != nil && remote.ID == "" {
			return false, err
		}
		if b.is(remote) {
			b.accept(remote)
			return true, nil
		}
		if looked++; looked == maxScanned || remote.CreatedAt.Before(b.SentAt.Add(-clockMargin)) {
			break
		}
	}
	return false, nil
}
