package api

import "time"

// ChangeQuery asks for changes, the newest first, or the oldest first for who follows them.
type ChangeQuery struct {
	// Since is a time, a day, or day, week, month or year for as long ago; or the cursor of an earlier answer.
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"` // A time or a day.
	Order string `json:"order,omitempty"` // newest, the default, or oldest.
	Host  string `json:"host,omitempty"`  // Only changes of this host.
	Tag   string `json:"tag,omitempty"`   // Only changes of items that had this tag.
	Type  string `json:"type,omitempty"`  // Only changes of this type: url, file or entry.
	Kind  string `json:"kind,omitempty"`  // Only changes of these kinds, with commas between them.
	// The least part of the text that has changed, 0 to 1. Changes of which that is not known are left out.
	MinShare float64 `json:"minShare,omitempty"`
	// Words that all stand in the title, the address or the passages of a change.
	Q string `json:"q,omitempty"`
	// Only changes that whoever asks has not marked as read. Who that is says the name of the key.
	Unread bool `json:"unread,omitempty"`
	// Changes that rules of a watch hide: false, the default, leaves them out; true has them, too; only has them alone.
	Silenced string `json:"silenced,omitempty"`
	Top      int    `json:"top,omitempty" default:"50" min:"1" max:"500"` // Changes of a page.
	// That of the page before; leave it out for the first.
	Continuation string `json:"continuation,omitempty"`
}

// ChangeFilter says which changes are wanted: the part of a query that rules have, too.
type ChangeFilter struct {
	Host     string  `json:"host,omitempty"`
	Tag      string  `json:"tag,omitempty"`      // of the item at the time of the change
	Type     string  `json:"type,omitempty"`     // url, file or entry
	Kind     string  `json:"kind,omitempty"`     // kinds, with commas between them
	MinShare float64 `json:"minShare,omitempty"` // the least part of the text that has changed, 0 to 1
	Q        string  `json:"q,omitempty"`        // words that all stand in the title, the address or the passages
	Silenced string  `json:"silenced,omitempty"` // false, the default, true or only: what rules of a watch hide
}

// Filter is what the query says of changes.
func (q ChangeQuery) Filter() ChangeFilter {
	return ChangeFilter{Host: q.Host, Tag: q.Tag, Type: q.Type, Kind: q.Kind, MinShare: q.MinShare, Q: q.Q,
		Silenced: q.Silenced}
}

// ChangePage is a page of changes. A page may have fewer than were asked for, and none, while there is a continuation.
type ChangePage struct {
	Changes      []FeedChange `json:"changes"`
	Continuation string       `json:"continuation,omitempty"`
	// Cursor is what to send as since, with order=oldest, for what comes after this page, or, of the newest first, for
	// what comes from now on.
	Cursor string `json:"cursor"`
}

// FeedChange is what became of a page, a file or an entry. What belongs to a text is left out where none has changed.
type FeedChange struct {
	// ID is the same in every answer. Later changes have later places, but compare cursors only for equality.
	ID           string           `json:"id"`
	ItemID       string           `json:"itemId,omitempty"`
	EntryID      string           `json:"entryId,omitempty"` // instead of itemId, of an entry
	Type         string           `json:"type,omitempty"`
	Host         string           `json:"host,omitempty"`
	URL          string           `json:"url,omitempty"`
	Title        string           `json:"title,omitempty"`
	Tags         []string         `json:"tags,omitempty"` // of the item at that time
	At           time.Time        `json:"at"`
	Kind         ChangeKind       `json:"kind"`
	Why          string           `json:"why,omitempty"`
	Share        float64          `json:"share,omitempty"` // of the text that has changed, 0 to 1
	WordsAdded   int              `json:"wordsAdded,omitempty"`
	WordsRemoved int              `json:"wordsRemoved,omitempty"`
	Passages     []ChangedPassage `json:"passages,omitempty"` // the first four
	// Silenced says that a rule of the item's watch hides the change. Ignored is what did not count, and why: at most
	// three pieces.
	Silenced bool            `json:"silenced,omitempty"`
	Ignored  []IgnoredChange `json:"ignored,omitempty"`
	From     string          `json:"from,omitempty"` // sha256 of the capture before
	To       string          `json:"to,omitempty"`   // sha256 of the capture that it has now
	Diff     string          `json:"diff,omitempty"` // path of the difference between the two
}

// ChangedPassage is a line of the text that came or went, clipped around what is different.
type ChangedPassage struct {
	Text string `json:"text"`
	Op   string `json:"op"` // added or removed
}

// IgnoredChange is a piece of text that came or went and did not count.
type IgnoredChange struct {
	Hunk string `json:"hunk,omitempty"` // left out for a rule that hides the change as a whole
	Op   string `json:"op,omitempty"`   // added or removed
	Rule string `json:"rule"`           // as in ignore: ^Updated
}

// FeedQuery asks for the newest changes as a feed.
type FeedQuery struct {
	Host     string  `json:"host,omitempty"`
	Tag      string  `json:"tag,omitempty"`
	Type     string  `json:"type,omitempty"`
	Kind     string  `json:"kind,omitempty"`
	MinShare float64 `json:"minShare,omitempty"`
	Q        string  `json:"q,omitempty"`
	Top      int     `json:"top,omitempty" default:"50" min:"1" max:"500"`
}

// JSONFeed is a feed by JSON Feed 1.1 (https://jsonfeed.org/version/1.1).
type JSONFeed struct {
	Version     string         `json:"version"`
	Title       string         `json:"title"`
	HomePageURL string         `json:"home_page_url,omitempty"`
	FeedURL     string         `json:"feed_url,omitempty"`
	Items       []JSONFeedItem `json:"items"`
}

// JSONFeedItem is a change in a [JSONFeed].
type JSONFeedItem struct {
	ID            string   `json:"id"`
	URL           string   `json:"url,omitempty"`
	Title         string   `json:"title,omitempty"`
	ContentText   string   `json:"content_text"`
	DatePublished string   `json:"date_published"`
	Tags          []string `json:"tags,omitempty"`
}

// DiffQuery asks for what differs between two captures of an item: by default the last two of which the text differs.
type DiffQuery struct {
	ID string `json:"-" path:"id"` // The item.
	// sha256 of a capture; or read, for the one that whoever asks has read last, by the changes marked as read.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"` // sha256 of a capture; with from=read, the present one unless given
	// Part is what is compared: page, the default, or watched for the part that the item's watch selects.
	Part string `json:"part,omitempty"`
}

// SinceRead is the From of a [DiffQuery] for the version that was read last.
const SinceRead = "read"

// Reader is how far somebody has read the changes: whoever has the same key reads as one.
type Reader struct {
	Name   string `json:"name"`           // of the key; empty where nobody needs one
	UpTo   string `json:"upTo,omitempty"` // everything up to this cursor is read
	Beyond int    `json:"beyond"`         // how many changes after it are read
	Unread int    `json:"unread"`         // how many are not; 100 for as many or more
	// Filters are lists that the reader wants to see again.
	Filters []SavedFilter `json:"filters,omitempty"`
}

// SavedFilter is a list of changes or items that a reader comes back to.
type SavedFilter struct {
	Name  string `json:"name"`  // at most 60 characters
	List  string `json:"list"`  // changes or items
	Query string `json:"query"` // parameters of the list, as in an address: at most 1,000 characters
}

// Bounds of saved filters.
const (
	MaxFilters     = 30
	MaxFilterName  = 60
	MaxFilterQuery = 1000
)

// ReaderRequest says which filters a reader keeps, in place of those before: at most 30.
type ReaderRequest struct {
	Filters []SavedFilter `json:"filters"`
}

// MaxUnread is as far as the unread changes of a [Reader] are counted.
const MaxUnread = 100

// ReadRequest marks changes as read: one of the two.
type ReadRequest struct {
	UpTo string   `json:"upTo,omitempty"` // The cursor of a list: everything up to there.
	IDs  []string `json:"ids,omitempty"`  // Of changes, at most 1,000.
}

// MaxReadIDs bounds the ids of a [ReadRequest].
const MaxReadIDs = 1000

// Diff is what differs between the texts of two captures, line by line and word by word.
type Diff struct {
	From  Capture    `json:"from,omitzero"`
	To    Capture    `json:"to"`
	Hunks []DiffHunk `json:"hunks"`
	// Cut says that the texts are longer than the mebibyte that was compared, or that more differs than is listed.
	Cut bool `json:"cut,omitempty"`
}

// DiffHunk is a place where the texts differ, with a few lines around it.
type DiffHunk struct {
	Lines []DiffLine `json:"lines"`
}

// DiffLine is a line that both texts have, or one of them.
type DiffLine struct {
	Op   string      `json:"op"`            // same, removed or added
	Old  int         `json:"old,omitempty"` // its number in the text before, from 1
	New  int         `json:"new,omitempty"` // its number in the text now, from 1
	Text []DiffPiece `json:"text"`
	// Ignored is the rule by which a changed line does not count, as in ignore: ^Updated; empty if it does.
	Ignored string `json:"ignored,omitempty"`
}

// DiffPiece is a part of a line.
type DiffPiece struct {
	Text    string `json:"text"`
	Changed bool   `json:"changed,omitempty"`
}
