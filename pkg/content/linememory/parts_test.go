package linememory

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestQ6Decide checks that a decision replaces an earlier one, that forget takes it back, and what is refused (Q6).
func TestQ6Decide(t *testing.T) {
	m := Memory{Slots: []Slot{{ID: "a", Line: "12 boats"}, {ID: "b", Line: "A fee of 7 EUR"}}}
	var decided []Decided
	for i, step := range []struct {
		id   string
		do   Decision
		want string
	}{
		{"a", Never, "never a"}, {"a", Always, "always a"}, {"b", Forget, "always a, forget b"},
		{"b", Forget, "always a"}, {"a", Forget, ""}, {"a", Forget, "forget a"}, {"a", Never, "never a"},
	} {
		var err error
		var line string
		if decided, line, err = m.Decide(decided, step.id, step.do, noon); err != nil || line == "" {
			t.Fatalf("step %d: %q, %v", i, line, err)
		}
		have := ""
		for n, d := range decided {
			if n > 0 {
				have += ", "
			}
			have += string(d.Do) + " " + d.ID
		}
		if have != step.want {
			t.Errorf("step %d leaves %q, want %q", i, have, step.want)
		}
	}
	m.Slots[0].ID = "c" // the part is known by its line alone now
	if after, _, err := m.Decide(decided, "c", Forget, noon); len(after) != 0 || err != nil {
		t.Errorf("the decision is not found by its line: %v, %v", after, err)
	}
	if after, _, err := m.Decide(decided, "a", Forget, noon); len(after) != 0 || err != nil {
		t.Errorf("the decision is not found by its id: %v, %v", after, err)
	}
	for field, ask := range map[string]Decided{"id": {ID: "x", Do: Never}, "do": {ID: "b", Do: "sometimes"}} {
		if _, _, err := m.Decide(decided, ask.ID, ask.Do, noon); fault.FieldOf(err) != field {
			t.Errorf("%+v gives %v, which names another field than %s", ask, err, field)
		}
	}
	decided = nil
	for i := range maxDecided {
		decided = append(decided, Decided{ID: fmt.Sprint(i), Line: fmt.Sprint("line ", i), Do: Never})
	}
	if _, _, err := m.Decide(decided, "b", Never, noon); !fault.Is(err, fault.Conflict) {
		t.Errorf("one decision too many gives %v", err)
	}
}

// TestQ6Forget checks that a part which is to be forgotten is learnt anew, once: the first two moves are told, and
// later ones are not, although the decision stays. A check that is repeated gives the same memory (Q6).
func TestQ6Forget(t *testing.T) {
	boats := func(i int) string { return fmt.Sprintf("%d boats in port", 20+i) }
	c := newCourse(t, time.Hour)
	c.told(times(6, boats)...)
	id := c.memory.Slots[0].ID
	c.decide = []Decided{{ID: id, Do: Forget, At: c.check.At.Add(time.Minute)}}
	shown := c.memory.With(c.decide).Parts(c.check)
	if len(shown) != 1 || shown[0].Silent || shown[0].Decision != Forget {
		t.Errorf("until the next change it is shown as %+v", shown)
	}
	if have := c.told(boats(6), boats(7), boats(8), boats(9)); !slices.Equal(have, []int{0, 1}) {
		t.Errorf("told at %v", have)
	}
	if parts := c.memory.With(c.decide).Parts(c.check); len(parts) != 1 || parts[0].ID != id || !parts[0].Silent {
		t.Errorf("the parts are %+v", parts)
	}
	decided, _, err := c.memory.Decide(c.decide, id, Always, c.check.At)
	if len(decided) != 1 || decided[0].Do != Always || err != nil {
		t.Errorf("what was forgotten stays among the decisions: %+v, %v", decided, err)
	}
}

// TestQ6OnePartOfAPlace checks that a place of which lines and words are remembered is shown once (Q6).
func TestQ6OnePartOfAPlace(t *testing.T) {
	moves := func(n int) []Move { return slices.Repeat([]Move{{Check: 9, At: noon.Unix()}}, n) }
	m := Memory{Slots: []Slot{{ID: "a", Block: true, Line: "lines", Moves: moves(2)},
		{ID: "a", Line: "12", Moves: moves(4)}}}
	if parts := m.Parts(Check{Number: 9, At: noon}); len(parts) != 1 || parts[0].Text != "12" {
		t.Errorf("the parts are %+v", parts)
	}
}
