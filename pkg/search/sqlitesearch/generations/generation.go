// Package generations changes the model of an index, or how its words are analysed, without an outage. A second
// generation of the index is built beside the one that answers, by following its writes. When it holds the same pages,
// it takes over, and the former one is kept right for a day, so that the change can be taken back.
//
// Every generation is a file of package sqlitesearch. Their writes have the same numbers, so a follower of the index
// keeps its cursor when another generation takes over.
package generations

import "time"

// State is what a generation is for.
type State string

// The states. At most one generation is beside the current one.
const (
	Building State = "building" // lacks pages
	Whole    State = "whole"    // holds the same as the current one, and waits for a person
	Current  State = "current"  // answers
	Previous State = "previous" // answered before, and is kept right for [Kept]
)

// Kept is how long a previous generation is kept.
const Kept = 24 * time.Hour

// Generation describes a generation for people.
type Generation struct {
	ID    string    `json:"id"`
	File  string    `json:"file"` // in the folder of the index
	State State     `json:"state"`
	Model string    `json:"model,omitempty"` // of the vectors; "" for none
	Words int       `json:"words"`           // [sqlitesearch.Words] of the program that began it
	Why   string    `json:"why"`             // why it was begun
	By    string    `json:"by"`              // [BySettings] or [ByPerson]
	Begun time.Time `json:"begun,omitzero"`
	// Switched is when it came to be current, or ceased to be.
	Switched time.Time `json:"switched,omitzero"`

	Done  int64     `json:"-"` // writes of the current generation that it holds
	Of    int64     `json:"-"`
	Until time.Time `json:"-"` // forecast of the end of building; zero if not known
	// Tokens and Bytes are forecasts of the tokens that the model will be asked for, and of the bytes on disk.
	Tokens, Bytes int64  `json:"-"`
	Trouble       string `json:"-"` // why building does not go on; "" if it does
}

// Who begins generations.
const (
	BySettings = "settings" // takes over by itself when it is whole
	ByPerson   = "person"   // takes over when a person says so
)

// Compared are the pages that two generations find for a question, the best first.
type Compared struct {
	Query         string
	Current, This []string
}
