package change

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Kind identifies which part of a page has changed. It is stored as text.
type Kind string

// The kinds of change, in the order in which they are tested.
const (
	None     Kind = ""         // nothing has changed, or the change waits for confirmation
	New      Kind = "new"      // the first content
	Reverted Kind = "reverted" // the page has returned to a body that it had before
	Content  Kind = "content"  // the main content is new or different
	Beside   Kind = "beside"   // only the text beside the main content is different
	Beyond   Kind = "beyond"   // only the text beyond the part that is read
	Bytes    Kind = "bytes"    // the bytes of a document of which no text can be read
	Moved    Kind = "moved"    // only the order of the text, as the memory of the page's lines says
	Title    Kind = "title"    // only the title
	Images   Kind = "images"   // only the images
	Metadata Kind = "metadata" // only the metadata
	Field    Kind = "field"    // only values of fields, which explain all that differs
)

// OfContent reports whether the content itself has changed, which shows that the page is alive.
func (k Kind) OfContent() bool {
	return k == New || k == Content || k == Beside || k == Beyond || k == Bytes
}

// Reading is the present content of a page.
type Reading struct {
	Hash     string // hash of the title, the body, and the text beyond the part that is read
	Body     State  // hash of the body alone
	Main     State  // hash of the main content, a part of the body
	Title    string
	Images   string // hash of the images; "" for none
	Metadata string // hash of the metadata; "" if metadata are not read
	Words    Words  // summary of the main content
	Unread   bool   // no text can be read: the hashes are those of the bytes
}

// Known is the stored state of a page. The zero Known means that nothing is known about the page. A field is zero if
// the last reading did not set it.
type Known struct {
	Hash     string // hash of the last accepted reading
	States   States // hashes of the accepted bodies, the present one first
	Main     State  // hash of the main content of the present body
	Title    string
	Images   string
	Metadata string
	Words    Words
	Collapse Collapse // a collapse that is waiting for confirmation; zero if there is none
}

// Known returns the state to store when this reading replaces everything known, for example because earlier readings
// used other extraction rules.
func (r Reading) Known() Known {
	return Known{Hash: r.Hash, States: States{r.Body}, Main: r.Main, Title: r.Title, Images: r.Images,
		Metadata: r.Metadata,
		Words:    r.Words}
}

// Collapse records since when, and in how many readings, most of the known body has been missing.
type Collapse struct {
	Since  time.Time `json:"since,omitzero"`  // time of the first reading with the collapsed body
	Checks int       `json:"checks,omitzero"` // number of such readings in a row, at most [Confirmations]
	// Left is the share of the known body's letters that the last reading still had, 0 to 1.
	Left float64 `json:"left,omitzero"`
	// Asked records that a person accepts the next reading, whatever its content is.
	Asked bool `json:"asked,omitzero"`
}

// Waits reports whether a collapse is waiting for confirmation.
func (c Collapse) Waits() bool { return c.Checks > 0 }

// Why describes the collapse for people.
func (c Collapse) Why() string {
	return fmt.Sprintf("%s of the main content is left on %d of %d checks; what was known is kept until then",
		percent(c.Left), c.Checks, Confirmations+1)
}

const (
	// Confirmations is the number of further readings that must confirm a collapse before it is accepted.
	Confirmations = 2
	// The body has collapsed if the share of the known letters that is left is below collapsedBelow.
	collapsedBelow = 0.3
	// least is a number of letters, about two sentences. A known body with fewer letters never counts as collapsed.
	least = 100
)

// Decision is what [Decide] concludes from a reading: what has changed, and what to store.
type Decision struct {
	Kind     Kind
	Waits    bool   // the body has collapsed: no other change counts, and the next check comes early
	Why      string // the reason, as a text for people; empty if nothing has changed
	Extent   Extent // how much of the body has changed or is missing
	Known    Known  // the state to store
	Accepted bool   // a waiting collapse is accepted as the new content
	Over     bool   // a waiting collapse is over, because enough of the known body is back
}

// Decide compares a reading with the known state. It decides what has changed, or whether a collapse must be
// confirmed first. The given time is that of the reading. If insist is true, Decide accepts the reading whatever its
// content, for example because the check was forced, or because nothing would be lost. The same arguments give the
// same Decision.
func Decide(known Known, seen Reading, insist bool, now time.Time) Decision {
	d := Decision{Kind: kindOf(known, seen)}
	switch d.Kind {
	case None:
	case New:
		d.Extent = Compare(Words{known: true}, seen.Words)
	case Beside, Bytes: // the words are not stored, or not known
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
	case !sameBody && seen.Unread:
		return Bytes
	case !sameBody && known.Main == seen.Main && known.Main != (State{}):
		return Beside
	case !sameBody:
		return Content
	case known.Hash != seen.Hash && known.Title == seen.Title:
		return Beyond // the hash covers nothing else
	case known.Hash != seen.Hash:
		return Title
	case known.Images != seen.Images:
		return Images
	case known.Metadata != seen.Metadata && known.Metadata != "":
		return Metadata
	}
	return None
}

// collapses reports whether too little of the known body is left. It returns false if the known body is not stored.
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

// Why describes for people what has changed, and how much. It returns "" if nothing has changed.
func (k Kind) Why(e Extent) string {
	text := map[Kind]string{
		New: "fetched for the first time", Content: "the content is different",
		Beside:   "only what stands elsewhere on the page is different",
		Beyond:   "the text beyond the part that is read is different",
		Bytes:    "the bytes are different; no text can be read in them",
		Moved:    "the same text stands in another order",
		Reverted: "the content is an earlier one again", Title: "the title is different, the text is not",
		Images: "the images are different, the text is not", Metadata: "the metadata are different, the text is not",
	}[k]
	if (k == Content || k == Beside || k == Reverted) && e.Measured {
		text += ": " + e.String()
	}
	return text
}

// percent formats a share so that only zero is "0 %" and only one is "100 %".
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

// State is a short hash of a body. Two bodies of one page collide with a probability of 1 in 10^18.
type State [8]byte

// States are the hashes of a page's last bodies, present body first. There are at most [maxStates] of them.
type States []State

// maxStates limits the number of bodies that are remembered. On recorded histories, eight gave the same results as
// 64.
const maxStates = 8

// Bytes returns the stored form of States: at most 64 bytes.
func (s States) Bytes() []byte {
	var out []byte
	for _, state := range s {
		out = append(out, state[:]...)
	}
	return out
}

// StatesOf decodes the result of [States.Bytes]. For damaged bytes it returns nil.
func StatesOf(b []byte) (s States) {
	if len(b)%len(State{}) != 0 || len(b) > maxStates*len(State{}) {
		return nil
	}
	for chunk := range slices.Chunk(b, len(State{})) {
		s = append(s, State(chunk))
	}
	return s
}

// StateOf decodes one hash. For bytes of another length it returns the zero State.
func StateOf(b []byte) (s State) {
	if len(b) == len(s) {
		s = State(b)
	}
	return s
}

// present reports whether body is the present body of the page.
func (s States) present(body State) bool { return len(s) > 0 && s[0] == body }

func (s States) has(body State) bool { return slices.Contains(s, body) }

// Push returns the states after the body has become the present one.
func (s States) Push(body State) States {
	if s.present(body) {
		return s
	}
	out := States{body}
	for _, earlier := range s {
		if earlier != body && len(out) < maxStates {
			out = append(out, earlier)
		}
	}
	return out
}
