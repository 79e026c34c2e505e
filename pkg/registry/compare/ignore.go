package compare

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// maxMade limits the number of rules made from one hunk.
const maxMade = 5

// Request selects the lines to ignore. Exactly one of Pattern, Patterns, Text and Hunk is set, unless Undo is set.
type Request struct {
	Pattern   string   // a regular expression for lines
	Patterns  []string // several of them
	Text, Was string   // a line, and the line that it replaced; the rule is made from what both have in common
	Hunk      int      // the number of a hunk, starting at 1, in the diff that Query selects
	Query
	Preview bool // show the effect without saving anything
	Undo    bool // remove the rule Pattern, or the last rule if Pattern is empty
}

// Result is the outcome of a request.
type Result struct {
	Rules    []string // rules that were added or removed
	Ignore   []string // all rules of the item
	Saved    bool
	Changes  int // number of changes that the preview examined
	Silenced []Silenced
}

// Ignore makes rules from a request, and adds them to the item or removes them. It also returns a preview of the
// changes that the rules would have silenced.
func (c *Comparer) Ignore(ctx context.Context, p history.Past, q Request) (out Result, err error) {
	set, err := c.tags.Effective(ctx, &p.Item)
	if err != nil {
		return out, err
	}
	if out.Rules, err = c.rulesOf(ctx, p, q, set.Watch); err != nil {
		return out, err
	}
	now := withRules(set.Watch, out.Rules, q.Undo)
	w, err := c.watched(p, now)
	if err != nil {
		return out, err
	}
	if out.Ignore = now.Ignore; !q.Undo {
		if out.Changes, out.Silenced, err = w.preview(ctx, out.Rules); err != nil {
			return out, err
		}
	}
	if q.Preview {
		return out, nil
	}
	_, err = c.items.Ignore(ctx, p.Item.ID, func(it *registry.Item) (string, error) {
		return c.keep(ctx, it, out.Rules, q.Undo)
	})
	out.Saved = err == nil
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

// rulesOf returns the rules that a request adds or removes. It needs the current watch settings.
func (c *Comparer) rulesOf(ctx context.Context, p history.Past, q Request, set *api.Watch) ([]string, error) {
	if q.Undo {
		return undone(q, set)
	}
	given := 0
	for _, is := range []bool{q.Pattern != "", len(q.Patterns) > 0, q.Text != "" || q.Was != "", q.Hunk != 0} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, fault.Field("pattern", "give one of pattern, patterns, text and hunk")
	case q.Pattern != "":
		return []string{q.Pattern}, nil
	case len(q.Patterns) > 0:
		return slices.Compact(slices.Clone(q.Patterns)), nil
	case q.Hunk == 0:
		rule, err := watch.Suggest("", q.Was, q.Text)
		return []string{rule}, atField("text", err)
	}
	d, err := c.Diff(ctx, p, q.Query)
	if err != nil {
		return nil, err
	}
	if q.Hunk < 1 || q.Hunk > len(d.Hunks) {
		return nil, fault.Field("hunk", "hunk must be 1 to %d", len(d.Hunks))
	}
	w, err := c.watched(p, set)
	if err != nil {
		return nil, err
	}
	forms, err := w.forms(ctx, d.text, q.Part)
	if err != nil {
		return nil, err
	}
	rules, err := suggest(d.Hunks[q.Hunk-1], d.language, forms)
	return rules, atField("hunk", err)
}

// forms returns the other forms that lines of a text had in the last captures, by the number of the line.
func (r reader) forms(ctx context.Context, text, which string) (map[int][]string, error) {
	captures, err := lastCaptures(ctx, r.past)
	if err != nil {
		return nil, err
	}
	captures, _ = affordable(captures) // a pattern made from fewer forms is narrower
	out := map[int][]string{}
	for _, c := range captures {
		got, err := r.read(ctx, history.Digest(c.RawHash))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		hunks, _ := textdiff.Compare(text, words.Clip(got.of(which), textdiff.MaxText))
		for _, h := range hunks {
			for _, row := range h.Rows {
				if line, _ := textdiff.Line(row.New); row.OldN > 0 && row.NewN > 0 && differs(row) {
					out[row.OldN] = append(out[row.OldN], line)
				}
			}
		}
	}
	return out, nil
}

func undone(q Request, set *api.Watch) ([]string, error) {
	var has []string
	if set != nil {
		has = set.Ignore
	}
	switch {
	case len(has) == 0:
		return nil, fault.New(fault.Conflict, "the item has no ignore rules: there is nothing to undo")
	case q.Pattern == "":
		return has[len(has)-1:], nil
	case !slices.Contains(has, q.Pattern):
		return nil, fault.Field("pattern", "the item has no such ignore rule: its rules are %.500q", has)
	}
	return []string{q.Pattern}, nil
}

// suggest makes rules from what the lines of a hunk have in common, with each other and with the forms that they had.
// If
// it cannot make any, the error states the reason.
func suggest(h Hunk, language string, forms map[int][]string) (rules []string, err error) {
	var gone, come []Line
	pair := func() {
		for i := range max(len(gone), len(come)) {
			var was, is string
			var further []string
			if i < len(gone) {
				was = gone[i].text()
			}
			if i < len(come) {
				is, further = come[i].text(), forms[come[i].New]
			}
			rule, none := watch.Suggest(language, was, is, further...)
			if none != nil {
				err = none
			} else if !slices.Contains(rules, rule) && len(rules) < maxMade {
				rules = append(rules, rule)
			}
		}
		gone, come = nil, nil
	}
	for _, l := range h.Lines {
		switch {
		case l.Old > 0 && l.New > 0:
			pair()
		case strings.TrimSpace(l.text()) == "":
		case l.Old > 0:
			gone = append(gone, l)
		default:
			come = append(come, l)
		}
	}
	if pair(); len(rules) > 0 {
		err = nil
	}
	return rules, err
}

func (l Line) text() (out string) {
	for _, p := range l.Pieces {
		out += p.Text
	}
	return out
}

// atField adds to an error the name of the request field that caused it.
func atField(field string, err error) error {
	if fault.Is(err, fault.Invalid) {
		return fault.Field(field, "%w", err)
	}
	return err
}
