package discover

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Why an address is taken for part of an endless space.
const (
	trapLong     = "trap: long address"
	trapDeep     = "trap: deep path"
	trapRepeated = "trap: repeated path"
	trapSession  = "trap: session id"
	trapCalendar = "trap: calendar"
	trapFilters  = "trap: filters in many combinations"
	trapMany     = "trap: too many addresses below one path"
)

// Bounds that ordinary sites stay within. Deep trees of documentation have a dozen levels, and a
// site map as many pages as [Bounds] allows; most that is refused here would never end.
const (
	longestPath   = 1024 // bytes
	longestQuery  = 1024
	deepestPath   = 24 // segments
	mostCalendar  = 20_000
	mostFilters   = 32
	mostBelow     = 50_000
	maxGroups     = 128
	maxTrapsBytes = 32 << 10
)

// Traps tells spaces of addresses without an end from pages: calendars, filters in every
// combination, sessions, paths that grow. It judges by addresses alone. The zero value is not
// usable; make it with [NewTraps]. It is not safe for concurrent use.
//
// Its state is JSON of at most 32 KiB, and what was judged before and after a round trip through
// it is the same: the answers depend on the sequence of addresses only. It counts in at most 128
// groups of addresses, a path or what begins with one. A group that is new takes the place of the
// smallest, so on a site with very many paths a small trap may be seen late; large ones are not
// forgotten.
type Traps struct {
	latest int // the last year of a page
	groups map[string]*group
}

// NewTraps begins a judgment of one site. Dates after latest, give or take a year, belong to a
// calendar: give the present when the run begins.
func NewTraps(latest time.Time) *Traps {
	return &Traps{latest: latest.UTC().Year() + 1, groups: map[string]*group{}}
}

// OpenTraps goes on with a judgment in the state that MarshalJSON wrote; without one, it begins.
func OpenTraps(state []byte, latest time.Time) (*Traps, error) {
	t := NewTraps(latest)
	if len(state) == 0 {
		return t, nil
	}
	return t, t.UnmarshalJSON(state)
}

// Judge takes the next address, as [source.Source.Normalized] writes it. The reason is "" when it
// may be a page, else a short phrase for counting, such as "trap: calendar". Judge each address
// once: a repeated one counts twice.
func (t *Traps) Judge(url string) (reason string) {
	a := apart(url)
	if reason := a.shape(); reason != "" {
		return reason
	}
	for _, judge := range []func(address) string{t.calendar, t.filters, t.below} {
		if reason := judge(a); reason != "" {
			return reason
		}
	}
	return ""
}

// shape judges an address without knowing others.
func (a address) shape() string {
	switch {
	case len(a.path) > longestPath || len(a.query) > longestQuery:
		return trapLong
	case len(a.segments) > deepestPath:
		return trapDeep
	case repeats(a.segments):
		return trapRepeated
	case a.hasSession():
		return trapSession
	}
	return ""
}

// repeats reports whether a path goes in circles, as relative links to a folder that does not exist
// make it: one segment four times in a row, or a run of up to four segments three times. Numbers do
// not count on their own, for /1/1/1/1 may be a place in a tree.
func repeats(segments []string) bool {
	for period := 1; period <= 4; period++ {
		times := 3
		if period == 1 {
			times = 4
		}
		for i := 0; i+times*period <= len(segments); i++ {
			if circles(segments[i:i+times*period], period) && (period > 1 || !isNumber(segments[i])) {
				return true
			}
		}
	}
	return false
}

// circles reports whether the segments repeat with that period.
func circles(segments []string, period int) bool {
	return slices.Equal(segments[period:], segments[:len(segments)-period])
}

// calendar judges pages of a calendar: addresses that end in a date, with nothing behind it that
// names a page. Those surely ahead of time are refused, and so is what exceeds a page for each day
// of fifty years below one path: gazettes and archives have as many.
func (t *Traps) calendar(a address) string {
	d, found := a.date()
	if !found {
		return ""
	}
	g := t.group("c" + d.before)
	if d.sure && d.year > t.latest || g.N >= mostCalendar {
		return trapCalendar
	}
	g.N++
	return ""
}

// below judges by the first folder of the path.
func (t *Traps) below(a address) string {
	first := ""
	if len(a.segments) > 1 {
		first = a.segments[0]
	}
	g := t.group("b" + a.host + "/" + first)
	if g.N >= mostBelow {
		return trapMany
	}
	g.N++
	return ""
}

// trapsState is the state as it is stored.
type trapsState struct {
	Version int               `json:"v"`
	Latest  int               `json:"latest"`
	Groups  map[string]*group `json:"groups,omitempty"`
}

// MarshalJSON writes the state.
func (t *Traps) MarshalJSON() ([]byte, error) {
	return json.Marshal(trapsState{1, t.latest, t.groups})
}

// UnmarshalJSON reads the state that MarshalJSON wrote; another one is Invalid.
func (t *Traps) UnmarshalJSON(data []byte) error {
	var s trapsState
	if err := json.Unmarshal(data, &s); err != nil {
		return fault.New(fault.Invalid, "state of traps: %v", err)
	}
	if len(data) > maxTrapsBytes || s.Version != 1 || len(s.Groups) > maxGroups {
		return fault.New(fault.Invalid, "state of traps: version %d, %d groups, %d bytes", s.Version, len(s.Groups),
			len(data))
	}
	for key, g := range s.Groups {
		if g == nil || g.N < 0 || len(g.Sets) > mostFilters || len(g.Values) > maxValues {
			return fault.New(fault.Invalid, "state of traps: group %.20q is out of bounds", key)
		}
	}
	t.latest, t.groups = s.Latest, s.Groups
	if t.groups == nil {
		t.groups = map[string]*group{}
	}
	return nil
}
