package api

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

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

// Activity reads what was done in the last hours, 1 to [MaxHours]; [DefaultHours] when zero.
func (c *Client) Activity(ctx context.Context, hours int) (Activity, error) {
	text := ""
	if hours != 0 {
		text = strconv.Itoa(hours)
	}
	var a Activity
	err := c.call(ctx, http.MethodGet, "activity", values("hours", text), nil, &a)
	return a, err
}
