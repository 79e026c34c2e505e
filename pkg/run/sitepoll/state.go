package sitepoll

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/walk"
	"github.com/tidemark/tidemark/pkg/storage"
)

// The kinds of polls, which decide which documents a poll reads.
const (
	Full  = "full"  // feeds and sitemaps, once a day
	Feeds = "feeds" // feeds only, once an hour
)

// Bounds of a poll and of its row, part of which comes from unknown hosts.
const (
	// maxDocuments limits the number of documents in one poll.
	maxDocuments = 500
	// MaxProblems limits the number of errors that a poll records. All errors are counted.
	MaxProblems = 20
	// maxFrontierBytes bounds the size of the addresses of waiting documents.
	maxFrontierBytes = 300_000
	maxMessage       = 300
	maxShown         = 500
)

// Poll is one poll of a site, as it is shown and stored. It counts only addresses in documents that have changed.
type Poll struct {
	api.Look
	// Reasons counts the excluded and trapped addresses, by reason.
	Reasons  run.Reasons  `json:"reasons,omitempty"`
	Examples run.Examples `json:"examples,omitempty"` // an address of each reason
	// Tried is what was asked for without being named, and Offers what a person may choose. Asks reports that no
	// document of the site lists pages, so that a person has to choose or to name others.
	Tried  []api.SiteTry `json:"tried,omitempty"`
	Offers []Offer       `json:"offers,omitempty"`
	Asks   bool          `json:"asks,omitempty"`
}

// Coverage counts the addresses that the polls of a site have found so far.
type Coverage struct {
	Rules string `json:"rules,omitempty"` // rules of the site file under which the addresses were counted
	api.Coverage
}

// plus adds the addresses that a poll found. It omits the addresses that were left for later, because the next poll
// finds them again.
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
	reasons, examples := run.Reasons(maps.Clone(c.Reasons)), run.Examples(maps.Clone(c.Examples))
	for reason, n := range l.Reasons {
		entry := reasons.Add(reason, n)
		if address := l.Examples[reason]; address != "" {
			examples.Note(entry, address)
		}
	}
	c.Reasons, c.Examples = reasons, examples
	return c
}

// leftOut counts an address that is not wanted.
func (l *Poll) leftOut(why, address string) {
	l.Examples.Note(l.Reasons.Add(why, 1), run.Clip(address, maxShown))
}

func (l *Poll) failed(at time.Time, url, message string) {
	l.Errors++
	if len(l.Problems) < MaxProblems {
		l.Problems = append(l.Problems, api.LookError{At: at, URL: run.Clip(url, maxShown),
			Message: run.Clip(message, maxMessage)})
	}
}

// doc is a document that is waiting to be read.
type doc struct {
	URL   string `json:"u"`
	Kind  string `json:"k"`
	Depth int    `json:"d,omitempty"` // number of indexes above the document
	Tries int    `json:"t,omitempty"` // number of failed tries
	Again int    `json:"a,omitempty"` // number of further steps that the document needed for its addresses
	Later bool   `json:"l,omitempty"` // its host could not be asked, so the other documents went first
	From  string `json:"f,omitempty"` // the listing of the site file that the page belongs to
}

// The kinds of documents.
const (
	docMap    = "map" // a sitemap or a feed; the body shows which
	docRobots = "robots"
	docList   = "list" // a page that lists others
	// The following are examined to offer them; see [Offer].
	docFirst = "first" // the first page of the site
	docNamed = "named" // a feed that the first page names
	docUsual = "usual" // a feed at an address that is usual for feeds
)

// state is a site's row.
type state struct {
	RowVersion int       `col:"rowVersion"`
	Slug       string    `col:"slug"`
	Step       int64     `col:"step"`     // number of the next message
	PolledAt   time.Time `col:"lookedAt"` // when the last full poll began; stored for operators, who cannot read Held
	Held       `col:"state,parts,must"`
	etag       storage.ETag
}

// Held is the part of a site's row that is stored as one JSON text.
type Held struct {
	Now       *Poll      `json:"now,omitempty"` // the active poll
	Docs      []doc      `json:"docs,omitempty"`
	Seen      []string   `json:"seen,omitempty"`   // addresses of documents of this poll, as keys
	Listed    bool       `json:"listed,omitempty"` // a document of this poll lists pages
	Traps     []byte     `json:"traps,omitempty"`  // state of the detector of endless spaces in this poll
	NotBefore time.Time  `json:"notBefore,omitzero"`
	UpdatedAt time.Time  `json:"updatedAt"`
	FeedsAt   time.Time  `json:"feedsAt,omitzero"` // when the active poll read the feeds last
	Last      *Poll      `json:"last,omitempty"`   // the last full poll that has ended
	LastFeeds *Poll      `json:"lastFeeds,omitempty"`
	Day       day        `json:"day"`
	All       Coverage   `json:"all"` // coverage of all polls that have ended
	Walk      *walk.Walk `json:"walk,omitempty"`
	// TrialUntil is the time until which the result of a dry run is kept; zero for a site that is polled.
	TrialUntil time.Time `json:"trialUntil,omitzero"`
}

func newState(slug string) state { return state{RowVersion: 1, Slug: slug} }

func fields(st *state) run.Fields {
	return run.Fields{ID: &st.Slug, Over: st.Now == nil, Step: &st.Step, UpdatedAt: &st.UpdatedAt,
		NotBefore: &st.NotBefore, ETag: &st.etag}
}

// day counts the work for a site on one day.
type day struct {
	Date      string `json:"date,omitempty"` // the day, in UTC
	New       int    `json:"new"`
	Expedited int    `json:"hastened"`
}

// on returns the counts of the day that contains now.
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

// polledAt returns the time when the last full poll began; zero before the first poll.
func (st *state) polledAt() time.Time {
	if st.Last == nil {
		return time.Time{}
	}
	return st.Last.BeganAt
}

// push queues a document for this poll, unless it was queued before. It reports whether too many documents are
// waiting.
func (st *state) push(d doc) (full bool) {
	size := 0
	for _, waiting := range st.Docs {
		size += len(waiting.URL)
	}
	if len(st.Seen) >= maxDocuments || size+len(d.URL) > maxFrontierBytes {
		return true
	}
	name := docHash(d.URL)
	if slices.Contains(st.Seen, name) {
		return false
	}
	st.Seen, st.Docs = append(st.Seen, name), append(st.Docs, d)
	return false
}

// reading is what was parsed from a document.
type reading struct {
	discover.Found
	same   bool // the document is unchanged since the last poll
	digest string
}

// parse reads a fetched resource. Its errors are faults of the site. Their kind is Unavailable if a retry may help.
func parse(d doc, held document, page politeness.Resource, found *site.Site) (got reading, err error) {
	switch {
	case page.NotModified:
		return reading{same: true}, nil
	case d.Kind == docRobots && page.Missing():
		return reading{}, nil // a missing robots.txt lists no sitemaps
	case page.Refused() != nil:
		return got, page.Refused()
	}
	got.digest = fmt.Sprintf("%016x", xxhash.Sum64(page.Body))
	if got.same = got.digest == held.Body; got.same {
		return got, nil
	}
	if d.Kind == docRobots {
		got.Found = discover.Robots(page.Body, page.FinalURL)
		return got, nil
	}
	if d.Kind == docList {
		got.Found, err = listing(d, page, found)
		return got, err
	}
	got.Found, err = discover.Sitemap(page.Body, page.FinalURL, discover.Bounds{Alternates: found.Alternates,
		Charset: page.Charset()})
	return got, err
}

// listing reads a page that lists others, in the way in which the site file describes it.
func listing(d doc, page politeness.Resource, found *site.Site) (discover.Found, error) {
	var l site.Listing
	for _, one := range found.Listings {
		if one.URL.String() == d.From {
			l = one
		}
	}
	got, err := discover.Listing(page.Body, page.ContentType, page.FinalURL, l.Links, l.Next)
	got.Links = slices.DeleteFunc(got.Links, func(link discover.Link) bool { return link.URL == got.Next })
	return got, err
}

// unread says what was not read of a document. Of a page, links that lead to no page are no fault.
func (got reading) unread(d doc) []string {
	if d.Kind == docList && got.Truncated == "" && len(got.Links) > 0 {
		return nil
	}
	return got.Unread()
}

// bounded returns the first sitemaps of an index, up to the bound on remembered sitemaps. An index with more sitemaps
// is read again by each poll; see [step.links].
func bounded(maps []discover.Link) []discover.Link {
	for size, i := 0, 0; i < len(maps); i++ {
		text, _ := json.Marshal(maps[i]) // encoding a link cannot fail
		if size += len(text) + 1; size > maxMapsBytes {
			return maps[:i]
		}
	}
	return maps
}

func tooMany(n int) string {
	return fmt.Sprintf("more documents than are read in one poll; %d are passed over", n)
}
