package api

// Policy is what becomes of an entry whose key stands (spec 001). PolicyID and PolicyKey never change.
type Policy struct {
	PolicyID       string `json:"policy_id,omitempty"`
	PolicyKey      string `json:"policy_key,omitempty" path:"key"` // The policy.
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
