package changes

import (
	"context"

	"github.com/tidemark/tidemark/handlers/ui/status"
	"github.com/tidemark/tidemark/pkg/api"
)

// guided is how many items a store may have whose first page still shows the guide.
const guided = 1000

// guide says what is left to do in the first minutes. It ends with the first rule.
type guide struct {
	Sites   []api.Site // that were added or are being read
	Total   int
	Waiting int // for their first check
	Indexed int
	Failed  int
}

// guideOf is nil when no guide is needed: when there is a rule, or when much is watched.
func (a area) guideOf(ctx context.Context, st status.Counts) (*guide, error) {
	g := &guide{Total: st.Total(), Indexed: st.Items[api.StatusIndexed], Failed: st.Items[api.StatusError],
		Waiting: st.Items[api.StatusPending] + st.Items[api.StatusCrawled]}
	if g.Total > guided {
		return nil, nil
	}
	rules, err := api.ListRules.Call(ctx, a.client, api.None{})
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
