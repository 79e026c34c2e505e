package host

import (
	"encoding/json"
	"time"
)

// KeptDays is how many days [State.Days] tells of, at most.
const KeptDays = 30

// Checks counts checks that ended.
type Checks struct {
	All     int64 `json:"n,omitempty"`
	Changed int64 `json:"c,omitempty"` // that found new content
	Failed  int64 `json:"f,omitempty"`
}

// Spent is what a host was asked for in one day (UTC) that is over, and what came of it.
type Spent struct {
	Day time.Time
	Budget
	Checks
}

// MarshalJSON writes a row of numbers, the day by its number since 1970: the row of a host is written with every
// batch.
func (s Spent) MarshalJSON() ([]byte, error) {
	return json.Marshal([6]int64{s.Day.Unix() / daySeconds, s.Requests, s.Bytes, s.All, s.Changed, s.Failed})
}

const daySeconds = int64(24 * time.Hour / time.Second)

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Spent) UnmarshalJSON(text []byte) error {
	var n [6]int64
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	*s = Spent{time.Unix(n[0]*daySeconds, 0).UTC(), Budget{n[1], n[2]}, Checks{n[3], n[4], n[5]}}
	return nil
}

// Count counts a check that ended.
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

// keep takes a day that is over to those before, and leaves out what is older than [KeptDays].
func (s *State) keep(over Day, today time.Time) {
	var kept []Spent // not in place: others may hold the slice
	for _, d := range append(s.Days[:len(s.Days):len(s.Days)], Spent{over.Began, over.Used, over.Checks}) {
		if (d.Requests > 0 || d.All > 0) && today.Sub(d.Day) < KeptDays*24*time.Hour {
			kept = append(kept, d)
		}
	}
	s.Days = kept
}
