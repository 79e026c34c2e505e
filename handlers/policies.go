package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/fault"
)

// policies lists those of the active schema.
func (s *server) policies(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	session, err := v.Entries.Active(r.Context())
	if err != nil {
		return 0, nil, err
	}
	found, err := session.Policies(r.Context())
	out := api.Policies{Policies: make([]api.Policy, len(found))}
	for i, p := range found {
		out.Policies[i] = policyJSON(p)
	}
	return http.StatusOK, out, err
}

// savePolicy writes one, whole.
func (s *server) savePolicy(r *http.Request, v *Services) (int, any, error) {
	var req api.Policy
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	key := r.PathValue("key")
	if req.PolicyKey != "" && req.PolicyKey != key {
		return 0, nil, fault.Field("policy_key", "policy_key is %.64q, but the address names %.64q", req.PolicyKey, key)
	}
	session, err := v.Entries.Active(r.Context())
	if err != nil {
		return 0, nil, err
	}
	saved, err := session.SavePolicy(r.Context(), entries.Policy{
		Key: key, Source: req.Source, ContentType: req.ContentType, OnConflict: entries.Action(req.ConflictAction),
		UpdateFields: req.UpdateFields, Enabled: req.Enabled,
	})
	return http.StatusOK, policyJSON(saved), err
}

func policyJSON(p entries.Policy) api.Policy {
	return api.Policy{
		PolicyID: p.ID, PolicyKey: p.Key, Source: p.Source, ContentType: p.ContentType, ConflictAction: string(p.OnConflict),
		UpdateFields: p.UpdateFields, Enabled: p.Enabled,
	}
}
