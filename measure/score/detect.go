package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/policy/change"
)

// A detector gets the checks of one item in order. For each check it returns what a crawler with the detector's rules
// would do.
type detector interface {
	check(s *facts, raw int, at time.Time) verdict
}

// A verdict is the decision about a fetched page.
type verdict struct {
	alarm bool // the page counts as changed
	index bool // the page is indexed again, and its new chunks are embedded
}

// A method is a way to detect changes. Each item of a host gets a new detector.
type method struct {
	name string
	make func(it *item, h *furniture) detector
}

// rules selects the rules of the product that apply.
type rules struct {
	errors, folded, title, states, collapse, furniture, siblings bool
}

var every = rules{errors: true, folded: true, title: true, states: true, collapse: true}

// methods returns the baselines and variants of the product: with none of its rules, with all of them, with all but
// one, and with only one.
func methods() []method {
	all := []method{
		{"raw bytes", func(*item, *furniture) detector { return &byKey{key: func(s *facts, raw int) any { return raw }} }},
		{"visible text", func(*item, *furniture) detector {
			return &byKey{key: func(s *facts, _ int) any { return s.visible }}
		}},
		{"TextProfile", func(*item, *furniture) detector {
			return &byKey{key: func(s *facts, _ int) any { return s.profile }}
		}},
	}
	all = append(append(all, maskedMethods()...), filterMethods()...)
	all = append(all, tidemarkWith("contentHash alone", rules{}),
		tidemarkWith("with every rule", every))
	switches := []struct {
		name string
		of   func(*rules) *bool
	}{
		{"errors (H10)", func(r *rules) *bool { return &r.errors }},
		{"folded (H12)", func(r *rules) *bool { return &r.folded }},
		{"title (H7)", func(r *rules) *bool { return &r.title }},
		{"states (H8)", func(r *rules) *bool { return &r.states }},
		{"collapse (H9)", func(r *rules) *bool { return &r.collapse }},
		{"furniture (H11)", func(r *rules) *bool { return &r.furniture }},
		{"siblings (N2)", func(r *rules) *bool { return &r.siblings }},
	}
	for _, s := range switches {
		only, without := rules{}, every
		*s.of(&only), *s.of(&without) = true, !*s.of(&without)
		all = append(all, tidemarkWith("only "+s.name, only))
		if *s.of(&without) {
			all = append(all, tidemarkWith("and "+s.name, without))
		} else {
			all = append(all, tidemarkWith("without "+s.name, without))
		}
	}
	return all
}

func tidemarkWith(name string, r rules) method {
	return method{name, func(it *item, h *furniture) detector { return &byRules{rules: r, item: it, host: h} }}
}

// byKey reports a change whenever the key differs from the previous one.
type byKey struct {
	key  func(s *facts, raw int) any
	last any
}

func (d *byKey) check(s *facts, raw int, _ time.Time) verdict {
	now := d.key(s, raw)
	if now == d.last {
		return verdict{}
	}
	first := d.last == nil
	d.last = now
	return verdict{alarm: !first, index: true}
}

// byRules decides as the product does.
type byRules struct {
	rules rules
	item  *item
	host  *furniture
	known change.Known
	last  *facts
}

func (d *byRules) check(s *facts, _ int, at time.Time) verdict {
	if d.rules.errors && s.Document.Failure != "" {
		return verdict{}
	}
	r := s.reading(d.rules.folded)
	if !d.rules.states && len(d.known.States) > 1 {
		d.known.States = d.known.States[:1]
	}
	first := d.last == nil
	decided := change.Decide(d.known, r, !d.rules.collapse, at)
	d.known = decided.Known
	if d.rules.furniture && d.host.explains(d.item, d.last, s, at) {
		decided.Kind = change.Metadata
	}
	if d.rules.siblings && decided.Kind == change.Beside && d.host.small.explains(d.item, d.last, s, at) {
		decided.Kind = change.Metadata
	}
	if decided.Waits || decided.Kind == change.None {
		return verdict{}
	}
	d.last = s
	alarm := decided.Kind.OfContent() || decided.Kind == change.Title && !d.rules.title
	return verdict{alarm: alarm && !first, index: true}
}

// facts are the properties of a state that detectors need, computed once.
type facts struct {
	*state
	visible  string
	profile  string
	lines    []string // lines of both zones, after the title
	beside   []string // lines beside the main content
	readings [2]change.Reading
	done     [2]bool
	cut      []chunk.Chunk
}

func factsOf(s *state) *facts {
	f := &facts{state: s, visible: s.Document.TextHash(), profile: textProfile(s.Document.VisibleText)}
	f.lines = append(f.lines, s.Document.Title)
	for _, b := range s.Document.Blocks {
		before := len(f.lines)
		f.lines = slices.AppendSeq(f.lines, strings.SplitSeq(b.Text, "\n"))
		if b.Zone == extract.Beside {
			f.beside = append(f.beside, f.lines[before:]...)
		}
	}
	return f
}

// reading converts the state to the input of package change. If folded is true, counters are folded.
func (f *facts) reading(folded bool) change.Reading {
	i := 0
	if folded {
		i = 1
	}
	if !f.done[i] {
		f.readings[i], f.done[i] = readingOf(f.state, folded), true
	}
	return f.readings[i]
}

// chunks returns the chunks that the product embeds for the state.
func (f *facts) chunks() []chunk.Chunk {
	if f.cut == nil {
		f.cut, _ = chunk.Split(chunk.Page{ID: "page", Title: f.Document.Title, Blocks: f.Document.Blocks})
	}
	return f.cut
}

// textProfile returns the signature of Apache Nutch's TextProfileSignature with default settings. It is made of the
// words of two letters or more with their rounded-down frequencies. Words that are rare compared with the most
// frequent one are left out.
func textProfile(text string) string {
	const shortest, rate = 2, 0.01
	count, most := map[string]int{}, 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(w) >= shortest {
			count[w]++
			most = max(most, count[w])
		}
	}
	quantum := int(math.Round(float64(most) * rate))
	if quantum < 2 {
		quantum = min(2, max(1, most))
	}
	type token struct {
		word string
		n    int
	}
	var kept []token
	for w, n := range count {
		if n = n / quantum * quantum; n >= quantum {
			kept = append(kept, token{w, n})
		}
	}
	slices.SortFunc(kept, func(a, b token) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.word, b.word)) })
	sum := sha256.New()
	for _, t := range kept {
		fmt.Fprintln(sum, t.word, t.n)
	}
	return string(sum.Sum(nil))
}
