package discover

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Reasons to treat an address as part of an endless space.
const (
	trapLong     = "trap: long address"
	trapDeep     = "trap: deep path"
	trapRepeated = "trap: repeated path"
	trapSession  = "trap: session id"
	trapCalendar = "trap: calendar"
	trapFilters  = "trap: filters in many combinations"
	trapMany     = "trap: too many addresses below one path"
)

// Bounds that ordinary sites do not exceed. Deep documentation trees have a dozen levels, and a sitemap has at most
// as many pages as [Bounds] allows. Most spaces of addresses that exceed these bounds are endless.
const (
	longestPath   = 1024 // in bytes
	longestQuery  = 1024
	deepestPath   = 24 // in segments
	mostCalendar  = 20_000
	mostFilters   = 32
	mostBelow     = 50_000
	maxGroups     = 128
	maxTrapsBytes = 32 << 10
)

// Traps distinguishes pages from endless spaces of addresses: calendars, filters in every combination, sessions,
// paths that grow. It examines only addresses. The zero value is not usable; newTraps creates a Traps. A Traps is
// not safe for concurrent use.
//
// The state of a Traps is JSON of at most 32 KiB. Storing and restoring the state changes no later result, because
// the results depend only on the sequence of addresses. Addresses are counted in at most 128 groups, by path or by a
// prefix of the path. A new group replaces the smallest one. So on a site with very many paths, a small trap may be
// detected late, but a large one is not forgotten.
type Traps struct {
	latest int // the latest year that the date of a page may have
	groups map[string]*group
}

// newTraps returns the state for one site. Usually, latest is the time at which the run began. A date more than about
// a year after latest counts as part of a calendar.
func newTraps(latest time.Time) *Traps {
	return &Traps{latest: latest.UTC().Year() + 1, groups: map[string]*group{}}
}

// OpenTraps restores the state that MarshalJSON wrote. If state is empty, OpenTraps returns a new one.
func OpenTraps(state []byte, latest time.Time) (*Traps, error) {
	t := newTraps(latest)
	if len(state) == 0 {
		return t, nil
	}
	return t, t.UnmarshalJSON(state)
}

// Judge checks the next address, in the form of [source.Source.Normalized]. It returns "" if the address may be a
// page. Otherwise it returns a short phrase, such as "trap: calendar", under which callers can count refused
// addresses. Callers must pass each address only once, because a repeated address is counted again.
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

// shape checks an address by itself, without the counts.
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

// repeats reports whether a path repeats itself, as happens when relative links lead to a folder that does not exist.
// Such a path has one segment four times in a row, or a run of up to four segments three times. A run of numbers
// alone is allowed, because /1/1/1/1 may be a position in a tree.
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

// circles reports whether the segments repeat after each period segments.
func circles(segments []string, period int) bool {
	return slices.Equal(segments[period:], segments[:len(segments)-period])
}

// calendar recognizes pages of a calendar: addresses that end in a date, without a page name after the date. It
// refuses dates that are certainly in the future. It also refuses a path with more dated pages than there are days in
// fifty years. Gazettes and archives do not exceed that number.
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

// below checks the number of addresses below the first folder of the path.
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

// trapsState is the stored form of the state.
type trapsState struct {
	Version int               `json:"v"`
	Latest  int               `json:"latest"`
	Groups  map[string]*group `json:"groups,omitempty"`
}

// MarshalJSON writes the state.
func (t *Traps) MarshalJSON() ([]byte, error) {
	return json.Marshal(trapsState{1, t.latest, t.groups})
}

// UnmarshalJSON restores the state that MarshalJSON wrote. Errors: Invalid for anything else.
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
