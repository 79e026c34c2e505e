package field

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// MaxFields limits the fields of an item, those that are read unasked among them.
const MaxFields = 30

// Point is a value with the time of the check that saw it first.
type Point struct {
	Value Value     `json:"v,omitzero"`
	At    time.Time `json:"at,omitzero"`
}

// Seen are the values of a field that were seen before a check. They are zero if there were none. Only values that can
// be compared with each other have a lowest and a highest one.
type Seen struct {
	Previous Value `json:"prev,omitzero"` // the last one
	First    Point `json:"first,omitzero"`
	Lowest   Point `json:"low,omitzero"`
	Highest  Point `json:"high,omitzero"`
}

// with returns what was seen after a check that saw a value. No value changes nothing.
func (s Seen) with(v Value, at time.Time) Seen {
	if v.None() {
		return s
	}
	v.Shown = "" // rows are bounded
	p := Point{v, at}
	if s.Previous = v; s.First.Value.None() {
		s.First = p
	}
	if _, ordered := v.Compare(v); !ordered || v.Type == Text || v.Type == Availability {
		return s
	}
	if s.Lowest.Value.None() {
		s.Lowest, s.Highest = p, p
		return s
	}
	if order, ok := v.Compare(s.Lowest.Value); ok && order < 0 {
		s.Lowest = p
	}
	if order, ok := v.Compare(s.Highest.Value); ok && order > 0 {
		s.Highest = p
	}
	return s
}

// Moment is what a check saw of a field: a value, or none, and what was seen before.
type Moment struct {
	Value Value `json:"v,omitzero"`
	Seen  Seen  `json:"seen,omitzero"`
}

// Kept is what is kept of a field.
type Kept struct {
	Name string `json:"name"`
	Key  string `json:"key,omitempty"` // identifies the definition by which it was read
	// State is what the last check found. Last is what the last check saw that found a value, or that it has
	// disappeared. Same states that a later check saw the same.
	State State  `json:"state"`
	Last  Moment `json:"last"`
	Same  bool   `json:"same,omitempty"`

	At       time.Time `json:"at,omitzero"`      // of the check that saw it first
	Capture  string    `json:"capture,omitzero"` // the body in which that was
	Evidence Evidence  `json:"by,omitzero"`      // of the last value
	Why      string    `json:"why,omitempty"`    // why the last check found none, unless it has disappeared
	Entries  int       `json:"n,omitempty"`      // of its history
	Accepted bool      `json:"ok,omitempty"`     // somebody accepts that its source is gone
}

// Seen returns what has been seen until now.
func (k Kept) Seen() Seen { return k.Last.Seen.with(k.Last.Value, k.At) }

// reported reports whether changes of the field are for readers.
func (k Kept) reported() bool { return k.Key != "" || Reported(k.Name) }

// Entry returns the last entry of the history, which is kept here until another one follows. It has the number 0 if
// there is none.
func (k Kept) Entry() Entry {
	if k.At.IsZero() {
		return Entry{}
	}
	return Entry{Name: k.Name, Number: k.Entries, At: k.At, Capture: k.Capture, Value: k.Last.Value, Evidence: k.Evidence}
}

// Broken says why the field is broken; "" if it is not. Of the fields that are read unasked, only the price can be.
func (k Kept) Broken() string {
	if k.State != Gone || k.Accepted || !breaks(k.Name) || k.Key == "" && !Reported(k.Name) {
		return ""
	}
	return "the field " + k.Name + " is not there: " + cmp.Or(k.Why, "its source is gone")
}

// Known is what is known of all fields of an item.
type Known struct {
	// Read states that the fields of the item have been read.
	Read bool   `json:"read,omitempty"`
	All  []Kept `json:"all,omitempty"` // those that somebody asks for, and then the others, by name
	// Past has the number of entries in the histories of fields that were dropped, so that a history goes on if a field
	// comes back. At most [MaxFields].
	Past map[string]int `json:"past,omitempty"`
	// Again are the ids of rules that ask for the present values, as at a first check, with blanks between them.
	Again string `json:"again,omitempty"`
	// Unread says why no field could be read at the last reading; "" if they could. UnreadData says what of the data that
	// the page declares could not be read then.
	Unread     string        `json:"unread,omitempty"`
	UnreadData jsonld.Unread `json:"data,omitzero"`
	// Body is the body in which the fields were read last, if it is not the one that is stored as the item's content.
	Body string `json:"body,omitempty"`
}

// Field returns what is kept of a field; ok is false if nothing is.
func (k Known) Field(name string) (kept Kept, ok bool) {
	i := slices.IndexFunc(k.All, func(kept Kept) bool { return kept.Name == name })
	if i < 0 {
		return kept, false
	}
	return k.All[i], true
}

// Broken says which fields are broken; "" if none is.
func (k Known) Broken() (why string) {
	for _, kept := range k.All {
		if text := kept.Broken(); text != "" && why == "" {
			why = text
		}
	}
	return why
}

// Accept returns what is known after somebody has accepted that sources of fields are gone.
func (k Known) Accept() Known {
	k.All = slices.Clone(k.All)
	for i := range k.All {
		k.All[i].Accepted = k.All[i].State == Gone
	}
	return k
}

// Change is what has changed of a field, with all that conditions depend on.
type Change struct {
	Name  string `json:"name"`
	At    string `json:"at,omitempty"`    // the place in its source, see [Evidence]
	State State  `json:"state,omitempty"` // [Found] or [Disappeared]
	Now   Moment `json:"now"`
	Then  Moment `json:"then"`            // what the check before saw
	First bool   `json:"first,omitempty"` // there was no check of the field before
	// Begins states that Then is what was stored of the page when somebody first asked for the field.
	Begins   bool   `json:"begins,omitempty"`
	Reported bool   `json:"told,omitempty"` // the change is one for readers
	Rule     string `json:"rule,omitempty"` // of a first value: the ids of the rules that ask for it, if not all do
	Same     bool   `json:"same,omitempty"` // the check saw the same as the one before, which had seen a change
}

// ForReaders reports whether readers are told that the value is another one than before.
func (c Change) ForReaders() bool { return c.Reported && !c.First && !c.Same }

// Previous returns the value before; no value if it was not there.
func (c Change) Previous() Value { return c.Then.Value }

// Current returns the value now; no value if it has disappeared.
func (c Change) Current() Value { return c.Now.Value }

// Entry is an entry of the history of a field: a value, or that it has disappeared.
type Entry struct {
	Name     string
	Number   int // from 1
	At       time.Time
	Capture  string
	Value    Value // none if it has disappeared
	Evidence Evidence
}

// Ask records that rules ask for the present values, as at a first check.
func (k *Known) Ask(rules ...string) {
	all := k.Asking()
	for _, rule := range rules {
		if !slices.Contains(all, rule) {
			all = append(all, rule)
		}
	}
	k.Again = strings.Join(all, " ")
}

// Asking returns the ids of the rules that ask for the present values.
func (k Known) Asking() []string { return strings.Fields(k.Again) }

// IsFor reports whether a change is one for a rule: a first value that other rules alone have asked for is not.
func (c Change) IsFor(rule string) bool {
	return !c.First || c.Rule == "" || slices.Contains(strings.Fields(c.Rule), rule)
}

// longestShown limits the bytes of a text in a message.
const longestShown = 80

// Text writes the change for people: "79 → 84 EUR (lowest 72 in May)". now decides how the time of the lowest value is
// written, also by its zone.
func (c Change) Text(now time.Time) string {
	before, after := c.Then.Value, c.Now.Value
	switch {
	case c.First || c.Same:
		return shown(after) + c.lowest(now)
	case after.None():
		return shown(before) + " → none"
	case before.None():
		return "→ " + shown(after) + c.lowest(now)
	case after.Unit() != "" && before.Unit() == after.Unit():
		return before.figures() + " → " + shown(after) + c.lowest(now)
	}
	return shown(before) + " → " + shown(after) + c.lowest(now)
}

// shown writes a value for people; "none" if there is none.
func shown(v Value) string {
	if v.None() {
		return "none"
	}
	return words.Ellipsis(v.Words(), longestShown)
}

// lowest writes in brackets that the present value is lower than all that were seen before, or else which one was the
// lowest. The unit is that of the present value.
func (c Change) lowest(now time.Time) string {
	v, low := c.Now.Value, c.Now.Seen.Lowest
	if v.Type != Number && v.Type != Money {
		return ""
	}
	order, ok := v.Compare(low.Value)
	if !ok {
		return ""
	}
	text := low.Value.figures() + when(low.At, now)
	switch same, ok := c.Then.Value.Compare(low.Value); {
	case order >= 0:
		return " (lowest " + text + ")"
	case ok && same == 0: // the change already says it
		return " (lowest until now)"
	}
	return " (lowest until now, before " + text + ")"
}

// when writes a time before now: the day if it is in the same month, or else the month, with the year if that is
// another one.
func when(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.In(now.Location())
	switch {
	case at.Year() != now.Year():
		return " in " + at.Format("January 2006")
	case at.Month() != now.Month():
		return " in " + at.Format("January")
	}
	return " on " + at.Format("2 Jan")
}
