package ui

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

type itemData struct {
	api.ItemDetail
	Chunks   api.ChunkList
	Timeline []api.Decision // decisions about the item, newest first
	NextWhy  string         // why the next check is at that time
	// LastChange is the newest change. Diff is the first part of its differences; MoreHunks is the
	// number of differences left out.
	LastChange *api.Change
	Diff       *api.Diff
	MoreHunks  int
	Strip      strip
	Versions   []api.Change   // the newest changes, at most versionsShown
	Rules      []api.Rule     // the rules for this page alone
	Here       []api.RuleHere // the rules for this page, also for others
	MoreRules  string         // where they go on
	Mutes      []api.Mute
	Memory     []api.MovingPart // what moves on the page
	Ignored    []string         // the rules for lines that were added just now
	Pairs      []pair           // captures, newest first, each with its previous capture
}

// A pair is a capture and the previous capture, with which it can be compared.
type pair struct {
	api.Capture
	Before string // digest of the previous capture; "" for the first capture
}

// item shows all data about an item.
func (a area) item(r *http.Request) (page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	it.Captures = bodies(it.Captures)
	d := itemData{ItemDetail: it, Timeline: slices.Clone(it.History), Pairs: pairs(it.Captures),
		Ignored: justIgnored(r, it.Item)}
	slices.Reverse(d.Timeline)
	for _, decision := range d.Timeline {
		if slices.Contains(scheduling, decision.What) {
			d.NextWhy = decision.Why
			break
		}
	}
	if d.Chunks, err = api.ListChunks.Call(r.Context(), a.client, api.ItemID{ID: it.ID}); err != nil {
		return page{}, err
	}
	why, err := api.ExplainItem.Call(r.Context(), a.client, api.ItemWhyQuery{ID: it.ID,
		Continuation: r.URL.Query().Get("rules")})
	if err != nil {
		return page{}, err
	}
	d.Memory, d.Here, d.MoreRules = why.Memory, why.Rules, why.Continuation
	mutes, err := api.ListMutes.Call(r.Context(), a.client, api.MuteQuery{ItemID: d.ID})
	if d.Mutes = mutes.Mutes; err != nil {
		return page{}, err
	}
	d.Strip, d.Versions = stripOf(it, a.clock()), it.Changes[:min(len(it.Changes), versionsShown)]
	return page{Name: "item", Title: itemTitle(it.Item), Data: d}, a.lastChange(r, &d)
}

// remember notes what a person wants of a part that moves.
func (a area) remember(r *http.Request) (page, error) {
	q := api.MemoryRequest{Item: r.PathValue("id"), ID: r.PostForm.Get("id"), Do: r.PostForm.Get("do")}
	_, err := api.DecideMemory.Call(r.Context(), a.client, q)
	return goTo("/items/" + url.PathEscape(q.Item) + "?done=decided#moves"), err
}

// notified adds the rules for the page and its mutes.
func (a area) notified(r *http.Request, d *itemData) error {
	rules, err := api.ListRules.Call(r.Context(), a.client, api.RuleQuery{ItemID: d.ID})
	if err != nil {
		return err
	}
	mutes, err := api.ListMutes.Call(r.Context(), a.client, api.MuteQuery{ItemID: d.ID})
	d.Rules, d.Mutes = rules.Rules, mutes.Mutes
	return err
}

// stop asks how an item is no longer watched.
func (a area) stop(r *http.Request) (page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	d := itemData{ItemDetail: it}
	return page{Name: "stop", Title: itemTitle(it.Item), Data: &d}, a.notified(r, &d)
}

// scheduling lists the kinds of decisions that determine when an item is checked next.
var scheduling = []string{"scheduled", "forced", "registered"}

const (
	versionsShown = 30 // the number of changes that the page of an item lists
	hunksShown    = 3  // the number of differences of the last change that the page of an item shows
)

// lastChange adds the differences of the last change. It adds nothing if there is nothing to compare.
func (a area) lastChange(r *http.Request, d *itemData) error {
	if len(d.Changes) == 0 {
		return nil
	}
	d.LastChange = &d.Changes[0]
	if c := d.LastChange; c.Before == "" || c.Before == c.SHA256 {
		return nil
	}
	diff, err := api.GetDiff.Call(r.Context(), a.client,
		api.DiffQuery{ID: d.ID, From: d.LastChange.Before, To: d.LastChange.SHA256})
	if err != nil {
		if refusal(err) != nil {
			err = nil // one of the two captures was deleted
		}
		return err
	}
	d.MoreHunks = max(0, len(diff.Hunks)-hunksShown)
	diff.Hunks = diff.Hunks[:min(len(diff.Hunks), hunksShown)]
	d.Diff = &diff
	return nil
}

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

// The measures of a strip, in the units of its picture.
const (
	stripWidth  = 600
	stripHeight = 60
	barWidth    = 6
	leastBar    = 8
	quietWidth  = 2
	stripBars   = 200 // the largest number of changes; the newest are shown
)

// A strip shows the past of a page as a picture, with time from left to right. Each change is a bar
// whose height is the share of the text that changed. Known checks that found no change are shown,
// too.
type strip struct {
	From, To time.Time
	Bars     []bar
	Quiet    []quiet
}

// quiet is a check in a strip that found no change, or the time from the first to the last of several in a row.
type quiet struct{ X, Width int }

// A bar is a change in a strip.
type bar struct {
	X, Y, Height int
	Change       api.Change
	To           string // the address of the page that shows the change; empty for the first version
}

// stripOf draws the changes of an item up to now. The item's list of changes begins with the newest.
func stripOf(it api.ItemDetail, now time.Time) (s strip) {
	all := it.Changes[:min(len(it.Changes), stripBars)]
	if len(all) == 0 {
		return s
	}
	s.From, s.To = all[len(all)-1].At, now
	at := func(t time.Time) int {
		whole := max(s.To.Sub(s.From), time.Second)
		return int(float64(stripWidth-barWidth) * min(1, max(0, t.Sub(s.From).Seconds()/whole.Seconds())))
	}
	for _, c := range slices.Backward(all) {
		m := bar{X: at(c.At), Height: leastBar, Change: c}
		if share := shareOf(c); share > 0 {
			m.Height = max(leastBar, int(math.Round(share*(stripHeight-4))))
		}
		m.Y = stripHeight - m.Height
		if c.Before != "" && c.Before != c.SHA256 {
			m.To = linkTo(Root+"/items/"+url.PathEscape(it.ID)+"/diff",
				url.Values{"from": {c.Before}, "to": {c.SHA256}})
		}
		s.Bars = append(s.Bars, m)
	}
	for _, d := range it.History {
		if d.What == "unchanged" && d.At.After(s.From) {
			from := at(d.At)
			if d.Times > 1 {
				from = at(d.Since)
			}
			s.Quiet = append(s.Quiet, quiet{from, at(d.At) - from + quietWidth})
		}
	}
	return s
}

// shareOf returns the share of the text that has changed, or 0 if the share is not known.
func shareOf(c api.Change) float64 {
	share := 0.0
	for _, part := range []*float64{c.NewShare, c.GoneShare} {
		if part != nil {
			share = max(share, *part)
		}
	}
	return min(share, 1)
}

// sharePercent returns the share of the text that has changed, in percent; "" if the share is not known.
func sharePercent(c api.Change) string {
	if c.NewShare == nil && c.GoneShare == nil {
		return ""
	}
	return words.Percent(shareOf(c))
}
