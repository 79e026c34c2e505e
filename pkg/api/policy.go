package api

import (
	"context"
	"net/http"
	"net/url"
)

// Policy is what becomes of an entry whose key stands (seed 001). PolicyID and PolicyKey never change.
type Policy struct {
	PolicyID       string `json:"policy_id,omitempty"`
	PolicyKey      string `json:"policy_key,omitempty"`
	Source         string `json:"source"`
	ContentType    string `json:"content_type"`
	ConflictAction string `json:"conflict_action"` // skip or update
	// UpdateFields are the columns that update may write; null allows all but the immutable ones.
	UpdateFields []string `json:"update_fields"`
	Enabled      bool     `json:"enabled"`
}

// Policies are those of the schema that the test mode says.
type Policies struct {
	Policies []Policy `json:"policies"`
}

// Policies lists the policies of the active schema by key.
func (c *Client) Policies(ctx context.Context) ([]Policy, error) {
	var out Policies
	err := c.call(ctx, http.MethodGet, "policies", nil, nil, &out)
	return out.Policies, err
}

// SavePolicy writes a whole policy, new or not, in the active schema.
func (c *Client) SavePolicy(ctx context.Context, p Policy) (Policy, error) {
	var out Policy
	err := c.call(ctx, http.MethodPut, "policies/"+url.PathEscape(p.PolicyKey), nil, p, &out)
	return out, err
}
