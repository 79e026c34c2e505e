package api

import "time"

// DefaultHours and MaxHours are how many hours of activity are shown when nothing is said, and at most.
const (
	DefaultHours = 24
	MaxHours     = 720
)

// Activity is what was done in the last hours, by all instances together. What was done within the
// last minute may be missing yet.
type Activity struct {
	AsOf  time.Time      `json:"asOf,omitzero"`
	From  time.Time      `json:"from,omitzero"` // the beginning of the first hour, in UTC
	Total ActivityCounts `json:"total"`
	Hours []ActivityHour `json:"hours"` // those in which something was done, in order
}

// ActivityHour is what was done within an hour, which begins at Hour, in UTC.
type ActivityHour struct {
	Hour time.Time `json:"hour"`
	ActivityCounts
}

// ActivityCounts are what was done in some time.
type ActivityCounts struct {
	Checks  int64 `json:"checks"`  // that ended
	Changes int64 `json:"changes"` // checks that found new content
	Errors  int64 `json:"errors"`  // checks that failed
	Bytes   int64 `json:"bytes"`   // of bodies fetched, decoded
	Indexed int64 `json:"indexed"` // pages written to the search index
}

// ActivityQuery asks for the last hours.
type ActivityQuery struct {
	Hours int `json:"hours,omitempty" default:"24" min:"1" max:"720"` // How many, the present one included.
}
