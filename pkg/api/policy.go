package api

// Policy decides what happens to an entry whose key already exists (spec 001). PolicyID and PolicyKey never change.
type Policy struct {
	PolicyID       string `json:"policy_id,omitempty"`
	PolicyKey      string `json:"policy_key,omitempty" path:"key"` // The policy.
	Source         string `json:"source"`
	ContentType    string `json:"content_type"`
	ConflictAction string `json:"conflict_action"` // skip or update
	// UpdateFields are the columns that an update may write; null allows all columns except the immutable ones.
	UpdateFields []string `json:"update_fields"`
	Enabled      bool     `json:"enabled"`
}

// Policies lists the policies of the schema selected by the test mode.
type Policies struct {
	Policies []Policy `json:"policies"`
}
