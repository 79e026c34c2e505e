package status

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
)

// needsShown limits the number of problems of each kind that are listed.
const needsShown = 20

// troubles counts the problems that a person must solve. The result more is true if n does not count all of them.
func troubles(ctx context.Context, c *api.Client, st api.SearchStatus) (n int, more bool, err error) {
	broken, err := c.BrokenWatches(ctx, needsShown)
	if err != nil {
		return 0, false, err
	}
	rules, err := brokenRules(ctx, c)
	if err != nil {
		return 0, false, err
	}
	homeless, err := noAddress(ctx, c)
	if err != nil {
		return 0, false, err
	}
	failed, err := failedDeliveries(ctx, c)
	if homeless {
		n = 1
	}
	n += st.Items[api.StatusError] + len(broken) + len(rules) + len(failed.Deliveries)
	return n, failed.Continuation != "" || len(broken) == needsShown, err
}

// brokenRules returns the rules that report nothing because they are broken.
func brokenRules(ctx context.Context, c *api.Client) ([]api.Rule, error) {
	all, err := api.ListRules.Call(ctx, c, api.RuleQuery{})
	return slices.DeleteFunc(all.Rules, func(r api.Rule) bool { return r.Problem == "" }), err
}

// noAddress reports whether there are channels, but no address to which their messages lead.
func noAddress(ctx context.Context, c *api.Client) (bool, error) {
	all, err := api.ListChannels.Call(ctx, c, api.None{})
	if err != nil || len(all.Channels) == 0 {
		return false, err
	}
	at, err := api.GetPublicAddress.Call(ctx, c, api.None{})
	return at.URL == "", err
}

func failedDeliveries(ctx context.Context, c *api.Client) (api.DeliveryPage, error) {
	return api.ListDeliveries.Call(ctx, c, api.DeliveryQuery{State: "failed", Top: needsShown})
}
