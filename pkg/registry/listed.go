package registry

import "github.com/tidemark/tidemark/pkg/policy/watch"

// Listed is what is known of the entries of a list that is watched. It is zero for other items.
type Listed struct {
	// Key identifies the rule by which the entries are found. Under another rule, a reading tells no entry.
	Key       string     `json:"key"`
	Seen      watch.Seen `json:"seen,omitempty"`
	Now       int        `json:"now,omitempty"`       // entries of the last reading
	More      int        `json:"more,omitempty"`      // further ones that were not read
	Forgotten int        `json:"forgotten,omitempty"` // entries that were seen and are not remembered
	// Refused are the first entries of the last reading with new ones that were not registered, although somebody
	// wants that; RefusedMore is the number of further ones.
	Refused     []Refused `json:"refused,omitempty"`
	RefusedMore int       `json:"refusedMore,omitempty"`
}

// Refused is an entry that was not registered.
type Refused struct {
	URL string `json:"url"`
	Why string `json:"why"`
}
