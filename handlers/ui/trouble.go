package ui

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// needsShown limits the number of problems of each kind that are listed.
const needsShown = 20

// problems are what a person must solve.
type problems struct {
	Health  []string   // what keeps the app from working well: the disk, the store, the index
	Failing int        // the number of all items that cannot be checked
	Errors  []failure  // the first of them
	Broken  []api.Item // items whose watch is broken

	MoreBroken bool              // whether there may be more broken watches
	Rules      []api.Rule        // rules that are broken, or can fire on none of their pages
	MoreRules  bool              // whether there are more of them
	Channels   []api.Channel     // channels whose receivers fail, or that cannot send
	Failed     []api.Delivery    // messages that could not be delivered
	More       bool              // whether there are more failed messages than Failed has
	NoHome     bool              // whether messages have no links, because nobody has confirmed an address
	Runs       []api.BackfillRun // runs that have failed
}

// problemsOf finds the problems.
func problemsOf(ctx context.Context, c *api.Client, st api.SearchStatus, now time.Time) (p problems, err error) {
	p.Failing = st.Items[api.StatusError]
	p.Health = ailments(ctx, c)
	if p.Failing > 0 {
		if p.Errors, err = failuresOf(ctx, c, st.Hosts); err != nil {
			return p, err
		}
		p.Failing = max(p.Failing, len(p.Errors))
	}
	if p.Broken, p.MoreBroken, err = c.BrokenWatches(ctx, "", needsShown); err != nil {
		return p, err
	}
	rules, err := api.ListRules.Call(ctx, c, api.RuleQuery{Cannot: true, Brief: true, Top: needsShown + 1})
	if err != nil {
		return p, err
	}
	p.Rules, p.MoreRules = rules.Rules[:min(len(rules.Rules), needsShown)], len(rules.Rules) > needsShown
	if p.Channels, p.NoHome, err = failingChannels(ctx, c, now); err != nil {
		return p, err
	}
	failed, err := api.ListDeliveries.Call(ctx, c, api.DeliveryQuery{State: "failed", Top: needsShown})
	if err != nil {
		return p, err
	}
	p.Failed, p.More = failed.Deliveries, failed.Continuation != ""
	runs, err := api.ListBackfills.Call(ctx, c, api.BackfillQuery{})
	p.Runs = slices.DeleteFunc(runs.Runs, func(r api.BackfillRun) bool { return r.Status != api.BackfillFailed })
	return p, err
}

// Count returns the number of problems. The result more is true if there are more.
func (p problems) Count() (n int, more bool) {
	if p.NoHome {
		n = 1
	}
	for _, f := range p.Errors {
		n -= max(f.Pages-1, 0)
	}
	n += len(p.Health) + p.Failing + len(p.Broken) + len(p.Rules) + len(p.Channels) + len(p.Failed) + len(p.Runs)
	return n, p.More || p.MoreBroken || p.MoreRules
}

// MoreFailing reports whether more pages cannot be read than Errors has.
func (p problems) MoreFailing() bool {
	n := p.Failing
	for _, f := range p.Errors {
		n -= max(f.Pages, 1)
	}
	return n > 0
}

// A failure is a page that cannot be read, or a host that cannot be reached, with one of its pages.
type failure struct {
	api.Item
	Pages int // how many pages of the host cannot be read; 0 for a page alone
}

// failuresOf lists what cannot be read. The pages of a host that cannot be reached are one failure, and other hosts
// have their place beside it.
func failuresOf(ctx context.Context, c *api.Client, hosts []api.HostStatus) (out []failure, err error) {
	list, err := api.ListItems.Call(ctx, c, api.ItemQuery{Status: api.StatusError, Top: needsShown})
	seen := map[string]bool{}
	for asked := 0; err == nil; asked++ {
		for _, it := range list.Items {
			seen[it.SourceHost] = true
		}
		all := byHost(list.Items, hosts)
		out = append(out, all...)
		if len(all) == len(list.Items) || len(out) >= needsShown || asked == needsShown {
			break
		}
		i := slices.IndexFunc(hosts, func(h api.HostStatus) bool { return h.Items[api.StatusError] > 0 && !seen[h.Host] })
		if i < 0 {
			break
		}
		seen[hosts[i].Host] = true
		q := api.ItemQuery{Host: hosts[i].Host, Status: api.StatusError, Top: needsShown}
		list, err = api.ListItems.Call(ctx, c, q)
	}
	return out[:min(len(out), needsShown)], err
}

// byHost makes one failure of several pages that fail because their host cannot be reached.
func byHost(items []api.Item, hosts []api.HostStatus) (out []failure) {
	at, dead := map[string]int{}, map[string]bool{}
	for _, h := range hosts {
		dead[h.Host] = h.Unreachable != nil
	}
	for _, it := range items {
		i, known := at[it.SourceHost]
		switch {
		case !dead[it.SourceHost]:
			out = append(out, failure{Item: it})
		case known:
			out[i].Pages = max(out[i].Pages, 1) + 1
		default:
			at[it.SourceHost] = len(out)
			out = append(out, failure{Item: it})
		}
	}
	for _, h := range hosts {
		if i, known := at[h.Host]; known && out[i].Pages > 0 {
			out[i].Pages = max(out[i].Pages, h.Items[api.StatusError])
		}
	}
	return out
}

// ailments returns what the app's report of its health complains of, or the error that prevented the report.
func ailments(ctx context.Context, c *api.Client) (out []string) {
	h, err := api.GetHealth.Call(ctx, c, api.None{})
	if err != nil {
		return []string{err.Error()}
	}
	for _, part := range []struct{ name, state string }{{"the store", h.Storage}, {"the index", h.Index}} {
		if part.state != "" && part.state != api.HealthOK {
			out = append(out, part.name+": "+part.state)
		}
	}
	return append(out, h.Warnings...)
}

// failingChannels returns the channels that cannot send, or whose receivers fail. The result
// homeless is true if there are channels, but no address to which their messages lead.
func failingChannels(ctx context.Context, c *api.Client, now time.Time) (failing []api.Channel, homeless bool,
	err error) {
	all, err := api.ListChannels.Call(ctx, c, api.None{})
	if err != nil || len(all.Channels) == 0 {
		return nil, false, err
	}
	at, err := api.GetPublicAddress.Call(ctx, c, api.None{})
	works := func(ch api.Channel) bool { return ch.Problem == "" && !ch.RestsUntil.After(now) }
	return slices.DeleteFunc(all.Channels, works), at.URL == "", err
}

// attentionData lists the problems that a person must solve.
type attentionData struct {
	problems
	positions

	Held    []api.HostStatus // hosts at which many pages went missing at once
	Looking bool             // whether the positions are still looked for
}

// positions are selectors of watches that find a row or an entry by its place.
type positions struct {
	Positional     []aPosition
	MorePositional bool // whether there are more of them
}

// aPosition is a selector that finds a row or an entry by its place, and a better one.
type aPosition struct {
	Item     api.Item
	Selector string
	Better   string // empty if there is none, or if it was not looked for
	Words    string // by what the better one finds it
}

// Nothing reports whether there are no problems.
func (d attentionData) Nothing() bool {
	n, _ := d.Count()
	return n+len(d.Held)+len(d.Positional) == 0
}

// attention lists the problems that a person must solve, and how to solve each.
func (v *visit) attention() page {
	st := v.counts()
	d := attentionData{problems: st.found}
	if st.Guarded > 0 {
		d.Held = slices.DeleteFunc(slices.Clone(st.Hosts), func(h api.HostStatus) bool { return h.Guarded == 0 })
		d.Held = d.Held[:min(len(d.Held), needsShown)]
	}
	found, known, err := v.positions.get(v.Context(), costly)
	v.fail(err)
	d.positions, d.Looking = found, !known
	return page{Name: "attention", Title: "Needs attention", Data: d}
}

// newPositions keeps the positions. To find them, every item is read, so that it is done rarely and no page waits long.
func newPositions(client *api.Client, clock func() time.Time) *latest[positions] {
	find := func(ctx context.Context) (positions, error) { return positional(ctx, client) }
	return &latest[positions]{find: find, clock: clock, keep: 24 * time.Hour, pause: 10 * time.Minute,
		patience: 300 * time.Millisecond}
}

// positional finds watches that find a row or an entry by its place. It looks for better selectors of the first ones.
func positional(ctx context.Context, c *api.Client) (out positions, err error) {
	const most = 5 // better selectors, for each of which captures are read
	for list, err := range c.Pages(ctx, api.ItemQuery{Positional: true, Top: needsShown}) {
		if err != nil {
			return out, err
		}
		for _, it := range list.Items {
			if it.Watch == nil { // Unreachable: items without a watch are not selected.
				continue
			}
			for _, s := range slices.DeleteFunc(slices.Clone(it.Watch.Include), isNamed) {
				p := aPosition{Item: it, Selector: s}
				if len(out.Positional) < most {
					p.improve(ctx, c)
				}
				out.Positional = append(out.Positional, p)
			}
		}
		if out.MorePositional = list.Continuation != ""; len(out.Positional) >= needsShown {
			break
		}
	}
	return out, nil
}

func isNamed(s string) bool { return !selector.IsPositional(s) }

// improve looks for a better selector in what the page holds at present.
func (p *aPosition) improve(ctx context.Context, c *api.Client) {
	trial, err := api.TryWatch.Call(ctx, c, api.TryRequest{ID: p.Item.ID, Selector: p.Selector})
	if err == nil && len(trial.Offers) > 0 && !trial.Offers[0].ByPosition() {
		p.Better, p.Words = trial.Offers[0].Selector, trial.Offers[0].Says
	}
}

// failuresData lists the pages that began to fail, by site and hour.
type failuresData struct {
	api.FailureQuery
	Failures []api.Failure
	Next     string // the continuation
}

// failures lists what began to fail, also what has recovered since.
func (v *visit) failures() page {
	q := v.URL.Query()
	d := failuresData{FailureQuery: api.FailureQuery{Host: q.Get("host"), Kind: q.Get("kind"), Since: q.Get("since"),
		Continuation: q.Get("after"), Top: 100}}
	list := ask(v, api.ListFailures, d.FailureQuery)
	d.Failures, d.Next = list.Failures, list.Continuation
	return page{Name: "failures", Title: "Failures", Data: d}
}

const (
	// costly is the duration from which a count is so slow that pages may show the last count again.
	costly = 50 * time.Millisecond
	// recent is the maximum age of a last count that may be shown again.
	recent = time.Minute
	// rest is the shortest pause between two searches, as a multiple of the duration of the last one.
	rest = 20
)

// counts are the numbers of items at all hosts, and the number of problems that a person must solve.
type counts struct {
	api.SearchStatus
	Needs int
	More  bool // whether there are more problems than the number in Needs
	found problems
}

// latest keeps the result of what takes a moment to find. A person who opens many pages then sees the last result while
// the next one is made.
type latest[T any] struct {
	find  func(context.Context) (T, error)
	clock func() time.Time
	// keep is how long a result may be shown again. The next one is looked for after a pause, and after a multiple of the
	// time that the last one took.
	keep, pause time.Duration
	// patience is how long a page waits for a result; 0 if no page can do without one.
	patience time.Duration

	mu   sync.Mutex
	last T
	at   time.Time
	took time.Duration
	busy *finding[T] // nil if nothing is looked for at present
}

// finding is the search for a result. The result can be read when done is closed.
type finding[T any] struct {
	done chan struct{}
	got  T
	err  error
}

// get returns a new result, or the last one if that is recent and took longer than a duration. If a page need not wait
// any longer, get returns the last result, which may be empty, and known is false.
func (l *latest[T]) get(ctx context.Context, longer time.Duration) (got T, known bool, err error) {
	l.mu.Lock()
	age := l.clock().Sub(l.at)
	known = l.took > longer && age < l.keep
	begins := l.busy == nil && (!known || age > max(l.pause, rest*l.took))
	if begins {
		l.busy = &finding[T]{done: make(chan struct{})}
		go l.search(context.WithoutCancel(ctx), l.busy)
	}
	got, busy := l.last, l.busy
	l.mu.Unlock()
	if known {
		return got, true, nil
	}
	var late <-chan time.Time
	switch {
	case l.patience > 0 && begins:
		late = time.After(l.patience)
	case l.patience > 0:
		late = time.After(l.patience / 30) // the page that began it has waited
	}
	select {
	case <-busy.done:
		return busy.got, true, busy.err
	case <-late:
		return got, false, nil
	case <-ctx.Done():
		return got, false, ctx.Err()
	}
}

// search looks for a result, and keeps it unless it was forgotten meanwhile.
func (l *latest[T]) search(ctx context.Context, f *finding[T]) {
	began := time.Now()
	f.got, f.err = l.find(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	close(f.done)
	if l.busy != f {
		return
	}
	if l.busy = nil; f.err == nil {
		l.last, l.at, l.took = f.got, l.clock(), time.Since(began)
	}
}

// forget discards the last result. The next page looks again, because a person who has just changed something expects
// to see the effect.
func (l *latest[T]) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.busy = time.Time{}, nil
}

// tally counts items and problems, and keeps the last count: with thousands of hosts, counting takes a moment.
type tally struct{ latest[counts] }

// newTally makes a tally that has counted nothing yet.
func newTally(client *api.Client, clock func() time.Time) *tally {
	count := func(ctx context.Context) (c counts, err error) {
		if c.SearchStatus, err = api.GetStatus.Call(ctx, client, api.StatusQuery{}); err == nil {
			c.found, err = problemsOf(ctx, client, c.SearchStatus, clock())
			c.Needs, c.More = c.found.Count()
		}
		return c, err
	}
	return &tally{latest[counts]{find: count, clock: clock, keep: recent}}
}

// Counts returns a new count. If counting is slow and the last count is recent, Counts returns the
// last count instead.
func (t *tally) Counts(ctx context.Context) (c counts, err error) {
	c, _, err = t.get(ctx, costly)
	return c, err
}

// Lately returns the last count if it is recent, for pages on which it only stands beside something else.
func (t *tally) Lately(ctx context.Context) (c counts, err error) {
	c, _, err = t.get(ctx, 0)
	return c, err
}
