package compare

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/fact"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/registry/history"
)

// maxProposed limits the number of lines for which rules are proposed.
const maxProposed = 50

// Proposal is a rule that is proposed for a changed line.
type Proposal struct {
	Was, Is string
	Rule    string   // empty if none can be made
	Moves   []string // what the rule lets differ; empty if it is for exactly this line
	// Fact says that what the rule would hide is a fact: part of what it lets differ, or of a line that is new or
	// gone.
	Fact bool
	Why  string // why there is no rule
}

// changed is a line as it was and as it is. One of them may be empty.
type changed struct {
	was, is string
	further []string // forms that it had in other captures
	alone   bool     // the line is new or gone, so that a rule hides all of it
}

// propose proposes rules for the lines of a request.
func (c *Comparer) propose(ctx context.Context, p history.Past, q Request, set *api.Watch) (out []Proposal, err error) {
	w, err := c.watched(p, set)
	if err != nil {
		return nil, err
	}
	memory, err := c.memory.Memory(ctx, p.IDs...)
	if err != nil {
		return nil, err
	}
	from := proposer{parts: memory.Parts(p.Item.Saw), language: p.Item.Language}
	if q.Text != "" || q.Was != "" {
		l := changed{was: q.Was, is: q.Text}
		if l.further, err = w.formsOf(ctx, l, q.Part); err != nil {
			return nil, err
		}
		l.alone = q.Was == "" && len(l.further) == 0
		made, err := from.propose(l)
		return []Proposal{made}, atField("text", err)
	}
	d, err := c.Diff(ctx, p, q.Query)
	if err != nil {
		return nil, err
	}
	hunks := d.Hunks
	if q.Hunk < 0 || q.Hunk > len(hunks) {
		return nil, fault.Field("hunk", "hunk must be 1 to %d", len(hunks))
	}
	if q.Hunk > 0 {
		hunks = hunks[q.Hunk-1 : q.Hunk]
	}
	texts, err := w.lastTexts(ctx, q.Part)
	if err != nil {
		return nil, err
	}
	forms := formsIn(d.texts[1], texts)
	from.language = d.language
	for _, h := range hunks {
		for _, l := range linesOf(d, h, forms) {
			made, err := from.propose(l)
			if err != nil {
				made.Why = err.Error()
			}
			if len(out) < maxProposed {
				out = append(out, made)
			}
		}
	}
	return out, nil
}

// linesOf returns the changed lines of a hunk. A line that also stands elsewhere in the other text has only moved, so
// it is no form of the line that took its place.
func linesOf(d Diff, h Hunk, forms map[int][]string) (out []changed) {
	before, now := linesIn(d.texts[0]), linesIn(d.texts[1])
	for _, r := range h.changed {
		was, _ := textdiff.Line(r.Old)
		is, _ := textdiff.Line(r.New)
		was, is = strings.TrimSpace(was), strings.TrimSpace(is)
		all := []changed{{was, is, forms[r.NewN], was == "" || is == ""}}
		if was != "" && is != "" && (now[was] || before[is]) {
			all = []changed{{was: was, alone: true}, {is: is, further: forms[r.NewN], alone: true}}
		}
		for _, l := range all {
			if l.was+l.is != "" && len(out) < maxProposed {
				out = append(out, l)
			}
		}
	}
	return out
}

func linesIn(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		out[strings.TrimSpace(line)] = true
	}
	return out
}

// lastTexts returns the texts of the last captures, the newest first.
func (r reader) lastTexts(ctx context.Context, which string) (out []string, err error) {
	captures, err := lastCaptures(ctx, r.past)
	if err != nil {
		return nil, err
	}
	captures, _ = affordable(captures) // a rule made from fewer forms is narrower
	for _, c := range captures {
		got, err := r.read(ctx, history.Digest(c.RawHash))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, words.Clip(got.of(which), textdiff.MaxText))
	}
	return out, nil
}

// formsOf returns the forms that a line had in the last captures.
func (r reader) formsOf(ctx context.Context, l changed, which string) ([]string, error) {
	texts, err := r.lastTexts(ctx, which)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		for i, line := range strings.Split(text, "\n") {
			if linememory.LineOf(line) == linememory.LineOf(l.is) {
				return formsIn(text, texts)[i+1], nil
			}
		}
	}
	return nil, nil
}

// formsIn returns the forms that the lines of a text have in other texts, by the number of the line. Another line of
// one of the texts is no form.
func formsIn(text string, others []string) map[int][]string {
	own, out := linesIn(text), map[int][]string{}
	for _, other := range others {
		theirs := linesIn(other)
		hunks, _ := textdiff.Compare(text, other)
		for _, h := range hunks {
			for _, row := range h.Rows {
				if row.OldN == 0 || row.NewN == 0 || !differs(row) {
					continue
				}
				was, _ := textdiff.Line(row.Old)
				is, _ := textdiff.Line(row.New)
				if !own[strings.TrimSpace(is)] && !theirs[strings.TrimSpace(was)] {
					out[row.OldN] = append(out[row.OldN], is)
				}
			}
		}
	}
	return out
}

// proposer makes rules with what is remembered of the page.
type proposer struct {
	parts    []linememory.Part
	language string
}

// propose makes a rule for a changed line.
func (p proposer) propose(l changed) (out Proposal, err error) {
	out = Proposal{Was: l.was, Is: l.is}
	both := slices.DeleteFunc([]string{l.is, l.was}, func(s string) bool { return s == "" })
	forms := append(slices.Clone(both), l.further...)
	forms = append(forms, p.remembered(forms, func(linememory.Part) bool { return true })...)
	made, err := watch.Suggest(p.language, forms...)
	if err != nil {
		return out, err
	}
	out.Rule, out.Moves = made.Rule, made.Moves
	steady := p.isSteady(append(slices.Clone(both), l.further...))
	for _, f := range made.Forms[:min(len(both), len(made.Forms))] {
		if l.alone {
			f.Freed = [][2]int{{0, len(f.Text)}}
		}
		out.Fact = out.Fact || hidesFact(f, steady)
	}
	return out, nil
}

// remembered returns the forms that the memory has of a line, by parts of some kind. Of a long line it has none.
func (p proposer) remembered(forms []string, of func(linememory.Part) bool) (out []string) {
	is := map[string]bool{}
	for _, f := range forms {
		is[linememory.LineOf(f)] = true
	}
	for _, part := range p.parts {
		if (is[linememory.LineOf(part.Text)] || is[linememory.LineOf(part.Was)]) && of(part) {
			out = append(out, part.Text, part.Was)
		}
	}
	return out
}

// isSteady reports whether nothing of a line has moved but numbers and times that move at most checks.
func (p proposer) isSteady(forms []string) bool {
	known := p.remembered(forms, func(part linememory.Part) bool {
		const least = 3
		return part.Moved >= least && 2*part.Moved > part.Of
	})
	if len(known) == 0 {
		return false
	}
	made, err := watch.Suggest(p.language, known...)
	if err != nil {
		return false
	}
	rules, err := watch.Compile(watch.Spec{Ignore: []string{made.Rule}})
	return err == nil && !slices.ContainsFunc(forms, func(f string) bool { return rules.Ignored(f) == "" })
}

// hidesFact reports whether a rule lets a fact differ in a form of a line. A number that moves at most checks does not
// count.
func hidesFact(f watch.Form, steady bool) bool {
	for _, found := range fact.Find(f.Text) {
		if steady && (found.Kind == fact.Number || found.Kind == fact.Time) {
			continue
		}
		for _, at := range f.Freed {
			if fact.Touches([]fact.Fact{found}, at[0], at[1]) {
				return true
			}
		}
	}
	return false
}
