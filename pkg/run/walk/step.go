package walk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Defaults of [Step].
const (
	// defaultOpen is enough for the crawl to be busy, and few enough to notice an endless space early.
	defaultOpen = 256
	defaultRead = 64
)

const (
	// The following bound what one step writes: the pages that it adds, in number and bytes of their addresses, the
	// addresses that it examines, and the rows that it changes for registering pages and for reading them.
	maxStepPages    = 4_000
	maxStepBytes    = 1 << 20
	maxStepExamined = 16_000
	maxStepRows     = 20
	maxNearer       = 20
	// maxIdle is the longest pause between two steps of a walk that waits for the crawl, and maxStalled how long it
	// waits while no page is fetched.
	maxIdle    = 30 * time.Second
	maxStalled = time.Hour
)

// Step is what one step of following links needs.
type Step struct {
	Site      *site.Site
	Number    int64     // of the step; greater than those of the steps before
	Poll      string    // the poll or the run that the step belongs to
	BeganAt   time.Time // when that began
	Dry       bool      // pages are fetched, and nothing is registered
	Report    Report
	Table     storage.Table
	Partition string
	Items     *registry.Items
	Moves     *registry.Moves
	Snapshots *snapshot.Store
	Awaited   discover.Awaited
	Web       politeness.ResourceFetcher
	Rules     source.Rules
	Agent     string // the crawler's name in directives of pages
	Clock     func() time.Time
	// MaxOpen limits the pages that are registered before their links are read, and MaxRead the pages whose links the
	// step reads. Zero stands for 256 and 64. If MaxRead is negative, the step reads none.
	MaxOpen, MaxRead int
	// Patience is how long the walk waits while the crawl fetches none of its pages. Zero stands for an hour.
	Patience time.Duration
	// Guard decides how many pages may lose their last link at once, for the mass-removal guard.
	Guard schedule.Config
	// NewOnly leaves the items alone that the poll or the run has not registered: no check of theirs is asked for.
	NewOnly bool
}

// Report counts what a step leaves out, and registers pages.
type Report interface {
	LeftOut(why, address string)
	// Forbidden counts links of a page that are not followed: all, or n of them, of which one is the example.
	Forbidden(why, example string, n int)
	Unread(page, why string) // links of a page that cannot be followed
	Trapped(why, address string)
	// Room returns how many pages the next call of Register may have. If it is 0, the step registers no more.
	Room() int
	// Unlinked has items say that no page of the site links to them any more, or that one does again. It reports for
	// each whether that is done.
	Unlinked(ctx context.Context, sources []source.Source, unlinked bool) ([]bool, error)
	// Register registers sources, and counts them. It returns which of them are items now, or in a dry run would be.
	Register(ctx context.Context, sources []source.Source, forms source.Forms) ([]bool, error)
}

// Result is the result of a step.
type Result struct {
	Ops  []storage.Op  // to be written together with the state of the walk
	Wait time.Duration // before the next step
	// Early states that the walk waits for the crawl: the next step is useful as soon as pages were fetched.
	Early bool
	Acted bool   // the step has done something
	More  bool   // whether there is a next step
	Note  string // what the walk waits for
	Left  int    // pages that were found and are left for the next poll
	Read  int    // pages whose links were read for the first time
	// Stalled states that the walk ends because the crawl has not fetched its pages.
	Stalled bool
	// Of a dry run: requests and pages that were fetched, with their bytes, and pages that are new or known.
	Requests, Documents, Bytes, New, Known int
}

// Follow performs one step. Links are read from the stored bodies of pages, which the crawl fetches anyway: so
// following costs the site no request.
func (s Step) Follow(ctx context.Context, w *Walk) (Result, error) {
	s.MaxOpen, s.MaxRead = cmp.Or(s.MaxOpen, defaultOpen), cmp.Or(s.MaxRead, defaultRead)
	s.Patience = cmp.Or(s.Patience, maxStalled)
	v, err := s.open(ctx, w)
	if err != nil {
		return Result{}, err
	}
	if s.Dry {
		v.out.Wait, err = trial{v}.fetchPages(ctx)
	} else {
		err = v.readPages(ctx)
	}
	if err != nil {
		return Result{}, err
	}
	if err := shorten(ctx, v); err != nil {
		return Result{}, err
	}
	if err := v.registerPages(ctx); err != nil {
		return Result{}, err
	}
	v.advance()
	if err := (decider{v}).all(ctx); err != nil {
		return Result{}, err
	}
	if err := (unlinker{v}).findUnlinked(ctx); err != nil {
		return Result{}, err
	}
	if v.out.Ops, err = v.save(); err != nil {
		return Result{}, err
	}
	v.plan()
	return v.out, nil
}

// at is the position of a page in the rows.
type at struct{ row, i int }

// openPages returns pages that are to be read: of those that are registered the ones that the crawl of this process has
// read and some others, and of one row those that may have changed since their links were read.
func (v *walking) openPages(ctx context.Context) (out []at, err error) {
	if v.MaxRead < 0 {
		return nil, nil
	}
	for n, rows := v.walk.First, 0; n < v.walk.Rows && rows < maxStepRows && len(out) < v.walk.Open; n++ {
		some, err := v.inState(ctx, n, linkRegistered)
		if err != nil {
			return nil, err
		}
		if out = append(out, some...); len(some) > 0 {
			rows++
		}
	}
	passed := func(p at) bool { return !v.Dry && v.Awaited.Has(sourceAt(v, p).ID()) }
	others, most := 0, v.MaxRead
	if slices.ContainsFunc(out, passed) {
		most = max(1, most/8) // each costs a request, and most of what was fetched was passed
	}
	out = slices.DeleteFunc(out, func(p at) bool {
		if passed(p) {
			return false
		}
		others++
		return others > most
	})
	v.unseen = len(out) < v.walk.Open
	if v.walk.Compared < v.walk.Compare {
		some, err := v.inState(ctx, v.walk.Compared, linkRead)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
		v.walk.Compared++
		v.acted, v.left = true, true
	}
	return out, nil
}

// inState returns the pages of a row that are in one of the states.
func (v *walking) inState(ctx context.Context, n int, states ...linkState) (out []at, err error) {
	r, err := v.load(ctx, n)
	if err != nil {
		return nil, err
	}
	for i := range r.Pages {
		if slices.Contains(states, r.Pages[i].State) {
			out = append(out, at{n, i})
		}
	}
	return out, nil
}

// readPages reads the links of pages that were fetched.
func (v *walking) readPages(ctx context.Context) error {
	open, err := v.openPages(ctx)
	if err != nil {
		return err
	}
	items, err := v.itemsOf(ctx, open)
	if err != nil {
		return err
	}
	for i, p := range open {
		page := v.rows[p.row].Pages[p.i]
		if v.isFull() || v.out.Read >= v.MaxRead {
			v.again(open[i:]...)
			return nil
		}
		if err := v.readPage(ctx, p, page, items[i]); err != nil {
			return err
		}
	}
	return nil
}

// isFull reports whether the step has added as much as one step may.
func (v *walking) isFull() bool {
	return v.bytes >= maxStepBytes || v.added >= maxStepPages || v.examined >= maxStepExamined ||
		len(v.nearer) >= maxNearer || v.dirty >= maxDirty
}

// again leaves pages to the next step. It returns to a row whose pages were not all compared.
func (v *walking) again(pages ...at) {
	v.left = true
	for _, p := range pages {
		if v.rows[p.row].Pages[p.i].State == linkRead {
			v.walk.Compared = min(v.walk.Compared, p.row)
		}
	}
}

// itemsOf reads the items of pages; nil for a page without one.
func (v *walking) itemsOf(ctx context.Context, pages []at) ([]*registry.Item, error) {
	sources := make([]source.Source, len(pages))
	for i, p := range pages {
		sources[i] = sourceAt(v, p)
	}
	return v.Items.LookupAll(ctx, sources)
}

// sourceAt returns the source of a page, whose row is loaded.
func sourceAt(v *walking, p at) source.Source {
	src, _ := v.Rules.ParseURL(v.rows[p.row].Pages[p.i].URL) // it was parsed before
	return src
}

// readPage reads the links of one page, if there is a body whose links were not read.
func (v *walking) readPage(ctx context.Context, p at, page *linked, it *registry.Item) error {
	v.reading = uint32(p.row*pagesInRow+p.i) + 1
	switch {
	case it == nil && page.State == linkRegistered: // it was removed
		v.done(p, page, linkLeftOut, nil)
		return nil
	case it == nil || it.Status == registry.Gone && page.State == linkRead:
		(unlinker{v}).vanished(p, page)
		return nil
	case it.Status == registry.Pending:
		return nil
	case bodyOf(it) == "":
		unread(v, p, page, it.ErrorMessage)
		return nil
	case bodyOf(it) == page.Body && page.State == linkRead && v.walk.Search != searching:
		return nil
	}
	got, err := v.pageOf(ctx, it)
	if err != nil {
		return err
	}
	if bodyOf(it) == page.Body && page.State == linkRead {
		(unlinker{v}).unlink(got)
		return nil
	}
	ended, cut := v.links(page, got)
	if !ended {
		v.again(p)
		return nil
	}
	if (unlinker{v}).rereads(page) && !cut {
		(unlinker{v}).unlink(got)
	}
	v.walk.nowRead(page)
	leadsOn(v.Report, page, got, it.MimeType, it.Thin)
	if page.Body = bodyOf(it); cut {
		page.Body = cutBody
	}
	v.done(p, page, v.readState(it), got)
	return nil
}

// done records that a page was read, or why it will not be.
func (v *walking) done(p at, page *linked, state linkState, got *discover.Page) {
	if page.State == linkRegistered {
		v.left = v.left || v.unseen && !v.Awaited.Has(sourceAt(v, p).ID()) // there may be more that only the next step sees
		v.walk.Open--
		var text *discover.Sketch
		if got != nil {
			text = &got.Sketch
		}
		if !page.Again {
			v.walk.Bulk.Read(page.URL, text)
		}
		if state != linkLeftOut {
			v.walk.Read++
			if !page.Again {
				v.out.Read++
			}
		}
		page.Again = false
	}
	if state == linkUndecided {
		v.walk.Undecided++
		v.walk.Decided = min(v.walk.Decided, p.row)
	}
	page.State, v.rows[p.row].changed, v.acted = state, true, true
}

// links examines the links of a page, and adds the pages that are wanted. It reports whether it came to the end. If
// not, the page is read again by the next step. If the limit on addresses cut the links off, the next poll reads them
// again: the limit may be a higher one then.
func (v *walking) links(from *linked, page *discover.Page) (ended, cut bool) {
	switch {
	case page == nil:
		return true, false
	case page.NoFollow:
		v.Report.Forbidden("the links of a page that forbids following them (nofollow)", from.URL, 1)
		return true, false
	case from.Depth >= v.Site.Follow.Depth:
		v.walk.TooDeep = v.walk.TooDeep || slices.ContainsFunc(page.Links, v.isFresh)
		return true, false
	}
	for _, link := range page.Links {
		if v.isFull() {
			v.acted = true
			return false, false
		}
		if v.walk.Seen >= v.Site.Follow.Addresses {
			v.walk.Full = limit{"addresses", v.Site.Follow.Addresses}.reached("address")
			return true, true
		}
		v.link(link.URL, from.Depth+1)
	}
	if page.Truncated != "" {
		v.Report.Unread(from.URL, "the page has "+page.Truncated+"; its other links are not followed")
	}
	for _, o := range page.Omitted {
		v.Report.Forbidden(o.Why, o.Example, o.Count)
	}
	return true, false
}

// isFresh reports whether a link leads to a page that would be wanted and is not found yet.
func (v *walking) isFresh(link discover.Link) bool {
	src, err := v.Rules.ParseURL(link.URL)
	_, met := v.met[xxhash.Sum64String(src.Normalized)]
	return err == nil && src.Type == source.URL && !met && v.Site.Judge(src) == ""
}

// link examines an address that a page links to.
func (v *walking) link(url string, depth int) {
	src, err := v.Rules.ParseURL(url)
	switch {
	case err != nil && v.note(xxhash.Sum64String(url)):
		v.examined++
		v.Report.LeftOut("no usable address: "+strings.TrimPrefix(err.Error(), "url: "), url)
		return
	case err != nil || src.Type != source.URL:
		return
	}
	sum := xxhash.Sum64String(src.Normalized)
	if !v.note(sum) {
		noteNearer(v, v.met[sum], depth)
		(unlinker{v}).relink(v.met[sum])
		return
	}
	v.examined++
	if why := v.Site.Judge(src); why != "" {
		v.Report.LeftOut(why, src.Normalized)
	} else if !v.trapped(src.Normalized, v.traps.Judge(src.Normalized)) {
		v.add(url, depth, sum)
	}
}

// trapped counts an address that is left out as part of an endless series.
func (v *walking) trapped(address, why string) bool {
	if why == "" {
		return false
	}
	v.Report.Trapped(why, address)
	return true
}
