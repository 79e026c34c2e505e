package condition_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/soaktest"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// histories is the number of random histories of a test.
var histories = soaktest.Count(400, 1000)

// TestG2ConditionsFireExactlyWhenTheyShould checks over random histories of shops in eight locales that each condition
// fires at the checks at which a model says so, and at no other. The model follows each condition with a machine that
// is armed or not, and has all values that were seen (G2).
func TestG2ConditionsFireExactlyWhenTheyShould(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 2))
	misread, fired := 0, map[string]int{}
	for n := range histories {
		s := newStory(r)
		for range 6 + s.IntN(12) {
			if !s.check(t, fired) {
				misread++
				break
			}
			if t.Failed() {
				t.Fatalf("history %d: %v\n%+v", n, strings.Join(s.log, "\n"), s.shop)
			}
		}
	}
	most := histories / 50
	if misread > most {
		t.Errorf("%d histories ended because a page was not read as it is; want at most %d", misread, most)
	}
	for _, op := range []string{"<", "<=", "=", ">=", ">", "changedBy", "fromTo", "appears", "disappears"} {
		if fired[op] < histories/20 {
			t.Errorf("%s fired %d times: the histories say too little", op, fired[op])
		}
	}
	t.Logf("%d histories ended early; fired: %v", misread, fired)
}

// check makes one check of the shop and compares both sides. It reports whether the page was read as it is.
func (s *story) check(t *testing.T, fired map[string]int) (right bool) {
	s.at = s.at.Add(24 * time.Hour)
	event := s.IntN(20)
	if event < 4 && s.opened {
		var changes []field.Change
		s.known, changes = s.known.Stands()
		s.note("stands")
		s.compare(t, changes, fired, func(_ string, f *follower, machines []*machine) []bool {
			if !f.known {
				return make([]bool, len(machines))
			}
			return f.see(f.seen[len(f.seen)-1], machines, false, false)
		})
		return true
	}
	s.redefine()
	page := []int{usual, usual, usual, usual, usual, usual, emptied, gone}[s.IntN(8)]
	reading := field.Reading{Keys: s.keys, At: s.at, Capture: fmt.Sprint(len(s.log)), Baseline: s.IntN(20) == 0}
	if event == 4 {
		reading.Unread = "it is a picture"
		s.see(t, reading, page, fired)
		return true
	}
	if s.IntN(3) > 0 {
		s.change()
	}
	if reading.Results, right = s.read(page); right {
		s.see(t, reading, page, fired)
	}
	return right
}

// see gives a reading to both sides.
func (s *story) see(t *testing.T, r field.Reading, page int, fired map[string]int) {
	var changes []field.Change
	s.known, changes, _ = stored(t, s.known).See(r)
	s.note("page %d, %+v, baseline %v, unread %q, keys %v", page, s.shop, r.Baseline, r.Unread, s.keys)
	s.compare(t, stored(t, changes), fired, func(name string, f *follower, machines []*machine) []bool {
		none := make([]bool, len(machines))
		f.known = false
		if r.Unread != "" {
			return none
		}
		begins := !s.opened || f.key != s.keys[name]
		if f.key != s.keys[name] {
			*f = follower{key: s.keys[name]}
		}
		unasked := f.key == ""
		if page == gone {
			if begins && unasked {
				f.see(sight{}, machines, false, true)
			}
			f.known = false
			return none
		}
		now := s.truth(name, page)
		return f.see(now, machines, r.Baseline, unasked && !now.has)
	})
	s.opened = s.opened || r.Unread == ""
}

// compare compares which conditions fire with which the model says.
func (s *story) compare(t *testing.T, changes []field.Change, fired map[string]int,
	model func(string, *follower, []*machine) []bool) {
	t.Helper()
	for _, name := range names {
		machines := s.machines[name]
		for i, want := range model(name, s.models[name], machines) {
			c := s.parsed[machines[i]]
			_, have := c.Fires(changes)
			if have != want {
				t.Errorf("%s (%+v): fires %v, want %v; seen %v\nchanges %+v", c, machines[i].spec(), have, want,
					s.models[name].seen, changes)
			}
			for _, change := range changes {
				if have && change.Name == name && change.Same && !c.NeedsSame() {
					t.Errorf("%s fires at a check that sees the same, which it does not need", c)
				}
			}
			if have {
				fired[machines[i].op]++
			}
		}
	}
}

// note writes what a check does.
func (s *story) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

// redefine changes the definition of a field now and then, or asks for one.
func (s *story) redefine() {
	name := names[s.IntN(len(names))]
	switch {
	case s.IntN(12) > 0:
	case name == mine:
		s.keys[mine] += "1"
	case s.keys[name] != "":
		delete(s.keys, name)
	default:
		s.keys[name] = "declared"
	}
}
