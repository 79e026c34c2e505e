package sentinel

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Kind is what a look reads.
type Kind string

// The kinds of looks.
const (
	Full  Kind = "full"  // feeds, and sitemaps: once a day
	Feeds Kind = "feeds" // feeds only: once an hour
)

// Bounds of a look and of its row, which strangers help to fill.
const (
	// MaxDocuments is the most documents of one look.
	MaxDocuments = 500
	// MaxProblems is how many errors a look remembers; all are counted.
	MaxProblems = 20
	// maxFrontierBytes bounds the addresses of documents that wait.
	maxFrontierBytes = 300_000
	maxMessage       = 300
	maxShown         = 500
)

// Problem is one error of a look.
type Problem struct {
	At      time.Time `json:"at"`
	URL     string    `json:"url,omitempty"`
	Message string    `json:"message"`
}

// Look is one look at a site. Addresses are counted in documents that have changed only.
type Look struct {
	ID         string    `json:"id"`
	Kind       Kind      `json:"kind"`
	BeganAt    time.Time `json:"beganAt"`
	EndedAt    time.Time `json:"endedAt,omitzero"` // zero while it goes on
	Requests   int       `json:"requests"`         // to the site, for documents
	Documents  int       `json:"documents"`        // that were read, the unchanged ones included
	Unmodified int       `json:"unmodified"`       // of these, as they were at the look before
	Found      int       `json:"found"`            // addresses that no look had dealt with; the next six are its parts
	New        int       `json:"new"`              // registered
	Known      int       `json:"known"`            // items already
	Excluded   int       `json:"excluded"`         // not wanted by the site file
	Trapped    int       `json:"trapped"`          // taken for spaces without an end
	Refused    int       `json:"refused"`          // by the registry, each with an error
	Later      int       `json:"later"`            // left for the next look, because a bound was reached
	Moved      int       `json:"moved"`            // known addresses whose lastmod has moved
	Noted      int       `json:"noted"`            // of these, predictions that are held against the next check
	Hastened   int       `json:"hastened"`         // of these, checks that were brought forward
	Errors     int       `json:"errors"`
	Problems   []Problem `json:"problems,omitempty"` // the first [MaxProblems]
	Note       string    `json:"note,omitempty"`     // what it waits for, or why it ended early
}

func (l *Look) failed(at time.Time, url, message string) {
	l.Errors++
	if len(l.Problems) < MaxProblems {
		l.Problems = append(l.Problems, Problem{at, clip(url, maxShown), clip(message, maxMessage)})
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
	slug string
	step int64 // of the next message
	held
	etag storage.ETag
}

// held is what of a site's row is compound, and so one JSON text.
type held struct {
	Now       *Look     `json:"now,omitempty"` // the look that goes on
	Docs      []doc     `json:"docs,omitempty"`
	Seen      []string  `json:"seen,omitempty"`  // addresses of documents of this look, as keys
	Traps     []byte    `json:"traps,omitempty"` // of this look
	NotBefore time.Time `json:"notBefore,omitzero"`
	UpdatedAt time.Time `json:"updatedAt"`
	Last      *Look     `json:"last,omitempty"` // full ones that have ended
	LastFeeds *Look     `json:"lastFeeds,omitempty"`
	Day       day       `json:"day"`
}

// day is what was done for a site on one day.
type day struct {
	Date     string `json:"date,omitempty"` // UTC
	New      int    `json:"new"`
	Hastened int    `json:"hastened"`
}

// on is the count of the day that now is in.
func (d day) on(now time.Time) day {
	if date := now.UTC().Format(time.DateOnly); d.Date != date {
		return day{Date: date}
	}
	return d
}

const (
	partition  = "sentinel"
	siteRows   = "site|"
	activeRows = "active|"
	docRows    = "doc|"
	pushRows   = "push|"
	afterBar   = "}" // closes the range of a prefix that ends in '|'
)

func key(row string) storage.Key { return storage.Key{Partition: partition, Row: row} }

func (st *state) entity() (storage.Entity, error) {
	text, err := json.Marshal(st.held)
	if err != nil {
		return storage.Entity{}, err
	}
	props := storage.Properties{"rowVersion": int64(1), "slug": st.slug, "step": st.step, "lookedAt": storage.FormatTime(st.lookedAt())}
	putBytes(props, "state", text)
	return storage.Entity{Key: key(siteRows + st.slug), ETag: st.etag, Props: props}, nil
}

// op writes the row: an insert if it was not there, else If-Match.
func (st *state) op() (storage.Op, error) {
	e, err := st.entity()
	if st.etag == "" {
		return storage.Op{Kind: storage.Insert, Entity: e}, err
	}
	return storage.Op{Kind: storage.Replace, Entity: e}, err
}

func stateOf(e storage.Entity) (*state, error) {
	st := &state{slug: strings.TrimPrefix(e.Row, siteRows), etag: e.ETag}
	st.step, _ = e.Props["step"].(int64)
	if err := json.Unmarshal(getBytes(e.Props, "state"), &st.held); err != nil {
		return nil, fault.New(fault.Internal, "the row of site %s is damaged: %w", st.slug, err)
	}
	return st, nil
}

// lookedAt is when the last full look began; zero before the first.
func (st *state) lookedAt() time.Time {
	if st.Last == nil {
		return time.Time{}
	}
	return st.Last.BeganAt
}

// push has a document read in this look, once; full reports that too many wait.
func (st *state) push(d doc) (full bool) {
	size := 0
	for _, waiting := range st.Docs {
		size += len(waiting.URL)
	}
	if len(st.Seen) >= MaxDocuments || size+len(d.URL) > maxFrontierBytes {
		return true
	}
	name := docHash(d.URL)
	for _, seen := range st.Seen {
		if seen == name {
			return false
		}
	}
	st.Seen, st.Docs = append(st.Seen, name), append(st.Docs, d)
	return false
}

// columnBytes is how much one column of a long text holds; a column may have 64 KiB.
const columnBytes = 60_000

// putBytes spreads bytes over as many columns as they need.
func putBytes(props storage.Properties, name string, b []byte) {
	for i := 0; len(b) > 0; i++ {
		n := min(len(b), columnBytes)
		props[fmt.Sprintf("%s%d", name, i)] = b[:n:n]
		b = b[n:]
	}
}

func getBytes(props storage.Properties, name string) (b []byte) {
	for i := 0; ; i++ {
		part, ok := props[fmt.Sprintf("%s%d", name, i)].([]byte)
		if !ok {
			return b
		}
		b = append(b, part...)
	}
}

// clip cuts a text to at most n bytes, on a rune's edge.
func clip(s string, n int) string {
	if len(s) > n {
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "")
}
