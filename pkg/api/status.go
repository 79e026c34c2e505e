package api

import "time"

// SearchStatus is the state of the registry, in total and by host. If there are more than 100 hosts, at most 100 are
// examined, and only hosts with work that is due or in flight. For the other hosts, rates are up to a day old and
// inFlight is 0. Their due is the number of items that are known to wait, and at least 1 if any item waits. If no
// item is found in flight, the inFlight of the total is the number of jobs.
type SearchStatus struct {
	Counts
	AsOf  time.Time    `json:"asOf,omitzero"`
	Hosts []HostStatus `json:"hosts"`
	// Rebuilds are the unfinished rebuilds. If a host is selected, rebuilds of other hosts are left out.
	Rebuilds []Rebuild `json:"rebuilds,omitempty"`
	// Generations are those of the index. They are left out if the index has none, and if a host is selected.
	Generations *IndexGenerations `json:"generations,omitempty"`
	// Renders is what browsers cost since the process that answers started. It is left out while no page was read in one
	// or spared from that, and if a host is selected.
	Renders *Renders `json:"renders,omitempty"`
}

// Renders says what rendering pages costs, and how often no browser was needed.
type Renders struct {
	Pages  int `json:"pages"`  // pages that were rendered, including failures
	Failed int `json:"failed"` // pages that could not be rendered
	// checks that used no browser, of pages that may be rendered
	Spared      int     `json:"spared"`
	MeanSeconds float64 `json:"meanSeconds"` // mean time per page, including failures
}

// SparedShare returns the share, 0 to 1, of the checks of pages that may be rendered which used no browser.
func (r Renders) SparedShare() float64 {
	if r.Pages+r.Spared == 0 {
		return 0
	}
	return float64(r.Spared) / float64(r.Pages+r.Spared)
}

// Counts are statistics of a set of items.
type Counts struct {
	// number of items by status; statuses without items may be left out
	Items map[Status]int `json:"items"`
	Due   int            `json:"due"` // items that wait for a check that is due
	// whether more items may be due: at most 20,000 of a host are counted, and only at hosts that were examined
	DueAtLeast bool `json:"dueAtLeast,omitempty"`
	InFlight   int  `json:"inFlight"`             // items whose check was sent to a worker or is in progress
	Rebuilding int  `json:"rebuilding,omitempty"` // items that wait to be indexed again by a rebuild
	// items found missing together with many others of their host, and not yet confirmed by a second check
	Guarded    int     `json:"held,omitempty"`
	ChangeRate float64 `json:"changeRate"` // share of recent checks that found a change, 0 to 1
	ErrorRate  float64 `json:"errorRate"`  // share of recent checks that failed, 0 to 1
}

// Total returns the number of items of every status together.
func (c Counts) Total() int {
	n := 0
	for _, k := range c.Items {
		n += k
	}
	return n
}

// Backlog returns the number of items that wait for a check or are being checked.
func (c Counts) Backlog() int { return c.Due + c.InFlight }

// HostStatus is the status of one host. PausedUntil is set while the host is not contacted, because it asked for a
// pause or because a daily budget is used up.
type HostStatus struct {
	Host string `json:"host"`
	Counts
	PausedUntil time.Time `json:"pausedUntil,omitzero"`
	PauseReason string    `json:"pauseReason,omitempty"`
	// Unreachable says why the host cannot be reached. It is left out while the host answers.
	Unreachable *Unreachable `json:"unreachable,omitempty"`
}

// Unreachable says that a host cannot be reached. Its pages wait until it answers, without attempts of their own.
type Unreachable struct {
	Why     string    `json:"why"`
	Of      string    `json:"of"`    // dns, connection, tls or robots
	Since   time.Time `json:"since"` // the first try that failed
	Tries   int       `json:"tries"` // how many in a row have failed
	NextTry time.Time `json:"nextTry"`
}

// StatusQuery selects one host, or all.
type StatusQuery struct {
	Host string `json:"host,omitempty"` // Only this host.
}

// HostDetail says how Tidemark treats a host, and why.
type HostDetail struct {
	HostStatus
	// the shortest time between the starts of two requests; takes crawlDelayMs into account
	MinDelayMS      int64     `json:"minDelayMs"`
	MaxDelayMS      int64     `json:"maxDelayMs"`
	MaxConcurrent   int       `json:"maxConcurrent"`
	CrawlDelayMS    int64     `json:"crawlDelayMs,omitempty"` // the delay that robots.txt asks for
	NextStartAt     time.Time `json:"nextStartAt,omitzero"`   // no request starts before this time
	NextDueAt       time.Time `json:"nextDueAt,omitzero"`     // when the next check falls due
	Workers         int       `json:"workers"`                // workers that may send requests now
	Requests        int       `json:"requests"`               // requests that these workers may have in flight
	RecentChecks    int       `json:"recentChecks"`           // number of checks from which the rates are computed
	TombstonesToday int       `json:"tombstonesToday,omitempty"`
	// requests since midnight UTC, including those that are reserved but not made yet
	RequestsToday  int           `json:"requestsToday"`
	BytesToday     int64         `json:"bytesToday"`               // size of bodies on the wire
	RequestsPerDay int           `json:"requestsPerDay,omitempty"` // the daily limit; left out if there is none
	BytesPerDay    int64         `json:"bytesPerDay,omitempty"`
	MaxItems       int           `json:"maxItems,omitempty"` // the most items that may be registered
	Robots         []RobotsState `json:"robots"`
	// Notices are sentences about answers of the host that are not believed, such as an ETag that stays the same while
	// the content changes.
	Notices []string `json:"notices,omitempty"`
	// Days are the last 30 days including today, in UTC, oldest first. Days without requests are left out.
	Days []HostDay `json:"days"`
}

// HostDay counts the requests to a host in a day, and their results.
type HostDay struct {
	Day      time.Time `json:"day"`      // start of the day
	Requests int64     `json:"requests"` // including requests for robots.txt and sitemaps
	Bytes    int64     `json:"bytes"`    // size of bodies on the wire
	Checks   int64     `json:"checks"`   // checks that ended
	Changes  int64     `json:"changes"`  // checks that found new content
	Errors   int64     `json:"errors"`   // checks that failed
}

// RobotsState is the known state of the robots.txt of one origin.
type RobotsState struct {
	Scheme string `json:"scheme"`
	// body or copy: the rules in text apply; allow: there is no robots.txt, so everything may be fetched;
	// disallow: nothing may be fetched for now
	Verdict    string    `json:"verdict"`
	Reason     string    `json:"reason"`
	StatusCode int       `json:"statusCode,omitempty"`
	FetchedAt  time.Time `json:"fetchedAt,omitzero"`
	Expires    time.Time `json:"expires,omitzero"`
	Text       string    `json:"text,omitempty"` // the last valid file, at most 64 KiB of it
}

// HostName identifies a host.
type HostName struct {
	Host string `json:"-" path:"host"` // The host, as shown on items.
}

// RebuildRequest indexes everything in Scope again, or all items if Scope is left out. By default, items are read
// from their stored captures under the current rules, and no site is contacted. With Refetch, pages are fetched again
// instead. With Force, items that are not in the index are fetched as well, whether they failed, are excluded or are
// Gone. With Audit, only items whose content in the index is wrong are indexed again, and content that belongs to no
// item and no entry is removed. Entries belong to no host, so they are included only when Scope is left out.
type RebuildRequest struct {
	Scope   *RebuildScope `json:"scope,omitempty"`
	Force   bool          `json:"force,omitempty" query:"force" default:"false"`
	Refetch bool          `json:"refetch,omitempty"`
	Audit   bool          `json:"audit,omitempty"`
}

// RebuildScope limits a rebuild to one host.
type RebuildScope struct {
	Host string `json:"host,omitempty"`
}

// The states of a rebuild, in order.
const (
	RebuildMarking  = "marking"  // items are being marked for indexing
	RebuildEntries  = "entries"  // without a scope: entries are being indexed
	RebuildClearing = "clearing" // in an audit: pages without an item or an entry are being removed
	RebuildIndexing = "indexing" // all items are marked, and some still wait to be indexed
	RebuildCounting = "counting" // no item waits; results are being counted
	RebuildDone     = "done"
)

// Rebuild is a rebuild of the index. It continues in the background.
type Rebuild struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Host    string `json:"host,omitempty"` // all hosts when empty
	Force   bool   `json:"force"`
	Refetch bool   `json:"refetch"`
	Audit   bool   `json:"audit"`
	Reason  string `json:"reason,omitempty"` // why the rebuild started, if nobody requested it
	Items   int    `json:"items"`            // items examined so far
	Marked  int    `json:"marked"`           // examined items that were marked for indexing
	Left    int    `json:"left"`             // marked items that wait, including those of other rebuilds of the scope
	// Indexed, KeptOut and Failed are the results for the marked items, once the rebuild is done. Items that were
	// deleted meanwhile, or marked again by a later rebuild, are not counted.
	Indexed int `json:"indexed"`
	KeptOut int `json:"keptOut"` // items that are excluded, gone or duplicates
	Failed  int `json:"failed"`
	Entries int `json:"entries,omitempty"` // entries that were examined and indexed so far
	Mended  int `json:"mended,omitempty"`  // in an audit: entries whose content in the index was wrong
	// in an audit: pages that were removed from the index because they belonged to no item and no entry
	Removed  int       `json:"removed,omitempty"`
	Findings []Finding `json:"findings,omitempty"` // in an audit: the first 50 differences
	// Collisions counts chunks that had equal uids at first. It is set once the rebuild is done, and null if no uids
	// were equal.
	Collisions *Collisions `json:"collisions,omitempty"`
	StartedAt  time.Time   `json:"startedAt,omitzero"`
	UpdatedAt  time.Time   `json:"updatedAt,omitzero"`
	EndedAt    time.Time   `json:"endedAt,omitzero"`
}

// Collisions counts chunks whose uids were equal at first, and were then made different (spec 002 §5.4).
type Collisions struct {
	Chunks    int      `json:"chunks"`
	ByContext int      `json:"byContext"` // chunks that were distinguished by more context
	ByOrdinal int      `json:"byOrdinal"` // chunks that were distinguished by numbers
	Largest   int      `json:"largest"`   // the largest number of chunks with one uid
	Files     []string `json:"files"`     // ids of the items of these chunks, the first 50
}

// Finding is a difference between the index and what it should have for an item.
type Finding struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

// RebuildID identifies a rebuild.
type RebuildID struct {
	ID string `json:"id"` // The rebuild.
}
