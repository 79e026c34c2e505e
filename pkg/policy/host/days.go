package host

import (
	"encoding/json"
	"time"
)

// keptDays is the maximum length of [State.Days].
const keptDays = 30

// Checks counts finished checks.
type Checks struct {
	All     int64 `json:"n,omitempty"`
	Changed int64 `json:"c,omitempty"` // number of checks that found new content
	Failed  int64 `json:"f,omitempty"`
}

// Spent records the requests to a host on one past day (UTC), and the results of its checks.
type Spent struct {
	Day time.Time
	Budget
	Checks
}

// MarshalJSON writes a list of numbers. The day is written as the number of days since 1970. The form is short,
// because every batch writes the row of its host.
func (s Spent) MarshalJSON() ([]byte, error) {
	return json.Marshal([6]int64{s.Day.Unix() / daySeconds, s.Requests, s.Bytes, s.All, s.Changed, s.Failed})
}

const daySeconds = int64(24 * time.Hour / time.Second)

// UnmarshalJSON reads the result of MarshalJSON.
func (s *Spent) UnmarshalJSON(text []byte) error {
	var n [6]int64
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*s = Spent{time.Unix(n[0]*daySeconds, 0).UTC(), Budget{n[1], n[2]}, Checks{n[3], n[4], n[5]}}
	return nil
}

// Count counts a finished check.
func (s *State) Count(now time.Time, changed, failed bool) {
	s.StartDay(now)
	s.Today.Checks.All++
	if changed {
		s.Today.Checks.Changed++
	}
	if failed {
		s.Today.Checks.Failed++
	}
}

// keep adds a finished day to the earlier ones, and drops days older than keptDays.
func (s *State) keep(over Day, today time.Time) {
	var kept []Spent // a copy, because others may use the old slice
	for _, d := range append(s.Days[:len(s.Days):len(s.Days)], Spent{over.Began, over.Used, over.Checks}) {
		if (d.Requests > 0 || d.All > 0) && today.Sub(d.Day) < keptDays*24*time.Hour {
			kept = append(kept, d)
		}
	}
	s.Days = kept
}
