package api

import "time"

// IgnoreRequest makes rules of lines that are not to count as changes of an item. Give pattern, or text, or hunk.
type IgnoreRequest struct {
	ID string `json:"-" path:"id"` // The item.
	// Pattern is a regular expression (RE2) of lines, as it is kept.
	Pattern string `json:"pattern,omitempty"`
	// Text is a line, of which a rule is made in which any number may stand for each of its numbers; Was is the line
	// that it took the place of, of which the rule then keeps what both have in common.
	Text string `json:"text,omitempty"`
	Was  string `json:"was,omitempty"`
	// Hunk is the number of a hunk, from 1, of what differs between the captures From and To, or of the last change.
	Hunk int    `json:"hunk,omitempty"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	Part string `json:"part,omitempty"` // as in the diff
	// Preview says what the rules would have silenced, and keeps nothing.
	Preview bool `json:"preview,omitempty"`
	// Undo removes the rule that is given as pattern, or the last of the item.
	Undo bool `json:"undo,omitempty"`
}

// IgnoreResult is what an [IgnoreRequest] came to.
type IgnoreResult struct {
	Rules  []string `json:"rules"`  // that were made, or removed
	Ignore []string `json:"ignore"` // all that hold for the item, with those of a preview
	Saved  bool     `json:"saved"`  // not in a preview
	// Changes is how many changes between the last 30 captures were looked at, without asking the site, and Silenced
	// what the rules find in them.
	Changes  int              `json:"changes"`
	Silenced []SilencedChange `json:"silenced,omitempty"`
}

// SilencedChange is a change in which rules find something.
type SilencedChange struct {
	At   time.Time `json:"at,omitzero"`
	From string    `json:"from"` // sha256 of the capture before
	To   string    `json:"to"`   // sha256 of the capture
	// Whole says that nothing is left of the change, so that nobody would have been told.
	Whole bool            `json:"whole"`
	Lines []IgnoredChange `json:"lines"` // the first ten
}
