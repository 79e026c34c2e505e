package enrich

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"golang.org/x/sync/errgroup"
)

// collecting is the state of the collect graph: a finished batch, under the caller's lease.
type collecting struct {
	b       *Batch
	remote  llm.Batch
	lines   []Line        // lines that are waiting for an outcome
	asked   map[int]bool  // numbers of the lines that the model was asked about
	results []llm.Result  // results from all files
	found   map[int]found // the parsed results, by line
	next    run.Next      // the writes that end the batch
}

// found is the combined result of one line.
type found struct {
	digest string // digest of the question that was answered; "" if unknown
	fields Fields
	answer llm.Answer
	usage  llm.Usage // usage of all results of the line, because each was charged for
	err    error     // the reason why fields are missing
}

// collector has the nodes of the collect graph.
type collector struct{ svc *Service }

func (s collector) graph() *graph[collecting] {
	return newGraph("tier1 batch collect", s.svc.o.Log,
		node[collecting]{nodeLoad, s.waiting},
		node[collecting]{nodePrompt, s.expected},
		node[collecting]{nodeLLM, s.download},
		node[collecting]{nodeParse, s.parseLines},
		node[collecting]{nodeWrite, s.write})
}

func (s collector) waiting(ctx context.Context, w *collecting) (string, error) {
	lines, err := s.svc.Lines(ctx, w.b.Schema, w.b.ID)
	for _, l := range lines {
		if l.Outcome == Waiting {
			w.lines = append(w.lines, l)
		}
	}
	return "", err
}

// expected lists the lines that the model was asked about. It reads no entries, because the ids of the results
// contain the digests of the questions.
func (s collector) expected(_ context.Context, w *collecting) (string, error) {
	w.asked, w.found = map[int]bool{}, map[int]found{}
	for _, l := range w.lines {
		w.asked[l.No] = true
	}
	return "", nil
}

func (s collector) download(ctx context.Context, w *collecting) (string, error) {
	w.b.Strangers = 0
	for _, file := range w.remote.Files {
		out, err := s.svc.models.Batches.Results(ctx, file)
		if fault.Is(err, fault.NotFound) {
			continue // the file is deleted or has expired, so its lines count as missing
		}
		if err != nil {
			return "", err
		}
		w.results = append(w.results, out.Results...)
		w.b.Strangers += out.Broken
	}
	return "", nil
}

// parseLines finds the answer of each line. If there are several results for a line, it uses the first valid one. If
// none is valid, it uses the first.
func (s collector) parseLines(_ context.Context, w *collecting) (string, error) {
	for _, r := range w.results {
		no, digest, ours := splitLineID(w.b.ID, r.ID)
		if !ours || no < 0 || no >= w.b.Lines {
			w.b.Strangers++
			continue
		}
		if !w.asked[no] {
			continue // the line was decided earlier: by a step that died, or before sending
		}
		f := found{digest: digest, answer: r.Answer, err: r.Err}
		if f.err == nil {
			f.fields, f.err = parse(r.Answer)
		}
		before, doubled := w.found[no]
		f.usage = before.usage.Add(r.Answer.Usage)
		if doubled && (before.err == nil || f.err != nil) {
			usage := f.usage
			f = before
			f.usage = usage
		}
		w.found[no] = f
	}
	return "", nil
}

// write writes the entries and their lines, and ends the batch.
func (s collector) write(ctx context.Context, w *collecting) (_ string, err error) {
	if w.remote.State == llm.Failed {
		w.b.NotBefore = s.svc.now().Add(refusedWait)
	}
	err = s.svc.decideLines(ctx, w.b, w.lines, func(l *Line) error { return s.writeOne(ctx, w, l) })
	if err == nil {
		w.next, err = s.svc.finish(ctx, w.b)
	}
	return "", err
}

// decideLines decides the outcome of lines, a hundred at a time: it writes their entries, then the lines. If a step
// dies, the entries of up to a hundred lines are written again, with the same values.
func (s *Service) decideLines(ctx context.Context, b *Batch, lines []Line, one func(*Line) error) error {
	for chunk := range slices.Chunk(lines, storage.MaxOps) {
		var g errgroup.Group
		g.SetLimit(atOnce)
		for i := range chunk {
			g.Go(func() error { return one(&chunk[i]) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
		if err := s.writeLines(ctx, b, chunk); err != nil {
			return err
		}
	}
	return nil
}

// writeOne decides the outcome of a line and writes its entry.
func (s collector) writeOne(ctx context.Context, w *collecting, l *Line) error {
	f, answered := w.found[l.No]
	if !answered {
		f.err = missing(w.remote)
	}
	l.Usage = f.usage
	err := change(ctx, s.svc.entries, w.b.Schema, l.Entry, func(e Entry) (r Record, write bool) {
		r, write, l.Outcome, l.Message = decide(e, f, w.b, s.svc.now())
		return r, write
	})
	if fault.Is(err, fault.NotFound) {
		l.Outcome, l.Message = Skipped, "the entry is gone"
		return nil
	}
	return err
}

// missing returns the error of a line without a result.
func missing(remote llm.Batch) error {
	switch remote.State {
	case llm.Cancelled:
		return fault.New(fault.Conflict, cancelledText)
	case llm.Failed:
		return fault.New(fault.Unavailable, "the batch failed: %s", line(remote.Message, maxMessage))
	}
	return fault.New(fault.Unavailable, "the batch is %s without a result for it", remote.State)
}

// decide returns the record to write for an entry in its current state, and the outcome of the entry's line.
func decide(e Entry, f found, b *Batch, now time.Time) (r Record, write bool, outcome Outcome, message string) {
	req, invalid := request(e.Title, e.Text)
	present := ""
	if invalid == nil {
		present = digest(req)
	}
	ours := root(e.Tier1.Batch) == root(b.ID)
	switch {
	case present != "" && stands(e, present) && ours:
		return r, false, Written, "" // a step that died has already written the record
	case present != "" && stands(e, present):
		return r, false, Skipped, "enriched meanwhile"
	case f.err == nil && f.digest == present:
		return Record{
			Status: Enriched, Batch: b.ID, Digest: f.digest, Fields: f.fields, Model: f.answer.Model, Usage: f.usage, At: now,
		}, true, Written, ""
	case f.err == nil:
		f.err = fault.New(fault.Unavailable, "the entry got another text meanwhile")
	}
	message = line(f.err.Error(), maxMessage)
	if fault.Down(f.err) && b.Attempt < maxAttempts {
		return r, false, Again, message
	}
	r, outcome = e.Tier1, Fruitless
	if fault.Is(f.err, fault.Conflict) {
		outcome = Cancelled
	}
	r.Status, r.Batch, r.Error, r.At = Failed, b.ID, message, now
	return r, true, outcome, message
}
