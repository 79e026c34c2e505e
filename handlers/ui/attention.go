package ui

import (
	"context"
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
)

// needsShown is how many of each kind of trouble are listed.
const needsShown = 20

// attentionData is what needs a person.
type attentionData struct {
	Errors  []api.Item       // the first of them
	Failing int              // how many there are
	Broken  []api.Item       // whose watch is
	Held    []api.HostStatus // many of whose pages are missing at once
	Failed  []api.Delivery
	More    bool // of the deliveries
}

// Nothing reports whether all is well.
func (d attentionData) Nothing() bool { return d.Failing+len(d.Broken)+len(d.Held)+len(d.Failed) == 0 }

// attention lists what needs a person, and what to do about it.
func attention(o Options, r *http.Request) (p page, err error) {
	ctx := r.Context()
	st, err := o.status(ctx)
	if err != nil {
		return p, err
	}
	d := attentionData{Failing: st.Items[api.StatusError]}
	if d.Failing > 0 {
		list, err := api.ListItems.Call(ctx, o.Client, api.ItemQuery{Status: api.StatusError, Top: needsShown})
		if err != nil {
			return p, err
		}
		d.Errors = list.Items
		d.Failing = max(d.Failing, len(d.Errors))
	}
	if st.Guarded > 0 {
		d.Held = slices.DeleteFunc(slices.Clone(st.Hosts), func(h api.HostStatus) bool { return h.Guarded == 0 })
		d.Held = d.Held[:min(len(d.Held), needsShown)]
	}
	if d.Broken, err = brokenWatches(o, ctx); err != nil {
		return p, err
	}
	failed, err := failedDeliveries(o, ctx)
	d.Failed, d.More = failed.Deliveries, failed.Continuation != ""
	return page{name: "attention", title: "Needs attention", data: d}, err
}

// needsOf counts what needs a person; more says that it is more than that.
func needsOf(o Options, ctx context.Context, st api.SearchStatus) (n int, more bool, err error) {
	broken, err := brokenWatches(o, ctx)
	if err != nil {
		return 0, false, err
	}
	failed, err := failedDeliveries(o, ctx)
	n = st.Items[api.StatusError] + len(broken) + len(failed.Deliveries)
	return n, failed.Continuation != "" || len(broken) == needsShown, err
}

// brokenWatches are the items whose watch has broken lately and is broken still.
func brokenWatches(o Options, ctx context.Context) (out []api.Item, err error) {
	told, err := api.ListChanges.Call(ctx, o.Client, api.ChangeQuery{Kind: string(api.ChangeWatchBroken), Top: needsShown})
	seen := map[string]bool{}
	for _, c := range told.Changes {
		if seen[c.ItemID] {
			continue
		}
		seen[c.ItemID] = true
		it, err := api.GetItem.Call(ctx, o.Client, api.ItemID{ID: c.ItemID})
		if err == nil && it.WatchBroken { // else it is removed, or well again
			out = append(out, it.Item)
		}
	}
	return out, err
}

func failedDeliveries(o Options, ctx context.Context) (api.DeliveryPage, error) {
	return api.ListDeliveries.Call(ctx, o.Client, api.DeliveryQuery{State: "failed", Top: needsShown})
}
