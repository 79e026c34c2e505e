package api

import "time"

// SearchStatus says how far the registry is from being true: of all hosts together, and of each. Of more than 100
// hosts those are looked at that have something due or in flight, at most 100. Of the others the rates are up to a
// day old, due is what is known to wait, at least 1 if anything does, and inFlight is 0. If no item is found in
// flight, inFlight in all is then the number of jobs.
type SearchStatus struct {
	Counts
	AsOf  time.Time    `json:"asOf,omitzero"`
	Hosts []HostStatus `json:"hosts"`
	// Rebuilds are those that go on. With a host, those of other hosts are left out.
	Rebuilds []Rebuild `json:"rebuilds,omitempty"`
}

// Counts are the numbers of a set of items.
type Counts struct {
	Items      map[Status]int `json:"items"`                // a status without items may be left out
	Due        int            `json:"due"`                  // should be checked by now, and are not yet
	InFlight   int            `json:"inFlight"`             // sent to a worker or being worked on
	Rebuilding int            `json:"rebuilding,omitempty"` // wait to be indexed anew by a rebuild
	Guarded    int            `json:"held,omitempty"`       // missing, with too many others of their host to be believed
	ChangeRate float64        `json:"changeRate"`           // share of recent checks that found a change, 0 to 1
	ErrorRate  float64        `json:"errorRate"`            // share of recent checks that failed, 0 to 1
}

// Total is the number of items of every status.
func (c Counts) Total() int {
	n := 0
	for _, k := range c.Items {
		n += k
	}
	return n
}

// Backlog is the number of items that wait for a check or are in one.
func (c Counts) Backlog() int { return c.Due + c.InFlight }

// HostStatus is the status of one host. PausedUntil is set while nobody asks the host, because it asked
// for a pause or because what may be asked for in a day is spent.
type HostStatus struct {
	Host string `json:"host"`
	Counts
	PausedUntil time.Time `json:"pausedUntil,omitzero"`
	PauseReason string    `json:"pauseReason,omitempty"`
}

// StatusQuery asks for the counts of one host, or of all.
type StatusQuery struct {
	Host string `json:"host,omitempty"` // Only this host.
}
