package api

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// IgnoreRequest creates rules for lines that should not count as changes of an item. Set one of pattern, patterns,
// text and hunk. A preview without any lists the changed lines of the whole diff, and chooses none.
type IgnoreRequest struct {
	ID string `json:"-" path:"id"` // The item.
	// a regular expression (RE2) for lines
	Pattern string `json:"pattern,omitempty" flag:"-"`
	// several such expressions, which are saved together or not at all
	Patterns []string `json:"patterns,omitempty" flag:"-"`
	// a line from which a rule is made; the rule lets differ what has moved among the known forms of the line, and keeps
	// the rest as it stands
	Text string `json:"text,omitempty" flag:"ignore-text LINE"`
	Was  string `json:"was,omitempty" flag:"was LINE"` // the line that the text replaced
	// the number of a hunk, from 1, in the diff between the captures from and to, or in the last change
	Hunk int `json:"hunk,omitempty" flag:"hunk NUMBER"`
	// the numbers of the changed lines of the hunk, from 1; if left out, the lines in which no fact would be hidden
	Lines []int  `json:"lines,omitempty" flag:"line NUMBER"`
	From  string `json:"from,omitempty" flag:"from CAPTURE"`      // the earlier capture of the diff
	To    string `json:"to,omitempty" flag:"to CAPTURE"`          // the later capture of the diff
	Part  string `json:"part,omitempty" flag:"part page|watched"` // the part of the page, as in the diff
	// only report which changes the rules would have silenced
	Preview bool `json:"preview,omitempty"`
	// remove the rule given as pattern, those given as patterns, or the item's last rule
	Undo bool `json:"undo,omitempty"`
}

// IgnoreResult is the result of an [IgnoreRequest].
type IgnoreResult struct {
	// Lines are the changed lines of the hunk or the diff, at most 50, or the text, each with the rule that is proposed
	// for it.
	Lines []IgnoreLine `json:"lines,omitempty"`
	// Rules are those that were created or removed. A preview in which no line is chosen shows the rules of all lines.
	Rules  []string `json:"rules"`
	Ignore []string `json:"ignore"` // all rules of the item, including those of a preview
	Saved  bool     `json:"saved"`  // false in a preview
	// Changes is the number of changes that were examined: those between the kept captures, at most 1,000. Unread is the
	// number of those that were not, because more than 64 MiB would have to be read. The site is not contacted. Silenced
	// lists the changes that the rules match.
	Changes  int              `json:"changes"`
	Unread   int              `json:"unread,omitempty"`
	Silenced []SilencedChange `json:"silenced,omitempty"`
	// Undo takes this change back. A preview has none.
	Undo *Undo `json:"undo,omitempty"`
}

// IgnoreLine is a changed line with the rule that is proposed for it.
type IgnoreLine struct {
	Was string `json:"was"` // empty if the line is new
	Is  string `json:"is"`  // empty if the line is gone
	// Fact says that the rule would hide a fact, such as a price: then the line is not chosen unless its number is given.
	Fact bool `json:"fact"`
	// Moves says what the rule lets differ: number, time, word or text. It is empty if the rule is for exactly this line.
	Moves   []string `json:"moves"`
	Pattern string   `json:"pattern,omitempty"` // the rule; empty if none can be made
	Why     string   `json:"why,omitempty"`     // why none can be made
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

// ElementQuery selects the elements of a captured page.
type ElementQuery struct {
	ID      string `json:"-" path:"id"`       // The item.
	Capture string `json:"capture,omitempty"` // sha256 of a capture; the current one if left out
	Find    string `json:"find,omitempty"`    // only lines with this text, whatever its case
}

// PageElements are the lines of a captured page, with the elements that can be chosen in a [TryRequest].
type PageElements struct {
	Capture string        `json:"capture"` // sha256 of the capture
	At      time.Time     `json:"at,omitzero"`
	Lines   []ElementLine `json:"lines"`         // at most 300
	Total   int           `json:"total"`         // number of lines that fit
	Cut     string        `json:"cut,omitempty"` // what of the page is not listed
	Why     string        `json:"why,omitempty"` // why there are no elements to choose, such as in a picture
}

// ElementLine is a text of a page that stands on its own, such as a paragraph.
type ElementLine struct {
	PageElement
	// By is by what a selector would find the element, as in the offers of a trial; it is left out where finding that out
	// takes too long.
	By      string `json:"by,omitempty"`
	Larger  bool   `json:"larger,omitempty"` // the element shows more than this text
	Heading bool   `json:"heading,omitempty"`
	Level   int    `json:"level,omitempty"`  // of a heading, 1 to 6
	Entry   bool   `json:"entry,omitempty"`  // it stands in an entry of a list
	Table   int    `json:"table,omitempty"`  // lines of the same table have the same number
	Row     int    `json:"row,omitempty"`    // lines of the same row have the same number
	Head    bool   `json:"head,omitempty"`   // the row is one of headers
	Around  string `json:"around,omitempty"` // nav, header, footer or aside
	// Parts are elements within the line that show a part of it.
	Parts []PageElement `json:"parts,omitempty"`
}

// PageElement is an element of a page.
type PageElement struct {
	Element int    `json:"element"` // number in the capture
	Text    string `json:"text"`
	Column  int    `json:"column,omitempty"` // of the cell of a table that it is or stands in, from 1
}

// PageOffers are what a page offers to be told of: prices come first, then the availability, lists, numbers, and other
// parts. There are at most 20. They are read from the current capture; the site is not contacted.
type PageOffers struct {
	Offers []PageOffer `json:"offers"`
}

// PageOffer is something of a page of which people may want to be told.
type PageOffer struct {
	Kind    OfferKind `json:"kind"`
	Name    string    `json:"name"`              // what the page calls it, such as the heading of a list; or else its kind
	Text    string    `json:"text"`              // what the page shows now, for people
	Value   any       `json:"value,omitempty"`   // of a value: a number or a text, as in the fields of an item
	Unit    string    `json:"unit,omitempty"`    // of a number: its currency, or what it counts
	Entries int       `json:"entries,omitempty"` // number of entries of a list, or of rows of a table
	Every   string    `json:"every"`             // how often the page should be checked for it, such as 15m
	// Watch is a patch of the watch of the item; see PATCH items/{id}.
	Watch Watch `json:"watch"`
	// When is the condition of a rule for the page. It is left out for lists and parts: a rule without a condition tells
	// their changes.
	When *Condition `json:"when,omitempty"`
}

// OfferKind is a kind of [PageOffer].
type OfferKind string

// The kinds of [PageOffer].
const (
	OfferPrice  OfferKind = "price"
	OfferStock  OfferKind = "stock" // whether it is available
	OfferList   OfferKind = "list"  // also a table, or a set of cards
	OfferNumber OfferKind = "number"
	OfferPart   OfferKind = "part" // anything else, such as the version of a program
)

// TryRequest tries a watch on the last captures. Nothing is saved, and the site is not contacted.
type TryRequest struct {
	ID string `json:"-" path:"id"` // The item.
	// Watch is what to try; the watch that applies to the item if left out.
	Watch *Watch `json:"watch,omitempty"`
	// Capture and Element name an element for which a selector is made and added to the watch.
	Capture string `json:"capture,omitempty"`
	Element int    `json:"element,omitempty"`
	// Text names the element in place of its number: by the name of a row or an entry, or by the text that it shows. A *
	// stands for any text.
	Text string `json:"text,omitempty"`
	// Selector names the element in place of its number: by a selector that finds it. If the watch includes it, the
	// selector that is made takes its place.
	Selector string `json:"selector,omitempty"`
	Larger   int    `json:"larger,omitempty"` // take the element around it, this many times
	// Scope says which of the offers is taken: this (the default) is the element alone, row is the row or the entry in
	// which it stands, alike is every entry of its list or the whole table, column is the column of a cell.
	Scope string `json:"scope,omitempty"`
	// As is what to do with the element: only (the default) and also watch it, with the value that it shows; value reads
	// that value alone; out leaves the element out.
	As string `json:"as,omitempty"`
}

// WatchTrial is what a watch finds in the current capture, which comes first, and in those before it.
type WatchTrial struct {
	Watch    Watch       `json:"watch"`              // what was tried, ready to be saved
	Selector string      `json:"selector,omitempty"` // the selector that was made
	Text     string      `json:"text,omitempty"`     // what the chosen element shows
	Larger   bool        `json:"larger,omitempty"`   // there is a larger element around it
	Offers   []PartOffer `json:"offers,omitempty"`   // the ways to watch the chosen element, at most 4
	// Value is the value that the chosen element shows, if its text is one: an amount, a date, a number or an
	// availability. A rule can name it once the watch is saved.
	Value    *PickedValue   `json:"value,omitempty"`
	Captures []TriedCapture `json:"captures"` // at most 10
}

// PickedValue is the value of a chosen element, with the field that reads it.
type PickedValue struct {
	Name string `json:"name"`           // of the field, such as price
	Type string `json:"type"`           // money, date, number or availability
	Text string `json:"text"`           // the value for people, such as 199 EUR
	Unit string `json:"unit,omitempty"` // what a number counts, such as places left
}

// PartOffer is a way to watch a chosen element, and what its selector would find.
type PartOffer struct {
	Scope    string `json:"scope"` // this, row, alike or column
	Selector string `json:"selector"`
	Says     string `json:"says"`               // by what the selector finds it, such as: the row “Great Hall”
	By       string `json:"by"`                 // id, heading, key, label, class, or place: its place alone
	Entries  bool   `json:"entries,omitempty"`  // new entries of the list are told
	Text     string `json:"text"`               // the beginning of what it finds in the capture
	Found    []int  `json:"found"`              // number of elements that it finds in each capture; -1 if there is no page
	Elements []int  `json:"elements,omitempty"` // of those that are listed of the capture, what it has; at most 300
	Steady   Steady `json:"steady"`
}

// Steady says whether a selector still finds the same if its page changes. What the page has nothing of is left out.
type Steady struct {
	InsertedAbove *bool `json:"insertedAbove,omitempty"` // a row or an entry is inserted above
	Reordered     *bool `json:"reordered,omitempty"`     // the rows or entries change places
	OtherClasses  *bool `json:"otherClasses,omitempty"`  // classes get other endings
	// Another has the names of those changes after which it finds another thing, and not nothing.
	Another []string `json:"another,omitempty"`
}

// ByPosition reports whether the selector finds the element by its place alone.
func (o PartOffer) ByPosition() bool { return o.By == "place" }

// Finds says where the selector finds what was chosen: in how many captures, and after which edits of the page.
func (o PartOffer) Finds() string {
	pages, hits := 0, 0
	for _, n := range o.Found {
		pages += min(n+1, 1)
		hits += max(min(n, 1), 0)
	}
	says := []string{fmt.Sprintf("found in %d of %d captures", hits, pages)}
	for _, edit := range []struct {
		name, when string
		kept       *bool
	}{
		{"insertedAbove", "one is inserted above", o.Steady.InsertedAbove},
		{"reordered", "they change places", o.Steady.Reordered},
		{"otherClasses", "classes get other endings", o.Steady.OtherClasses},
	} {
		switch {
		case edit.kept == nil:
		case *edit.kept:
			says = append(says, "still found when "+edit.when)
		case slices.Contains(o.Steady.Another, edit.name):
			says = append(says, "finds another thing when "+edit.when)
		default:
			says = append(says, "not found when "+edit.when)
		}
	}
	return strings.Join(says, "; ")
}

// TriedCapture is what a watch finds in a capture.
type TriedCapture struct {
	SHA256  string          `json:"sha256"`
	At      time.Time       `json:"at,omitzero"`
	Current bool            `json:"current,omitempty"`
	Found   int             `json:"found"` // number of elements that the selectors find; 1 without selectors
	Text    string          `json:"text"`  // the beginning of the text that counts
	Cut     bool            `json:"cut,omitempty"`
	Out     int             `json:"out,omitempty"`     // number of elements that are left out
	OutText string          `json:"outText,omitempty"` // the beginning of what they show
	Ignored []IgnoredChange `json:"ignored,omitempty"` // the first ten lines that rules ignore
	Why     string          `json:"why,omitempty"`     // why the watch could not be tried
	Entries []ListedEntry   `json:"entries,omitempty"` // of a list: the first twenty; a last one counts the others
	NoEntry string          `json:"noEntry,omitempty"` // why a list has no entries, or what of it was not read
	Fields  []TriedField    `json:"fields,omitempty"`  // what the fields of the watch read, by name
}

// TriedField is what a field of a watch reads in a capture.
type TriedField struct {
	Name  string `json:"name"`
	Text  string `json:"text,omitempty"` // the value for people, such as 79 EUR
	State string `json:"state"`          // value, disappeared, unread or gone, as in the fields of an item
	Why   string `json:"why,omitempty"`  // how the text was read, or why there is no value
}
