package compare

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/watch"
	"github.com/tidemark/tidemark/pkg/registry/history"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

const (
	// tried is the number of captures on which a watch is tried.
	tried = 10
	// maxRead limits the bytes of the captures that a trial reads. It reads each of them up to three times: for the
	// choice, for the watch, and for what is excluded.
	maxRead = 8 << 20
	// maxTried limits the bytes of the text of a capture that a trial shows.
	maxTried = 500
)

// Trial is what a watch finds, in the current capture and in those before it.
type Trial struct {
	Chosen
	Watch    api.Watch // what was tried
	Captures []Tried   // the current capture comes first, then the newest
}

// Tried is what a watch finds in a capture.
type Tried struct {
	Capture snapshot.Capture
	Found   int              // number of elements that the selectors find; 1 without selectors
	Text    string           // the beginning of the text that counts
	Cut     bool             // the text is longer
	Out     int              // number of elements that are left out
	OutText string           // the beginning of what they show
	Ignored []part.Line      // the first lines that a rule ignores
	Entries *extract.Entries // the entries, if the page is a list
	Fields  []field.Result   // the fields that the watch asks for
	Why     string           // why the watch could not be tried; empty if it was
}

// Try tries a watch on the last captures, without saving anything or contacting the site. The watch is the given one;
// if it is nil, the one that applies to the item. If an element is chosen, its selector is added to the watch.
func (c *Comparer) Try(ctx context.Context, p history.Past, set *api.Watch, q Choice) (out Trial, err error) {
	if set == nil {
		now, err := c.tags.Effective(ctx, &p.Item)
		if err != nil {
			return out, err
		}
		set = now.Watch
	}
	if set != nil {
		out.Watch = *set
	}
	captures, err := lastCaptures(ctx, p)
	if err != nil {
		return out, err
	}
	captures, large := affordable(captures)
	if q.isMade() {
		if out.Chosen, err = choose(ctx, p, q, captures); err != nil {
			return out, err
		}
		if out.Watch, err = withChoice(out.Watch, &out.Chosen, q.As); err != nil {
			return out, err
		}
	}
	fields, err := field.Asked(out.Watch.Fields)
	if err != nil {
		return out, err
	}
	w, err := c.watched(p, &out.Watch)
	if err != nil {
		return out, err
	}
	if w.fields = fields; len(out.Watch.Exclude) > 0 {
		w.out = part.NewReader(watch.Spec{Include: out.Watch.Exclude})
	}
	for _, capture := range captures {
		t, err := w.try(ctx, capture)
		if err != nil {
			return out, err
		}
		out.Captures = append(out.Captures, t)
	}
	for _, capture := range large {
		out.Captures = append(out.Captures, Tried{Capture: capture,
			Why: fmt.Sprintf("the captures are large, and a trial reads %d MiB of them", maxRead>>20)})
	}
	return out, nil
}

// affordable returns the captures that a trial reads, at least one, and those that are too large together with them.
func affordable(captures []snapshot.Capture) (read, large []snapshot.Capture) {
	size := int64(0)
	for i, c := range captures {
		if size += c.Bytes; size > maxRead && i > 0 {
			return captures[:i], captures[i:]
		}
	}
	return captures, nil
}

// withChoice returns a watch with the selector of an offer, and with the value that the chosen element shows. If the
// offer is for all entries of a list and each has a link, the new ones are told.
func withChoice(w api.Watch, chosen *Chosen, as string) (api.Watch, error) {
	o := chosen.Offer
	if o.Selector == "" { // all entries of a feed
		w.List = cmp.Or(w.List, "tell")
		return w, nil
	}
	switch i := slices.Index(w.Include, chosen.Instead); as {
	case "only", "":
		if i < 0 {
			w.Include, i = make([]string, 1), 0
		}
		w.Include = slices.Clone(w.Include)
		w.Include[i] = o.Selector
	case "also":
		w.Include = append(slices.Clone(w.Include), o.Selector)
	case "value":
		if chosen.Value == nil {
			return w, fault.Field("as", "the text of the element is neither an amount, a date, a number nor an availability")
		}
	case "out":
		w.Exclude = append(slices.Clone(w.Exclude), o.Selector)
		return w, nil
	default:
		return w, fault.Field("as", "as must be only, also, value or out, not %.40q", as)
	}
	if chosen.Value != nil {
		w.Fields = withField(w.Fields, &chosen.Value.Spec)
	}
	if o.Links != "" {
		w.List, w.ListLinks = cmp.Or(w.List, "tell"), []string{o.Links}
	}
	return w, nil
}

// withField returns fields with one more, whose name gets a number if another field has it. A field
// that reads the same keeps its name.
func withField(fields map[string]api.FieldSpec, s *field.Spec) map[string]api.FieldSpec {
	one := api.FieldSpec{From: string(s.Source), Path: s.At, Type: string(s.Type)}
	if fields[s.Name] == one {
		return fields
	}
	for name, had := range fields {
		if had == one && one.Path != "" {
			s.Name = name
			return fields
		}
	}
	name := s.Name
	for n := 2; fields[s.Name] != (api.FieldSpec{}); n++ {
		s.Name = fmt.Sprintf("%s-%d", name, n)
	}
	out := maps.Clone(fields)
	if out == nil {
		out = map[string]api.FieldSpec{}
	}
	out[s.Name] = one
	return out
}

// lastCaptures returns the captures on which a watch is tried. Captures with the same text as others, and only other
// bytes, are left out.
func lastCaptures(ctx context.Context, p history.Past) (out []snapshot.Capture, err error) {
	const read = 100 // enough to find some with another text
	latest, err := p.Latest(ctx, read)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, c := range latest.Captures {
		if c.RawHash == p.Item.RawHash && !seen[c.RawHash] {
			out, seen[c.RawHash] = append(out, c), true
		}
	}
	for _, c := range latest.Captures {
		if len(out) < tried && !seen[c.RawHash] && c.SameTextAs == "" {
			out, seen[c.RawHash] = append(out, c), true
		}
	}
	return out, nil
}

func (r reader) try(ctx context.Context, c snapshot.Capture) (t Tried, err error) {
	t.Capture = c
	got, err := r.read(ctx, history.Digest(c.RawHash))
	if fault.Is(err, fault.NotFound) {
		t.Why = "it is not kept any more"
		return t, nil
	}
	if err != nil {
		return t, err
	}
	t.Found, t.Why = got.part.Elements, got.part.Why
	t.Entries, t.Fields = got.part.List, got.fields
	text := valid(got.part.Text)
	t.Text, t.Cut = words.Clip(text, maxTried), len(text) > maxTried
	if got.out != nil && t.Why == "" {
		t.Out, t.OutText = got.out.Elements, words.Clip(valid(got.out.Text), maxTried)
	}
	for line := range got.part.IgnoredLines() {
		if len(t.Ignored) == maxLines {
			break
		}
		line.Text = words.Clip(valid(line.Text), maxLine)
		t.Ignored = append(t.Ignored, line)
	}
	return t, nil
}

const (
	// maxChanges and maxPreview limit the changes that a preview examines, and the bytes of the captures that it
	// reads.
	maxChanges = 1000
	maxPreview = 64 << 20
	// maxLines limits the number of lines of a change that a preview shows. maxLine limits the bytes of each line.
	maxLines = 10
	maxLine  = 300
)

// Silenced is a change with lines that match the rules.
type Silenced struct {
	At       time.Time
	From, To string      // digests of the captures before and after
	Whole    bool        // the rules silence the whole change
	Lines    []part.Line // the first lines that are ignored
}

// preview examines the changes between the kept captures. It returns the changes with lines that match the rules, the
// number of changes that it examined, and the number of those for which it would have to read too much.
func (r reader) preview(ctx context.Context, rules []string) (out []Silenced, examined, unread int, err error) {
	made := map[string]bool{}
	for _, rule := range rules {
		made["ignore: "+rule] = true
	}
	read := r.pairs()
	for c, err := range r.past.Changes(ctx, maxChanges) {
		if err != nil {
			return nil, examined, unread, err
		}
		from, to := feed.Digest(c.Before), feed.Digest(c.RawHash)
		if from == "" || to == "" || from == to {
			continue
		}
		was, is, tooMuch := read(ctx, from, to)
		switch {
		case tooMuch:
			unread++
			continue
		case was == nil || is == nil:
			continue
		}
		examined++
		if lines := ignoredBy(was, is, made); len(lines) > 0 {
			out = append(out, Silenced{At: c.At, From: from, To: to, Whole: was.State == is.State, Lines: lines})
		}
	}
	return out, examined, unread, nil
}

// pairs returns a function that reads the parts of two captures, nil for those that are no longer stored or cannot be
// read now. It reads up to maxPreview bytes, and keeps the parts of the two captures that it has read last.
func (r reader) pairs() func(ctx context.Context, from, to string) (was, is *part.Part, tooMuch bool) {
	known, left := map[string]*part.Part{}, int64(maxPreview)
	read := func(ctx context.Context, digest string) *part.Part {
		if p := known[digest]; p != nil || left <= 0 {
			return p
		}
		got, err := r.read(ctx, digest)
		if err != nil {
			return nil
		}
		if len(known) > 1 {
			clear(known)
		}
		left -= got.capture.Bytes
		known[digest] = got.part
		return got.part
	}
	return func(ctx context.Context, from, to string) (was, is *part.Part, tooMuch bool) {
		is = read(ctx, to)
		was = read(ctx, from)
		return was, is, left <= 0 && (was == nil || is == nil)
	}
}

// ignoredBy returns the first lines that differ between two parts and are excluded by one of the given rules.
func ignoredBy(was, is *part.Part, rules map[string]bool) (out []part.Line) {
	before, after := words.Clip(was.Doc.Text, textdiff.MaxText), words.Clip(is.Doc.Text, textdiff.MaxText)
	for line := range part.Ignored(was.Own(before), is.Own(after)) {
		if len(out) == maxLines {
			break
		}
		if rules[line.Rule] {
			line.Text = words.Clip(line.Text, maxLine)
			out = append(out, line)
		}
	}
	return out
}
