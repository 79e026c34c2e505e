package api

import "time"

// SearchStatus is the state of the registry, in total and by host. With more than 100 hosts, only hosts with work due
// or in flight are examined, at most 100 of them. For the other hosts, rates are up to a day old, due counts only
// known waiting work (at least 1 if there is any), and inFlight is 0. If no item is found in flight, the total
// inFlight is the number of jobs.
type SearchStatus struct {
	Counts
	AsOf  time.Time    `json:"asOf,omitzero"`
	Hosts []HostStatus `json:"hosts"`
	// Rebuilds are the unfinished rebuilds. If a host is selected, rebuilds of other hosts are left out.
	Rebuilds []Rebuild `json:"rebuilds,omitempty"`
}

// Counts are statistics of a set of items.
type Counts struct {
	Items      map[Status]int `json:"items"`                // statuses without items may be left out
	Due        int            `json:"due"`                  // waiting for a check that is due
	InFlight   int            `json:"inFlight"`             // sent to a worker or in progress
	Rebuilding int            `json:"rebuilding,omitempty"` // waiting to be indexed again by a rebuild
	Guarded    int            `json:"held,omitempty"`       // missing together with many others of their host, and not yet confirmed
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

// HostStatus is the status of one host. PausedUntil is set while the host is not contacted, because it asked for a
// pause or because a daily budget is used up.
type HostStatus struct {
	Host string `json:"host"`
	Counts
	PausedUntil time.Time `json:"pausedUntil,omitzero"`
	PauseReason string    `json:"pauseReason,omitempty"`
}

// StatusQuery selects one host, or all.
type StatusQuery struct {
	Host string `json:"host,omitempty"` // Only this host.
}
