package change

import (
	"fmt"
	"math"
	"time"
)

// Kind says what of a page has changed. It is stored as text.
type Kind string

// The kinds of change, in the order in which they are looked for.
const (
	None     Kind = ""         // nothing has changed, or the change waits
	New      Kind = "new"      // the first content
	Reverted Kind = "reverted" // the body is one that the page had before
	Content  Kind = "content"  // the body is another
	Title    Kind = "title"    // the title alone
	Images   Kind = "images"   // the images alone
	Metadata Kind = "metadata" // the metadata alone
)

// OfContent reports whether a change is one of the content, by which a page is known to be alive.
func (k Kind) OfContent() bool { return k == New || k == Content }

// Reading is what a page says now.
type Reading struct {
	Hash     string // of title and body
	Body     State  // of the body alone
	Title    string
	Images   string // a hash; empty for none
	Metadata string // a hash; empty where nobody reads metadata
	Words    Words  // of the body
}

// Known is what is remembered of a page. The zero Known is a page of which nothing is known. What a page
// was known for before something of it was remembered has the zero value.
type Known struct {
	Hash     string // as in the last reading that was accepted
	States   States // bodies that were accepted, the present one first
	Title    string
	Images   string
	Metadata string
	Words    Words
	Collapse Collapse // waits; zero: none does
}

// Known is what is remembered of a page of which only this reading counts, such as one that was read
// by other rules before.
func (r Reading) Known() Known {
	return Known{Hash: r.Hash, States: States{r.Body}, Title: r.Title, Images: r.Images, Metadata: r.Metadata,
		Words: r.Words}
}

// Collapse is how long the known body has been all but gone.
type Collapse struct {
	Since  time.Time `json:"since,omitzero"`  // the first reading
	Checks int       `json:"checks,omitzero"` // readings in a row, at most [Confirmations]
	// Left is the part of the letters of the known body that the last one had, 0 to 1.
	Left float64 `json:"left,omitzero"`
	// Asked says that a person asked for the next reading, which is accepted whatever it says.
	Asked bool `json:"asked,omitzero"`
}

// Waits reports whether there is a collapse.
func (c Collapse) Waits() bool { return c.Checks > 0 }

// Why says it for people.
func (c Collapse) Why() string {
	return fmt.Sprintf("%s of the main content is left on %d of %d checks; what was known is kept until then",
		percent(c.Left), c.Checks, Confirmations+1)
}

const (
	// Confirmations is how many more readings a collapse needs before it is accepted.
	Confirmations = 2
	// collapsedBelow is the part of the letters that has to be left.
	collapsedBelow = 0.3
	// least is how many letters a body has that can collapse: about two sentences.
	least = 100
)

// Decision is what a reading means.
type Decision struct {
	Kind     Kind
	Waits    bool   // it collapsed: everything stays as it is, and the next check comes early
	Why      string // for people; empty where nothing has changed
	Extent   Extent // of a change of the body
	Known    Known  // to be remembered
	Accepted bool   // a collapse that had waited is believed
	Over     bool   // a collapse that had waited is over: enough of the known body is there again
}

// Decide says what a reading means at now. Insist accepts it whatever it says, as when a person asks for
// it, or when nothing would be lost. The same arguments give the same Decision.
func Decide(known Known, seen Reading, insist bool, now time.Time) Decision {
	d := Decision{Kind: kindOf(known, seen)}
	switch d.Kind {
	case None:
	case New:
		d.Extent = Compare(Words{known: true}, seen.Words)
	case Content, Reverted:
		d.Extent = Compare(known.Words, seen.Words)
	default:
		d.Extent = unchanged
	}
	insist = insist || known.Collapse.Asked
	if d.Kind == Content && !insist && collapses(known.Words, d.Extent) {
		if known.Collapse.Checks < Confirmations {
			return wait(known, d.Extent, now)
		}
		d.Accepted = true
	}
	d.Over = known.Collapse.Waits() && !d.Accepted && !insist
	d.Why = d.Kind.Why(d.Extent)
	if d.Accepted {
		d.Why = fmt.Sprintf("%s of the main content is left on %d checks in a row: accepted",
			percent(d.Extent.Left()), known.Collapse.Checks+1)
	}
	d.Known = seen.Known()
	d.Known.States = known.States.Push(seen.Body)
	return d
}

func kindOf(known Known, seen Reading) Kind {
	sameBody := known.Hash == seen.Hash || known.States.present(seen.Body)
	switch {
	case known.Hash == "":
		return New
	case !sameBody && known.States.has(seen.Body):
		return Reverted
	case !sameBody:
		return Content
	case known.Hash != seen.Hash:
		return Title
	case known.Images != seen.Images:
		return Images
	case known.Metadata != seen.Metadata && known.Metadata != "":
		return Metadata
	}
	return None
}

// collapses reports whether too little of a body is left. Of one that is not remembered nobody can tell.
func collapses(known Words, e Extent) bool {
	return e.Measured && known.letters >= least && e.Left() < collapsedBelow
}

func wait(known Known, e Extent, now time.Time) Decision {
	c := known.Collapse
	if !c.Waits() {
		c.Since = now
	}
	c.Checks, c.Left = c.Checks+1, e.Left()
	known.Collapse = c
	return Decision{Waits: true, Why: c.Why(), Extent: e, Known: known}
}

// Why says for people what has changed, and how much; nothing where nothing has.
func (k Kind) Why(e Extent) string {
	text := map[Kind]string{
		New: "fetched for the first time", Content: "the content is different",
		Reverted: "the content is an earlier one again", Title: "the title is different, the text is not",
		Images: "the images are different, the text is not", Metadata: "the metadata are different, the text is not",
	}[k]
	if (k == Content || k == Reverted) && e.Measured {
		text += ": " + e.String()
	}
	return text
}

// percent writes a part so that only nothing is 0 % and only everything is 100 %.
func percent(part float64) string {
	n := int(math.Round(100 * part))
	switch {
	case n == 0 && part > 0:
		return "less than 1 %"
	case n == 100 && part < 1:
		return "more than 99 %"
	}
	return fmt.Sprintf("%d %%", n)
}
