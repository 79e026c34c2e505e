package sitepoll

import (
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Kind is what a poll reads.
type Kind string

// The kinds of polls.
const (
	Full  Kind = "full"  // feeds, and sitemaps: once a day
	Feeds Kind = "feeds" // feeds only: once an hour
)

// Bounds of a poll and of its row, which strangers help to fill.
const (
	// MaxDocuments is the most documents of one poll.
	MaxDocuments = 500
	// MaxProblems is how many errors a poll remembers; all are counted.
	MaxProblems = 20
	// maxFrontierBytes bounds the addresses of documents that wait.
	maxFrontierBytes = 300_000
	maxMessage       = 300
	maxShown         = 500
)

// Problem is one error of a poll.
type Problem struct {
	At      time.Time `json:"at"`
	URL     string    `json:"url,omitempty"`
	Message string    `json:"message"`
}

// Poll is one poll of a site. Addresses are counted in documents that have changed only.
type Poll struct {
	ID         string    `json:"id"`
	Kind       Kind      `json:"kind"`
	BeganAt    time.Time `json:"beganAt"`
	EndedAt    time.Time `json:"endedAt,omitzero"` // zero while it goes on
	Requests   int       `json:"requests"`         // to the site, for documents
	Documents  int       `json:"documents"`        // that were read, the unchanged ones included
	Unmodified int       `json:"unmodified"`       // of these, as they were at the poll before
	Found      int       `json:"found"`            // addresses that no poll had processed; the next six are its parts
	New        int       `json:"new"`              // registered
	Known      int       `json:"known"`            // items already
	Excluded   int       `json:"excluded"`         // not wanted by the site file
	Trapped    int       `json:"trapped"`          // left out as parts of an endless series, such as a calendar
	Refused    int       `json:"refused"`          // by the registry, each with an error
	Later      int       `json:"later"`            // left for the next poll, because a bound was reached
	Moved      int       `json:"moved"`            // known addresses whose lastmod has moved
	Noted      int       `json:"noted"`            // of these, predictions that are held against the next check
	Expedited  int       `json:"hastened"`         // of these, checks that were brought forward
	Errors     int       `json:"errors"`
	Problems   []Problem `json:"problems,omitempty"` // the first [MaxProblems]
	Note       string    `json:"note,omitempty"`     // what it waits for, or why it ended early
	// Reasons are those for which addresses were excluded or left out.
	Reasons run.Reasons `json:"reasons,omitempty"`
}

// Coverage is what all polls of a site together found, each address once, and what became of it.
type Coverage struct {
	Rules    string      `json:"rules,omitempty"` // of the site file, by which it was counted
	Found    int         `json:"found"`           // the next five add up to it
	New      int         `json:"new"`
	Known    int         `json:"known"`
	Excluded int         `json:"excluded"`
	Trapped  int         `json:"trapped"`
	Refused  int         `json:"refused"`
	Reasons  run.Reasons `json:"reasons,omitempty"`
}

// plus is the coverage with what a poll found. What the poll left for later is found again.
func (c Coverage) plus(l *Poll) Coverage {
	if l == nil {
		return c
	}
	c.Found += l.Found - l.Later
	c.New += l.New
	c.Known += l.Known
	c.Excluded += l.Excluded
	c.Trapped += l.Trapped
	c.Refused += l.Refused
	c.Reasons = maps.Clone(c.Reasons)
	for reason, n := range l.Reasons {
		c.Reasons.Add(reason, n)
	}
	return c
}

func (l *Poll) failed(at time.Time, url, message string) {
	l.Errors++
	if len(l.Problems) < MaxProblems {
		l.Problems = append(l.Problems, Problem{at, run.Clip(url, maxShown), run.Clip(message, maxMessage)})
	}
}

// doc is a document that waits to be read.
type doc struct {
	URL   string `json:"u"`
	Kind  string `json:"k"`
	Depth int    `json:"d,omitempty"` // indexes above it
	Tries int    `json:"t,omitempty"` // that have failed
	Again int    `json:"a,omitempty"` // times that it was read and had more than one step takes
}

// The kinds of documents.
const (
	docMap    = "map" // a sitemap or a feed: the body decides
	docRobots = "robots"
)

// state is a site's row.
type state struct {
	RowVersion int       `col:"rowVersion"`
	Slug       string    `col:"slug"`
	Step       int64     `col:"step"`     // of the next message
	PolledAt   time.Time `col:"lookedAt"` // when the last full poll began; for operators, who cannot read Held
	Held       `col:"state,parts,must"`
	etag       storage.ETag
}

// Held is what of a site's row is compound, and so one JSON text.
type Held struct {
	Now       *Poll     `json:"now,omitempty"` // the poll that goes on
	Docs      []doc     `json:"docs,omitempty"`
	Seen      []string  `json:"seen,omitempty"`  // addresses of documents of this poll, as keys
	Traps     []byte    `json:"traps,omitempty"` // of this poll
	NotBefore time.Time `json:"notBefore,omitzero"`
	UpdatedAt time.Time `json:"updatedAt"`
	Last      *Poll     `json:"last,omitempty"` // full ones that have ended
	LastFeeds *Poll     `json:"lastFeeds,omitempty"`
	Day       day       `json:"day"`
	All       Coverage  `json:"all"` // of the polls that have ended
}

func newState(slug string) state { return state{RowVersion: 1, Slug: slug} }

func fields(st *state) run.Fields {
	return run.Fields{ID: &st.Slug, Over: st.Now == nil, Step: &st.Step, UpdatedAt: &st.UpdatedAt,
		NotBefore: &st.NotBefore, ETag: &st.etag}
}

// day is what was done for a site on one day.
type day struct {
	Date      string `json:"date,omitempty"` // UTC
	New       int    `json:"new"`
	Expedited int    `json:"hastened"`
}

// on is the count of the day that now is in.
func (d day) on(now time.Time) day {
	if date := now.UTC().Format(time.DateOnly); d.Date != date {
		return day{Date: date}
	}
	return d
}

const (
	partition = "sentinel"
	siteRows  = "site|"
	docRows   = "doc|"
	pushRows  = "push|"
)

func key(row string) storage.Key { return storage.Key{Partition: partition, Row: row} }

func siteRow(slug string) string { return siteRows + slug }

func checkSlug(slug string) error { return storage.CheckKey(key(siteRow(slug))) }

// polledAt is when the last full poll began; zero before the first.
func (st *state) polledAt() time.Time {
	if st.Last == nil {
		return time.Time{}
	}
	return st.Last.BeganAt
}

// push has a document read in this poll, once; full reports that too many wait.
func (st *state) push(d doc) (full bool) {
	size := 0
	for _, waiting := range st.Docs {
		size += len(waiting.URL)
	}
	if len(st.Seen) >= MaxDocuments || size+len(d.URL) > maxFrontierBytes {
		return true
	}
	name := docHash(d.URL)
	if slices.Contains(st.Seen, name) {
		return false
	}
	st.Seen, st.Docs = append(st.Seen, name), append(st.Docs, d)
	return false
}
