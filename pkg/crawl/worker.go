package crawl

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Worker processes jobs. It is safe for concurrent use.
type Worker struct {
	*checker
	hosts   *politeness.Hosts
	waiting waiting
	gate    gate
	slots   slots
	outage  outage
	failing telemetry.Repeated // failed checks, by host
}

// New returns a worker that sends requests through the given hosts, and places content through the given service. If
// that service has no index, items keep the status Crawled.
func New(in Stores, hosts *politeness.Hosts, pages *Placement, o Options) *Worker {
	o = o.withDefaults()
	return &Worker{
		checker: &checker{in: in, pages: pages, o: o, stored: &reader{in.Moves, in.Snapshots, o.Documents}},
		hosts:   hosts, gate: newGate(), slots: newSlots(),
	}
}

// Hosts returns the hosts that the worker sends requests through.
func (w *Worker) Hosts() *politeness.Hosts { return w.hosts }

// Process performs a job. It may be called for the same job any number of times. An error means that this program's
// storage or index failed: the unfinished items stay due, and the caller should call again. If too many jobs for
// hosts that do not answer are in progress, Process moves another job for such a host to the queue of
// [Worker.ProcessSlow].
func (w *Worker) Process(ctx context.Context, job registry.Job) (err error) {
	defer fault.Wrap(&err, "crawl %s", job.Host)
	// The job of a host that does not answer would occupy a worker for minutes, so it begins only if it gets a slot.
	// The registry knows whether the host answered the last request.
	s := slot{of: &w.slots}
	b, err := w.in.Jobs.BeginIf(ctx, job, s.mayBegin)
	defer s.release()
	switch {
	case err != nil:
		return err
	case s.refused:
		return w.in.Jobs.MoveToSlow(ctx, job)
	case b == nil:
		return nil // other workers have the items of the job, or none of them is due
	}
	return w.process(ctx, b, s.release)
}

// ProcessSlow is like [Worker.Process], for a job that was moved to the second queue. It waits for a slot.
func (w *Worker) ProcessSlow(ctx context.Context, job registry.Job) (err error) {
	defer fault.Wrap(&err, "crawl %s", job.Host)
	leave, err := w.slots.wait(ctx)
	if err != nil {
		return err
	}
	defer leave()
	b, err := w.in.Jobs.Begin(ctx, job)
	if err != nil || b == nil {
		return err
	}
	return w.process(ctx, b, leave)
}

// errIdle ends a job that did nothing, so that the log shows it as an error.
var errIdle = fault.New(fault.Unavailable, "the job waited until its deadline, and not one check ended")

// process works on a batch. It calls leave to release the job's slot as soon as the host has answered.
func (w *Worker) process(ctx context.Context, b *registry.Batch, leave func()) error {
	return w.newJob(b, leave).finish(ctx)
}

// failed counts failed checks of pages of a host.
func (w *Worker) failed(host string, n int, f failure) {
	w.o.Metrics.Failures.Add(float64(n), f.kind)
	w.failing.Note(host, n, f.why, w.o.Clock())
}

// TellFailures logs the failed checks, in one line for a host and an hour.
func (w *Worker) TellFailures(ctx context.Context) {
	for _, f := range w.failing.Due(w.o.Clock()) {
		w.o.Log.WarnContext(ctx, "pages could not be checked", "host", f.Name, "checks", f.Count, "first", f.First)
	}
}

// finish does a job that has begun.
func (j *job) finish(ctx context.Context) error {
	defer j.w.TellFailures(ctx)
	j.run(ctx)
	if !j.progress.ended && !j.w.o.Clock().Before(j.lease.Deadline()) {
		j.progress.fail(errIdle)
	}
	j.failUnreached()
	// Finished checks are committed even if the batch failed, so that their pages are not fetched again.
	if err := j.commit(ctx, true); err != nil {
		return errors.Join(j.progress.failed, err)
	}
	if err := j.noteReached(ctx); err != nil {
		return errors.Join(j.progress.failed, err)
	}
	if j.progress.failed != nil || !j.batch.More {
		return j.progress.failed
	}
	// If the host has more due items, a job for them is sent now, which saves waiting for a sweep. This comes last:
	// if the job is lost here, the next sweep finds the items.
	_, err := j.w.in.Jobs.Refill(ctx, j.batch.Partition)
	return err
}

// GiveUp records on the items of a poisoned job that the job could not be processed (A19).
func (w *Worker) GiveUp(ctx context.Context, job registry.Job, why string) error {
	return w.in.Jobs.Fail(ctx, job, func(it *registry.Item, now time.Time) {
		set, err := w.in.Tags.Effective(ctx, it)
		if err != nil {
			w.o.Log.WarnContext(ctx, "tags could not be read", "id", it.ID, "err", err)
		}
		verdict.GiveUp(it, verdict.Basis{Rules: w.rules(), Options: set}, why, now, w.o.Jitter())
	})
}

// Stores hold the jobs of a worker and everything known about their items.
type Stores struct {
	Jobs      *registry.Jobs
	Items     *registry.Items // used to register the blobs of containers
	Hosts     *registry.Hosts // used for the mass-removal guard of a host
	Moves     *registry.Moves
	Tags      *registry.Tags
	Snapshots *snapshot.Store
	Fields    *registry.FieldLog
}

// checker holds the dependencies that all checks of a worker share.
type checker struct {
	in     Stores
	pages  *Placement
	stored *reader
	o      Options
	held   held
}

// rules returns the rules that items are checked under.
func (w *checker) rules() verdict.Rules {
	return verdict.Rules{
		Agent: w.o.Agent, Sources: w.o.Rules, FileRoot: w.o.FileRoot, Version: w.o.Version, Schedule: w.o.Schedule,
		Browser: w.o.Browser != nil && w.o.Browser.ReadsThin(), Indexes: w.pages.indexes(),
		ReindexOnCanonical: w.o.ReindexOnCanonical, Soft404: w.o.Soft404, RunID: w.o.RunID,
	}
}

// The bounds of [held].
const (
	heldFor   = 3 * time.Minute
	heldItems = 200
	heldBytes = 16 << 20
)

// held keeps the answers of pages whose check was given back because the browser was busy until its time was over. The
// next check, soon after, does not request the page again. It is bounded; an answer above the bounds is requested anew.
type held struct {
	mu    sync.Mutex
	of    map[source.ID]heldAnswer
	bytes int
}

type heldAnswer struct {
	verdict.Answer
	from, credential string // what the answer was requested with
	until            time.Time
}

// note keeps the answer if an error says that the check is given back.
func (h *held) note(err error, it *registry.Item, got verdict.Answer, now time.Time) {
	if !errors.Is(err, politeness.ErrNotNow) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, a := range h.of {
		if now.After(a.until) {
			h.drop(id)
		}
	}
	h.drop(it.ID)
	size := len(got.Response.Body)
	if len(h.of) >= heldItems || h.bytes+size > heldBytes {
		return
	}
	if h.of == nil {
		h.of = map[source.ID]heldAnswer{}
	}
	h.of[it.ID], h.bytes = heldAnswer{got, verdict.FetchURL(it), it.Credential, now.Add(heldFor)}, h.bytes+size
}

// answer returns the answer that is kept for an item, which is then kept no longer.
func (h *held) answer(it *registry.Item, now time.Time) (verdict.Answer, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, found := h.of[it.ID]
	h.drop(it.ID)
	return a.Answer, found && !now.After(a.until) && a.from == verdict.FetchURL(it) && a.credential == it.Credential
}

func (h *held) drop(id source.ID) {
	h.bytes -= len(h.of[id].Response.Body)
	delete(h.of, id)
}

// keep stores the body, and a capture that describes the body.
func (c *check) keep(ctx context.Context, got verdict.Answer, r verdict.Reading, o verdict.Outcome) error {
	it := &c.item
	had := snapshot.Had{RawHash: c.basis.RawBefore, Verified: it.LastVerified, Last: c.basis.Last}
	if body := it.Validators.Body; body != "" { // what was served last is another body with the text of RawBefore
		if err := c.in.Snapshots.Verify(ctx, it.ID, snapshot.Had{RawHash: body, Verified: it.LastVerified}); err != nil {
			return err
		}
		it.Validators.Body, had.Verified = "", time.Time{}
	}
	capture := verdict.CaptureOf(it, got, r, c.basis.Rules.RunID, c.now())
	capture.Words, capture.Change = r.Words.Bytes(), snapshot.ChangeOf(o.News.Kind, o.News.Extent)
	capture.Change.Fields = o.News.FieldsText(c.now())
	saved, err := c.in.Snapshots.Save(ctx, capture, got.Response.Body, had)
	if err != nil {
		return err
	}
	returned := got.Raw != c.basis.RawBefore && !saved.Added
	c.item = verdict.NoteSaved(c.item, saved, o, returned, int64(len(got.Response.Body)), c.now())
	return nil
}

// keepSame stores a body that has other bytes than those that the site served until now, and the same text.
func (c *check) keepSame(ctx context.Context, got verdict.Answer, r verdict.Reading) error {
	it, most := &c.item, c.o.Retention.SameText
	if got.Raw == c.basis.Served {
		return nil
	}
	capture := verdict.CaptureOf(it, got, r, c.basis.Rules.RunID, c.now())
	capture.RawHash, capture.TextHash, capture.SameTextAs = got.Raw, r.Doc.TextHash(), it.RawHash
	known := got.Raw == it.RawHash
	if most == 0 && !known { // the first body with other declared values is kept all the same
		var err error
		if known, err = c.in.Snapshots.Known(ctx, capture); err != nil {
			return err
		}
	}
	if known && it.Validators.Body == "" {
		return nil
	}
	if err := c.lease.Locked(ctx); err != nil {
		return err
	}
	had := snapshot.Had{RawHash: c.basis.Served, Verified: it.LastVerified}
	if known {
		it.Validators.Body = ""
		return c.in.Snapshots.Verify(ctx, it.ID, had)
	}
	it.Validators.Body = got.Raw
	kept, err := c.in.Snapshots.SaveSame(ctx, capture, got.Response.Body, had, most)
	return c.noteKept(kept, err)
}

// noteKept records on the item which captures are kept of it, if no error prevented that.
func (c *check) noteKept(kept snapshot.Kept, err error) error {
	if it := &c.item; err == nil {
		it.CaptureCount, it.CaptureBytes, it.OldestCapture = kept.Count, kept.Bytes, kept.Oldest
	}
	return err
}

// prune drops captures that are no longer needed. It keeps the captures that the item's row refers to now, and those
// that the row will refer to after this check is committed. If the commit fails, the present row stays.
func (c *check) prune(ctx context.Context) error {
	it, retention := &c.item, c.o.Retention
	if !retention.Due(verdict.KeptOf(it), c.now()) {
		return nil
	}
	kept, err := c.in.Snapshots.Prune(ctx, it.ID, retention, c.now(), it.RawHash, c.basis.RawBefore,
		it.Validators.Body, c.basis.Served)
	return c.noteKept(kept, err)
}
