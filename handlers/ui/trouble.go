package ui

import (
	"context"
	"net/http"
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
	Errors  []api.Item // the first of them
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
		list, err := api.ListItems.Call(ctx, c, api.ItemQuery{Status: api.StatusError, Top: needsShown})
		if err != nil {
			return p, err
		}
		p.Errors = list.Items
		p.Failing = max(p.Failing, len(p.Errors))
	}
	if p.Broken, p.MoreBroken, err = c.BrokenWatches(ctx, "", needsShown); err != nil {
		return p, err
	}
	rules, err := api.ListRules.Call(ctx, c, api.RuleQuery{Cannot: true, Top: needsShown + 1})
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
	n += len(p.Health) + p.Failing + len(p.Broken) + len(p.Rules) + len(p.Channels) + len(p.Failed) + len(p.Runs)
	return n, p.More || p.MoreBroken || p.MoreRules
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

	Held []api.HostStatus // hosts at which many pages went missing at once

	// Positional are selectors of watches that find a row or an entry by its place. MorePositional says that there may
	// be more of them.
	Positional     []aPosition
	MorePositional bool
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
func (a area) attention(r *http.Request) (p page, err error) {
	st, err := a.tally.Counts(r.Context())
	if err != nil {
		return p, err
	}
	d := attentionData{problems: st.found}
	if st.Guarded > 0 {
		d.Held = slices.DeleteFunc(slices.Clone(st.Hosts), func(h api.HostStatus) bool { return h.Guarded == 0 })
		d.Held = d.Held[:min(len(d.Held), needsShown)]
	}
	d.Positional, d.MorePositional, err = a.positional(r.Context())
	return page{Name: "attention", Title: "Needs attention", Data: d}, err
}

// positional finds watches that find a row or an entry by its place. It looks for better selectors of the first ones.
func (a area) positional(ctx context.Context) (out []aPosition, more bool, err error) {
	const most = 5 // better selectors, for each of which captures are read
	list, err := api.ListItems.Call(ctx, a.client, api.ItemQuery{Positional: true, Top: needsShown})
	if err != nil {
		return nil, false, err
	}
	for _, it := range list.Items {
		if it.Watch == nil { // Unreachable: items without a watch are not selected.
			continue
		}
		for _, s := range it.Watch.Include {
			if !selector.IsPositional(s) {
				continue
			}
			p := aPosition{Item: it, Selector: s}
			if len(out) < most {
				trial, err := api.TryWatch.Call(ctx, a.client, api.TryRequest{ID: it.ID, Selector: s})
				if err == nil && len(trial.Offers) > 0 && !trial.Offers[0].ByPosition() {
					p.Better, p.Words = trial.Offers[0].Selector, trial.Offers[0].Says
				}
			}
			out = append(out, p)
		}
	}
	return out, list.Continuation != "", nil
}

const (
	// costly is the duration from which a count is so slow that pages may show the last count again.
	costly = 50 * time.Millisecond
	// recent is the maximum age of a last count that may be shown again.
	recent = time.Minute
	// rest is the shortest pause between two counts, as a multiple of the duration of the last count.
	rest = 20
)

// counts are the numbers of items at all hosts, and the number of problems that a person must solve.
type counts struct {
	api.SearchStatus
	Needs int
	More  bool // whether there are more problems than the number in Needs
	found problems
}

// tally counts items and problems, and keeps the last count. With thousands of hosts, counting
// takes a moment. A person who opens many pages then sees the last count, with its time, while the
// next one is made.
type tally struct {
	client *api.Client
	clock  func() time.Time

	mu       sync.Mutex
	last     counts
	at       time.Time
	took     time.Duration
	counting bool
}

// newTally makes a tally that has counted nothing yet.
func newTally(client *api.Client, clock func() time.Time) *tally {
	return &tally{client: client, clock: clock}
}

// Counts returns a new count. If counting is slow and the last count is recent, Counts returns the
// last count instead.
func (t *tally) Counts(ctx context.Context) (counts, error) {
	t.mu.Lock()
	last, again := t.last, false
	age := t.clock().Sub(t.at)
	known := t.took > costly && age < recent
	if known && !t.counting && age > rest*t.took {
		t.counting, again = true, true
	}
	t.mu.Unlock()
	if again {
		go func() { _, _ = t.count(context.WithoutCancel(ctx)) }() // the next page shows the result
	}
	if known {
		return last, nil
	}
	return t.count(ctx)
}

// forget discards the last count. The next page counts again, because a person who has just changed
// something expects to see the effect.
func (t *tally) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = time.Time{}
}

func (t *tally) count(ctx context.Context) (c counts, err error) {
	began := time.Now()
	if c.SearchStatus, err = api.GetStatus.Call(ctx, t.client, api.StatusQuery{}); err == nil {
		c.found, err = problemsOf(ctx, t.client, c.SearchStatus, t.clock())
		c.Needs, c.More = c.found.Count()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counting = false
	if err == nil {
		t.last, t.at, t.took = c, t.clock(), time.Since(began)
	}
	return c, err
}
