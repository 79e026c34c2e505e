package api

import "time"

// DefaultHours and MaxHours are the default and the largest number of hours of activity.
const (
	DefaultHours = 24
	maxHours     = 720
)

// Activity counts the work that all instances of the app did in the last hours. Work of the last minute may still be
// missing.
type Activity struct {
	AsOf  time.Time      `json:"asOf,omitzero"`
	From  time.Time      `json:"from,omitzero"` // start of the first hour, in UTC
	Total ActivityCounts `json:"total"`
	Hours []ActivityHour `json:"hours"` // hours with activity, in order
}

// ActivityHour counts the work in the hour that begins at Hour, in UTC.
type ActivityHour struct {
	Hour time.Time `json:"hour"`
	ActivityCounts
}

// ActivityCounts sum up the activity of a period.
type ActivityCounts struct {
	Checks  int64 `json:"checks"`  // checks that ended
	Changes int64 `json:"changes"` // checks that found new content
	Errors  int64 `json:"errors"`  // checks that failed
	Bytes   int64 `json:"bytes"`   // size of the bodies fetched, in bytes after decoding
	Indexed int64 `json:"indexed"` // pages written to the search index
}

// ActivityQuery selects how many of the last hours are returned.
type ActivityQuery struct {
	Hours int `json:"hours,omitempty" default:"24" min:"1" max:"720"` // Number of hours, including the current one.
}
