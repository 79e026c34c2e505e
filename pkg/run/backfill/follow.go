package backfill

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run/walk"
	"github.com/tidemark/tidemark/pkg/storage"
)

// A run of mode LINKS follows the links of a site's pages (package walk). It has a walk of its own, beside that of the
// site's polls. A step either registers pages, or reads the links of pages that the crawl has fetched. So a step that
// is repeated after a crash registers the same pages, and the caps hold exactly.

// walkID is part of the keys of a walk's rows. A source of a run has one walk.
const walkID = "links"

// walkSlug names the walk of a source of a run.
func walkSlug(run, source string) string { return run + "|" + source }

// following is the work of one step on a source whose links are followed.
type following struct {
	w    *step
	room int // pages that the step may still register
}

// do performs the step.
func (f *following) do(ctx context.Context) error {
	w, c := f.w, f.w.at
	if c.Walk == nil {
		c.Walk = walk.Begin(nil, w.site.Following(), walkID, "")
	}
	if c.All { // this is written, so the rows of the walk are not needed any more
		_ = w.end(SourceDone, c.Left)
		return w.s.work.dropLinks(ctx, w.run.ID, c.Source)
	}
	if w.now.Sub(c.UpdatedAt) > 2*maxWait { // the run was paused; that is no time in which the crawl did nothing
		c.Walk.GoOn()
	}
	held, err := f.registerFound(ctx)
	if err != nil || w.out.ops != nil {
		return err
	}
	f.room = 0
	got, err := f.walk(ctx, c.Walk, f.mostRead())
	if err != nil {
		return err
	}
	w.out.ops, w.out.add.Documents = got.Ops, got.Read
	w.out.add.Requests, w.out.add.Bytes = got.Requests, int64(got.Bytes)
	if c.Read += got.Read; got.Requests > 0 {
		w.out.wait = w.run.Delay
	}
	if got.Acted {
		c.Since = time.Time{}
		return nil
	}
	return f.pause(got, held)
}

// registerFound registers pages that were found, as many as the checkpoint has reserved. If there are none to
// register now, the step has no operations, and the returned wait says why.
func (f *following) registerFound(ctx context.Context) (held waiting, err error) {
	w, c := f.w, f.w.at
	if c.Walk.Waiting == 0 || c.Reserved == 0 {
		return held, nil
	}
	mark := *c
	next, err := copyOf(c.Walk)
	if err != nil {
		return held, err
	}
	const none = -1
	f.room = c.Reserved
	got, err := f.walk(ctx, next, none)
	if errors.As(err, &held) {
		err, got.Acted = nil, false
	}
	if err != nil || !got.Acted {
		c.undo(&mark)
		w.out = outcome{}
		return held, err
	}
	c.Walk, w.out.ops = next, got.Ops
	if w.out.ops == nil {
		w.out.ops = []storage.Op{}
	}
	return held, nil
}

// copyOf returns a copy of a walk, which a step changes.
func copyOf(w *walk.Walk) (out *walk.Walk, err error) {
	text, err := json.Marshal(w)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	return out, err
}

// mostRead returns the number of pages that a step reads; 0 for the walk's own. A dry run fetches them, and pauses
// between two of them if the request says so.
func (f *following) mostRead() int {
	if w := f.w; w.run.DryRun && w.run.Delay > 0 {
		return 1
	}
	return 0
}

// walk performs a step of a walk.
func (f *following) walk(ctx context.Context, on *walk.Walk, most int) (walk.Result, error) {
	w := f.w
	of := *w.site.Following()
	of.Slug = walkSlug(w.run.ID, w.at.Source)
	w.at.Walked++
	return walk.Step{
		Site: &of, Number: w.at.Walked, Poll: w.run.ID, BeganAt: w.run.CreatedAt, Dry: w.run.DryRun, Report: f,
		Table: w.s.runs.Table, Partition: partition, Items: w.s.reg.Items, Moves: w.s.reg.Moves,
		Snapshots: w.s.o.Snapshots, Awaited: w.s.o.Awaited, Web: w.s.sites.web, Rules: w.s.o.Rules, Agent: w.s.o.Agent,
		Clock: w.s.runs.Now, MaxRead: most, Patience: maxPatience, NewOnly: true,
	}.Follow(ctx, on)
}

// pause decides what a source does that could neither register nor read a page now.
func (f *following) pause(got walk.Result, held waiting) error {
	w, c := f.w, f.w.at
	switch {
	case got.Stalled:
		return w.end(SourceFailed, got.Note)
	case got.Wait > 0 && !got.Early: // a dry run, whose site is busy
		if !c.patient(w.now) {
			return w.end(SourceFailed, got.Note)
		}
		return w.await(got.Wait, got.Note)
	case held.why != "" && got.More: // pages are to be read, perhaps sooner
		return w.await(min(held.wait, got.Wait), held.why)
	case held.why != "":
		return w.await(held.wait, held.why)
	case c.Walk.Waiting > 0 && c.Reserved == 0 && w.run.room(c.Source) == 0:
		return w.await(roomWait, "waits for room below the run's cap")
	case c.Walk.Waiting > 0 && c.Reserved == 0:
		return nil // the next step has a reservation
	case got.More:
		return w.await(got.Wait, got.Note)
	case c.Walk.Read == c.Walk.Unread:
		return w.end(SourceFailed, "none of its pages could be read")
	}
	c.All, c.Left = true, f.left()
	return nil
}

// left says which limits have ended a walk, and what it leaves; "" if it left nothing.
func (f *following) left() string {
	w := f.w
	note := w.at.Walk.Reached(w.site.Following().Follow)
	left := w.at.leftOver()
	if note != "" && left != "" {
		note += "; "
	}
	return note + left
}

// leftOver says how many pages a walk has found that the source has not registered; "" if there are none.
func (c *checkpoint) leftOver() string {
	if c.Walk == nil || c.Walk.Waiting == 0 {
		return ""
	}
	return words.Count(c.Walk.Waiting, "page") + " found and not registered"
}

// waiting is the reason why a step registers nothing now, and how long the source waits.
type waiting struct {
	wait time.Duration
	why  string
}

func (w waiting) Error() string { return w.why }

var _ walk.Report = (*following)(nil)

// LeftOut counts an address that is not wanted.
func (f *following) LeftOut(why, _ string) { f.w.exclude(why) }

// Forbidden counts links that may not be followed. They are no addresses that were found.
func (f *following) Forbidden(why, _ string, n int) {
	f.w.because(why)
	f.w.out.reasons[why] += n - 1
}

// Unread records that links of a page cannot be followed.
func (f *following) Unread(page, why string) { f.w.failed(page, why) }

// Trapped counts an address in an endless space.
func (f *following) Trapped(why, _ string) {
	f.w.out.add.Trapped++
	f.w.because(why)
}

// Unlinked does nothing, and is not called: a run does not compare pages.
func (f *following) Unlinked(context.Context, []source.Source, bool) ([]bool, error) { return nil, nil }

// Room returns how many pages the step may still register.
func (f *following) Room() int {
	_, most := f.w.s.o.rate()
	return min(f.room, most)
}

// Register registers pages that links lead to, and counts those that were not counted before. A dry run only counts
// them. The error waiting means that they cannot be registered now.
func (f *following) Register(ctx context.Context, sources []source.Source, forms source.Forms) ([]bool, error) {
	w := f.w
	items, err := w.s.reg.Items.LookupAll(ctx, sources)
	if err != nil {
		return nil, err
	}
	taken, missing, places := make([]bool, len(sources)), []source.Source(nil), []int(nil)
	for i, it := range items {
		fresh := w.at.see(sources[i].Normalized)
		if fresh {
			w.out.add.Discovered++
			w.at.Fresh++
			f.room--
		}
		switch taken[i] = it != nil || w.run.DryRun; {
		case it != nil && fresh:
			w.known(it, sources[i])
		case it == nil && fresh && w.run.DryRun:
			w.out.add.Queued++
		case it == nil && fresh:
			missing, places = append(missing, sources[i]), append(places, i)
		}
	}
	w.out.url = sources[len(sources)-1].Display
	if len(missing) == 0 {
		return taken, nil
	}
	f.room, w.forms = 0, forms // a step registers new pages once, because that takes a permit
	done, err := f.registerNew(ctx, missing)
	for n, i := range places[:len(done)] {
		taken[i] = done[n]
	}
	return taken, err
}

// registerNew registers pages without an item, if the host's backlog and the pace of all runs allow it.
func (f *following) registerNew(ctx context.Context, missing []source.Source) ([]bool, error) {
	w := f.w
	full, err := w.fullBacklog(ctx, missing[0])
	if err == nil && full != "" {
		err = waiting{backlogWait, full}
	}
	if err != nil {
		return nil, err
	}
	begun, wait, err := w.s.permit(ctx)
	if err == nil && !begun {
		err = waiting{wait, paceNote}
	}
	if err != nil {
		return nil, err
	}
	return w.registerNow(ctx, missing)
}

// unsure reports whether a walk may find further pages: none is left to be registered, but some are not read. The
// source goes on when a cap is reached, to say whether there is more.
func (c *checkpoint) unsure() bool {
	return c.Walk != nil && c.Walk.Waiting == 0 && c.Walk.Open > 0
}
