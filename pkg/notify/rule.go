package notify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Bounds of settings.
const (
	MaxChannels = 10 // number of channels of a rule
	maxTargets  = 90 // number of deliveries of one change, which must fit into one transaction; the rest is gathered
	maxName     = 100
	maxPattern  = 1000
	maxProgram  = 2 * maxPattern // size of an expression; one without repetitions of a given number is smaller
	maxPrograms = 20_000         // size of the expressions of all rules, without those for one page
	maxRules    = 1000           // number of rules, without those for one page

	maxPagePrograms = maxProgram // size of the expressions of a rule for one page
	maxListed       = 1 << 20    // number of rules for one page that are read to find one
)

// Origins of rules and channels.
const (
	Here     = "here"
	FromFile = "file"
)

// rule is a rule in a form that is ready to decide about changes.
type rule struct {
	api.Rule

	page   string        // the page under which the rule is stored
	etag   storage.ETag  // of its row
	since  feed.Position // the rule reports only changes after this position
	filter feed.Filter
	items  itemSearch
	when   condition.Condition // if it has one
	sought []sought            // regular expressions that must all match
	plan   digestPlan
	every  time.Duration  // how often its pages are to be checked at least; zero if it does not say
	title  letter.Wording // how the rule words messages about one change; empty for the usual form
	text   letter.Wording
	never  string // why it can report nothing, whatever its pages are; "" if it can
}

// size returns the size of the rule's expressions.
func (r *rule) size() (n int) {
	for _, s := range r.sought {
		n += s.re.Size
	}
	return n
}

// bound sorts rules by age, the oldest first, and marks those as broken that exceed the bound on all rules together.
func bound(all []rule) {
	slices.SortFunc(all, func(a, b rule) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	size := 0
	for i := range all {
		r := &all[i]
		if size += r.size(); r.size() > 0 && size > maxPrograms && r.Problem == "" {
			r.Problem, r.sought = tooLargeTogether, nil
		}
	}
}

const tooLargeTogether = "the regular expressions of all rules together are too large: " +
	"repeat less in this one or in others"

// elsewhere reports whether a change is of a page that the rule is not about.
func (r *rule) elsewhere(c feed.Change) bool {
	return r.Filter.ItemID != "" && r.Filter.ItemID != c.ItemID || !r.items.has(c)
}

// withDifference reads the whole difference of a change, if one of the rules looks for words in it.
func withDifference(ctx context.Context, f *feed.Feed, c feed.Change, rules ...rule) (feed.Change, error) {
	if c.Whole == "" || !slices.ContainsFunc(rules, func(r rule) bool {
		return r.Problem == "" && !r.elsewhere(c) && r.isFor(c) && r.selects(c).Seeks(c, len(r.sought) > 0)
	}) {
		return c, nil
	}
	return f.WithDifference(ctx, c)
}

// compile parses a rule. Each error has the name of a field, and each field has one error.
func compile(spec api.RuleSpec) (r rule, errs []error) {
	spec, err := canonical(spec)
	if r.RuleSpec, r.Enabled = withAllNames(spec), !spec.Off; err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, form.Check(spec)...)
	blame := func(field string, err error) {
		if err != nil {
			errs = append(errs, fault.Field(field, "%s: %w", field, err))
		}
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(spec.Name)); n == 0 || n > maxName {
		errs = append(errs, fault.Field("name", "name must have 1 to %d characters", maxName))
	}
	r.filter, err = feed.NewFilter(asked(spec))
	if r.filter = r.filter.ForRule(); err != nil {
		blame("filter."+fault.FieldOf(err), err)
	}
	if r.items, err = parseItems(spec.Filter.Items); err != nil {
		errs = append(errs, err)
	}
	if spec.Filter.ItemID != "" && strings.ContainsAny(spec.Filter.ItemID, "./~") {
		errs = append(errs, fault.Field("filter.itemId", "filter.itemId is not the id of a page: %.40q", spec.Filter.ItemID))
	}
	r.never = never(spec)
	if err := r.condition(); err != nil {
		errs = append(errs, err)
	}
	if r.every, r.Cost = everyOf(spec), form.Cost(spec.Every); r.every > options.MostDemand {
		errs = append(errs, fault.Field("every", "every is %.40q; allowed are 1m to 30d", spec.Every))
	}
	blame("filter.added", r.seek(feed.Added, spec.Filter.Added))
	blame("filter.removed", r.seek(feed.Removed, spec.Filter.Removed))
	if len(spec.Channels) == 0 || len(spec.Channels) > MaxChannels {
		errs = append(errs, fault.Field("channels", "channels must name 1 to %d channels", MaxChannels))
	}
	for i, name := range spec.Channels {
		if strings.TrimSpace(name) == "" {
			errs = append(errs, fault.Field("channels", "a channel is missing: its name is empty"))
		} else if slices.Contains(spec.Channels[:i], name) {
			errs = append(errs, fault.Field("channels", "channels names %.64q twice", name))
		}
	}
	return r, once(slices.Concat(errs, r.planned(spec), r.worded(spec)))
}

// asked returns the filter of a rule. Without a zone, a rule that looks for words or has a condition takes what it
// looks for wherever that stands, and although it is small.
func asked(spec api.RuleSpec) api.ChangeFilter {
	f := spec.Filter.ChangeFilter
	if f.Zone == "" && (spec.Filter.Added != "" || spec.Filter.Removed != "" || spec.When != nil) {
		f.Zone, f.Small = api.ZoneAll, cmp.Or(f.Small, "true")
	}
	return f
}

// worded reads how the rule words its messages.
func (r *rule) worded(spec api.RuleSpec) (errs []error) {
	if spec.Message == nil {
		return nil
	}
	var err error
	if r.title, err = letter.ParseWording(spec.Message.Title, letter.MaxTitle); err != nil {
		errs = append(errs, fault.Field("message.title", "message.title: %w", err))
	}
	if r.text, err = letter.ParseWording(spec.Message.Text, letter.MaxText); err != nil {
		errs = append(errs, fault.Field("message.text", "message.text: %w", err))
	}
	if !r.atOnce() && spec.Message.Title+spec.Message.Text != "" {
		errs = append(errs, fault.Field("message", "message is for messages about one change, and a digest has a form of "+
			"its own: leave it out, or set digest to none"))
	}
	return errs
}

// atOnce reports whether the rule sends a message for each change.
func (r *rule) atOnce() bool { return r.plan.Rhythm == "" || r.plan.Rhythm == AtOnce }

// weekdays are the days of a week as a rule names them, in the order of [time.Weekday].
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// planned sets the times at which a rule reports, according to the rule's settings, which have been checked one by one.
func (r *rule) planned(spec api.RuleSpec) (errs []error) {
	var wrong [5]error
	r.plan.Rhythm = Rhythm(spec.Digest)
	r.plan.Zone, wrong[0] = wallclock.Zone(spec.Timezone)
	r.plan.On = max(0, time.Weekday(slices.Index(weekdays, cmp.Or(spec.On, "mon"))))
	if r.plan.Rhythm != Weekly && spec.On != "" {
		errs = append(errs, fault.Field("on", "on is the day of a weekly digest: leave it out, or set digest to weekly"))
	}
	timed := r.plan.Rhythm == Daily || r.plan.Rhythm == Weekly
	switch {
	case timed && spec.At == "":
		errs = append(errs, fault.Field("at", "at must be the time of the %s digest, such as 07:30", spec.Digest))
	case !timed && spec.At != "":
		errs = append(errs, fault.Field("at", "at is the time of a daily digest: leave it out, or set digest to daily"))
	case spec.At != "":
		r.plan.At, wrong[1] = wallclock.Parse(spec.At)
	}
	if q := spec.QuietHours; q != nil {
		quiet := &wallclock.Hours{}
		quiet.From, wrong[2] = wallclock.Parse(q.From)
		quiet.To, wrong[3] = wallclock.Parse(q.To)
		quiet.Zone, wrong[4] = wallclock.Zone(cmp.Or(q.Timezone, spec.Timezone))
		for i, text := range []string{q.From, q.To} {
			if name := []string{"from", "to"}[i]; text == "" {
				errs = append(errs, fault.Field("quietHours."+name, "quietHours.%s must be a time of day such as 07:30", name))
			}
		}
		if errors.Join(wrong[:]...) == nil && quiet.From == quiet.To {
			errs = append(errs, fault.Field("quietHours.to", "quietHours.to is the same as quietHours.from"))
		}
		r.plan.Quiet = quiet
	}
	return errs
}

// Two fields of a rule have a second name each: filter.item is filter.itemId, and enabled is the opposite of off. A
// request may have either name, or both if they agree. An answer has both.

// canonical returns the rule without the second names. Errors: Invalid, with the name of a field, if two names of one
// field say different things.
func canonical(s api.RuleSpec) (api.RuleSpec, error) {
	if s.Filter.Item != "" && s.Filter.ItemID != "" && s.Filter.Item != s.Filter.ItemID {
		return s, fault.Field("filter.item", "filter.item and filter.itemId are two names of one field, and differ")
	}
	if s.Filter.ItemID == "" {
		s.Filter.ItemID = s.Filter.Item
	}
	if s.Enabled != nil && *s.Enabled && s.Off {
		return s, fault.Field("enabled", "enabled and off say the opposite of each other: leave one of them out")
	}
	s.Off = s.Off || s.Enabled != nil && !*s.Enabled
	s.Filter.Item, s.Enabled = "", nil
	return s, nil
}

// over returns a rule as a change of an older one. Of enabled and off, if they disagree, that counts which is new: the
// other one is what an answer has had, and clients may send back all of an answer.
func over(s, old api.RuleSpec) api.RuleSpec {
	if s.Enabled != nil && *s.Enabled && s.Off {
		s.Off, s.Enabled = !old.Off, nil
	}
	return s
}

// withAllNames returns a rule that has no second names with that of its page, for an answer. Its enabled stands in
// [api.Rule].
func withAllNames(s api.RuleSpec) api.RuleSpec {
	s.Filter.Item = s.Filter.ItemID
	return s
}

// everyOf returns how often a rule says that its pages are checked; zero if it does not, or not in this form.
func everyOf(spec api.RuleSpec) time.Duration {
	d, _ := form.Length("every", spec.Every) // the settings are checked one by one
	return d
}
