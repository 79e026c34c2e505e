package api

import "time"

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
