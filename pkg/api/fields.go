package api

import "time"

// ItemField is a value that is read from a page, because somebody asked for it or because the page declares it.
type ItemField struct {
	// Value is a number for money and numbers, otherwise a text; null if it has disappeared. If the last check could not
	// read a value, this is the last one that was read.
	Value    any    `json:"value"`
	Currency string `json:"currency,omitempty"` // ISO 4217
	Text     string `json:"text,omitempty"`     // the value for people: 79 EUR, from 12.90 EUR per month
	Type     string `json:"type,omitempty"`     // text, number, money, date or availability
	// State is the result of the last check: value, disappeared (the place is on the page, without a value), unread (the
	// text is ambiguous, or is no value of the type) or gone (the place is not on the page any more).
	State string `json:"state"`
	// Why says how an ambiguous text was read, or why there is no value.
	Why      string        `json:"why,omitempty"`
	Asked    bool          `json:"asked,omitempty"` // somebody asked for it; otherwise the page declares it
	At       time.Time     `json:"at,omitzero"`     // the first check that found the value
	Last     string        `json:"last,omitempty"`  // the last value for people, if it has disappeared
	First    *FieldPoint   `json:"first,omitempty"`
	Lowest   *FieldPoint   `json:"lowest,omitempty"`  // of the values that can be compared with each other
	Highest  *FieldPoint   `json:"highest,omitempty"` // likewise
	Entries  int           `json:"entries"`           // number of entries in its history
	Evidence FieldEvidence `json:"evidence"`
}

// UnreadData says what could not be read of the data that a page declares, such as JSON-LD with an error in it.
type UnreadData struct {
	Blocks int    `json:"blocks,omitempty"` // number of blocks; left out if no field of the page could be read
	Why    string `json:"why"`              // of several blocks, why the first could not be read
	Text   string `json:"text,omitempty"`   // the text around the error in the first block
}

// FieldPoint is a value that a field had, and the time of the first check that found it.
type FieldPoint struct {
	Value    any       `json:"value,omitempty"` // left out if it has disappeared
	Currency string    `json:"currency,omitempty"`
	Text     string    `json:"text,omitempty"`
	At       time.Time `json:"at"`
}

// FieldEvidence says where a value was read.
type FieldEvidence struct {
	From    string `json:"from,omitempty"`    // json-ld, microdata, rdfa, opengraph, css or jsonpath
	Path    string `json:"path,omitempty"`    // the place in the source
	Text    string `json:"text,omitempty"`    // the text that was read
	Capture string `json:"capture,omitempty"` // sha256 of the body
}

// FieldQuery returns the history of a field.
type FieldQuery struct {
	ID     string `json:"-" path:"id"`      // The item.
	Name   string `json:"-" path:"name"`    // The field.
	Format string `json:"format,omitempty"` // json (the default) or csv.
	// For json: how many of the newest entries are returned.
	Top int `json:"top,omitempty" default:"1000" min:"1" max:"5001"`
}

// FieldHistory is the history of a field, oldest first.
type FieldHistory struct {
	Name    string       `json:"name"`
	Entries []FieldEntry `json:"entries"`
	Older   int          `json:"older"`   // older entries that are stored, but not returned
	NotKept int          `json:"notKept"` // the oldest entries, which were deleted; the last 5,000 are stored
}

// FieldEntry is a value that a check found, and that differs from the one before it.
type FieldEntry struct {
	FieldPoint
	Capture string `json:"capture,omitempty"` // sha256 of the body
	Why     string `json:"why,omitempty"`
}

// ChangedField is a field whose value has changed.
type ChangedField struct {
	Name     string `json:"name"`
	Path     string `json:"path,omitempty"`     // the place in the source
	Type     string `json:"type,omitempty"`     // text, number, money, date or availability
	Previous any    `json:"previous"`           // null if there was none
	Current  any    `json:"current"`            // null if it has disappeared
	Currency string `json:"currency,omitempty"` // of the current value, or else of the previous one
	Text     string `json:"text,omitempty"`     // for people: 79 → 84 EUR (lowest 72 in May)
	First    bool   `json:"first,omitempty"`    // it was read for the first time
	State    string `json:"state,omitempty"`    // value or disappeared
	Reported bool   `json:"told,omitempty"`     // it is reported: somebody asked for it, or it is a price or an availability
	// Condition is the rule's condition that the change meets, such as "price is below 80 EUR". It is given in messages
	// and in tests of rules, and such a field comes first.
	Condition string `json:"condition,omitempty"`
}
