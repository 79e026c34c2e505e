package walk

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// registerPages registers pages in the order in which they were found, as long as not too many wait for the crawl.
func (v *walking) registerPages(ctx context.Context) error {
	rows := 0
	for n := v.walk.First; n < v.walk.Rows && v.room() > 0; n++ {
		if rows == maxStepRows {
			v.left = true
			break
		}
		r, err := v.load(ctx, n)
		if err != nil {
			return err
		}
		was := v.walk.Waiting
		for from := 0; from < len(r.Pages) && v.room() > 0; {
			var chunk []at
			for ; from < len(r.Pages) && len(chunk) < min(policy.JobItems, v.room()); from++ {
				if v.wants(r.Pages[from], r) {
					chunk = append(chunk, at{n, from})
				}
			}
			if err := v.register(ctx, chunk); err != nil {
				return err
			}
		}
		if v.walk.Waiting < was {
			rows++
		}
	}
	return nil
}

// room returns how many more pages may be registered now.
func (v *walking) room() int {
	left := v.Site.Follow.Pages - v.walk.Pages
	if left <= 0 && v.walk.Waiting > 0 {
		v.walk.Full = limit{"pages", v.Site.Follow.Pages}.reached("page")
	}
	return min(left, v.MaxOpen-v.walk.Open, v.Report.Room())
}

// wants reports whether a page is to be registered now. A page that is one of many nearly equal ones is left out.
func (v *walking) wants(page *linked, r *walkRow) bool {
	if page.State != linkFound {
		return false
	}
	src, err := v.Rules.ParseURL(page.URL)
	judged, why := v.walk.Bulk.Judge(page.URL)
	switch {
	case err != nil || v.trapped(src.Normalized, why):
		page.State, r.changed, v.acted = linkLeftOut, true, true
		v.walk.Waiting--
		return false
	case judged == discover.Held:
		return false
	}
	v.walk.Bulk.Want(page.URL)
	return true
}

// register registers pages. What it counts as new or known will be read.
func (v *walking) register(ctx context.Context, chunk []at) error {
	if len(chunk) == 0 {
		return nil
	}
	var sources []source.Source
	forms := source.Forms{}
	for _, p := range chunk {
		url := v.rows[p.row].Pages[p.i].URL
		src, _ := v.Rules.ParseURL(url)
		sources = append(sources, src)
		forms.Note(src, url, v.Rules)
		if !v.Dry {
			v.Awaited.Await(src.ID())
		}
	}
	taken, err := v.Report.Register(ctx, sources, forms)
	if err != nil {
		return err
	}
	for i, p := range chunk {
		page := v.rows[p.row].Pages[p.i]
		v.rows[p.row].changed, v.acted = true, true
		v.walk.Waiting--
		if page.State = linkLeftOut; taken[i] {
			page.State = linkRegistered
			v.walk.Open++
			v.walk.Pages++
			v.walk.Deepest = max(v.walk.Deepest, page.Depth)
		} else {
			v.walk.Bulk.Read(page.URL, nil)
			v.left = true
		}
	}
	return nil
}

// advance moves the first row past those in which nothing is left to do.
func (v *walking) advance() {
	for n := v.walk.First; n < v.walk.Rows && v.rows[n] != nil; n++ {
		if slices.ContainsFunc(v.rows[n].Pages, func(p *linked) bool { return p.State <= linkRegistered }) {
			return
		}
		v.walk.First = n + 1
	}
}

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

// limit is a limit of following links.
type limit struct {
	field string // of the site's follow
	is    int
}

// reached says that the limit leaves pages out, and how to raise it.
func (l limit) reached(of string) string {
	what := words.Count(l.is, of)
	if l.field == "depth" {
		what += " from the first page"
	}
	text := "the limit of " + what + " is reached"
	most, _ := form.Of[api.SiteFollow]().Field(l.field)
	if l.is >= most.Max {
		return text + ", and cannot be raised"
	}
	return text + fmt.Sprintf("; to raise it (at most %s), set follow.%s in the site file, or of a site that was added "+
		"with `tidemark sites set --%s` or in the dashboard", words.Thousands(most.Max), l.field, most.Flag)
}
