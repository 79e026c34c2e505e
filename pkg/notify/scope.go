package notify

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/letter"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// gathered records a rule's recent deliveries, and the changes that are waiting for its next digest: those changes
// after the position Since, up to the position Final, that the rule matches.
type gathered struct {
	digestState

	Since string         `json:"since,omitempty"`
	Final string         `json:"final,omitempty"`
	Kinds map[string]int `json:"kinds,omitempty"`
	// IDs are the positions of the first changes that a rule for one page has gathered.
	IDs []string `json:"ids,omitempty"`
	// Began is the position after which the rule reports changes, if that is not in the row of the rule. This is the
	// case for a rule from a file, and after an older copy of the store was restored.
	Began string `json:"began,omitempty"`
}

// state is what the rules under a page have gathered. A page has such a row only for some time after a change. That of
// the page "" is always there, and has the position in the feed.
type state struct {
	Position string              `col:"place"` // "" if there were no rules, so that the oldest rule says where to begin
	Rules    map[string]gathered `col:"rules,gzip"`
	Demands  map[string]string   `col:"demands,gzip"` // of the page "": see [pass.applyDemands]
	Due      time.Time           `col:"due"`          // when it is needed next; of the page "": when that of another page is
}

var stateRows = row.Of[state]()

const pageStateAs = "g"

func stateKey(page string) storage.Key {
	if page == "" {
		return storage.Key{Partition: partition, Row: "state"}
	}
	return storage.Key{Partition: partition, Row: pageStateAs + page}
}

func (s *base) loadState(ctx context.Context, page string) (state, storage.ETag, error) {
	st, etag, err := stateRows.Load(ctx, s.rows, stateKey(page))
	if st.Rules == nil {
		st.Rules = map[string]gathered{}
	}
	return st, etag, err
}

// current returns what the rule has gathered, without what it has forgotten because it was switched off meanwhile, and
// sets the position after which it reports changes.
func (r *rule) current(g gathered) gathered {
	if began, err := feed.ParsePosition(g.Began); err == nil {
		r.since = began
	}
	if last, _ := feed.ParsePosition(g.Final); r.Off || g.Gathered > 0 && !last.After(r.since) {
		return gathered{Began: g.Began}
	}
	return g
}

// due returns when what the rule has gathered is needed next: for its digest, or to be removed.
func (r *rule) due(g gathered, now time.Time) time.Time {
	switch recent := len(g.Singles); {
	case g.Gathered > 0 && r.Problem != "":
		return now.Add(time.Hour)
	case g.Gathered > 0:
		return r.plan.Due(g.digestState)
	case recent > 0:
		return g.Singles[recent-1].Add(calm)
	}
	return now
}

// scope is the rules under a page that are switched on, and their state, within a step.
type scope struct {
	state

	rules   []rule
	etag    storage.ETag
	changed bool
}

// scope reads the rules under a page, and then their state, once in a step. What was gathered by rules that are gone,
// or were switched off, is left out.
func (p *pass) scope(ctx context.Context, page string) (*scope, error) {
	if sc := p.scopes[page]; sc != nil {
		return sc, nil
	}
	sc := &scope{}
	all, err := p.s.book.under(ctx, page)
	if err == nil && (len(all) > 0 || page == "") {
		sc.state, sc.etag, err = p.s.loadState(ctx, page)
	}
	sc.rules = slices.DeleteFunc(all, func(r rule) bool { return r.Off })
	kept := map[string]gathered{}
	for i := range sc.rules {
		r := &sc.rules[i]
		if g, known := sc.Rules[r.ID]; known {
			kept[r.ID] = r.current(g)
		}
	}
	sc.Rules, p.scopes[page] = kept, sc
	return sc, err
}

// keep records what a rule has gathered.
func (p *pass) keep(r *rule, g gathered) {
	sc := p.scopes[r.page]
	sc.Rules[r.ID] = g
	sc.changed, p.changed = true, true
}

// wake makes sure that a step at that time, or a later one, reads the states of pages.
func (p *pass) wake(at time.Time) {
	if p.rest.Due.IsZero() || at.Before(p.rest.Due) {
		p.rest.Due, p.changed = at, true
	}
}

// stateOps returns the operations on states. A page whose rules need their state no more loses its row.
func (p *pass) stateOps() (ops []storage.Op) {
	for page, sc := range p.scopes {
		if page == "" || !sc.changed {
			continue
		}
		sc.Due = time.Time{}
		for i := range sc.rules {
			r := &sc.rules[i]
			g, known := sc.Rules[r.ID]
			switch at := r.due(g, p.now); {
			case !known:
			case g.Gathered == 0 && !p.now.Before(at):
				delete(sc.Rules, r.ID)
			case sc.Due.IsZero() || at.Before(sc.Due):
				sc.Due = at
			}
		}
		switch {
		case len(sc.Rules) > 0:
			ops = append(ops, stateRows.Put(stateKey(page), sc.etag, &sc.state))
			p.wake(sc.Due)
		case sc.etag != "":
			ops = append(ops, storage.Op{Kind: storage.Delete,
				Entity: storage.Entity{Key: stateKey(page), ETag: sc.etag}})
		}
	}
	return append(ops, stateRows.Put(stateKey(""), p.rest.etag, &p.rest.state))
}

// digests writes the digests that are due. It reports whether some did not fit into the transaction. It reads the
// states of pages only when one of them is due. Before the step has reached the end of the feed, digests writes only
// those that cannot wait, so that the changes of a burst share a digest.
func (p *pass) digests(ctx context.Context, atEnd bool) (full bool, err error) {
	if full, err = p.digestsOf(ctx, p.rest, atEnd); err != nil || p.rest.Due.IsZero() || p.now.Before(p.rest.Due) {
		return full, err
	}
	p.rest.Due, p.changed = time.Time{}, true
	query := storage.Query{Partition: partition, RowFrom: pageStateAs, RowTo: pageStateAs + "~",
		Select: []string{"due"}}
	for e, err := range p.s.rows.Query(ctx, query) {
		if err != nil {
			return false, err
		}
		st, _ := stateRows.Decode(e.Props)
		if p.now.Before(st.Due) {
			p.wake(st.Due)
			continue
		}
		if p.room() < 1 {
			p.wake(p.now)
			return true, nil
		}
		sc, err := p.scope(ctx, e.Row[len(pageStateAs):])
		if err != nil {
			return false, err
		}
		sc.etag, sc.changed = e.ETag, true
		more, err := p.digestsOf(ctx, sc, atEnd)
		if full = full || more; err != nil {
			return false, err
		}
	}
	return full, nil
}

// digestsOf writes the digests of a scope that are due.
func (p *pass) digestsOf(ctx context.Context, sc *scope, atEnd bool) (full bool, err error) {
	for i := range sc.rules {
		r := &sc.rules[i]
		g := sc.Rules[r.ID]
		if r.Problem != "" || !r.plan.ready(g.digestState, p.now) || !atEnd && p.now.Sub(g.First) < patience {
			continue
		}
		tooMany, err := p.room() < len(r.Channels), error(nil)
		if !tooMany {
			tooMany, err = p.write(ctx, r, g)
		}
		if err != nil {
			return full, err
		}
		if full = full || tooMany; !tooMany {
			p.keep(r, gathered{Began: g.Began})
		}
	}
	return full, nil
}

// gatheredChanges yields the changes of a digest: those of a rule for one page by their positions, and those of any
// other rule from the feed.
func (s *Follower) gatheredChanges(ctx context.Context, g gathered, yield func(feed.Change, error) bool) {
	if len(g.IDs) == 0 {
		from, _ := feed.ParsePosition(g.Since)
		s.feed.Oldest(ctx, from)(yield)
		return
	}
	for _, id := range g.IDs {
		c, err := s.feed.At(ctx, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if !yield(c, err) {
			return
		}
	}
}

// inDigest is the number of changes that a digest lists.
const inDigest = 20

// partsOf returns the lines of a message as its parts, with links to them.
func partsOf(lines api.ChangeLines, to func(api.FeedChange) letter.Links) (out []letter.Part) {
	for _, line := range lines.All {
		p := letter.Part{Change: line.Changes[0], Count: line.Count, Links: to(line.Changes[0])}
		if p.Count > 1 {
			p.Pages, p.Links.Mute = line.Changes, "" // a mute is of one page
		}
		out = append(out, p)
	}
	return out
}

// maxAlike is the number of bytes of the addresses of equal changes in a digest.
const maxAlike = 64 << 10

// alikeJSON returns the lines of several equal changes in the API's form.
func alikeJSON(l api.ChangeLines) (out []api.AlikeChanges) {
	left := maxAlike
	for _, line := range l.All {
		if line.Count == 1 {
			continue
		}
		first := line.Changes[0]
		a := api.AlikeChanges{Host: first.Host, Kind: first.Kind, Count: line.Count, Passages: first.Passages,
			URLs: []string{}}
		for _, c := range line.Changes {
			if left -= len(c.URL); left < 0 {
				break
			}
			a.URLs = append(a.URLs, c.URL)
		}
		out = append(out, a)
	}
	return out
}

// listed reads the changes that a digest lists, and its lines, in which equal changes are gathered. Changes that were
// purged are left out, and so are those of pages that are muted now. Of the latter, it counts by kind those that the
// rule has counted.
func (s *Follower) listed(ctx context.Context, r *rule, g gathered, muted muteSet) (out []api.FeedChange,
	lines api.ChangeLines, kinds map[string]int, err error) {
	out, kinds = []api.FeedChange{}, map[string]int{}
	to, _ := feed.ParsePosition(g.Final)
	looked, left := 0, maxEffort
	all := func(yield func(feed.Change, error) bool) { s.gatheredChanges(ctx, g, yield) }
	for c, err := range all {
		if fault.Is(err, fault.Expired) {
			return out, lines, kinds, nil
		}
		if err != nil {
			return nil, lines, nil, err
		}
		if looked++; c.Position.After(to) || len(lines.All) == inDigest && !lines.MayGrow() || looked > maxExamined {
			break
		}
		if c, err = withDifference(ctx, s.feed, c, *r); err != nil {
			return nil, lines, nil, err
		}
		met, err := r.wants(ctx, c, &left)
		if errors.Is(err, errSpent) {
			break // the counts of the digest cover all changes
		}
		if err != nil {
			return nil, lines, nil, err
		}
		switch {
		case !met || !c.Position.After(r.since) || hidden(muted, r, c):
		case muted.cover(c.ItemID, r.ID, s.now()):
			kinds[string(c.Kind)]++
		default:
			shown := r.shown(c)
			if lines.Add(shown, inDigest); len(out) < inDigest {
				out = append(out, shown)
			}
		}
	}
	return out, lines, kinds, nil
}
