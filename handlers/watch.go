package handlers

import (
	"context"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

const (
	// looked is how many captures a preview looks at.
	looked = 30
	// maxMade is how many rules are made of one hunk.
	maxMade = 5
	// maxLines is how many lines of a change a preview shows.
	maxLines = 10
)

// acceptWatch takes what is watched of an item for right as it is now.
func acceptWatch(ctx context.Context, v *call, q api.ItemID) (api.Item, error) {
	it, err := v.Registry.Items.AcceptWatch(ctx, source.ID(q.ID))
	return itemJSON(&it), wire.Blame("id", err)
}

// watcher reads captures of an item as somebody watches it.
type watcher struct {
	v    *call
	ids  []source.ID
	part *part.Reader // nil: all of a page counts
}

func newWatcher(v *call, ids []source.ID, set *options.Watch) (w watcher, err error) {
	w = watcher{v: v, ids: ids}
	if set != nil {
		w.part = part.NewReader(set.Spec())
		_, err = w.part.Rules()
	}
	return w, err
}

// read is a capture: its text, and what counts of it.
func (w watcher) read(ctx context.Context, digest string) (c snapshot.Capture, text string, p *part.Part, err error) {
	c, body, err := w.v.Snapshots.LoadOf(ctx, w.ids, "sha256:"+digest)
	if err != nil {
		return c, "", nil, noCapture(err, digest)
	}
	doc, err := readCapture(ctx, w.v, c, body)
	if err != nil || w.part == nil {
		return c, strings.ToValidUTF8(doc.Text, "�"), nil, err
	}
	of := w.part.Read(doc, body, c.ContentType(), captureBase)
	return c, strings.ToValidUTF8(doc.Text, "�"), &of, nil
}

// ignoreLines makes rules of what is not to count, tells what they would have silenced, and keeps or removes them.
func ignoreLines(ctx context.Context, v *call, q api.IgnoreRequest) (out api.IgnoreResult, err error) {
	it, ids, err := findPast(ctx, v, q.ID)
	if err != nil {
		return out, err
	}
	set, err := v.Registry.Tags.Effective(ctx, &it)
	if err != nil {
		return out, err
	}
	if out.Rules, err = rulesOf(ctx, v, q, set); err != nil {
		return out, err
	}
	now := withRules(set.Watch, out.Rules, q.Undo)
	if _, err = newWatcher(v, nil, now); err != nil {
		return out, err
	}
	if out.Ignore = now.Ignore; out.Ignore == nil {
		out.Ignore = []string{}
	}
	if !q.Undo {
		if err = preview(ctx, v, ids, now, &out); err != nil {
			return out, err
		}
	}
	if q.Preview {
		return out, nil
	}
	_, err = v.Registry.Items.Ignore(ctx, it.ID, func(it *registry.Item) (string, error) {
		return keepRules(ctx, v, it, out.Rules, q.Undo)
	})
	out.Saved = err == nil
	return out, wire.Blame("id", err)
}

// keepRules adds rules to those that hold for an item, or removes them. The item then has them all itself, since its
// own list wins over that of a tag.
func keepRules(ctx context.Context, v *call, it *registry.Item, rules []string, undo bool) (why string, err error) {
	set, err := v.Registry.Tags.Effective(ctx, it)
	if err != nil {
		return "", err
	}
	own := options.Watch{}
	if it.Options.Watch != nil {
		own = *it.Options.Watch
	}
	own.Ignore = withRules(set.Watch, rules, undo).Ignore
	o := it.Options
	o.Watch = &own
	it.Options, err = o.Validate()
	if undo {
		return "lines count again: " + strings.Join(rules, ", "), err
	}
	return "lines do not count any more: " + strings.Join(rules, ", "), err
}

// withRules is what somebody watches, with more rules for lines or without some.
func withRules(set *options.Watch, rules []string, undo bool) *options.Watch {
	out := options.Watch{}
	if set != nil {
		out = *set
	}
	out.Ignore = slices.DeleteFunc(slices.Clone(out.Ignore), func(r string) bool { return slices.Contains(rules, r) })
	if !undo {
		out.Ignore = append(out.Ignore, rules...)
	}
	return &out
}

// rulesOf are the rules that a request is about.
func rulesOf(ctx context.Context, v *call, q api.IgnoreRequest, set options.Effective) ([]string, error) {
	given := 0
	for _, is := range []bool{q.Pattern != "", q.Text != "" || q.Was != "", q.Hunk != 0} {
		if is {
			given++
		}
	}
	if q.Undo {
		return undone(q, set)
	}
	if given != 1 {
		return nil, fault.Field("pattern", "give one of pattern, text and hunk")
	}
	switch {
	case q.Pattern != "":
		return []string{q.Pattern}, nil
	case q.Hunk == 0:
		rule, err := watch.Suggest(q.Was, q.Text)
		return []string{rule}, wire.Blame("text", err)
	}
	return rulesOfHunk(ctx, v, q)
}

func undone(q api.IgnoreRequest, set options.Effective) ([]string, error) {
	var has []string
	if set.Watch != nil {
		has = set.Watch.Ignore
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

// rulesOfHunk makes rules of the lines of a hunk, as far as they have something in common.
func rulesOfHunk(ctx context.Context, v *call, q api.IgnoreRequest) (rules []string, err error) {
	d, err := diff(ctx, v, api.DiffQuery{ID: q.ID, From: q.From, To: q.To, Part: q.Part})
	if err != nil {
		return nil, err
	}
	if q.Hunk < 1 || q.Hunk > len(d.Hunks) {
		return nil, fault.Field("hunk", "hunk must be 1 to %d", len(d.Hunks))
	}
	var gone, come []string
	var last error
	flush := func() {
		for i := range max(len(gone), len(come)) {
			var was, is string
			if i < len(gone) {
				was = gone[i]
			}
			if i < len(come) {
				is = come[i]
			}
			rule, err := watch.Suggest(was, is)
			if err != nil {
				last = err
			} else if !slices.Contains(rules, rule) && len(rules) < maxMade {
				rules = append(rules, rule)
			}
		}
		gone, come = nil, nil
	}
	for _, l := range d.Hunks[q.Hunk-1].Lines {
		text := ""
		for _, p := range l.Text {
			text += p.Text
		}
		switch {
		case l.Op == "same":
			flush()
		case strings.TrimSpace(text) == "":
		case l.Op == "removed":
			gone = append(gone, text)
		default:
			come = append(come, text)
		}
	}
	if flush(); len(rules) == 0 {
		return nil, wire.Blame("hunk", last)
	}
	return rules, nil
}

// preview tells what rules find in the changes between the last captures.
func preview(ctx context.Context, v *call, ids []source.ID, set *options.Watch, out *api.IgnoreResult) error {
	w, err := newWatcher(v, ids, set)
	if err != nil {
		return err
	}
	made := map[string]bool{}
	for _, r := range out.Rules {
		made["ignore: "+r] = true
	}
	known := map[string]*part.Part{} // the last two
	read := func(digest string) (*part.Part, error) {
		if p := known[digest]; p != nil {
			return p, nil
		}
		_, _, p, err := w.read(ctx, digest)
		if len(known) > 1 {
			clear(known)
		}
		known[digest] = p
		return p, err
	}
	for _, id := range ids {
		past, err := v.Snapshots.Changes(ctx, id, looked)
		if err != nil {
			return err
		}
		for _, c := range past {
			from, to := feed.Digest(c.Before), feed.Digest(c.RawHash)
			if from == "" || to == "" || from == to || out.Changes == looked-1 {
				continue
			}
			is, err := read(to)
			if err != nil {
				continue // it is not kept any more, or cannot be read now
			}
			was, err := read(from)
			if err != nil {
				continue
			}
			out.Changes++
			lines := ignoredBy(was, is, func(rule string) bool { return made[rule] })
			if len(lines) > 0 {
				out.Silenced = append(out.Silenced, api.SilencedChange{At: c.At, From: from, To: to,
					Whole: was.State == is.State, Lines: lines})
			}
		}
	}
	return nil
}

// ignoredBy are the first lines that differ between two parts and do not count by one of some rules.
func ignoredBy(was, is *part.Part, by func(rule string) bool) (out []api.IgnoredChange) {
	before, after := words.Clip(was.Doc.Text, textdiff.MaxText), words.Clip(is.Doc.Text, textdiff.MaxText)
	for line := range part.Ignored(was, is, before, after) {
		if len(out) == maxLines {
			break
		}
		if !by(line.Rule) {
			continue
		}
		op := "removed"
		if line.Added {
			op = "added"
		}
		out = append(out, api.IgnoredChange{Hunk: words.Clip(line.Text, 300), Op: op, Rule: line.Rule})
	}
	return out
}
