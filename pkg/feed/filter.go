package feed

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/policy/options"
)

// Filter selects changes. The zero Filter accepts all changes.
type Filter struct {
	host, of     string // the field of is the type of the item or entry; if empty, any type
	tag          string
	kinds        []string
	named        []string // the kinds that are taken although they are small
	zone, small  string
	silenced     string
	minShare     float64
	words        []string // words in lower case
	forRule      bool
	since, until time.Time // zero for no bound
}

// NewFilter makes a filter from a query. It ignores the times in the query, which callers pass to [Filter.During].
// Without a zone, it leaves out what is small, except of kinds that the query names besides content. The error is
// Invalid, with the name of the field.
func NewFilter(q api.ChangeFilter) (f Filter, err error) {
	if errs := form.Check(q); len(errs) > 0 {
		return f, errs[0]
	}
	f = Filter{host: strings.ToLower(q.Host), of: q.Type, minShare: q.MinShare, zone: q.Zone, small: q.Small,
		silenced: q.Silenced, words: strings.Fields(strings.ToLower(q.Q))}
	if q.Tag != "" {
		if f.tag, err = options.TagName(q.Tag); err != nil {
			return f, fault.Field("tag", "tag: %w", err)
		}
	}
	for kind := range strings.SplitSeq(q.Kind, ",") {
		if kind = strings.TrimSpace(kind); kind == "" {
			continue
		}
		switch f.kinds = append(f.kinds, kind); {
		case api.ChangeKind(kind) == api.ChangeContent:
			f.kinds = append(f.kinds, ofContent...)
		case q.Zone == "":
			f.named = append(f.named, kind)
		}
	}
	if f.zone == "" && (f.small == "true" || f.small == "only") {
		f.zone = api.ZoneAll
	}
	return f, nil
}

// ofContent are the kinds that content includes: what readers of the page see has changed, outside of its main content,
// or to what it was before.
var ofContent = []string{string(Beside), string(Beyond), string(Bytes), string(Reverted)}

// During returns a filter that accepts only changes between two times: at the first time or later, and before the
// second. A zero time is no bound.
func (f Filter) During(since, until time.Time) Filter {
	f.since, f.until = since, until
	return f
}

// Wants reports whether the filter accepts a change. It looks for words in everything that differs, as far as that was
// read; see [Feed.WithDifference].
func (f Filter) Wants(c Change) bool { return f.admits(c) && f.finds(c) }

// Seeks reports whether the filter accepts a change if words are in it: words of the filter, or others of the caller.
func (f Filter) Seeks(c Change, others bool) bool { return (others || len(f.words) > 0) && f.admits(c) }

// WithSilenced returns a filter that accepts silenced changes, too, unless it accepts nothing else already.
func (f Filter) WithSilenced() Filter {
	if f.silenced != "only" {
		f.silenced = "true"
	}
	return f
}

// ForRule returns the filter of a rule: that a page left the index or came back is reported only by name.
func (f Filter) ForRule() Filter {
	f.forRule = true
	return f
}

// OfAnyKind returns a filter that accepts changes of all kinds.
func (f Filter) OfAnyKind() Filter {
	f.kinds = nil
	return f
}

// Concerns reports whether a change is of a page that the filter accepts, whatever has changed there.
func (f Filter) Concerns(c Change) bool {
	return (f.host == "" || c.Host == f.host) && (f.of == "" || c.Type == f.of) &&
		(f.tag == "" || slices.Contains(c.Tags, f.tag)) && (!c.Silenced || f.silenced == "true" || f.silenced == "only")
}

// Refusal is why a filter does not accept a change, in words that go on from "the rule does not report it:".
type Refusal string

// The refusals.
const (
	RefusedSilenced Refusal = "a rule of the page's watch hides the change"
	RefusedSmall    Refusal = "nothing in the change is told by default"

	refusedShown   Refusal = "it asks only for changes that a watch hides"
	refusedPage    Refusal = "it is for other pages"
	refusedBeside  Refusal = "it asks only for the main content"
	refusedWeighty Refusal = "it asks only for small changes"
	refusedKind    Refusal = "it asks for other kinds of changes"
	refusedShare   Refusal = "it asks for a larger share of the text"
	refusedTime    Refusal = "it asks for another time"
	refusedWords   Refusal = "it asks for other words"
)

// Refuses returns why the filter does not accept a change; "" if it does.
func (f Filter) Refuses(c Change) Refusal {
	if why := f.refuses(c); why != "" {
		return why
	}
	if !f.finds(c) {
		return refusedWords
	}
	return ""
}

// admits reports whether the filter accepts a change, whatever its words are.
func (f Filter) admits(c Change) bool { return f.refuses(c) == "" }

// refuses returns why the filter does not accept a change, whatever its words are; "" if it does.
func (f Filter) refuses(c Change) Refusal {
	switch {
	case c.Silenced && f.silenced != "true" && f.silenced != "only":
		return RefusedSilenced
	case !c.Silenced && f.silenced == "only":
		return refusedShown
	case f.host != "" && c.Host != f.host, f.of != "" && c.Type != f.of, f.tag != "" && !slices.Contains(c.Tags, f.tag):
		return refusedPage
	case f.zone == api.ZoneMain && (c.Kind == Beside || c.Kind == Beyond):
		return refusedBeside
	case !f.ofKind(c):
		return f.otherKind()
	case !f.ofSize(c) && c.Small == nil:
		return refusedWeighty
	case !f.ofSize(c):
		return RefusedSmall
	case c.Share < f.minShare:
		return refusedShare
	case c.At.Before(f.since), !f.until.IsZero() && !c.At.Before(f.until):
		return refusedTime
	}
	return ""
}

// otherKind names the only kind of change that the filter asks for, where a name is short.
func (f Filter) otherKind() Refusal {
	short := map[Kind]string{Field: "values", Listed: "new entries", Gone: "pages that are gone", Content: "text"}
	if name := short[Kind(f.kinds[0])]; name != "" && (len(f.kinds) == 1 || slices.Equal(f.kinds[1:], ofContent)) {
		return Refusal("it asks only for " + name)
	}
	return refusedKind
}

// ofSize reports whether the filter accepts a change as far as it is small or not. The zone alone decides about what
// stands beside the main content.
func (f Filter) ofSize(c Change) bool {
	switch {
	case c.Small == nil:
		return f.small != "only"
	case f.forRule && c.Small.Why == SmallIndex:
		return slices.Contains(f.kinds, string(c.Kind))
	case slices.Contains(f.named, string(c.Kind)):
		return true
	case c.Small.Why == SmallBeside:
		return f.zone == api.ZoneAll
	}
	return f.small == "true" || f.small == "only"
}

// ofKind reports whether a change is of a kind that the filter accepts. Content includes a change of values that the
// page shows. Field includes a change of other text in which a value has changed, too: who asks for values misses none.
func (f Filter) ofKind(c Change) bool {
	return len(f.kinds) == 0 || slices.Contains(f.kinds, string(c.Kind)) ||
		c.Kind == Field && len(c.Passages) > 0 && c.From != c.To && slices.Contains(f.kinds, string(Content)) ||
		slices.Contains(f.kinds, string(Field)) && slices.ContainsFunc(c.Fields, field.Change.ForReaders)
}

// finds reports whether all words of the filter are in a change: in its title, its address, what differs, or what its
// fields were and are.
func (f Filter) finds(c Change) bool {
	if len(f.words) == 0 {
		return true
	}
	var all strings.Builder
	all.WriteString(c.Title + "\n" + c.URL)
	for _, p := range c.Differing() {
		all.WriteString("\n" + p.Text)
	}
	for _, f := range c.Fields {
		all.WriteString("\n" + f.Name + "\n" + f.Previous().String() + "\n" + f.Current().String())
	}
	text := strings.ToLower(all.String())
	return !slices.ContainsFunc(f.words, func(w string) bool { return !strings.Contains(text, w) })
}
