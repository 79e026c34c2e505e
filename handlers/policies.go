package handlers

import (
	"context"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/entries"
)

// policies lists the policies of the active schema.
func (h *entryHandlers) policies(ctx context.Context, _ api.None) (api.Policies, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return api.Policies{}, err
	}
	found, err := session.Policies(ctx)
	return api.Policies{Policies: wire.Each(found, policyJSON)}, err
}

// savePolicy stores a policy in place of the former one.
func (h *entryHandlers) savePolicy(ctx context.Context, p api.Policy) (api.Policy, error) {
	session, err := h.Entries.Active(ctx)
	if err != nil {
		return p, err
	}
	saved, err := session.SavePolicy(ctx, entries.Policy{
		Key: p.PolicyKey, Source: p.Source, ContentType: p.ContentType, OnConflict: entries.Action(p.ConflictAction),
		UpdateFields: p.UpdateFields, Enabled: p.Enabled,
	})
	return policyJSON(saved), err
}

func policyJSON(p entries.Policy) api.Policy {
	return api.Policy{
		PolicyID: p.ID, PolicyKey: p.Key, Source: p.Source, ContentType: p.ContentType, ConflictAction: string(p.OnConflict),
		UpdateFields: p.UpdateFields, Enabled: p.Enabled,
	}
}
