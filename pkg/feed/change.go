package feed

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/policy/change"
)

// Kind says what became of an item or an entry.
type Kind string

// The kinds of change: those of a reading, and what else becomes of an item.
const (
	New            = Kind(change.New)
	Content        = Kind(change.Content)
	Reverted       = Kind(change.Reverted)
	Title          = Kind(change.Title)
	Images         = Kind(change.Images)
	Metadata       = Kind(change.Metadata)
	Gone      Kind = "gone"      // the page is missing for good
	Back      Kind = "back"      // a page that was gone is there again
	Failing   Kind = "failing"   // [FailingAfter] checks in a row have failed
	Recovered Kind = "recovered" // a page that was failing was read again
	// The part of a page that is watched is not there, or not as it was; it is there again.
	WatchBroken   Kind = "watchBroken"
	WatchRestored Kind = "watchRestored"
)

// FailingAfter is how many checks fail in a row before that is a change.
const FailingAfter = 3

// Op says whether a passage came or went.
type Op string

// The two operations.
const (
	Added   Op = "added"
	Removed Op = "removed"
)

// Passage is a piece of text that came or went, of at most [MaxPassage] bytes.
type Passage struct {
	Text string `json:"text"`
	Op   Op     `json:"op"`
}

// Differing are the first passages that differ between two texts.
func Differing(before, now string) (out []Passage) {
	for _, p := range textdiff.Passages(before, now, MaxPassages, MaxPassage) {
		op := Removed
		if p.Added {
			op = Added
		}
		out = append(out, Passage{Text: p.Text, Op: op})
	}
	return out
}

// Bounds of what a change says.
const (
	MaxPassages = 4
	MaxPassage  = 400
	MaxIgnored  = 3
	maxHunk     = 160
	maxRule     = 120
)

// Ignored is a piece of text that came or went and did not count, with the rule that says so.
type Ignored struct {
	Hunk string `json:"hunk,omitempty"` // at most 160 bytes; empty for a change as a whole
	Op   Op     `json:"op,omitempty"`
	Rule string `json:"rule"` // as in "ignore: ^Updated", at most 120 bytes
}

// Bounded is an Ignored of which no text is too long.
func (i Ignored) Bounded() Ignored {
	i.Hunk, i.Rule = words.Clip(i.Hunk, maxHunk), words.Clip(i.Rule, maxRule)
	return i
}

// Change is what became of one item or entry. Captures are named by the digests of their bodies.
type Change struct {
	At           time.Time `json:"at"`
	Kind         Kind      `json:"kind"`
	ItemID       string    `json:"item,omitempty"`
	EntryID      string    `json:"entry,omitempty"`
	Type         string    `json:"type,omitempty"` // of the item or the entry
	Host         string    `json:"host,omitempty"`
	URL          string    `json:"url,omitempty"`
	Title        string    `json:"title,omitempty"`
	Tags         []string  `json:"tags,omitempty"`  // of the item at that time
	Why          string    `json:"why,omitempty"`   // for people
	Share        float64   `json:"share,omitempty"` // of the letters of both texts that came or went, 0 to 1
	WordsAdded   int       `json:"added,omitempty"`
	WordsRemoved int       `json:"removed,omitempty"`
	Passages     []Passage `json:"passages,omitempty"`
	// Silenced says that a rule of the item's watch hides the change, and Ignored, of any change, what did not count.
	Silenced bool      `json:"silenced,omitempty"`
	Ignored  []Ignored `json:"ignored,omitempty"`
	Part     bool      `json:"part,omitempty"` // what differs is that of the part that is watched
	From     string    `json:"from,omitempty"`
	To       string    `json:"to,omitempty"`

	Place Place `json:"-"` // once it has been published
}

// Group is the changes of one commit, which are published together.
type Group struct {
	ID      string   `json:"id"`    // unique; letters and digits
	Since   int      `json:"since"` // a segment that was written to when the commit was made, or before it
	Changes []Change `json:"changes"`
}

// Place is where in the feed a change stands. The zero Place is before the first.
type Place struct{ Segment, Group, Index int }

// String writes it as ids and cursors have it. With hyphens it could be taken for a day.
func (p Place) String() string { return fmt.Sprintf("%d.%d.%d", p.Segment, p.Group, p.Index) }

// ParsePlace reads what [Place.String] writes. Invalid if it is not that.
func ParsePlace(text string) (p Place, err error) {
	_, err = fmt.Sscanf(text, "%d.%d.%d", &p.Segment, &p.Group, &p.Index)
	if err != nil || p.String() != text || p.Segment < 0 || p.Group < 0 || p.Index < 0 {
		return Place{}, fault.New(fault.Invalid, "%.40q is no place in the feed", text)
	}
	return p, nil
}
