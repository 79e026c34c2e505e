package ui

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// itemData is the data of the page of an item.
type itemData struct {
	api.ItemDetail
	Problem *problem // nil if it can be read
	Tries   []try    // the last checks, if there is a problem
	Alerts  []alertLine
	Shared  []api.RuleHere // alerts for other pages, too
	Mutes   []api.Mute
	Figures []figure
	Past    pastData
	Gone    []goneField // fields whose places are gone
	Rules   []api.Rule  // the rules for this page alone, of the page that stops the watch
}

// item shows a page as people watch it: its state, its values, the last change that counts and its history.
func (v *visit) item() page {
	it := v.itemHere()
	d := itemData{ItemDetail: it, Problem: problemOf(it)}
	v.notified(&d)
	d.Alerts = alertLines(d.Rules, effectiveWatch(it).Include)
	why := ask(v, api.ExplainItem, api.ItemWhyQuery{ID: it.ID, Brief: true, Top: 10})
	d.Shared = slices.DeleteFunc(why.Rules, func(h api.RuleHere) bool {
		return slices.ContainsFunc(d.Rules, func(own api.Rule) bool { return own.ID == h.Rule && h.Why == "" })
	})
	now := v.clock().In(zoneOf(v.Request))
	d.Figures = v.figuresOf(it, d.Rules, now)
	d.Past = v.pastOf(it, v.URL.Query(), now)
	if groups := fieldGroupsOf(it); groups != nil {
		d.Gone = groups.Gone
	}
	if d.Problem != nil && d.Problem.Tone == "bad" {
		d.Tries = triesOf(it)
	}
	return page{Name: "item", Title: itemTitle(it.Item), Data: d, Body: "acting"}
}

// Waits reports whether the item waits for its first check.
func (d itemData) Waits() bool {
	return d.Problem == nil && len(d.Captures) == 0 && d.Folder == nil && d.LastChecked.IsZero()
}

// TakeBack returns the id that takes the removal of the item back; "" if it is too late.
func (d itemData) TakeBack() string {
	for _, done := range slices.Backward(d.History) {
		if done.What == "removal" && done.Undo != nil {
			return done.Undo.ID
		}
	}
	return ""
}

// Former returns the capture with which the newest one is compared first; nil if there is none.
func (d itemData) Former() *api.Capture {
	if all := bodies(d.Captures); len(all) > 1 {
		return &all[1]
	}
	return nil
}

// expertData is the data of the page with everything that is known of an item.
type expertData struct {
	itemData
	Chunks    api.ChunkList
	Timeline  []api.Decision // decisions about the item, newest first
	NextWhy   string         // why the next check is at that time
	Here      []api.RuleHere // the rules for this page, also for others
	MoreRules string         // where they go on
	Memory    []api.MovingPart
	Pairs     []pair // captures, newest first, each with its previous capture
}

// A pair is a capture and the previous capture, with which it can be compared.
type pair struct {
	api.Capture
	Before string // digest of the previous capture; "" for the first capture
}

// experts shows what the machine knows of an item and has decided about it.
func (v *visit) experts() page {
	it := v.itemHere()
	it.Captures = bodies(it.Captures)
	d := expertData{itemData: itemData{ItemDetail: it}, Timeline: slices.Clone(it.History), Pairs: pairs(it.Captures)}
	slices.Reverse(d.Timeline)
	for _, decision := range d.Timeline {
		if slices.Contains(scheduling, decision.What) {
			d.NextWhy = decision.Why
			break
		}
	}
	d.Chunks = ask(v, api.ListChunks, api.ItemID{ID: it.ID})
	why := ask(v, api.ExplainItem, api.ItemWhyQuery{ID: it.ID,
		Continuation: v.URL.Query().Get("rules")})
	d.Memory, d.Here, d.MoreRules = why.Memory, why.Rules, why.Continuation
	return page{Name: "experts", Title: "For experts: " + itemTitle(it.Item), Data: d}
}

// remember notes what a person wants of a part that moves.
func (v *visit) remember() page {
	q := api.MemoryRequest{Item: v.PathValue("id"), ID: v.PostForm.Get("id"), Do: v.PostForm.Get("do")}
	ask(v, api.DecideMemory, q)
	return goTo(itemPath(q.Item) + "/experts?done=decided#moves")
}

// notified adds the rules for the page and its mutes.
func (v *visit) notified(d *itemData) {
	d.Rules = ask(v, api.ListRules, api.RuleQuery{ItemID: d.ID, Brief: true}).Rules
	d.Mutes = ask(v, api.ListMutes, api.MuteQuery{ItemID: d.ID}).Mutes
}

// stop asks how an item is no longer watched.
func (v *visit) stop() page {
	it := v.itemHere()
	d := itemData{ItemDetail: it}
	v.notified(&d)
	return page{Name: "stop", Title: itemTitle(it.Item), Data: d}
}

// scheduling lists the kinds of decisions that determine when an item is checked next.
var scheduling = []string{"scheduled", "forced", "registered"}

// pairs returns each capture together with the previous capture.
func pairs(captures []api.Capture) []pair {
	out := make([]pair, len(captures))
	for i, c := range captures {
		out[i].Capture = c
		if i+1 < len(captures) {
			out[i].Before = captures[i+1].SHA256
		}
	}
	return out
}

// changeRate describes in words how often a page changed. The captures are newest first. If the
// page never changed, the text is empty.
func changeRate(captures []api.Capture) string {
	changes := len(captures) - 1
	if changes < 1 {
		return ""
	}
	in := captures[0].CapturedAt.Sub(captures[changes].CapturedAt)
	return words.Count(changes, "time") + " in " + words.Span(in) + ", every " + words.Span(in/time.Duration(changes)) +
		" on average"
}

// extent describes in words how much has changed; the text is empty if that is not known.
func extent(c api.Change) string {
	if c.WordsAdded == nil || c.WordsRemoved == nil {
		return ""
	}
	return words.Count(*c.WordsAdded, "word") + " added, " + words.Thousands(*c.WordsRemoved) + " removed"
}

type diffData struct {
	ID, Name string
	api.Diff
	Part           string // the part of the page that is compared
	Whole          bool   // whether the whole page is shown, because the part that is watched now is the same
	Captures       []api.Capture
	Earlier, Later string // addresses of the changes before and after this one
}

// diff shows two captures of an item side by side.
func (v *visit) diff() page {
	id, q := v.PathValue("id"), v.URL.Query()
	it := ask(v, api.GetItem, api.ItemID{ID: id})
	d := diffData{ID: it.ID, Name: itemTitle(it.Item), Part: q.Get("part"), Captures: bodies(it.Captures)}
	between := api.DiffQuery{ID: id, From: q.Get("from"), To: q.Get("to"), Part: d.Part}
	d.Diff = ask(v, api.GetDiff, between)
	if d.Part != "" && len(d.Hunks) == 0 && d.From.SHA256 != d.To.SHA256 {
		d.Part, between.Part, d.Whole = "", "", true // a message may lead here from before the settings were changed
		d.Diff = ask(v, api.GetDiff, between)
	}
	at := slices.IndexFunc(d.Captures, func(c api.Capture) bool { return c.SHA256 == d.To.SHA256 })
	pair := func(from, to int) string { // from and to are indexes of captures, which are newest first
		if at < 0 || to < 0 || from >= len(d.Captures) {
			return ""
		}
		return linkTo(Root+itemPath(d.ID)+"/diff",
			url.Values{"from": {d.Captures[from].SHA256}, "to": {d.Captures[to].SHA256}})
	}
	d.Earlier, d.Later = pair(at+2, at+1), pair(at, at-1)
	return page{Name: "diff", Title: "Changes of " + itemTitle(it.Item), Data: d}
}

// A beside is a pair of lines, one from each of two texts, that are shown side by side.
type beside struct{ Old, New api.DiffLine }

// besides pairs each removed line with the added line that replaces it. Lines without a partner stay alone.
func besides(h api.DiffHunk) (out []beside) {
	free := 0 // the first row without an added line
	for _, l := range h.Lines {
		switch {
		case l.Op == "same":
			out = append(out, beside{l, l})
			free = len(out)
		case l.Op == "removed":
			out = append(out, beside{Old: l})
		case free < len(out):
			out[free].New = l
			free++
		default:
			out = append(out, beside{New: l})
			free = len(out)
		}
	}
	return out
}

// A block is what is shown together of a difference: hunks of lines, or one of a table.
type block struct {
	Table *api.DiffTable
	Hunks []api.DiffHunk
}

// blocks returns hunks as they are shown.
func blocks(hunks []api.DiffHunk) (out []block) {
	for _, h := range hunks {
		if len(out) == 0 || h.Table != nil || out[len(out)-1].Table != nil {
			out = append(out, block{Table: h.Table})
		}
		b := &out[len(out)-1]
		b.Hunks = append(b.Hunks, h)
	}
	return out
}

// facts puts into words what is known of a thing that a page lists.
func facts(of any) []form.Fact {
	switch of := of.(type) {
	case api.TagSettings:
		return form.Facts(of)
	case api.SearchResult:
		return slices.DeleteFunc(form.Facts(of), func(f form.Fact) bool { return f.Path == "language" || f.Path == "score" })
	case api.Capture:
		return form.Facts(of)
	case api.FeedChange:
		of.Why, of.Fields = "", nil // they have places of their own
		return form.Facts(of)
	}
	return nil
}

// Facts puts a part of what is known of the item into words: its settings, what a browser showed
// (rendered), or the rest (other). Its tags and values have places of their own.
func (d itemData) Facts(of string) (out []form.Fact) {
	for _, f := range form.OfItem(d.ItemDetail) {
		part := "other"
		if around, _, _ := strings.Cut(f.Path, "."); around == "rendered" || around == "fields" || around == "tags" {
			part = around
		} else if f.From != "" {
			part = "settings"
		}
		if part == of {
			out = append(out, f)
		}
	}
	return out
}

// held returns the settings of an item or a tag that are in force, each with its origin.
func held(known []form.Fact, e *api.Effective) (out []form.Fact) {
	for _, f := range known {
		if e != nil && e.From[f.Path] != "" {
			out = append(out, f)
		}
	}
	return out
}
