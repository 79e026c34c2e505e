package ui

import (
	"context"

	"github.com/tidemark/tidemark/pkg/api"
)

// guided is the largest number of items with which the start page still shows the guide.
const guided = 1000

// A guide lists the steps that a new user has not taken yet. The last step is to make a first rule.
type guide struct {
	Sites   []api.Site // sites that were added or are being read
	Total   int
	Waiting int // items that wait for their first check
	Indexed int
	Failed  int
}

// guideOf returns the guide, or nil if none is needed because there is a rule already or there are many items.
func (a changesArea) guideOf(ctx context.Context, st Counts) (*guide, error) {
	g := &guide{Total: st.Total(), Indexed: st.Items[api.StatusIndexed], Failed: st.Items[api.StatusError],
		Waiting: st.Items[api.StatusPending] + st.Items[api.StatusCrawled]}
	if g.Total > guided {
		return nil, nil
	}
	rules, err := api.ListRules.Call(ctx, a.client, api.RuleQuery{})
	if err != nil || len(rules.Rules) > 0 {
		return nil, err
	}
	sites, err := api.ListSites.Call(ctx, a.client, api.None{})
	for _, s := range sites.Sites {
		if s.Look != nil || s.Added {
			g.Sites = append(g.Sites, s)
		}
	}
	if err != nil || g.Total == 0 && len(g.Sites) == 0 {
		return nil, err
	}
	return g, nil
}
