package compare

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// Request selects the lines to ignore. Exactly one of Pattern, Patterns, Text and Hunk is set, unless Undo is set. A
// preview in which none is set is of all changed lines: it proposes rules and chooses none.
type Request struct {
	Pattern   string   // a regular expression for lines
	Patterns  []string // several of them
	Text, Was string   // a line, and the line that it replaced
	Hunk      int      // the number of a hunk, starting at 1, in the diff that Query selects
	Lines     []int    // the numbers of the changed lines of the hunk, starting at 1; if empty, those without a fact
	Query
	Preview bool // show the effect without saving anything
	Undo    bool // remove the rules Pattern or Patterns, or the last rule if both are empty
}

// Result is the outcome of a request.
type Result struct {
	Lines    []Proposal // of the changed lines of a hunk, or of a text
	Rules    []string   // rules that were added or removed; in a preview, those that would be
	Ignore   []string   // all rules of the item
	Saved    bool
	Changes  int // number of changes that the preview examined
	Unread   int // number of changes that it did not examine, because the captures before them are large
	Silenced []Silenced
	Undo     *api.Undo // takes back what was saved
}

// Ignore makes rules from a request, and adds them to the item or removes them. It also returns a preview of the
// changes that the rules would have silenced.
func (c *Comparer) Ignore(ctx context.Context, p history.Past, q Request) (out Result, err error) {
	set, err := c.tags.Effective(ctx, &p.Item)
	if err != nil {
		return out, err
	}
	if out.Rules, out.Lines, err = c.rulesOf(ctx, p, q, set.Watch); err != nil {
		return out, err
	}
	now := withRules(set.Watch, out.Rules, q.Undo)
	w, err := c.watched(p, now)
	if err != nil {
		return out, err
	}
	if out.Ignore = now.Ignore; !q.Undo && len(out.Rules) > 0 {
		if out.Silenced, out.Changes, out.Unread, err = w.preview(ctx, out.Rules); err != nil {
			return out, err
		}
	}
	if q.Preview {
		return out, nil
	}
	it, err := c.items.Ignore(ctx, p.Item.ID, func(it *registry.Item) (string, error) {
		return c.keep(ctx, it, out.Rules, q.Undo)
	})
	out.Saved, out.Undo = err == nil, it.Undo
	return out, atField("id", err)
}

// keep adds rules to an item's effective rules, or removes rules from them. The item then stores the whole list of
// rules, because the list of an item overrides the list of a tag.
func (c *Comparer) keep(ctx context.Context, it *registry.Item, rules []string, undo bool) (why string, err error) {
	set, err := c.tags.Effective(ctx, it)
	if err != nil {
		return "", err
	}
	own := api.Watch{}
	if it.Options.Watch != nil {
		own = *it.Options.Watch
	}
	own.Ignore = withRules(set.Watch, rules, undo).Ignore
	o := it.Options
	o.Watch = &own
	it.Options, err = options.Validate(o)
	if undo {
		return "lines count again: " + strings.Join(rules, ", "), err
	}
	return "lines do not count any more: " + strings.Join(rules, ", "), err
}

// withRules returns a copy of watch settings with some rules for lines added or, if undo is set, removed.
func withRules(set *api.Watch, rules []string, undo bool) *api.Watch {
	out := api.Watch{}
	if set != nil {
		out = *set
	}
	out.Ignore = slices.DeleteFunc(slices.Clone(out.Ignore), func(r string) bool { return slices.Contains(rules, r) })
	if !undo {
		out.Ignore = append(out.Ignore, rules...)
	}
	return &out
}

// rulesOf returns the rules that a request adds or removes, and those that are proposed. It needs the current watch
// settings.
func (c *Comparer) rulesOf(ctx context.Context, p history.Past, q Request, set *api.Watch) (
	rules []string, lines []Proposal, err error) {
	if q.Undo {
		rules, err = undone(q, set)
		return rules, nil, err
	}
	given := 0
	for _, is := range []bool{q.Pattern != "", len(q.Patterns) > 0, q.Text != "" || q.Was != "", q.Hunk != 0} {
		if is {
			given++
		}
	}
	switch {
	case given == 0 && q.Preview && len(q.Lines) == 0:
		lines, err = c.propose(ctx, p, q, set)
		return nil, lines, err
	case given != 1:
		return nil, nil, fault.Field("pattern", "give one of pattern, patterns, text and hunk")
	case len(q.Lines) > 0 && q.Hunk == 0:
		return nil, nil, fault.Field("lines", "lines are those of a hunk: give its number, too")
	case q.Pattern != "":
		return []string{q.Pattern}, nil, nil
	case len(q.Patterns) > 0:
		return slices.Compact(slices.Clone(q.Patterns)), nil, nil
	}
	if lines, err = c.propose(ctx, p, q, set); err != nil {
		return nil, nil, err
	}
	rules, err = chosen(lines, q, set)
	return rules, lines, err
}

// chosen returns the rules of the proposals that a request chooses. A line with a fact is chosen by its number or its
// text only. A preview that chooses none is one of all.
func chosen(lines []Proposal, q Request, set *api.Watch) (rules []string, err error) {
	add := func(l Proposal) {
		if l.Rule != "" && !slices.Contains(rules, l.Rule) {
			rules = append(rules, l.Rule)
		}
	}
	for _, n := range q.Lines {
		if n < 1 || n > len(lines) {
			return nil, fault.Field("lines", "lines must be 1 to %d: the changed lines of the hunk", len(lines))
		}
		if l := lines[n-1]; l.Rule == "" {
			return nil, fault.Field("lines", "line %d: %s", n, l.Why)
		}
		add(lines[n-1])
	}
	for _, l := range lines {
		if len(q.Lines) == 0 && (!l.Fact || q.Hunk == 0) {
			add(l)
		}
	}
	if len(rules) > 0 {
		return rules, nil
	}
	for _, l := range lines {
		add(l)
	}
	switch {
	case len(rules) == 0:
		return nil, fault.Field("hunk", "%s", lines[len(lines)-1].Why)
	case !q.Preview:
		return nil, fault.Field("lines", "what would be ignored is a fact, such as a number or a price: name the "+
			"lines by their numbers, such as [1]")
	}
	for len(rules) > 1 {
		if _, err := watch.Compile(options.Spec(withRules(set, rules, false))); err == nil {
			break
		}
		rules = rules[:len(rules)-1] // together they are too large
	}
	return rules, nil
}

// undone returns the rules that are removed.
func undone(q Request, set *api.Watch) ([]string, error) {
	var has []string
	if set != nil {
		has = set.Ignore
	}
	asked := q.Patterns
	if q.Pattern != "" {
		asked = []string{q.Pattern}
	}
	if len(has) == 0 {
		return nil, fault.New(fault.Conflict, "the item has no ignore rules: there is nothing to undo")
	}
	for _, rule := range asked {
		if !slices.Contains(has, rule) {
			return nil, fault.Field("pattern", "the item has no such ignore rule: its rules are %.500q", has)
		}
	}
	if len(asked) == 0 {
		asked = has[len(has)-1:]
	}
	return asked, nil
}

// atField adds to an error the name of the request field that caused it.
func atField(field string, err error) error {
	if fault.Is(err, fault.Invalid) {
		return fault.Field(field, "%w", err)
	}
	return err
}
