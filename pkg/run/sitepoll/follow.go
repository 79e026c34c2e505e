package sitepoll

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/walk"
)

// follow performs one step of following the links of a site. It reports whether the walk goes on.
func (w *step) follow(ctx context.Context) (next run.Next, more bool, err error) {
	st, poll := w.st, w.st.Now
	st.Walk = walk.Begin(st.Walk, w.site, poll.ID, rulesOf(w.site))
	got, err := walk.Step{
		Site: w.site, Number: st.Step, Poll: poll.ID, BeganAt: poll.BeganAt, Dry: st.isTrial(), Report: walked{w},
		Table: w.s.polls.Table, Partition: partition, Items: w.s.reg.Items, Moves: w.s.reg.Moves,
		Snapshots: w.s.o.Snapshots, Awaited: w.s.o.Awaited, Web: w.s.web, Rules: w.s.o.Rules, Agent: w.s.o.Agent,
		Clock: w.s.polls.Now, Guard: w.s.o.Guard, MaxOpen: w.s.o.MaxOpen, MaxRead: w.s.o.MaxRead,
	}.Follow(ctx, st.Walk)
	if err != nil {
		return next, false, err
	}
	poll.Requests += got.Requests
	poll.Documents += got.Documents
	poll.New += got.New
	poll.Known += got.Known
	poll.Later += got.Left
	poll.Found += got.New + got.Known + got.Left
	if poll.Note = run.Clip(got.Note, maxMessage); got.Stalled {
		poll.Note += "; the next poll goes on"
	}
	next = run.Next{Ops: got.Ops, Wait: got.Wait, Early: got.Early}
	if got.Early && w.s.hurries.asked(st.Slug) {
		next.Wait = 0 // pages were fetched during this step
	}
	return next, got.More, nil
}

// Fetched continues the walks that wait for pages, when the crawl has fetched some of them for the first time. It costs
// a read for each walk that has pages among them.
func (s *Service) Fetched(ctx context.Context, items []registry.Item) {
	met := map[string]bool{}
	for _, it := range items {
		slug := slugOf(it.DiscoveryJob)
		if met[slug] || slug == "" {
			continue
		}
		if met[slug] = true; s.hurries.ask(slug) {
			continue // the step that is in progress here is followed by another
		}
		st, err := s.polls.Get(ctx, slug)
		if err != nil {
			s.o.Log.WarnContext(ctx, "walk not hurried; its message comes", "site", slug, "kind", fault.KindOf(err))
			continue
		}
		if st.Now != nil && st.Walk != nil && st.Walk.Idle > 0 && st.Now.ID == it.DiscoveryRun {
			s.polls.Hurry(ctx, &st)
		}
	}
}

// jobOf returns the job under which the step of a site registers items, and slugOf the site of such a job.
func jobOf(slug string, step int64) string { return fmt.Sprintf("%s%s:%d", jobPrefix, slug, step) }

const jobPrefix = "sentinel:"

func slugOf(job string) string {
	rest, found := strings.CutPrefix(job, jobPrefix)
	if slug, _, ok := strings.Cut(rest, ":"); found && ok {
		return slug
	}
	return ""
}

// hurries are the sites of which this process performs a step now, and whether the crawl has asked for the next one.
// It only saves work: another process may perform the same step, and its result counts once.
type hurries struct {
	mu    sync.Mutex
	sites map[string]bool
}

// begin records that a step begins. The returned function records its end.
func (h *hurries) begin(slug string) (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sites == nil {
		h.sites = map[string]bool{}
	}
	h.sites[slug] = false
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.sites, slug)
	}
}

// ask asks for another step after the one in progress. It reports whether there is one.
func (h *hurries) ask(slug string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, busy := h.sites[slug]
	if busy {
		h.sites[slug] = true
	}
	return busy
}

// asked reports whether another step was asked for since the last call.
func (h *hurries) asked(slug string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := h.sites[slug]
	if asked {
		h.sites[slug] = false
	}
	return asked
}

// walked counts in the poll what a walk finds.
type walked struct{ *step }

var _ walk.Report = walked{}

// LeftOut counts an address that is not wanted.
func (w walked) LeftOut(why, address string) {
	w.st.Now.Found++
	w.st.Now.Excluded++
	w.st.Now.leftOut(why, address)
}

// Forbidden counts links that may not be followed. They are no addresses that were found.
func (w walked) Forbidden(why, example string, n int) {
	w.st.Now.Examples.Note(w.st.Now.Reasons.Add(why, n), run.Clip(example, maxShown))
}

// Unread records that links of a page cannot be followed.
func (w walked) Unread(page, why string) { w.failed(page, why) }

// Trapped counts an address in an endless space.
func (w walked) Trapped(why, address string) {
	w.st.Now.Found++
	w.st.Now.Trapped++
	w.st.Now.leftOut(why, address)
}

// Unlinked has items say that no page of the site links to them any more, or that one does again.
func (w walked) Unlinked(ctx context.Context, sources []source.Source, unlinked bool) ([]bool, error) {
	return w.s.reg.Changes.Unlink(ctx, sources, unlinked)
}

// Room sets no limit.
func (w walked) Room() int { return math.MaxInt }

// Register registers pages that links lead to. A dry run registers nothing, and takes all.
func (w walked) Register(ctx context.Context, sources []source.Source, forms source.Forms) ([]bool, error) {
	if w.st.isTrial() {
		return slices.Repeat([]bool{true}, len(sources)), nil
	}
	w.st.Now.Found += len(sources)
	registered, _, err := w.registerSources(ctx, sources, forms)
	return registered, err
}
