package host

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
)

// Budget is how much may be requested in one day (UTC). Zero means no limit.
type Budget struct {
	Requests int64 `json:"requests,omitempty"`
	Bytes    int64 `json:"bytes,omitempty"` // bytes of bodies, as transferred
}

// Plus adds two budgets.
func (b Budget) Plus(o Budget) Budget { return Budget{b.Requests + o.Requests, b.Bytes + o.Bytes} }

// less returns what remains of the budget after the given amount has been used. If there is no limit, it returns a
// very large number.
func (b Budget) less(used Budget) Budget {
	return Budget{leftOf(b.Requests, used.Requests), leftOf(b.Bytes, used.Bytes)}
}

func leftOf(limit, used int64) int64 {
	if limit == 0 {
		return math.MaxInt64
	}
	return max(0, limit-used)
}

// Day records the requests to a host in one day (UTC).
type Day struct {
	Began      time.Time `col:"day"`
	Used       Budget    `col:"used"`       // requests and bytes that were sent or reserved
	Granted    Budget    `col:"granted"`    // portion received from the total budget of all hosts
	TotalSpent Budget    `col:"totalSpent"` // the total budget of all hosts at the time when it was found to be used up
	Checks     Checks    `col:"dayChecks"`
}

// StartDay begins the day that contains the given time. Reserved requests may be sent in the new day, so they are
// carried over.
func (s *State) StartDay(now time.Time) {
	day := now.UTC().Truncate(24 * time.Hour)
	if !day.After(s.Today.Began) {
		return
	}
	s.keep(s.Today, day)
	s.Today = Day{Began: day}
	s.Leases = slices.Clone(s.Leases)
	for i := range s.Leases {
		l := &s.Leases[i]
		if !l.Until.After(now) {
			l.Reserved = 0
		}
		s.Today.Used.Requests += l.Reserved
	}
}

// left returns the part of today's budget that is neither used nor reserved.
func (d *Day) left(p Politeness) Budget {
	l := p.Daily.less(d.Used)
	if p.Total.Requests > 0 {
		l.Requests = min(l.Requests, max(0, d.Granted.Requests-d.Used.Requests))
	}
	if p.Total.Bytes > 0 {
		l.Bytes = min(l.Bytes, max(0, d.Granted.Bytes-d.Used.Bytes))
	}
	return l
}

// spent describes which of the day's budgets is used up; "" if none is.
func (d *Day) spent(p Politeness) string {
	own, all := p.Daily.less(d.Used), d.left(p)
	switch {
	case own.Requests == 0:
		return fmt.Sprintf("the host's daily budget of %d requests is spent", p.Daily.Requests)
	case own.Bytes == 0:
		return fmt.Sprintf("the host's daily budget of %d bytes is spent", p.Daily.Bytes)
	case all.Requests == 0 && p.Total.Requests <= d.TotalSpent.Requests:
		return fmt.Sprintf("the daily budget of %d requests for all hosts is spent", p.Total.Requests)
	case all.Bytes == 0 && p.Total.Bytes <= d.TotalSpent.Bytes:
		return fmt.Sprintf("the daily budget of %d bytes for all hosts is spent", p.Total.Bytes)
	}
	return ""
}

// allow returns the budget for the owner of a new lease: the owner's reservation, and a share of the remaining budget
// in proportion to the owner's permits.
func (d *Day) allow(reserved int64, permits int, p Politeness) Budget {
	share := func(left int64) int64 {
		if left == math.MaxInt64 {
			return math.MaxInt64 / 2 // no limit, and no overflow
		}
		most := int64(max(1, p.MaxConcurrent))
		return (left*int64(permits) + most - 1) / most
	}
	left := d.left(p)
	return Budget{Requests: reserved + share(left.Requests), Bytes: share(left.Bytes)}
}

// Charge counts what the owner of a lease has requested since the last call. The amount is first taken from the
// owner's reservation.
func (s *State) Charge(now time.Time, owner string, asked Budget) {
	s.StartDay(now)
	if l := s.lease(owner); l != nil {
		n := min(asked.Requests, l.Reserved)
		l.Reserved -= n
		asked.Requests -= n
	}
	s.Today.Used = s.Today.Used.Plus(asked)
}

const (
	// mostSpare limits the number of requests that a host takes from the total budget beyond what its next batch
	// needs. Requests that the host does not use are lost for the day, so its first portions are small.
	mostSpare = 256
	// leastBody is the assumed size of a body, in bytes, for a host that has sent no body today.
	leastBody = 64 << 10
)

// Wants returns what the host must take from the total budget of all hosts to make n more requests. It returns zero
// if the host has enough, or if no request to the host is allowed.
func (s *State) Wants(now time.Time, n int, p Politeness) (want Budget) {
	if until, _ := s.Blocked(now, p); !until.IsZero() {
		return want
	}
	d := s.Today
	if asked := d.Used.Requests + int64(n); p.Total.Requests > 0 && asked > d.Granted.Requests {
		want.Requests = asked - d.Granted.Requests + 2 + min(mostSpare, asked/4)
	}
	if p.Total.Bytes > 0 {
		body := int64(leastBody)
		if d.Used.Bytes > 0 {
			body = d.Used.Bytes / max(1, d.Used.Requests)
		}
		likely := int64(n)*body + 1
		if d.Granted.Bytes-d.Used.Bytes < likely {
			want.Bytes = d.Used.Bytes + 2*likely - d.Granted.Bytes
		}
	}
	return want
}

// Grant adds a portion of the total budget of all hosts to the host's budget. If every part of the total was asked
// for a portion (all is true), and the host still has nothing left, the present total is recorded as used up. When an
// operator raises the total, the host continues.
func (d *Day) Grant(got Budget, p Politeness, all bool) {
	d.Granted = d.Granted.Plus(got)
	if left := d.left(p); all && (left.Requests == 0 || left.Bytes == 0) {
		d.TotalSpent = p.Total
	}
}

// Shares is the number of rows for the total budget of all hosts, so that not all hosts write the same row.
const Shares = 8

// Share is one part of the total budget of a day.
type Share struct {
	Began time.Time `col:"day"`
	Taken Budget    `col:"taken"`
}

// Spend takes the wanted amount from the i-th part of the total budget. If less than that is left, it takes what is
// left.
func (t *Share) Spend(day time.Time, want, total Budget, i int) (give Budget) {
	if day.After(t.Began) {
		*t = Share{Began: day}
	}
	part := Budget{partOf(total.Requests, i), partOf(total.Bytes, i)}
	give = Budget{
		min(want.Requests, max(0, part.Requests-t.Taken.Requests)),
		min(want.Bytes, max(0, part.Bytes-t.Taken.Bytes)),
	}
	t.Taken = t.Taken.Plus(give)
	return give
}

// partOf returns the i-th part of a total. The sum of all parts is the total.
func partOf(total int64, i int) int64 {
	part := total / Shares
	if int64(i) < total%Shares {
		part++
	}
	return part
}

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
