package options

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// The bounds of the time in which a rule may want a check.
const (
	LeastDemand = time.Minute
	MostDemand  = 30 * 24 * time.Hour
)

// Demand is how often a rule wants an item to be checked.
type Demand struct {
	Every time.Duration `json:"every"`
	Rule  string        `json:"rule"` // its id
	Name  string        `json:"name"`
	After time.Time     `json:"after,omitzero"` // until then the rule is muted for the item, and wants nothing
}

// maxDemands is the number of demands that an item keeps: one that is in force, and some that will be.
const maxDemands = 5

// Demands returns those of the demands of rules that can decide about the checks of an item, the shortest first.
func Demands(all []Demand, now time.Time) (out []Demand) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Demand) int { return int(a.Every - b.Every) })
	for _, w := range all {
		if len(out) == maxDemands-1 && w.After.After(now) {
			continue
		}
		if !w.After.After(now) {
			w.After = time.Time{}
		}
		if out = append(out, w); w.After.IsZero() {
			break
		}
	}
	return out
}

// Demand returns the demand that bounds the time to the next check after the given time, and that bound. It is nil if
// no rule wants a check.
func (e Effective) Demand(at time.Time) (first *Demand, most time.Duration) {
	for i := range e.Demands {
		w := &e.Demands[i]
		if wait := max(w.After.Sub(at), 0) + w.Every; first == nil || wait < most {
			first, most = w, wait
		}
	}
	return first, most
}

// asOften returns the settings of the ladder with a demand of a rule, and says what sets how often the item is checked;
// "" if neither an interval nor a demand does. A schedule, and what keeps an item out of scope, take precedence over
// demands.
func (e Effective) asOften(c schedule.Config, k Check) (schedule.Config, string) {
	w, most := e.Demand(k.At)
	switch {
	case w != nil && e.Schedule == nil && k.Outcome != schedule.OutOfScope && most < c.Max:
		c.Max = most
		c.Base, c.ErrorBase = min(c.Base, most), min(c.ErrorBase, most)
		return c, w.String()
	case e.Interval != nil:
		return c, fmt.Sprintf("%s, set by %s", form.Every(e.Interval), e.By("interval"))
	}
	return c, ""
}

// String says how often the item is to be checked, and for which rule.
func (w Demand) String() string {
	return fmt.Sprintf("%s, for the rule %s", form.Every(&api.Interval{Max: words.Short(w.Every)}), w.Name)
}
