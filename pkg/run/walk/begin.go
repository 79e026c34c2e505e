package walk

import (
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
)

// Begin returns the walk with which a poll of a site goes on: the walk until now, or a new one if there is none or if
// the rules of the site have changed. The argument rules is a digest of those for addresses. The limits on pages and
// addresses are no rules: a walk that had reached one goes on.
func Begin(until *Walk, found *site.Site, poll, rules string) *Walk {
	f := found.Follow
	rules = fmt.Sprintf("%016x", xxhash.Sum64String(fmt.Sprint("3", rules, found.Start, f.Depth, f.Hosts)))
	if until == nil || until.Rules != rules {
		until = &Walk{ID: poll, Rules: rules}
	}
	if until.Bulk == nil {
		until.Bulk = &discover.Bulk{}
	}
	return until
}

// Resume prepares a walk for another poll: the links of pages that have changed are read again.
func (w *Walk) Resume() {
	w.Compared, w.Compare, w.Idle, w.IdleFrom, w.Full, w.Decided = 0, w.Rows, 0, time.Time{}, "", 0
	w.Search, w.Noted, w.Guarded, w.Asked = 0, 0, 0, false
}

// GoOn lets a walk that has waited for too long wait anew.
func (w *Walk) GoOn() { w.Idle, w.IdleFrom = 0, time.Time{} }

// Reached names the limits that are reached; "" for none.
func (w *Walk) Reached(f *api.SiteFollow) string {
	if !w.TooDeep {
		return w.Full
	}
	deep := limit{"depth", f.Depth}.reached("link")
	if w.Full != "" {
		deep += "; " + w.Full
	}
	return deep
}
