package api

import "time"

// HostDetail is how a host is treated, and why.
type HostDetail struct {
	HostStatus
	MinDelayMS      int64     `json:"minDelayMs"` // between two starts, with what robots.txt asks for
	MaxDelayMS      int64     `json:"maxDelayMs"`
	MaxConcurrent   int       `json:"maxConcurrent"`
	CrawlDelayMS    int64     `json:"crawlDelayMs,omitempty"` // of robots.txt
	NextStartAt     time.Time `json:"nextStartAt,omitzero"`   // no request starts before
	NextDueAt       time.Time `json:"nextDueAt,omitzero"`     // the next check that is not due yet
	Workers         int       `json:"workers"`                // that may send requests now
	Requests        int       `json:"requests"`               // they may have in flight
	RecentChecks    int       `json:"recentChecks"`           // that the rates speak of
	TombstonesToday int       `json:"tombstonesToday,omitempty"`
	// since midnight, UTC; with those that who asks now has reserved
	RequestsToday  int           `json:"requestsToday"`
	BytesToday     int64         `json:"bytesToday"`               // of bodies, as they came over the wire
	RequestsPerDay int           `json:"requestsPerDay,omitempty"` // that may be made; left out where there is no limit
	BytesPerDay    int64         `json:"bytesPerDay,omitempty"`
	MaxItems       int           `json:"maxItems,omitempty"` // that may be registered
	Robots         []RobotsState `json:"robots"`
	// Days are the last 30 with today, in UTC, oldest first. Those on which the host was not asked are left out.
	Days []HostDay `json:"days"`
}

// HostDay is what a host was asked for in a day, and what came of it.
type HostDay struct {
	Day      time.Time `json:"day"`      // its beginning
	Requests int64     `json:"requests"` // with those for robots.txt and sitemaps
	Bytes    int64     `json:"bytes"`    // of bodies, as they came over the wire
	Checks   int64     `json:"checks"`   // that ended
	Changes  int64     `json:"changes"`  // checks that found new content
	Errors   int64     `json:"errors"`   // checks that failed
}

// RobotsState is what is known of the robots.txt of one origin.
type RobotsState struct {
	Scheme     string    `json:"scheme"`
	Verdict    string    `json:"verdict"` // what it means for us
	Reason     string    `json:"reason"`
	StatusCode int       `json:"statusCode,omitempty"`
	FetchedAt  time.Time `json:"fetchedAt,omitzero"`
	Expires    time.Time `json:"expires,omitzero"`
	Text       string    `json:"text,omitempty"` // the last good one, at most 64 KiB of it
}

// HostName names a host.
type HostName struct {
	Host string `json:"-" path:"host"` // The host, as items have it.
}
