package status

import (
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// attentionData lists the problems that a person must solve.
type attentionData struct {
	Errors  []api.Item       // the first of the items that cannot be checked
	Failing int              // the number of all items that cannot be checked
	Broken  []api.Item       // items whose watch is broken
	Held    []api.HostStatus // hosts at which many pages went missing at once
	Rules   []api.Rule       // rules that report nothing because they are broken
	Failed  []api.Delivery   // messages that could not be delivered
	NoHome  bool             // whether messages have no links, because nobody has confirmed an address
	More    bool             // whether there are more failed messages than Failed has
}

// Nothing reports whether there are no problems.
func (d attentionData) Nothing() bool {
	return d.Failing+len(d.Broken)+len(d.Held)+len(d.Rules)+len(d.Failed) == 0 && !d.NoHome
}

// attention lists the problems that a person must solve, and how to solve each.
func (a area) attention(r *http.Request) (p frame.Page, err error) {
	ctx := r.Context()
	st, err := a.tally.Counts(ctx)
	if err != nil {
		return p, err
	}
	d := attentionData{Failing: st.Items[api.StatusError]}
	if d.Failing > 0 {
		list, err := api.ListItems.Call(ctx, a.client, api.ItemQuery{Status: api.StatusError, Top: needsShown})
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
	if d.Broken, err = a.client.BrokenWatches(ctx, needsShown); err != nil {
		return p, err
	}
	if d.Rules, err = brokenRules(ctx, a.client); err != nil {
		return p, err
	}
	if d.NoHome, err = noAddress(ctx, a.client); err != nil {
		return p, err
	}
	failed, err := failedDeliveries(ctx, a.client)
	d.Failed, d.More = failed.Deliveries, failed.Continuation != ""
	return frame.Page{Name: "attention", Title: "Needs attention", Data: d}, err
}
