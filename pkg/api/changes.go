package api

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// ChangeQuery lists changes, newest first. To follow new changes, list them oldest first.
type ChangeQuery struct {
	// Since is a cursor, a time or a date; or a span such as 1h, 7d, day, week, month or year, counted back from now.
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"` // A time or a date.
	Order string `json:"order,omitempty"` // newest (the default) or oldest.
	Host  string `json:"host,omitempty"`  // Only changes of this host.
	Tag   string `json:"tag,omitempty"`   // Only changes of items that had this tag.
	Type  string `json:"type,omitempty"`  // Only changes of this type: url, file or entry.
	// Only changes of these kinds, separated by commas. The kind content includes beside, beyond,
	// bytes and reverted; field includes changes of a text in which a value that is told has changed, too.
	Kind string `json:"kind,omitempty"`
	// Where on the page: all (the default), main to leave out changes beside the main content and beyond the part
	// that is read, or facts to leave out those beside it without a fact or a new sentence.
	Zone string `json:"zone,omitempty"`
	// Changes in which nothing is told by default: true (the default) includes them, false leaves them out, and "only"
	// lists them alone. Those beside the main content are left out by zone.
	Small string `json:"small,omitempty"`
	// The smallest share of the text that must have changed, 0 to 1. Changes with an unknown share are left out.
	MinShare float64 `json:"minShare,omitempty"`
	// Words that must all occur in the title, the address or the passages of a change.
	Q string `json:"q,omitempty"`
	// Only changes that the caller has not marked as read. The caller is identified by the name of the key.
	Unread bool `json:"unread,omitempty"`
	// Changes hidden by the rules of a watch: false (the default) leaves them out, true includes them, and "only"
	// lists them alone.
	Silenced string `json:"silenced,omitempty"`
	// Only changes of this item, newest first: those at the times at which its captures, its lineage and its history
	// have something.
	ItemID string `json:"itemId,omitempty"`
	// With each change, what became of it for the rules that are for its page.
	Outcome bool `json:"outcome,omitempty"`
	// Only changes with this outcome for at least one rule: told, gathered, muted, silenced, small, notMet, cannot,
	// failed or off. A page may have fewer changes than top, although others follow.
	State OutcomeState `json:"state,omitempty"`
	Top   int          `json:"top,omitempty" default:"50" min:"1" max:"500"` // Changes per page.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// ChangeFilter selects changes. Queries and rules share it.
type ChangeFilter struct {
	// only changes of this host; all if empty
	Host string `json:"host,omitempty" label:"Host" flag:"host HOST"`
	Tag  string `json:"tag,omitempty" label:"Tag" flag:"tag TAG"`             // a tag that the item had when it changed
	Type string `json:"type,omitempty" label:"Type" choices:"url|file|entry"` // of what has changed
	// kinds, separated by commas; content includes those of other text
	Kind string `json:"kind,omitempty" label:"Kinds of change" flag:"kind KIND,KIND" format:"list" choices:"content=text changed|beside=text elsewhere on the page|beyond=text beyond what is read|bytes=bytes without text|new=new page|gone=gone|back=back again|moved=moved text|title=title|images=images|metadata=metadata|reverted=earlier text restored|failing=failing|recovered=recovered|watchBroken=watch broken|watchRestored=watch restored|listed=new entry of a list|removed=removed|left=left the index|returned=in the index again|field=a value of the page"`
	// facts: of a change elsewhere on the page, what has a fact or a sentence; main: without changes of the kinds beside
	// and beyond. If it is not set, a kind that kind names, and what added, removed or a condition asks for, is told
	// without a fact, too
	Zone string `json:"zone,omitempty" label:"Part of the page" choices:"facts=main content, and facts beside it|main=only the main content|all=the whole page" default:"facts"`
	// changes in which nothing is told by default, such as a number that always moves; without zone, they are of the
	// whole page
	Small string `json:"small,omitempty" label:"Small changes" choices:"false=left out|true=included|only" default:"false"`
	// the smallest share of the text that must have changed, 0 to 1; in percent in the dashboard
	MinShare float64 `json:"minShare,omitempty" label:"Minimum share of the text" flag:"min-share 0.1" format:"share"`
	// words that must all occur in the title, the address or the changed lines
	Q string `json:"q,omitempty" label:"Containing the words" flag:"q WORDS"`
	// changes of ignored lines only
	Silenced string `json:"silenced,omitempty" label:"Ignored changes" choices:"false=left out|true=included|only" default:"false"`
}

// The zones of a [ChangeFilter] besides [ZoneMain].
const (
	ZoneFacts = "facts" // the default of rules and feeds
	ZoneAll   = "all"   // the default of lists
)

// Filter returns the filter part of the query. It takes small changes, too, unless the query says something else.
func (q ChangeQuery) Filter() ChangeFilter {
	return ChangeFilter{Host: q.Host, Tag: q.Tag, Type: q.Type, Kind: q.Kind, Zone: cmp.Or(q.Zone, ZoneAll),
		Small: cmp.Or(q.Small, "true"), MinShare: q.MinShare, Q: q.Q, Silenced: q.Silenced}
}

// ChangePage is a page of changes. A page may have fewer changes than requested, even none, and still have a
// continuation.
type ChangePage struct {
	Changes      []FeedChange `json:"changes"`
	Continuation string       `json:"continuation,omitempty"`
	// Cursor marks the end of this page. Send it as since, together with order=oldest, to get the changes after this
	// page. If the list is sorted newest first, Cursor marks the newest change instead, so the same request gets all
	// later changes.
	Cursor string `json:"cursor"`
}

// FeedChange is one change of a page, a file or an entry. Fields about the text are left out when no text has
// changed.
type FeedChange struct {
	// ID is the id of the change, which is the same in every answer. It is also a cursor. Cursors may only be
	// compared for equality.
	ID           string     `json:"id" label:"ID"`
	ItemID       string     `json:"itemId,omitempty" label:"Item"`
	EntryID      string     `json:"entryId,omitempty" label:"Entry"` // for an entry: its id, in place of itemId
	Type         string     `json:"type,omitempty" label:"Type"`
	Host         string     `json:"host,omitempty" label:"Host"`
	URL          string     `json:"url,omitempty" label:"Address"`
	Title        string     `json:"title,omitempty" label:"Title"`
	Tags         []string   `json:"tags,omitempty" label:"Tags"` // tags that the item had when it changed
	At           time.Time  `json:"at" label:"When"`
	Kind         ChangeKind `json:"kind" label:"Kind"`
	Why          string     `json:"why,omitempty" label:"Why"`
	Share        float64    `json:"share,omitempty" label:"Changed share" format:"share"` // share of the text that has changed, 0 to 1
	WordsAdded   int        `json:"wordsAdded,omitempty" label:"Words added"`
	WordsRemoved int        `json:"wordsRemoved,omitempty" label:"Words removed"`
	// Passages are the four passages that say most, in the order of their weight.
	Passages []ChangedPassage `json:"passages,omitempty"`
	// More is the number of further places that differ, without what always moves.
	More   int          `json:"more,omitempty" label:"-"`
	Listed *ListedEntry `json:"listed,omitempty" label:"New entry" unit:"whole"` // for the kind listed
	// Fields are the values of the page that have changed. Field is the first of them that is reported, or else the first.
	Fields []ChangedField `json:"fields,omitempty" label:"Values"`
	Field  *ChangedField  `json:"field,omitempty" label:"-"`
	// Silenced is true when a rule of the item's watch hides the change.
	Silenced bool `json:"silenced,omitempty" label:"Ignored"`
	// Small says why nothing in the change is told by default.
	Small *Small `json:"small,omitempty" label:"Small change" unit:"whole"`
	// Ignored lists at most three pieces of text that did not count as a change, and why.
	Ignored []IgnoredChange `json:"ignored,omitempty"`
	From    string          `json:"from,omitempty" label:"Capture before"` // sha256 of the previous capture
	To      string          `json:"to,omitempty" label:"Capture"`          // sha256 of the current capture
	Diff    string          `json:"diff,omitempty" label:"Difference"`     // path of the diff between the two captures
	Outcomes
}

// FailureQuery lists the pages that could not be read, newest first.
type FailureQuery struct {
	// A time or a date; or a span such as 1h, 7d, day, week, month or year, counted back from now.
	Since string `json:"since,omitempty"`
	Host  string `json:"host,omitempty"` // Only failures of this host.
	// Only failures of this kind: dns, connection, tls or robots where the host could not be reached; http_4xx or
	// http_5xx; page where the answer could not be read; index; or another kind that GET metrics counts.
	Kind string `json:"kind,omitempty"`
	Top  int    `json:"top,omitempty" default:"50" min:"1" max:"500"` // Failures per page.
	// The continuation of the previous page; omit it for the first page.
	Continuation string `json:"continuation,omitempty"`
}

// FailurePage is a page of failures.
type FailurePage struct {
	Failures     []Failure `json:"failures"`
	Continuation string    `json:"continuation,omitempty"`
}

// Failure is the pages of a host that began to fail within an hour, in UTC: that could not be read three times in a
// row, or whose host was out of reach for three tries or an hour. At, Kind, First and ItemID are those of the first
// of them.
type Failure struct {
	At    time.Time `json:"at"`
	Kind  string    `json:"kind,omitempty"` // left out if an older version wrote it
	Host  string    `json:"host"`           // "" for files
	Count int       `json:"count"`          // how many pages
	First string    `json:"first"`          // why
	// the item
	ItemID string `json:"itemId"`
}

// Small is why nothing in a change is told by default.
type Small struct {
	Why  string `json:"why"`            // beside, moves, clock, recurs, order, index or added
	What string `json:"what,omitempty"` // such as: a clock
}

// ListedEntry is a new entry of a list, or the number of those that are not told one by one.
type ListedEntry struct {
	Title string `json:"title,omitempty"`
	URL   string `json:"url,omitempty"`
	ID    string `json:"id,omitempty"`   // its item, if it is registered
	More  int    `json:"more,omitempty"` // how many further entries are new; a check tells twenty
}

// ChangedPassage is a line that was added or removed, shortened to the part that differs. Of a line that has become
// another, the two follow each other, also if it has only lost or gained words.
type ChangedPassage struct {
	Text string `json:"text"`
	Op   string `json:"op"` // added or removed
	// Pieces are the same text, with the words marked in which it differs from the passage that it replaces or that
	// replaces it. They are left out if there is no such passage, or if the two have little in common.
	Pieces []DiffPiece `json:"pieces,omitempty"`
	// Columns are the names of the columns, if the passage is a row of a table: of its first cell, of the cells that
	// differ, and of others for which there is room. A last column "…" stands for those that are left out.
	Columns []string `json:"columns,omitempty"`
	// Cells are the cells of such a row, one for each column, with the words marked that differ.
	Cells [][]DiffPiece `json:"cells,omitempty"`
	// Of is what the passage is of, the nearest name last: headings, a key of JSON or XML, an event, an entry, a term, a
	// row and its column, as in "rates › USD". It is left out if there is none but the title of the page.
	Of string `json:"of,omitempty"`
	// Weight says how much the difference has to say, compared with others of the same change.
	Weight int  `json:"weight,omitempty"`
	Fact   bool `json:"fact,omitempty"` // a price, date, number, denial, contact or another fact is in what differs
}

// IgnoredChange is a piece of text that was added or removed and did not count.
type IgnoredChange struct {
	Hunk string `json:"hunk,omitempty"` // the text; left out when the rule hides the whole change
	Op   string `json:"op,omitempty"`   // added or removed
	Rule string `json:"rule"`           // the rule that applies, such as ignore: ^Updated
}

// FeedQuery selects the newest changes for a feed.
type FeedQuery struct {
	Host     string  `json:"host,omitempty"`
	Tag      string  `json:"tag,omitempty"`
	Type     string  `json:"type,omitempty"`
	Kind     string  `json:"kind,omitempty"`
	Zone     string  `json:"zone,omitempty"`  // facts (the default), main or all.
	Small    string  `json:"small,omitempty"` // Changes in which nothing is told by default: false (the default), true or only.
	MinShare float64 `json:"minShare,omitempty"`
	Q        string  `json:"q,omitempty"`
	Top      int     `json:"top,omitempty" default:"50" min:"1" max:"500"`
}

// JSONFeed is a feed in JSON Feed 1.1 (https://jsonfeed.org/version/1.1).
type JSONFeed struct {
	Version     string         `json:"version"`
	Title       string         `json:"title"`
	HomePageURL string         `json:"home_page_url"` // address of the dashboard's list of changes
	FeedURL     string         `json:"feed_url"`      // address of this feed, without the reader's key
	Items       []JSONFeedItem `json:"items"`
}

// JSONFeedItem is a change in a [JSONFeed].
type JSONFeedItem struct {
	ID            string   `json:"id"`
	URL           string   `json:"url,omitempty"`
	Title         string   `json:"title,omitempty"`
	ContentText   string   `json:"content_text"`
	ContentHTML   string   `json:"content_html"`
	DatePublished string   `json:"date_published"`
	Tags          []string `json:"tags,omitempty"`
}

// DiffQuery compares two captures of an item. By default, it compares the last two captures whose texts differ.
type DiffQuery struct {
	ID string `json:"-" path:"id"` // The item.
	// sha256 of a capture, or the word read. The word selects the version that the caller read last, according to the
	// changes that the caller has marked as read.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"` // sha256 of a capture; with from=read, the default is the current capture
	// Part is the part to compare: page (the default), or watched, which is the part that the item's watch selects.
	Part string `json:"part,omitempty"`
}

// SinceRead is the value of From in a [DiffQuery] that selects the version that the caller read last.
const SinceRead = "read"

// Reader says how far a reader has read the changes. Everybody with the same key is the same reader.
type Reader struct {
	Name string `json:"name"`           // name of the reader's key; empty when no keys are required
	UpTo string `json:"upTo,omitempty"` // all changes up to this cursor are read
	// number of changes after the cursor upTo that the reader has marked as read
	Beyond int `json:"beyond"`
	Unread int `json:"unread"` // number of unread changes without small and silenced ones; 100 means 100 or more
	// Filters are the reader's saved lists.
	Filters []SavedFilter `json:"filters,omitempty"`
	// Undo takes this change back. Only the answer to a change has it.
	Undo *Undo `json:"undo,omitempty"`
}

// SavedFilter is a filter of a list of changes or items, saved under a name.
type SavedFilter struct {
	Name  string `json:"name"`  // at most 60 characters
	List  string `json:"list"`  // changes or items
	Query string `json:"query"` // the list's query parameters, as in a URL: at most 1,000 characters
}

// Bounds of saved filters.
const (
	MaxFilters     = 30
	MaxFilterName  = 60
	MaxFilterQuery = 1000
)

// ReaderRequest replaces the reader's saved filters. There may be at most 30.
type ReaderRequest struct {
	Filters []SavedFilter `json:"filters"`
}

// MaxUnread is the limit up to which the unread changes of a [Reader] are counted.
const MaxUnread = 100

// ReadRequest marks changes as read, or as unread again. Set exactly one of upTo and ids.
type ReadRequest struct {
	UpTo   string   `json:"upTo,omitempty"`   // The cursor of a list: everything up to it is read.
	IDs    []string `json:"ids,omitempty"`    // Ids of changes, at most 1,000.
	Unread bool     `json:"unread,omitempty"` // The changes with these ids become unread.
}

// MaxReadIDs is the largest number of ids in a [ReadRequest].
const MaxReadIDs = 1000

// Diff compares the texts of two captures, line by line and word by word.
type Diff struct {
	From  Capture    `json:"from,omitzero"`
	To    Capture    `json:"to"`
	Hunks []DiffHunk `json:"hunks"`
	// Cut is true when only the first MiB of the texts was compared, or when there are more differences than are
	// listed.
	Cut bool `json:"cut,omitempty"`
}

// DiffHunk is a place where the texts differ, with a few lines around it. A table that differs is a hunk of its own.
type DiffHunk struct {
	Lines []DiffLine `json:"lines"` // of a table, the rows that differ, as lines of the texts
	Table *DiffTable `json:"table,omitempty"`
}

// DiffTable is what differs in a table: its header, and the rows that differ.
type DiffTable struct {
	Columns []DiffCell `json:"columns"` // the names of the columns
	Rows    []DiffRow  `json:"rows"`
	Same    int        `json:"same,omitempty"`  // number of rows that are the same, and are left out
	Moved   int        `json:"moved,omitempty"` // of these, how many are in another place
	// MoreRows and MoreColumns are the numbers of rows that differ, and of columns, that are left out because there
	// are too many.
	MoreRows    int `json:"moreRows,omitempty"`
	MoreColumns int `json:"moreColumns,omitempty"`
}

// DiffRow is a row of a table.
type DiffRow struct {
	Op    string     `json:"op"` // changed, removed, added, or moved for a row that is the same in another place
	Cells []DiffCell `json:"cells"`
	// Ignored is the rule that keeps the row from counting as a change. It is empty if some of the row counts.
	Ignored       string `json:"ignored,omitempty"`
	PartlyIgnored string `json:"partlyIgnored,omitempty"` // as of a line
}

// DiffCell is a cell of a table.
type DiffCell struct {
	Text []DiffPiece `json:"text"`          // of a row that was removed, its last text
	Was  []DiffPiece `json:"was,omitempty"` // the earlier text, if the cell differs
}

// DiffLine is a line that is in both texts or in only one of them.
type DiffLine struct {
	Op   string      `json:"op"`            // same, removed or added
	Old  int         `json:"old,omitempty"` // number of the line in the older text, from 1
	New  int         `json:"new,omitempty"` // number of the line in the newer text, from 1
	Text []DiffPiece `json:"text"`
	// Ignored is the rule that keeps a changed line from counting as a change, such as ignore: ^Updated. It is empty
	// if the line counts.
	Ignored string `json:"ignored,omitempty"`
	// PartlyIgnored is the rule that keeps the ignored pieces of a line from counting, of which others count.
	PartlyIgnored string `json:"partlyIgnored,omitempty"`
}

// DiffPiece is a part of a line.
type DiffPiece struct {
	Text    string `json:"text"`
	Changed bool   `json:"changed,omitempty"`
	Ignored bool   `json:"ignored,omitempty"` // the piece has changed, but does not count
}

// A block of a site's pages often changes on all of them: a notice, the conditions, an opening hour. Each page has its
// change in the feed. Messages and lists for people gather equal changes of a host into one line, with the difference
// and the pages.

// mostPages bounds the changes that one line keeps.
const mostPages = 100

// AlikeKey returns what equal changes of a host have in common: the host, the kind, and what differs in text and in
// values. It is "" for a change that equals no other, because it is of no host, or says nothing of what differs.
func (c FeedChange) AlikeKey() string {
	if c.Host == "" || c.ItemID == "" || len(c.Passages) == 0 {
		return ""
	}
	passages := slices.Clone(c.Passages)
	for i := range passages {
		p := &passages[i] // the rest follows from the texts, or depends on what stands around them
		*p = ChangedPassage{Text: p.Text, Op: p.Op, Columns: p.Columns}
	}
	var values [][]any
	for _, f := range c.Fields {
		if f.Reported {
			values = append(values, []any{f.Name, f.Previous, f.Current, f.Currency})
		}
	}
	slices.SortFunc(values, func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) })
	text, err := json.Marshal([]any{c.Host, c.Kind, c.Silenced, passages, values})
	if err != nil {
		return "" // unreachable: these types can be encoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// ChangeLine is a change, or several equal ones of a host. Changes are the first of them, at most 100.
type ChangeLine struct {
	Changes []FeedChange
	Count   int
}

// ChangeLines are the lines of a message or of a list, in the order of their first changes. The zero value is empty.
type ChangeLines struct {
	All   []ChangeLine
	known map[string]int // index of the line by key
}

// Add adds a change to the line of equal changes. If there is none, it begins a line, unless there are already most
// lines; then it leaves the change out.
func (l *ChangeLines) Add(c FeedChange, most int) {
	key := c.AlikeKey()
	if i, found := l.known[key]; key != "" && found {
		line := &l.All[i]
		if line.Count++; len(line.Changes) < mostPages {
			line.Changes = append(line.Changes, c)
		}
		return
	}
	if len(l.All) >= most {
		return
	}
	if l.known == nil {
		l.known = map[string]int{}
	}
	if key != "" {
		l.known[key] = len(l.All)
	}
	l.All = append(l.All, ChangeLine{[]FeedChange{c}, 1})
}

// MayGrow reports whether a later change may belong to one of the lines.
func (l *ChangeLines) MayGrow() bool { return len(l.known) > 0 }

// Count returns the number of changes in the lines.
func (l *ChangeLines) Count() (n int) {
	for _, line := range l.All {
		n += line.Count
	}
	return n
}
