package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/form"
)

// ignoreData are the changed lines of a change, of which a person ticks those that are not worth telling.
type ignoreData struct {
	api.IgnoreResult           // what the ticked lines would have silenced
	Item             api.Item  // the page
	Captures         int       // the number of its kept readings
	From, To, Part   string    // the change
	At               time.Time // when it was seen
	Changed          []tickedLine
	Now              []string // the patterns that apply
	Form             Form
	Hidden           []api.TriedCapture // what typed patterns hide in the last captures
}

// tickedLine is a changed line with what is ignored of it, if it is ticked.
type tickedLine struct {
	api.IgnoreLine
	N             int
	Ticked, Exact bool
	Before, After []textdiff.Piece // the line as it was and as it is, with what differs
}

// ignoredShown is the number of changes that a preview shows, out of all that the patterns would have silenced.
const ignoredShown = 50

// First returns the newest changes that the patterns would have silenced.
func (d ignoreData) First() []api.SilencedChange {
	return d.Silenced[:min(len(d.Silenced), ignoredShown)]
}

// More returns the number of the other changes.
func (d ignoreData) More() int { return len(d.Silenced) - len(d.First()) }

// Whole returns the number of changes of which nothing would be left.
func (d ignoreData) Whole() (n int) {
	for _, c := range d.Silenced {
		if c.Whole {
			n++
		}
	}
	return n
}

// Ticks reports whether a line can be ticked.
func (d ignoreData) Ticks() bool {
	return slices.ContainsFunc(d.Changed, func(l tickedLine) bool { return l.IgnoreLine.Pattern != "" })
}

// movesOf says what moves in a line: in a badge, and as what a rule lets differ.
var movesOf = map[string][2]string{"time": {"looks like a clock", "any date and time"},
	"number": {"looks like a counter", "any number"}, "word": {"a word differs", "any word in its place"},
	"text": {"the wording differs", "any text in its place"}}

// Looks says what a line looks like; "" if nothing in it is known to move.
func (l tickedLine) Looks() string {
	if l.Fact || len(l.Moves) == 0 {
		return ""
	}
	return movesOf[l.Moves[0]][0]
}

// Any says what a rule lets differ in a line.
func (l tickedLine) Any() string {
	var any []string
	for _, m := range l.Moves {
		any = append(any, movesOf[m][1])
	}
	return strings.Join(any, ", ")
}

// onlyMoves reports whether a line is ticked unasked: nothing in it moves but a clock or a counter, and it has no fact.
func onlyMoves(l api.IgnoreLine) bool {
	return !l.Fact && l.Pattern != "" && len(l.Moves) > 0 && !slices.ContainsFunc(l.Moves, func(m string) bool {
		return m != "time" && m != "number"
	})
}

// patternFor returns the pattern of a line as a form has it: as it was shown or typed, or that of exactly this line.
func patternFor(f url.Values, l tickedLine) string {
	if l.Exact {
		return "^" + regexp.QuoteMeta(cmp.Or(l.Is, l.Was)) + "$"
	}
	if n := strconv.Itoa(l.N); f.Has("pattern." + n) {
		return strings.TrimSpace(f.Get("pattern." + n))
	}
	return l.IgnoreLine.Pattern
}

// patternWords shows a pattern as the text that it wants, with … for what may be anything.
func patternWords(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return pattern
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	var out strings.Builder
	for i, p := range parts {
		switch p.Op {
		case syntax.OpLiteral:
			if i == 0 {
				out.WriteString("…")
			}
			out.WriteString(string(p.Rune))
			if i == len(parts)-1 {
				out.WriteString("…")
			}
		case syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary:
		default:
			if !strings.HasSuffix(out.String(), "…") {
				out.WriteString("…")
			}
		}
	}
	return out.String()
}

// patterns shows the changed lines of a change; of the last one if none is named.
func (v *visit) patterns() page {
	q := v.URL.Query()
	d := v.changedLines(q)
	return v.ignored(d, q, nil)
}

func ignorePage(d ignoreData) page {
	return page{Name: "ignore", Title: "Tick what is not worth telling", Body: "acting", Data: d,
		Refused: d.Form.Problem}
}

// changedLines returns the changed lines of a change, ticked as a form has them. In a form that was not sent yet, those
// are ticked that only move, and the only one unless it is a fact.
func (v *visit) changedLines(f url.Values) (d ignoreData) {
	it := v.itemHere()
	d = ignoreData{Item: it.Item, Captures: len(it.Captures), From: f.Get("from"), To: f.Get("to"), Part: f.Get("part"),
		Now: effectiveWatch(it).Ignore}
	if d.Captures < 2 && (d.From == "" || d.To == "") {
		return d
	}
	if d.From == "" || d.To == "" {
		last := ask(v, api.GetDiff, api.DiffQuery{ID: it.ID, From: d.From, To: d.To, Part: d.Part})
		d.From, d.To = last.From.SHA256, last.To.SHA256
	}
	for _, c := range it.Captures {
		if c.SHA256 == d.To {
			d.At = c.CapturedAt
		}
	}
	found := ask(v, api.IgnoreLines, api.IgnoreRequest{ID: it.ID, From: d.From, To: d.To, Part: d.Part, Preview: true})
	for i, l := range found.Lines {
		n := strconv.Itoa(i + 1)
		only := len(found.Lines) == 1 && !l.Fact && l.Pattern != "" // it is what the person means
		t := tickedLine{IgnoreLine: l, N: i + 1, Ticked: only || onlyMoves(l)}
		if f.Has("sent") {
			t.Ticked, t.Exact = slices.Contains(f["line"], n), f.Get("how."+n) == "exact"
		}
		t.Before, t.After = wordsOf(l.Was, l.Is)
		d.Changed = append(d.Changed, t)
	}
	return d
}

// chosenPatterns returns the patterns of the ticked lines, and those that are typed.
func (d *ignoreData) chosenPatterns(f url.Values) (out []string) {
	for i := range d.Changed {
		l := &d.Changed[i]
		p := patternFor(f, *l)
		if l.Ticked && p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
		if !l.Exact {
			l.IgnoreLine.Pattern = p
		}
	}
	for _, p := range words.Parts(f.Get("patterns"), "\n") {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// ignore shows the changes that some line rules would have suppressed, and saves or removes such rules.
func (v *visit) ignore() page {
	f := v.PostForm
	switch f.Get("do") {
	case "preview", "ignore":
	case "undo":
		return v.undoIgnored(f["pattern"])
	default:
		return v.fail(badRequest("the choices are to preview, to ignore, or to undo"))
	}
	d := v.changedLines(f)
	if f.Get("do") == "preview" {
		return v.ignored(d, f, nil)
	}
	q := api.IgnoreRequest{ID: d.Item.ID, Patterns: d.chosenPatterns(f)}
	if len(q.Patterns) == 0 {
		return v.ignored(d, f, refusal(badRequest("Tick a line first: nothing is chosen.")))
	}
	out := ask(v, api.IgnoreLines, q)
	if problem := v.refused(); problem != nil && problem.Status == http.StatusBadRequest {
		return v.ignored(d, f, problem)
	}
	return goTo(withUndo(itemPath(q.ID)+"?done=ignored", out.Undo))
}

// ignored shows what the chosen patterns would have silenced, and what is wrong with them.
func (v *visit) ignored(d ignoreData, f url.Values, problem *api.Problem) page {
	q := api.IgnoreRequest{ID: d.Item.ID, Patterns: d.chosenPatterns(f), Preview: true}
	d.Form = Form{Of: form.Of[api.TagSettings](), Problem: problem, Values: url.Values{"patterns": f["patterns"]}}
	if problem != nil || len(q.Patterns) == 0 {
		return ignorePage(d)
	}
	d.IgnoreResult = ask(v, api.IgnoreLines, q)
	if d.Form.Problem = v.refused(); d.Form.Problem == nil && f.Get("patterns") != "" {
		trial := ask(v, api.TryWatch, api.TryRequest{ID: q.ID, Watch: &api.Watch{Ignore: q.Patterns}})
		d.Hidden = trial.Captures
	}
	return ignorePage(d)
}

// undoIgnored removes patterns. What they had silenced becomes unread again, if the form asks for that.
func (v *visit) undoIgnored(patterns []string) page {
	q := api.IgnoreRequest{ID: v.PathValue("id"), Patterns: patterns, Undo: true}
	out := ask(v, api.IgnoreLines, q)
	if v.PostForm.Get("unread") != "" {
		v.unread(q.ID, patterns)
	}
	return goTo(withUndo(itemPath(q.ID)+"?done=counted", out.Undo))
}

// unread marks the changes of an item as unread that patterns have silenced.
func (v *visit) unread(id string, patterns []string) {
	it := ask(v, api.GetItem, api.ItemID{ID: id})
	mine := func(i api.IgnoredChange) bool {
		return slices.Contains(patterns, strings.TrimPrefix(i.Rule, "ignore: "))
	}
	read := api.ReadRequest{Unread: true}
	q := api.ChangeQuery{Host: it.SourceHost, Silenced: "only", Top: 500}
	for found, err := range v.client.Changes(v.Context(), q) {
		if v.fail(err); v.err != nil {
			return
		}
		for _, c := range found.Changes {
			if c.ItemID == it.ID && slices.ContainsFunc(c.Ignored, mine) && len(read.IDs) < api.MaxReadIDs {
				read.IDs = append(read.IDs, c.ID)
			}
		}
		if len(read.IDs) == api.MaxReadIDs {
			break
		}
	}
	if len(read.IDs) > 0 {
		ask(v, api.MarkRead, read)
	}
}
