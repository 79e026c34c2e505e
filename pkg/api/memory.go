package api

import (
	"cmp"
	"fmt"
	"time"
)

// Memory is what is remembered of the parts of a page that move.
type Memory struct {
	Parts []MovingPart `json:"parts"` // those that move most first; empty for a page of which nothing is known to move
}

// MovingPart is a part of a page that has moved several times, or of which a person has decided.
type MovingPart struct {
	ID    string   `json:"id"`
	Text  string   `json:"text"`          // the line in which it stands
	Was   string   `json:"was,omitempty"` // the same before the last move
	Moves []string `json:"moves"`         // what moves: number, time, word, text or order
	// Moved says at how many of the last checks it has moved, and Of how many these were, at most ten.
	Moved int `json:"moved"`
	Of    int `json:"of"`
	// Since is when it first moved, or since when its moves are not told.
	Since time.Time `json:"since,omitzero"`
	Last  time.Time `json:"last,omitzero"` // its last move
	// Silent is true if its moves are not told by default. They are listed as small changes.
	Silent bool `json:"silent"`
	// Decision is what a person has decided: always, never, or forget, which is applied at the next change.
	Decision string `json:"decision,omitempty"`
}

// MemoryRequest decides whether the moves of a part of a page are told.
type MemoryRequest struct {
	Item string `json:"-" path:"id"` // The item.
	ID   string `json:"id"`          // the part
	// always and never overrule what was learnt of the part; forget takes such a decision back or, if there is none, has
	// the part learnt anew
	Do string `json:"do"`
}

// ItemWhy says which rules are for a page, and why differences of the page are not told by default.
type ItemWhy struct {
	Rules  []RuleHere   `json:"rules"`            // first those for this page alone
	Checks *ItemChecks  `json:"checks,omitempty"` // what a rule wants of the checks of the page, and what holds them back
	Ignore []string     `json:"ignore"`           // the rules for lines that do not count, of the item or its tags
	Memory []MovingPart `json:"memory"`           // what is known to move

	Continuation string `json:"continuation,omitempty"` // for the next rules
}

// Words says for people how often the part has moved, and whether that is told. If nobody has decided about a silent
// part, the words go on with since when.
func (p MovingPart) Words() string {
	text := fmt.Sprintf("has moved at %d of %d checks", p.Moved, p.Of)
	switch {
	case p.Decision == "always":
		return text + "; each move is told, as a person has decided"
	case p.Decision == "never":
		return text + "; no move is told, as a person has decided"
	case p.Decision == "forget":
		return text + "; it is learnt anew from the next move on"
	case p.Silent:
		return text + "; its moves are not told"
	}
	return text
}

// Words says for people why a change is small.
func (s Small) Words() string {
	what := cmp.Or(s.What, "a part")
	switch s.Why {
	case "beside":
		return "text elsewhere on the page that says nothing new"
	case "clock":
		return "a clock that shows when the page was read"
	case "index":
		return "whether the page is in the index"
	case "order":
		return "the same lines in another order"
	case "added":
		return "the first reading of a page that somebody has added"
	case "recurs":
		return what + " that has stood there before, and comes and goes"
	}
	return what + " that moves at most checks"
}
