package options

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// Check is a finished check, after which the next one is planned.
type Check struct {
	ID         string // id of the item
	State      schedule.State
	Outcome    schedule.Outcome
	RetryAfter time.Duration // the pause that the site asked for; zero if it did not
	At         time.Time
	Jitter     float64 // a random number in [0,1)
}

// Next decides when an item is checked again. It applies [schedule.Config.Next] within the item's options:
//
//   - An interval sets the shortest and the longest wait of the ladder.
//   - A demand of a rule bounds the longest wait, whatever the interval is.
//   - A schedule replaces the ladder. After a failure, or when a result must be confirmed, the ladder's time is used if
//     it is sooner.
//   - Outside its active hours an item waits until they begin.
//
// The pause that a site asks for takes precedence over all of these. The reason in the returned decision names the
// origin of each setting: the item or one of its tags.
func (e Effective) Next(c schedule.Config, k Check) schedule.Decision {
	c, often := e.asOften(e.within(c), k)
	d := c.Next(k.State, k.Outcome, k.RetryAfter, k.At, k.Jitter)
	if often != "" {
		d.Reason += " (" + often + ")"
	}
	if e.Schedule != nil {
		d = e.onSchedule(c, k, d)
	}
	return e.whileActive(d, k.ID)
}

// within returns the settings of the ladder, with the bounds of the item's interval.
func (e Effective) within(c schedule.Config) schedule.Config {
	if e.Interval == nil {
		return c
	}
	least, most, err := bounds(e.Interval)
	if err != nil {
		return c // Unreachable: stored options were validated
	}
	if most > 0 {
		c.Max, c.ToMax = most, true
	}
	if least > 0 {
		c.Base, c.Max = least, max(c.Max, least)
	}
	c.Base = min(c.Base, c.Max)
	c.ErrorBase = min(c.ErrorBase, c.Max)
	return c
}

// Scheduled says by which schedule checks are due, if there is one.
func (e Effective) Scheduled() string {
	return fmt.Sprintf("schedule %s, set by %s", form.When(e.Schedule), e.By("schedule"))
}

// onSchedule moves a decision of the ladder to a time of the schedule.
func (e Effective) onSchedule(c schedule.Config, k Check, d schedule.Decision) schedule.Decision {
	r, err := rhythmOf(e.Schedule)
	if err != nil {
		return d // Unreachable: stored options were validated
	}
	from := k.At.Add(min(k.RetryAfter, c.Max))
	if d.Gone {
		from = d.Next // gone pages are checked rarely, at the time that the ladder chose
	}
	at := r.after(from, k.ID)
	by := e.Scheduled()
	switch k.Outcome {
	case schedule.Changed, schedule.Unchanged, schedule.Reverted, schedule.OutOfScope:
	default:
		if !d.Next.After(at) {
			d.Reason += ", before the " + by
			return d
		}
	}
	if at.IsZero() {
		return d // Unreachable: validation refuses a schedule without a next time
	}
	d.Next, d.Reason = at, fmt.Sprintf("%s: next by %s", k.Outcome, by)
	return d
}

// Active says that there are hours in which checks are due, if there are.
func (e Effective) Active() string { return "the active hours set by " + e.By("activeHours") }

// whileActive moves a decision into the active hours.
func (e Effective) whileActive(d schedule.Decision, id string) schedule.Decision {
	if e.ActiveHours == nil {
		return d
	}
	h, err := hoursOf(e.ActiveHours)
	if err != nil {
		return d // Unreachable: stored options were validated
	}
	if at := h.open(d.Next, id); !at.Equal(d.Next) {
		d.Next = at
		d.Reason += "; waits for " + e.Active()
	}
	return d
}

// Replan returns the time of an item's next check after its options have changed, and the reason for that time. It
// plans the check as if the options had been set before the item's last check. A failed item is retried no later than
// it was planned before.
func (e Effective) Replan(c schedule.Config, k Check, planned, now time.Time) (next time.Time, why string) {
	c, often := e.asOften(e.within(c), k)
	d := schedule.Decision{Next: k.At.Add(c.Wait(k.State, k.Jitter)), Reason: cmp.Or(often, "as often as is usual")}
	if e.Schedule != nil {
		if r, err := rhythmOf(e.Schedule); err == nil {
			d.Next = r.after(now, k.ID)
			d.Reason = e.Scheduled()
		}
	}
	if d.Next.Before(now) {
		d.Next = now
	}
	if hurried := k.State.Attempts > 0 || k.State.Missing > 0; hurried && planned.Before(d.Next) {
		d.Next, d.Reason = planned, "tried again as planned"
	}
	d = e.whileActive(d, k.ID)
	return d.Next, d.Reason
}

// Tag is a tag with the settings that it has for its items.
type Tag struct {
	Name string
	api.Settings
}

// Effective are the settings that apply to an item.
type Effective struct {
	api.Settings
	// From maps the path of each setting that is set to the name of the tag that set it, or to "" if the item itself
	// set it.
	From map[string]string
	// Demands are those of rules, as [Demands] returns them. They are the item's own.
	Demands []Demand
	// Over are the fields of the page that are not read, because there are as many as may be before them.
	Over []string
}

// Merge returns the settings that apply to an item with the given settings of its own and the given tags.
func Merge(own api.Settings, tags []Tag) Effective {
	e := Effective{From: map[string]string{}}
	e.fill(own, "")
	tags = slices.Clone(tags)
	slices.SortFunc(tags, func(a, b Tag) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range tags {
		e.fill(t.Settings, t.Name)
	}
	return e
}

// fill sets the fields that are not set yet. An interval and a schedule both define when to check, so they count as one
// setting.
func (e *Effective) fill(s api.Settings, from string) {
	if e.Interval != nil || e.Schedule != nil {
		s.Interval, s.Schedule = nil, nil
	}
	form.Merge(&e.Settings, s, func(path string, fits bool) {
		if fits {
			e.From[path] = from
		} else {
			e.Over = append(e.Over, strings.TrimPrefix(path, FieldSetting("")))
		}
	})
}

// Level returns the item's priority.
func (e Effective) Level() int {
	if e.Priority == nil {
		return UsualPriority
	}
	return *e.Priority
}

// By describes for people what has set a field: "the item" or "tag news". It returns "" if the field is not set.
func (e Effective) By(field string) string {
	switch tag, set := e.From[field]; {
	case !set:
		return ""
	case tag == "":
		return "the item"
	default:
		return "tag " + tag
	}
}

// HasTimes reports whether people have set the times at which the item is checked, rather than how often.
func (e Effective) HasTimes() bool { return e.Schedule != nil || e.ActiveHours != nil }
