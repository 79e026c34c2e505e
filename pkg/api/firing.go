package api

import "time"

// CannotFire says why a rule cannot fire on a page, and what to do about it.
type CannotFire struct {
	Item   string `json:"item,omitempty"`  // left out if it is so for whatever page
	Title  string `json:"title,omitempty"` // the page's title, or its address
	Why    string `json:"why"`
	Remedy string `json:"remedy"`
}

// HeldCondition is a page on which the condition of a rule holds already.
type HeldCondition struct {
	Item  string `json:"item"`
	Title string `json:"title,omitempty"` // the page's title, or its address
	Value string `json:"value"`           // the present value, such as 39 EUR
}

// Firing says where a rule can fire, by what is known of its pages. A page that has not been read yet counts as one
// where it can. Lists of rules have it only for a rule that can fire nowhere.
type Firing struct {
	Cannot     []CannotFire `json:"cannot,omitempty"`     // at most ten
	CannotMore int          `json:"cannotMore,omitempty"` // number of further pages where it cannot fire
	// Unexamined says that the rule may be for more pages than were examined. On them, it may be able to fire.
	Unexamined bool `json:"unexamined,omitempty"`
	// Holds are pages, at most ten, on which the condition holds already. The rule fires there only after it has held no
	// longer; "now" sends a message at once.
	Holds     []HeldCondition `json:"holds,omitempty"`
	HoldsMore int             `json:"holdsMore,omitempty"` // number of further such pages
}

// OutcomeState is what became of a change for a rule.
type OutcomeState string

// The states of an [Outcome].
const (
	OutcomeSent     OutcomeState = "told"     // its channels were notified
	OutcomeGathered OutcomeState = "gathered" // it waits for a digest, or its message waits
	OutcomeMuted    OutcomeState = "muted"
	OutcomeSilenced OutcomeState = "silenced" // a rule of the page's watch hides it
	OutcomeSmall    OutcomeState = "small"    // nothing in it is told by default
	OutcomeNotMet   OutcomeState = "notMet"   // the rule asks for something else
	OutcomeCannot   OutcomeState = "cannot"   // the rule cannot fire on the page
	OutcomeFailed   OutcomeState = "failed"   // a receiver did not accept the message
	OutcomeOff      OutcomeState = "off"      // the rule is switched off
)

// Outcome says why a rule did or did not report a change.
type Outcome struct {
	Rule     string       `json:"rule"`
	Name     string       `json:"name"`
	Channels []string     `json:"channels,omitempty"`
	State    OutcomeState `json:"state"`
	Why      string       `json:"why,omitempty"`
	At       time.Time    `json:"at,omitzero"`    // when the message was sent or failed
	Until    time.Time    `json:"until,omitzero"` // when it will be sent, or when the mute ends; left out if it has no end
}

// Words says the state for people.
func (s OutcomeState) Words() string {
	return map[OutcomeState]string{OutcomeSent: "told", OutcomeGathered: "gathered", OutcomeMuted: "muted",
		OutcomeSilenced: "ignored", OutcomeSmall: "small", OutcomeNotMet: "not met", OutcomeCannot: "cannot fire",
		OutcomeFailed: "failed", OutcomeOff: "switched off"}[s]
}

// Words says the outcome for people, without its times.
func (o Outcome) Words() string { return withReason(o.State.Words(), o.Why) }

func withReason(words, why string) string {
	if why == "" {
		return words
	}
	return words + ": " + why
}

// Outcomes are the outcomes of a change for the rules that are for its page.
type Outcomes struct {
	Outcome     []Outcome `json:"outcome,omitempty"`
	OutcomeMore int       `json:"outcomeMore,omitempty"` // number of further rules
}

// RuleHereState is the state of a rule at a page.
type RuleHereState string

// The states of a [RuleHere].
const (
	RuleWaits  RuleHereState = "waits"
	RuleMuted  RuleHereState = "muted"
	RuleOff    RuleHereState = "off"
	RuleCannot RuleHereState = "cannot"
)

// RuleHere is a rule that is for a page.
type RuleHere struct {
	Rule   string        `json:"rule"`
	Name   string        `json:"name"`
	State  RuleHereState `json:"state"`
	Why    string        `json:"why,omitempty"`    // why it cannot fire
	Remedy string        `json:"remedy,omitempty"` // what to do about that
	Until  time.Time     `json:"until,omitzero"`   // when the mute ends; left out if it has no end
	Every  string        `json:"every,omitempty"`  // how often it wants the page to be checked
	// when its newest message was made, of the last thousand messages; only if the request asks for it
	LastTold time.Time `json:"lastTold,omitzero"`
}

// Words says the state for people.
func (s RuleHereState) Words() string {
	return map[RuleHereState]string{RuleWaits: "waits", RuleMuted: "muted", RuleOff: "switched off",
		RuleCannot: "cannot fire"}[s]
}

// Words says the state for people, without its times.
func (r RuleHere) Words() string { return withReason(r.State.Words(), r.Why) }

// ItemWhyQuery asks why differences of a page are not reported.
type ItemWhyQuery struct {
	ID    string `json:"-" path:"id"`                                  // The item.
	Top   int    `json:"top,omitempty" default:"50" min:"1" max:"500"` // Rules per page of the answer.
	Brief bool   `json:"brief,omitempty"`                              // Without lastTold, for which the newest messages are read.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}
