package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const meetings = `<html><head><title>Meetings</title></head><body><main class="page"><h1>Meetings</h1>
	<table class="list"><tr><th>What</th><th>Where</th></tr>
	<tr id="row-1" class="odd"><td>Budget</td><td>Room 4</td></tr>
	<tr id="row-2" class="even"><td>Planning</td><td>Room 7</td></tr>
	<tr id="row-3" class="odd"><td>Harbour</td><td>Town hall</td></tr>
	<tr id="row-4" class="even"><td>Parks</td><td>Room 1</td></tr></table>
	<p>The council meets in public, and everybody who lives in the town may come and speak for five minutes.</p>
	</main></body></html>`

// editedMeeting returns the page of meetings, of which somebody chose the cell of the place of one, in a state to edit.
func editedMeeting(t *testing.T, key string, seed uint64) *edited {
	t.Helper()
	s, err := parsePart("", meetings)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(s.all, func(e *element) bool { return e.what == "cell" && e.among.key == key })
	if i < 0 {
		t.Fatalf("no cell of %s", key)
	}
	copies, before := map[*html.Node]*html.Node{}, map[*html.Node]*html.Node{}
	e := &edited{rng: rand.New(rand.NewPCG(seed, 0)), root: cloneTree(s.root, copies), before: cloneTree(s.root, before)}
	e.at = s.all[i].in(copies)
	return e
}

// rowsOf returns the rows of the edited table, each as id, class and text.
func rowsOf(e *edited) (all []string) {
	for n := range e.root.Descendants() {
		if n.Data == "tr" && attribute(n, "id") != "" {
			all = append(all, attribute(n, "id")+" "+attribute(n, "class")+" "+shown(n))
		}
	}
	return all
}

// editCase says whether an edit did what it says, given the rows of the table afterwards.
type editCase struct {
	edit func(*edited) bool
	did  func(e *edited, rows []string) bool
}

func has(e *edited, s string) bool { return strings.Contains(shown(e.root), s) }

// stays reports whether the chosen cell is on the page as it was.
func stays(e *edited) bool { return shown(e.at.node) == "Town hall" && within(e.at.node, e.root, nil) }

const thirdRow = "row-3 odd Harbour Town hall"

// aroundCases are edits that keep the chosen cell.
var aroundCases = map[string]editCase{
	"insert": {(*edited).insert, func(e *edited, rows []string) bool {
		return stays(e) && len(rows) == 5 && rows[3] == "row-4 even Harbour Town hall"
	}},
	"remove": {(*edited).remove, func(e *edited, rows []string) bool {
		return stays(e) && len(rows) == 3 && (rows[1] == "row-2 even Harbour Town hall" || rows[2] == thirdRow)
	}},
	"reorder": {(*edited).reorder, func(e *edited, rows []string) bool {
		return stays(e) && len(rows) == 4 && rows[2] != thirdRow && strings.HasPrefix(rows[2], "row-3 odd ")
	}},
	"wrap": {(*edited).wrap, func(e *edited, rows []string) bool {
		return stays(e) && len(rows) == 4 && rows[2] == thirdRow &&
			strings.Count(written(e.root), "<") > strings.Count(meetings, "<")
	}},
	"suffixes": {(*edited).suffixes, func(e *edited, rows []string) bool {
		old, now := written(e.before), written(e.root)
		return stays(e) && old != now && shown(e.before) == shown(e.root) && !strings.Contains(old+now, `"list"`)
	}},
	"rename near": {(*edited).renameNear, func(e *edited, rows []string) bool {
		return stays(e) && !strings.Contains(written(e.root), `"list"`) && strings.Contains(written(e.root), `"page"`)
	}},
	"rename all": {(*edited).renameAll, func(e *edited, rows []string) bool {
		return stays(e) && !strings.Contains(written(e.root), `"list"`) && !strings.Contains(written(e.root), `"page"`)
	}},
	"advert": {(*edited).advert, func(e *edited, rows []string) bool {
		return stays(e) && slices.ContainsFunc(adverts, func(s string) bool { return has(e, s) })
	}},
}

// fateCases are edits of the chosen cell itself, or of the whole page.
var fateCases = map[string]editCase{
	"value": {(*edited).value, func(e *edited, rows []string) bool {
		return !has(e, "Town hall") && has(e, "Harbour "+shown(e.at.node)) && len(rows) == 4
	}},
	"empty": {(*edited).empty, func(e *edited, rows []string) bool {
		return e.bare && !e.gone && has(e, "Harbour") && shown(e.at.node) == "" && len(rows) == 4
	}},
	"empty list": {(*edited).emptyList, func(e *edited, rows []string) bool {
		return e.gone && len(rows) == 0 && has(e, "What Where") && has(e, "The council")
	}},
	"remove it": {(*edited).removeIt, func(e *edited, rows []string) bool {
		return e.gone && len(rows) == 3 && !has(e, "Harbour") && rows[2] == "row-3 odd Parks Room 1"
	}},
	"rebuild": {(*edited).rebuild, func(e *edited, rows []string) bool {
		return e.gone && !has(e, "Harbour") && !has(e, "Town hall") && !strings.Contains(written(e.root), `"row-`)
	}},
	"rebuild, kept": {(*edited).rebuildKept, func(e *edited, rows []string) bool {
		return !e.gone && has(e, "Harbour Town hall") && !strings.Contains(written(e.root), `"row-`)
	}},
}

// TestW23EditsOfParts checks that each edit does what it says, and that it keeps the element that was chosen or removes
// it (W23).
func TestW23EditsOfParts(t *testing.T) {
	cases := maps.Clone(aroundCases)
	maps.Copy(cases, fateCases)
	for name, c := range cases {
		for seed := range uint64(20) {
			e := editedMeeting(t, "harbour", seed)
			if !c.edit(e) {
				if name != "rebuild" { // which may bring the key back by chance
					t.Errorf("%s, %d: not applied", name, seed)
				}
			} else if rows := rowsOf(e); !c.did(e, rows) {
				t.Errorf("%s, %d: %q in\n%s", name, seed, rows, written(e.root))
			}
		}
	}
}

func written(root *html.Node) string {
	var b strings.Builder
	if err := html.Render(&b, root); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestW23FormsOfParts checks which elements of a page have a key of their own, which are namesakes, and which are
// left out, because nothing tells them from another one.
func TestW23FormsOfParts(t *testing.T) {
	const page = `<body><nav><ul><li>Home page</li><li>Fees</li><li>Contact</li></ul></nav><main>
		<table><tr><th>a</th><th>b</th></tr><tr><td>Budget</td><td>4</td></tr>
		<tr><td>Parks</td><td>5</td></tr><tr><td>Parks</td><td>6</td></tr>
		<tr><td>Roads</td><td>7</td></tr><tr><td>Roads</td><td>7</td></tr></table>
		<dl><dt>Weight</dt><dd>12 kg</dd><dt>Price</dt><dd>3</dd></dl>
		<div><p>Seats: 14</p><p><b>Open:</b> <span>daily</span></p></div>
		<h2>Fees</h2><p>Two euros for a day, or ten for a week.</p><h2>Hours</h2><p>From nine in the morning to six.</p>
		<ul><li><a href=/1>Boat</a> 12 €</li><li><a href=/2>Oar</a> 3 €</li><li><a href=/3>Sail</a> 7 €</li></ul></main>`
	s, err := parsePart("", page)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range s.all {
		have = append(have, e.what+" "+e.form+" "+e.among.key+": "+shown(e.node))
	}
	for _, want := range []string{"row own key budget: Budget 4", "cell own key budget: 4", "cell namesake parks: 5",
		"row namesake parks: Parks 6", "dd own key weight: 12 kg", "value beside a label own key seats: Seats: 14",
		"value beside a label own key open: daily", "entry own key boat: Boat 12 €",
		"paragraph of a heading own key fees: Two euros for a day, or ten for a week."} {
		if !slices.Contains(have, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, not := range []string{"roads", "home page", "contact"} {
		if strings.Contains(strings.Join(have, "\n"), " "+not+":") {
			t.Errorf("%s is in\n%s", not, strings.Join(have, "\n"))
		}
	}
}

// TestW23OutcomesOfParts checks what is counted as found, as another thing, as lost and as gone.
func TestW23OutcomesOfParts(t *testing.T) {
	const page = `<p id=a><span>Room 4</span></p><p id=b>Room 4</p><p id=c>Room 5</p><p id=d></p>
		<div id=e><p>Room 4</p></div>`
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*html.Node{}
	for n := range root.Descendants() {
		if id := attribute(n, "id"); id != "" {
			by[id] = n
		}
	}
	by["span"], by["inner"] = by["a"].FirstChild, by["e"].FirstChild
	for _, c := range []struct {
		want  string // "" if it is gone
		bare  bool
		found string
		said  string
		is    partOutcome
	}{
		{"a", false, "a", "", partFound},
		{"a", false, "span", "", partFound},
		{"inner", false, "e", "", partFound},
		{"a", false, "b", "", partAnother}, // the same text elsewhere
		{"a", false, "c", "", partAnother},
		{"a", false, "a c", "", partAnother},
		{"a", false, "a", saysBroken, partDoubted},
		{"a", false, "c", saysBroken, partLost},
		{"a", false, "", saysBroken, partLost},
		{"a", false, "", saysEmpty, partLostEmpty},
		{"a", false, "d", "", partLostMute},
		{"", false, "", saysEmpty, partGone},
		{"", false, "c", "", partGoneTaken},
		{"", false, "c", saysBroken, partGone},
		{"", false, "d", "", partGoneMute},
		{"d", true, "d", saysBroken, partGone},
		{"d", true, "d", "", partGoneMute},
		{"d", true, "c", "", partGoneTaken},
	} {
		var found []*html.Node
		var took []string
		for _, id := range strings.Fields(c.found) {
			found, took = append(found, by[id]), append(took, shown(by[id]))
		}
		trial := &partTrial{want: by[c.want], bare: c.bare}
		if is := trial.classify(found, strings.Join(took, " "), c.said); is != c.is {
			t.Errorf("want %q, found %q, said %q: have %s, want %s", c.want, c.found, c.said, is, c.is)
		}
	}
}

// TestW23TrialsOfParts checks that made pages have elements of each kind and form, that a trial is the same for the
// same seed, that each reads as a page whose element is known, and that nothing in the page says which it is.
func TestW23TrialsOfParts(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		text := makePage(rng)
		s, err := parsePart("", text)
		if err != nil {
			t.Fatal(err)
		}
		seen["rtl"] += strings.Count(text, `dir="rtl"`)
		for _, e := range s.all {
			seen[e.what]++
			seen[e.form]++
		}
		trial := s.trial(rng)
		if trial == nil {
			continue
		}
		seen["trial"]++
		for _, p := range []partPage{trial.before, trial.after} {
			if strings.Contains(string(p.body), probe) || strings.Contains(written(p.root), probe) {
				t.Fatalf("%d: the page says what was chosen", seed)
			}
		}
		if trial.chosen == nil || !within(trial.chosen, trial.before.root, nil) ||
			trial.want != nil && !within(trial.want, trial.after.root, nil) {
			t.Errorf("%d: the element is not on the page", seed)
		}
	}
	for _, what := range []string{"rtl", "row", "cell", "entry", "card", "part of a card", "dd", "value beside a label",
		"paragraph of a heading", "prose", formOwn, formNamesake} {
		if seen[what] < 20 {
			t.Errorf("%s: %d", what, seen[what])
		}
	}
	if seen["trial"] < 200 {
		t.Errorf("%d trials", seen["trial"])
	}
	var out [2]strings.Builder
	for i := range out {
		if err := reportParts(&out[i], nil, 3, 40, true); err != nil {
			t.Fatal(err)
		}
	}
	if out[0].String() != out[1].String() || !strings.Contains(out[0].String(), "40 trials") {
		t.Errorf("two runs differ, or are too short:\n%s", out[0].String())
	}
}
