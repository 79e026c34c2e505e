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

// Bounds that ordinary sites do not exceed. Deep documentation trees have a dozen levels, and a sitemap as many pages
// as [Bounds] allows; most of the spaces that are refused here would never end.
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

// Traps distinguishes endless spaces of addresses from pages: calendars, filters in every combination, sessions,
// paths that grow. It uses only the addresses. The zero value is not usable; [NewTraps] creates one. It is not safe
// for concurrent use.
//
// Its state is JSON of at most 32 KiB. A round trip through it changes no later result: the results depend only on
// the sequence of addresses. It counts in at most 128 groups of addresses, by path or by a prefix of the path. A new
// group replaces the smallest, so on a site with very many paths a small trap may be detected late; large ones are
// not forgotten.
type Traps struct {
	latest int // last year of a page's date
	groups map[string]*group
}

// NewTraps returns the state for one site. Dates more than about a year after latest belong to a calendar: pass the
// present when the run begins.
func NewTraps(latest time.Time) *Traps {
	return &Traps{latest: latest.UTC().Year() + 1, groups: map[string]*group{}}
}

// OpenTraps restores the state that MarshalJSON wrote. Without one, it returns a new state.
func OpenTraps(state []byte, latest time.Time) (*Traps, error) {
	t := NewTraps(latest)
	if len(state) == 0 {
		return t, nil
	}
	return t, t.UnmarshalJSON(state)
}

// Judge checks the next address, in the form of [source.Source.Normalized]. It returns "" if the address may be a
// page, else a short phrase for counting, such as "trap: calendar". Pass each address once: a repeated one counts
// twice.
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

// repeats reports whether a path repeats itself, as relative links to a folder that does not exist do: one segment
// four times in a row, or a run of up to four segments three times. Numbers alone do not count, because /1/1/1/1 may
// be a position in a tree.
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

// calendar checks for pages of a calendar: addresses that end in a date, with nothing after it that names a page. It
// refuses dates that are certainly in the future. Below one path it also refuses more pages than one for each day of
// fifty years, because gazettes and archives have that many.
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

// below checks by the first folder of the path.
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
