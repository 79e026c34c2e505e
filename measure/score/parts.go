package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/sync/errgroup"
)

// partTrial is an element that somebody watches, and its page before and after some edits.
type partTrial struct {
	page          string // its name; "" if it is made
	at            *element
	edits         []string
	before, after partPage
	chosen        *html.Node // in before
	want          *html.Node // in after; nil if it is gone
	bare          bool       // want has no text any more
	chosenText    string
	wanted        string            // the text of want
	should        string            // what the product should say: "" if it finds want, or saysEmpty or saysBroken
	earlier       func() []partPage // other captures of the page
	earlierKnown  bool              // whether there are any
}

// partOutcome is what became of a watched part.
type partOutcome string

const (
	partFound     partOutcome = "found"
	partDoubted   partOutcome = "found, said to be broken"
	partAnother   partOutcome = "another"
	partLost      partOutcome = "lost, and said"
	partLostEmpty partOutcome = "lost, said to be empty"
	partLostMute  partOutcome = "lost, not said"
	partGone      partOutcome = "gone, and said"
	partGoneTaken partOutcome = "gone, another taken"
	partGoneMute  partOutcome = "gone, not said"
	partUnoffered partOutcome = "not offered"
)

// partResult is the outcome of a trial, and what led to it.
type partResult struct {
	outcome  partOutcome
	verdict  string
	selector string
	took     string // the text that was taken
}

// run chooses the element, edits the page and finds the element again.
func (t *partTrial) run() (r partResult) {
	n := offered(t.before, t.chosen)
	if n != nil {
		r.selector = choosePart(t.before, n, t.earlier)
	}
	if r.selector == "" {
		r.outcome = partUnoffered
		return r
	}
	found := findPart(t.after, r.selector)
	r.verdict = judge(t.before, t.after, r.selector)
	var texts []string
	for _, f := range found {
		if s := shown(f); s != "" {
			texts = append(texts, s)
		}
	}
	r.took = strings.Join(texts, " | ")
	r.outcome = t.classify(found, r.took, r.verdict)
	return r
}

// classify says what became of the part, from what the product finds and says. Where it says that the part is empty or
// broken, it does not take what it finds.
func (t *partTrial) classify(found []*html.Node, took, said string) partOutcome {
	isTaken := said == "" && hasLetterOrDigit(took)
	if t.want == nil || t.bare {
		switch {
		case isTaken:
			return partGoneTaken
		case said == "":
			return partGoneMute
		}
		return partGone
	}
	isFound := len(found) == 1 && isSame(found[0], t.want)
	switch {
	case isFound && said != "":
		return partDoubted
	case isFound:
		return partFound
	case isTaken:
		return partAnother
	case said == saysEmpty:
		return partLostEmpty
	case said == "":
		return partLostMute
	}
	return partLost
}

// partSource is a page from which trials are made.
type partSource struct {
	name  string
	root  *html.Node
	all   []*element
	other *html.Node
}

func parsePart(name, text string) (*partSource, error) {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return &partSource{name: name, root: root, all: elements(root)}, nil
}

// trial makes a trial of a page; nil if the page has no element to watch, or if what was drawn does not fit it.
func (s *partSource) trial(rng *rand.Rand) *partTrial {
	if len(s.all) == 0 {
		return nil
	}
	var kinds []string
	for _, e := range s.all {
		if kind := e.what + e.form; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	kind := one(rng, kinds)
	var of []*element
	for _, e := range s.all {
		if e.what+e.form == kind {
			of = append(of, e)
		}
	}
	at := one(rng, of)
	fates, n := partFates, 1+rng.IntN(3)
	var fate *partEdit
	switch chance := rng.IntN(100); {
	case chance < 25:
		fate = &fates[rng.IntN(len(fates))]
	case chance < 33:
		fate, n = &partEdit{"rebuilt", (*edited).rebuild}, 1
	case chance < 36:
		fate, n = &partEdit{"rebuilt, part kept", (*edited).rebuildKept}, 1
	}
	return s.edit(rng, at, fate, n)
}

// edit makes a trial with n edits, of which the last one may be a fate.
func (s *partSource) edit(rng *rand.Rand, at *element, fate *partEdit, n int) *partTrial {
	copies, copiesBefore := map[*html.Node]*html.Node{}, map[*html.Node]*html.Node{}
	e := &edited{rng: rng, root: cloneTree(s.root, copies), before: cloneTree(s.root, copiesBefore), other: s.other}
	e.at = at.in(copies)
	chosen := copiesBefore[at.node]
	t := &partTrial{page: s.name, at: at}
	const tries = 20
	for i := 0; i < tries && len(t.edits) < n-count(fate != nil); i++ {
		edit := one(rng, partEdits)
		if slices.Contains(t.edits, edit.name) || fate != nil && edit.name == "new value" || !edit.apply(e) {
			continue
		}
		t.edits = append(t.edits, edit.name)
	}
	if fate != nil {
		if !fate.apply(e) {
			return nil
		}
		t.edits = append(t.edits, fate.name)
	}
	if len(t.edits) == 0 {
		return nil
	}
	return t.read(e, chosen, rng.Uint64())
}

// read reads the pages of a trial as the product does.
func (t *partTrial) read(e *edited, chosen *html.Node, seed uint64) *partTrial {
	want := e.at.node
	if e.gone {
		want = nil
	}
	var read, readAfter bool
	t.before, t.chosen, read = readPart(e.before, chosen)
	t.after, t.want, readAfter = readPart(e.root, want)
	if !read || !readAfter {
		return nil
	}
	t.bare, t.chosenText = e.bare, shown(t.chosen)
	if t.want != nil {
		t.wanted = shown(t.want)
	}
	t.should = t.expected(e)
	t.earlier = func() []partPage { return nil }
	if t.earlierKnown = seed%2 == 0; t.earlierKnown {
		t.earlier = func() []partPage { return e.earlier(rand.New(rand.NewPCG(seed, 0))) }
	}
	return t
}

// expected returns what should be said of the part if nothing of it is found: a page whose classes and ids or
// most lines are new was rebuilt with it.
func (t *partTrial) expected(e *edited) string {
	rebuilt := slices.ContainsFunc(t.edits, func(s string) bool { return strings.HasPrefix(s, "rebuilt") })
	switch {
	case rebuilt || (e.gone || e.bare) && slices.Contains(t.edits, "all classes renamed"):
		return saysBroken
	case e.gone || e.bare:
		return saysEmpty
	}
	return ""
}

// earlier makes two or three captures of a page before the present one: units came and went, values moved, and classes
// with suffixes had other ones.
func (e *edited) earlier(rng *rand.Rand) (all []partPage) {
	for range 2 + rng.IntN(2) {
		root := cloneTree(e.before, map[*html.Node]*html.Node{})
		if e.plain != nil && rng.IntN(2) == 0 {
			root = cloneTree(e.plain, map[*html.Node]*html.Node{})
			seed := rng.Uint64()
			restyle(root, func(c string) string { return suffixed(c, e.style, seed) }, false)
		}
		elements := elements(root)
		for range 3 {
			if len(elements) > 0 {
				e := &edited{rng: rng, root: root, at: one(rng, elements)}
				one(rng, []func() bool{e.value, e.remove, e.insert})()
			}
		}
		if p, _, ok := readPart(root, nil); ok {
			all = append(all, p)
		}
	}
	return all
}

// partsOf makes and runs trials: three fifths of them on real pages, if there is a folder. Each trial is drawn from the
// seed and its number alone.
func partsOf(folder fs.FS, seed uint64, trials int) ([]*partTrial, []partResult, error) {
	real := 0
	if folder != nil {
		real = trials * 3 / 5
	}
	const each = 4 // trials of a page
	sources := make([][]*partTrial, (trials+each-1)/each)
	results := make([][]partResult, len(sources))
	names, err := realNames(folder, seed)
	if err != nil {
		return nil, nil, err
	}
	work := errgroup.Group{}
	work.SetLimit(2)
	for i := range sources {
		work.Go(func() error {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			want := min(each, trials-i*each)
			all, err := makeTrials(folder, names, rng, i, want, i*each < real)
			for _, t := range all {
				results[i] = append(results[i], t.run())
				t.before.root, t.after.root, t.before.body, t.after.body = nil, nil, nil, nil
				t.chosen, t.want, t.earlier = nil, nil, nil
				t.at = &element{what: t.at.what, form: t.at.form, among: &unit{key: t.at.among.key}}
			}
			sources[i] = all
			return err
		})
	}
	err = work.Wait()
	return slices.Concat(sources...), slices.Concat(results...), err
}

// makeTrials makes some trials of the i-th page. If that has no element to watch, another page comes in its place.
func makeTrials(folder fs.FS, names []string, rng *rand.Rand, i, want int, real bool) (all []*partTrial, err error) {
	const pages, tries = 60, 12
	for p := 0; p < pages && len(all) == 0; p++ {
		name, text, other := "", "", ""
		if real {
			name = names[(i+p*len(names)/pages)%len(names)]
			text, err = readReal(folder, name)
			if err == nil {
				other, err = readReal(folder, names[(i+1+len(names)/2)%len(names)])
			}
			if err != nil {
				return nil, err
			}
		} else {
			text, other = makePage(rng), makePage(rng)
		}
		if text == "" {
			continue
		}
		s, err := parsePart(name, text)
		if err != nil {
			return nil, err
		}
		if s.other, err = html.Parse(strings.NewReader(other)); err != nil {
			return nil, err
		}
		for n := 0; n < tries && len(all) < want; n++ {
			if t := s.trial(rng); t != nil {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// realNames returns the names of the pages of a folder in the form of WCXB, in an order that is drawn.
func realNames(folder fs.FS, seed uint64) ([]string, error) {
	if folder == nil {
		return nil, nil
	}
	files, err := fs.Glob(folder, "html/*.html")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no pages: want html/ID.html: %w", cmp.Or(err, fs.ErrNotExist))
	}
	return shuffled(rand.New(rand.NewPCG(seed, 1<<32)), files), nil
}

// readReal reads a page; "" if it is so large that the trials would take too long.
func readReal(folder fs.FS, name string) (string, error) {
	const largest = 400 << 10
	body, err := fs.ReadFile(folder, name)
	if err != nil || len(body) > largest {
		return "", err
	}
	if utf8.Valid(body) {
		return string(body), nil
	}
	return inUTF8(body), nil
}

func (t *partTrial) name() string {
	if t.page == "" {
		return "made"
	}
	return strings.TrimSuffix(path.Base(t.page), ".html")
}
