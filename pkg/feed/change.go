package feed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/policy/change"
)

// Kind identifies what happened to an item or an entry.
type Kind string

// The kinds of change. First come the outcomes of reading a page (see package change), then other events of an item.
const (
	New            = Kind(change.New)
	Content        = Kind(change.Content)
	Beside         = Kind(change.Beside)
	Beyond         = Kind(change.Beyond)
	Bytes          = Kind(change.Bytes)
	Reverted       = Kind(change.Reverted)
	Moved          = Kind(change.Moved)
	Title          = Kind(change.Title)
	Images         = Kind(change.Images)
	Metadata       = Kind(change.Metadata)
	Field          = Kind(change.Field)
	Gone      Kind = "gone"      // the page no longer exists
	Back      Kind = "back"      // a page that was gone exists again
	Failing   Kind = "failing"   // [FailingAfter] checks in a row have failed or found no page; the last has failed
	Recovered Kind = "recovered" // a failing page was read again
	// WatchBroken means that the watched part of a page is missing or has changed its form. WatchRestored means that
	// the watched part was found again.
	WatchBroken   Kind = "watchBroken"
	WatchRestored Kind = "watchRestored"
	Listed        Kind = "listed" // a new entry of a list that is watched

	// These say which pages are there, for those who keep copies. They are small, and rules report them only by name.

	ItemRemoved  Kind = "removed"  // the item was removed
	ItemLeft     Kind = "left"     // the page left the index: noindex, robots.txt, or another page stands for it
	ItemReturned Kind = "returned" // a page that had left is in the index again
)

// FailingAfter is the number of checks in a row that have failed, or found the page missing, when a change of kind
// [Failing] is recorded. The last of them has failed.
const FailingAfter = 3

// Op is the operation on a passage: whether it was added or removed.
type Op string

// The two operations.
const (
	Added   Op = "added"
	Removed Op = "removed"
)

// Passage is a piece of text that was added or removed. It has at most [MaxPassage] bytes.
type Passage struct {
	Text    string   `json:"text"`
	Op      Op       `json:"op"`
	Columns []string `json:"columns,omitempty"` // names of the columns, if the text is a row of a table
	// Of is what the text is of, the nearest name last: headings, a key, an entry, a row and its column. It has at most
	// 200 bytes. Weight says how much the difference has to say, compared with others of the change. Fact reports
	// whether what differs has a fact, see package fact.
	Of     string `json:"of,omitempty"`
	Weight int    `json:"weight,omitempty"`
	Fact   bool   `json:"fact,omitempty"`
}

// SetDifference compares two texts and records what differs. Of texts longer than most bytes it compares the first
// most bytes, from the first line on that differs. The function moves may be nil; see [textdiff.Options].
func (c *Change) SetDifference(before, now textdiff.Text, most int,
	moves func(line string) bool) {
	if max(len(before.Text), len(now.Text)) > most {
		before, now = textdiff.Changed(before, now)
	}
	long := max(len(before.Text), len(now.Text)) > most
	before.Text, now.Text = words.Clip(before.Text, most), words.Clip(now.Text, most)
	d := textdiff.Differences(before, now, textdiff.Options{Most: MaxPassages, Size: MaxPassage, Moves: moves})
	c.Passages, c.More, c.Difference = passagesOf(d.Chosen), d.More, nil
	same := func(a, b textdiff.Passage) bool { return a.Text == b.Text && a.Added == b.Added }
	if !slices.EqualFunc(d.Chosen, d.All, same) {
		c.Difference = passagesOf(d.All)
	}
	c.Cut = d.Cut || long
}

func passagesOf(all []textdiff.Passage) (out []Passage) {
	for _, p := range all {
		op := Removed
		if p.Added {
			op = Added
		}
		out = append(out, Passage{Text: p.Text, Op: op, Columns: p.Columns, Weight: p.Weight, Fact: p.Fact,
			Of: words.Clip(strings.Join(p.Of, api.BetweenNames), maxOf)})
	}
	return out
}

// The bounds of a change: the numbers of passages and of ignored pieces in its lists, and the sizes of their texts in
// bytes.
const (
	MaxPassages = 4
	MaxPassage  = 400
	maxOf       = 200
	MaxIgnored  = 3
	maxHunk     = 160
	maxRule     = 120
)

// Ignored is a piece of text that was added or removed but is ignored, with the rule that ignores it.
type Ignored struct {
	Hunk string `json:"hunk,omitempty"` // at most 160 bytes; "" if the rule ignores the whole change
	Op   Op     `json:"op,omitempty"`
	Rule string `json:"rule"` // such as "ignore: ^Updated"; at most 120 bytes
}

// Bounded returns a copy of i, in which long texts are cut to their bounds.
func (i Ignored) Bounded() Ignored {
	i.Hunk, i.Rule = words.Clip(i.Hunk, maxHunk), words.Clip(i.Rule, maxRule)
	return i
}

// Change records what happened to one item or entry. It identifies captures by the digests of their bodies.
type Change struct {
	At           time.Time `json:"at"`
	Kind         Kind      `json:"kind"`
	ItemID       string    `json:"item,omitempty"`
	EntryID      string    `json:"entry,omitempty"`
	Type         string    `json:"type,omitempty"` // type of the item or the entry
	Host         string    `json:"host,omitempty"`
	URL          string    `json:"url,omitempty"`
	Title        string    `json:"title,omitempty"`
	Tags         []string  `json:"tags,omitempty"`  // tags of the item when it changed
	Why          string    `json:"why,omitempty"`   // explanation for people
	Share        float64   `json:"share,omitempty"` // added or removed share of the letters of both texts, 0 to 1
	WordsAdded   int       `json:"added,omitempty"`
	WordsRemoved int       `json:"removed,omitempty"`
	Passages     []Passage `json:"passages,omitempty"`
	More         int       `json:"more,omitempty"` // further places that differ, without what moves at most checks
	// Difference is everything that differs, if that is more than Passages. It is kept apart from the change, under
	// the name Whole; see [Feed.Keep]. Cut says that even Difference is not everything.
	Difference []Passage `json:"-"`
	Cut        bool      `json:"-"`
	Whole      string    `json:"whole,omitempty"`
	// Silenced reports whether a rule of the item's watch hides the change. Ignored lists text that did not count; a
	// change that is not silenced may have such text, too.
	Silenced bool      `json:"silenced,omitempty"`
	Ignored  []Ignored `json:"ignored,omitempty"`
	// Cause is the kind of the failure, as the metrics count it, for [Failing]; "" in changes of older versions.
	Cause string `json:"cause,omitempty"`
	// Small says why nothing in the change is told by default; nil if something is.
	Small *Small `json:"small,omitempty"`
	// Fields are the values that have changed. The kind is [Field] if they explain all that differs.
	Fields []field.Change `json:"fields,omitempty"`
	// Entry is the entry of a list, for [Listed].
	Entry *Entry `json:"listed,omitempty"`
	// Broke is when the watch broke, for [WatchRestored]; zero if that is not known.
	Broke time.Time `json:"broke,omitzero"`
	Part  bool      `json:"part,omitempty"` // only the watched part of the page was compared
	From  string    `json:"from,omitempty"`
	To    string    `json:"to,omitempty"`

	Position Position `json:"-"` // set when the change is published
}

// Small is why nothing in a change is told by default.
type Small struct {
	Why  Why    `json:"why"`
	What string `json:"what,omitempty"` // for people, such as "a clock"
}

// Why is the reason of a [Small] change.
type Why string

// The reasons.
const (
	SmallBeside Why = "beside" // it stands beside the main content, and has neither a fact nor a sentence
	SmallMoves  Why = "moves"  // what has changed moves at most checks
	SmallClock  Why = "clock"  // it is the time at which the page was read
	SmallRecurs Why = "recurs" // what stands there now has stood there before, in turn
	SmallOrder  Why = "order"  // the same lines stand in another order
	SmallIndex  Why = "index"  // it says only that the page left the index or came back
	SmallAdded  Why = "added"  // it is the first reading of a page that somebody has added
)

// ForConditions reports whether a change stands in the feed for the conditions of rules, and not for readers.
func (c Change) ForConditions() bool { return c.Silenced && c.Kind == Field }

// Group is the changes of one commit, which are published together.
type Group struct {
	ID      string   `json:"id"`    // letters and digits; unique
	Since   int      `json:"since"` // number of a segment that was open at the commit or before it
	Changes []Change `json:"changes"`
}

// Entry is a new entry of a list.
type Entry struct {
	Title string `json:"title,omitempty"` // at most 200 bytes
	URL   string `json:"url,omitempty"`
	ID    string `json:"id,omitempty"`   // of its item, if it is registered
	More  int    `json:"more,omitempty"` // if there are too many: the number of those that are not told one by one
}

// MaxListed limits the entries of a list that one check tells one by one. A last change counts the others.
const MaxListed = 20

// Position is the position of a change in the feed. The zero Position comes before the first change.
type Position struct{ Segment, Group, Index int }

// String returns p in the form of ids and cursors. Hyphens instead of dots would make the text look like a date.
func (p Position) String() string { return fmt.Sprintf("%d.%d.%d", p.Segment, p.Group, p.Index) }

// ParsePosition parses a result of [Position.String]. It returns Invalid for any other text.
func ParsePosition(text string) (p Position, err error) {
	_, err = fmt.Sscanf(text, "%d.%d.%d", &p.Segment, &p.Group, &p.Index)
	if err != nil || p.String() != text || p.Segment < 0 || p.Group < 0 || p.Index < 0 {
		return Position{}, fault.New(fault.Invalid, "%.40q is no place in the feed", text)
	}
	return p, nil
}
