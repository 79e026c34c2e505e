package api

import "time"

// IgnoreRequest creates rules for lines that should not count as changes of an item. Set one of pattern, text and hunk.
type IgnoreRequest struct {
	ID string `json:"-" path:"id"` // The item.
	// Pattern is a regular expression (RE2) for lines.
	Pattern string `json:"pattern,omitempty"`
	// Text is a line from which a rule is made. The rule also matches lines that differ from Text only in numbers. If
	// Was is set, it is the line that Text replaced, and the rule keeps only what both lines have in common.
	Text string `json:"text,omitempty"`
	Was  string `json:"was,omitempty"`
	// Hunk is the number of a hunk, from 1, in the diff between the captures From and To, or in the last change.
	Hunk int    `json:"hunk,omitempty"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	Part string `json:"part,omitempty"` // the part of the page, as in the diff
	// Preview reports which changes the rules would have silenced, without saving the rules.
	Preview bool `json:"preview,omitempty"`
	// Undo removes the rule given as pattern, or the item's last rule.
	Undo bool `json:"undo,omitempty"`
}

// IgnoreResult is the result of an [IgnoreRequest].
type IgnoreResult struct {
	Rules  []string `json:"rules"`  // rules that were created or removed
	Ignore []string `json:"ignore"` // all rules of the item, including those of a preview
	Saved  bool     `json:"saved"`  // false in a preview
	// Changes is the number of changes that were examined: those between the item's last 30 captures. The site is not
	// contacted. Silenced lists the changes that the rules match.
	Changes  int              `json:"changes"`
	Silenced []SilencedChange `json:"silenced,omitempty"`
}

// SilencedChange is a change that the rules match.
type SilencedChange struct {
	At   time.Time `json:"at,omitzero"`
	From string    `json:"from"` // sha256 of the previous capture
	To   string    `json:"to"`   // sha256 of the capture
	// Whole is true when nothing is left of the change, so that no one would have been notified.
	Whole bool            `json:"whole"`
	Lines []IgnoredChange `json:"lines"` // the first ten lines
}
