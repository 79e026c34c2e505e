package walk

import (
	"context"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A page to which nothing links any more is a hint: its item says so, and it is checked now. Nothing is removed.
//
// Of each address, a walk knows one page that links to it. When this page changes and does not link to it any more, or
// is gone, another one may. So at the end of the poll, all stored bodies are read once to find one: that costs the site
// no request. A link to an alias of the page is a link to the page, too. If too many pages are left without a link, the
// site is more often broken than tidied up. As with pages that are missing, this counts only if it is still so a day
// later (the mass-removal guard).

// maxUnlinked limits the items that one step writes for this.
const maxUnlinked = 64

// maxAsked limits the pages whose aliases one step reads.
const maxAsked = 256

// maxDirty limits the rows of digests that a step changes for this.
const maxDirty = 8

// secondPoll is the time after which it counts that too many pages have no link. Polls are a day apart, or nearly.
const secondPoll = schedule.SecondCheck - 4*time.Hour

// goneBody stands for the body of a page that is gone, and links to nothing. No body has this digest.
const goneBody = "gone"

// Unlinks is what a walk knows of pages to which nothing links any more.
type Unlinks struct {
	Lost   bool   `json:"lost,omitempty"` // perhaps there are some
	Search search `json:"search,omitempty"`
	Asked  bool   `json:"asked,omitempty"` // this poll has looked for links to aliases of pages that say so
	Noted  int    `json:"noted,omitempty"` // pages whose items say so since this poll
	// Guarded is the number of pages of which this poll does not believe it, and GuardedSince when that began.
	Guarded      int       `json:"guarded,omitempty"`
	GuardedSince time.Time `json:"guardedSince,omitzero"`
}

// search is the state of the search in the stored bodies, in one poll.
type search int

const (
	searching search = iota + 1
	searched
)

// note says what a poll has found; "" for nothing.
func (u Unlinks) note() string {
	switch {
	case u.Guarded > 0:
		return "no page links to " + words.Count(u.Guarded, "page") + " any more: sites are broken more often than " +
			"tidied up, so it counts only if it is still so a day later"
	case u.Noted > 0:
		return "no page links to " + words.Count(u.Noted, "page") + " any more; nothing is removed, but each is checked now"
	}
	return ""
}

// unlinker is the work of one step on such pages.
type unlinker struct{ v *walking }

// rereads reports whether the links of a page are read again, so that those that it has lost are noticed.
func (u unlinker) rereads(page *linked) bool {
	return (page.State == linkRead || page.Again) && !u.v.Dry && !u.v.NewOnly
}

// relink notes that the page whose links are examined links to an address that was met before.
func (u unlinker) relink(i int) {
	v := u.v
	a := v.seen[i]
	if a.from < fromUnlinked || a.page == v.reading-1 {
		return
	}
	if u.setFrom(i, v.reading) && a.from == fromUnlinked {
		v.relinked = append(v.relinked, i)
	}
}

// setFrom notes a page that links to an address. It reports false if the step has changed too many rows for that; then
// a later poll notes it.
func (u unlinker) setFrom(i int, from uint32) bool {
	v := u.v
	r := v.sums[i/sumsInRow]
	if !r.changed {
		if v.dirty >= maxDirty {
			return false
		}
		v.dirty++
	}
	v.seen[i].from, r.changed = from, true
	return true
}

// unlink notes which addresses a page does not link to any more. Of a page whose links are not all known, it notes
// none.
func (u unlinker) unlink(page *discover.Page) {
	v := u.v
	if page == nil || page.NoFollow {
		return
	}
	links := map[int]bool{}
	for _, link := range page.Links {
		src, err := v.Rules.ParseURL(link.URL)
		if i, met := v.met[xxhash.Sum64String(src.Normalized)]; err == nil && met {
			links[i] = true
			u.relink(i)
		}
	}
	if page.Truncated != "" {
		return
	}
	for i, a := range v.seen {
		if a.from == v.reading && !links[i] && a.page != noPage && u.setFrom(i, fromNowhere) {
			v.walk.Lost = true
		}
	}
}

// vanished notes that a page whose links were read is gone.
func (u unlinker) vanished(p at, page *linked) {
	v := u.v
	if !u.rereads(page) || page.Body == goneBody {
		return
	}
	page.Body, v.rows[p.row].changed = goneBody, true
	u.unlink(&discover.Page{})
}

// findUnlinked finds the pages to which nothing links any more, once all pages are read.
func (u unlinker) findUnlinked(ctx context.Context) error {
	v, w := u.v, u.v.walk
	if err := u.relinkAliases(ctx); err != nil {
		return err
	}
	if err := u.noteRelinked(ctx); err != nil {
		return err
	}
	if !w.Lost || w.Search == searched {
		return nil
	}
	if v.isRead() && w.Search == searching {
		if _, err := u.linkAliases(ctx, u.from(fromNowhere)); err != nil {
			return err
		}
	}
	lost := u.from(fromNowhere)
	switch {
	case len(lost) == 0:
		if w.Search == searching {
			w.Compared, w.Search = w.Compare, searched
		}
		w.Lost, w.GuardedSince = false, time.Time{}
	case !v.isRead() || w.Undecided > 0:
	case w.Search != searching:
		w.Search, w.Compared, w.Compare, v.acted = searching, 0, w.Rows, true
	default:
		return u.noteUnlinked(ctx, lost)
	}
	return nil
}

// from returns the addresses that have a value of [address.from].
func (u unlinker) from(value uint32) (out []int) {
	for i, a := range u.v.seen {
		if a.from == value {
			out = append(out, i)
		}
	}
	return out
}

// relinkAliases finds, once a poll, pages whose items say that nothing links to them, but of which a page links to an
// alias.
func (u unlinker) relinkAliases(ctx context.Context) error {
	v := u.v
	if v.walk.Asked || !v.isRead() || v.walk.Undecided > 0 {
		return nil
	}
	found, err := u.linkAliases(ctx, u.from(fromUnlinked))
	v.relinked = append(v.relinked, found...)
	v.walk.Asked = err == nil
	return err
}

// linkAliases notes that a page links to an address if one links to an alias of it. It returns these addresses. Of too
// many addresses, it examines the first.
func (u unlinker) linkAliases(ctx context.Context, pages []int) (found []int, err error) {
	pages = pages[:min(len(pages), maxAsked)]
	sources, err := u.sources(ctx, pages)
	if err != nil {
		return nil, err
	}
	items, err := u.v.Items.LookupAll(ctx, sources)
	if err != nil {
		return nil, err
	}
	for n, i := range pages {
		if items[n] == nil {
			continue
		}
		from, err := u.aliasFrom(ctx, items[n])
		if err != nil {
			return nil, err
		}
		if from < fromUnlinked && u.setFrom(i, from) {
			found = append(found, i)
		}
	}
	return found, nil
}

// aliasFrom returns a page that links to an alias of an item, as [address.from] has it; fromNowhere if there is none.
func (u unlinker) aliasFrom(ctx context.Context, it *registry.Item) (uint32, error) {
	for alias, err := range u.v.Items.AliasesOf(ctx, it) {
		if err != nil {
			return fromNowhere, err
		}
		i, met := u.v.met[xxhash.Sum64String(alias.NormalizedSource)]
		if met && u.v.seen[i].page != noPage && u.v.seen[i].from < fromUnlinked {
			return u.v.seen[i].from, nil
		}
	}
	return fromNowhere, nil
}

// sources returns the sources of pages, given by their addresses.
func (u unlinker) sources(ctx context.Context, pages []int) (out []source.Source, err error) {
	for _, i := range pages {
		p := u.v.seen[i].at()
		r, err := u.v.load(ctx, p.row)
		if err != nil {
			return nil, err
		}
		src, _ := u.v.Rules.ParseURL(r.Pages[p.i].URL) // it was parsed before
		out = append(out, src)
	}
	return out, nil
}

// noteUnlinked has items say that nothing links to them any more, unless there are too many.
func (u unlinker) noteUnlinked(ctx context.Context, lost []int) error {
	v := u.v
	w, now := v.walk, v.Clock()
	few := v.Guard.Room(schedule.Losses{Items: w.Pages, Gone: w.Noted}) >= len(lost)
	if !few && (w.GuardedSince.IsZero() || now.Sub(w.GuardedSince) < secondPoll) {
		if w.Search, w.Guarded = searched, len(lost); w.GuardedSince.IsZero() {
			w.GuardedSince = now
		}
		return nil
	}
	some, noted := lost[:min(len(lost), maxUnlinked)], 0
	done, err := u.hint(ctx, some, true)
	if err != nil {
		return err
	}
	for n, i := range some {
		if done[n] && u.setFrom(i, fromUnlinked) {
			noted++
		}
	}
	w.Noted += noted
	if v.acted = noted > 0; noted == len(lost) {
		w.Search, w.Lost, w.GuardedSince = searched, false, time.Time{}
	}
	return nil
}

// noteRelinked has items say that a page links to them again.
func (u unlinker) noteRelinked(ctx context.Context) error {
	v := u.v
	done, err := u.hint(ctx, v.relinked, false)
	for n, i := range v.relinked {
		if err == nil && !done[n] {
			u.setFrom(i, fromUnlinked) // until a page that links to it changes
		}
	}
	return err
}

// hint reports pages, given by their addresses. It returns which of them are done.
func (u unlinker) hint(ctx context.Context, pages []int, unlinked bool) (done []bool, err error) {
	v := u.v
	for some := range slices.Chunk(pages, maxUnlinked) {
		sources, err := u.sources(ctx, some)
		if err != nil {
			return nil, err
		}
		chunk, err := v.Report.Unlinked(ctx, sources, unlinked)
		if err != nil {
			return nil, err
		}
		done = append(done, chunk...)
	}
	return done, nil
}
