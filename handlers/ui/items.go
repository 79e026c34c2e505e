package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// pageSize is how many rows a list shows at once.
const pageSize = 50

type itemData struct {
	api.ItemDetail
	Chunks   api.ChunkList
	Timeline []api.Decision // newest first
	NextWhy  string         // the next check is when it is
	// LastChange is the newest change; Diff has its first places, and MoreHunks says how many more there are.
	LastChange *api.Change
	Diff       *api.Diff
	MoreHunks  int
	Strip      strip
	Versions   []api.Change // the newest
	Pairs      []pair       // captures, newest first, each with the one before it
}

// pair is a capture and the one that it may be compared with.
type pair struct {
	api.Capture
	Before string // digest; "" for the first
}

func item(o Options, r *http.Request) (page, error) {
	it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	it.Captures = bodies(it.Captures)
	d := itemData{ItemDetail: it, Timeline: slices.Clone(it.History), Pairs: pairs(it.Captures)}
	slices.Reverse(d.Timeline)
	for _, said := range d.Timeline {
		if said.What == "scheduled" || said.What == "forced" || said.What == "registered" {
			d.NextWhy = said.Why
			break
		}
	}
	if d.Chunks, err = api.ListChunks.Call(r.Context(), o.Client, api.ItemID{ID: it.ID}); err != nil {
		return page{}, err
	}
	d.Strip, d.Versions = stripOf(it, o.Clock()), it.Changes[:min(len(it.Changes), versionsShown)]
	return page{name: "item", title: titleOf(it.Item), data: d}, lastChange(o, r, &d)
}

const (
	// versionsShown is how many changes the page of an item lists, and hunksShown how many places of the last one.
	versionsShown = 30
	hunksShown    = 3
)

// lastChange finds what the last change changed. There may be nothing to compare.
func lastChange(o Options, r *http.Request, d *itemData) error {
	if len(d.Changes) == 0 {
		return nil
	}
	d.LastChange = &d.Changes[0]
	if c := d.LastChange; c.Before == "" || c.Before == c.SHA256 {
		return nil
	}
	diff, err := api.GetDiff.Call(r.Context(), o.Client,
		api.DiffQuery{ID: d.ID, From: d.LastChange.Before, To: d.LastChange.SHA256})
	if err != nil {
		if refusal(err) != nil {
			err = nil // a capture is not kept any more
		}
		return err
	}
	d.MoreHunks = max(0, len(diff.Hunks)-hunksShown)
	diff.Hunks = diff.Hunks[:min(len(diff.Hunks), hunksShown)]
	d.Diff = &diff
	return nil
}

// bodies leaves one capture of each body, the one that was read last: texts are compared as they are read now.
func bodies(captures []api.Capture) (out []api.Capture) {
	seen := map[string]bool{}
	for _, c := range captures {
		if !seen[c.SHA256] {
			out = append(out, c)
		}
		seen[c.SHA256] = true
	}
	return out
}

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

// changeRate says how often a page changed, by its captures, which are newest first; "" for one that did not.
func changeRate(captures []api.Capture) string {
	changes := len(captures) - 1
	if changes < 1 {
		return ""
	}
	in := captures[0].CapturedAt.Sub(captures[changes].CapturedAt)
	return words.Count(changes, "time") + " in " + words.Span(in) + ", every " + words.Span(in/time.Duration(changes)) +
		" on average"
}

// extent says how much a change has changed, "" where nobody knows.
func extent(c api.Change) string {
	if c.WordsAdded == nil || c.WordsRemoved == nil {
		return ""
	}
	return words.Count(*c.WordsAdded, "word") + " added, " + words.Thousands(*c.WordsRemoved) + " removed"
}

// titleOf names an item by its source, for people.
func titleOf(it api.Item) string {
	if it.DisplaySource != "" {
		return it.DisplaySource
	}
	return it.NormalizedSource
}

// add registers addresses, one a line.
func add(o Options, r *http.Request) (page, error) {
	var sources []string
	for line := range strings.Lines(r.PostForm.Get("urls")) {
		if line = strings.TrimSpace(line); line != "" {
			sources = append(sources, line)
		}
	}
	force := r.PostForm.Get("force") != ""
	if len(sources) == 1 {
		it, err := api.AddURL.Call(r.Context(), o.Client, api.AddURLRequest{URL: sources[0], Force: force})
		if r.PostForm.Get("first") != "" {
			return page{to: "/?done=added"}, err
		}
		return page{to: "/items/" + url.PathEscape(it.ID) + "?done=added"}, err
	}
	batch, err := o.Client.AddURLs(r.Context(), sources, api.AddOptions{Force: force})
	return page{name: "added", title: "Added", data: batch}, err
}

// act checks, forces, pauses or removes an item, or takes what is watched of it for right.
func act(o Options, r *http.Request) (page, error) {
	id, what := r.PathValue("id"), r.PostForm.Get("do")
	var err error
	switch what {
	case "check", "force":
		_, err = api.ReindexItem.Call(r.Context(), o.Client, api.ReindexRequest{ID: id, Force: what == "force"})
	case "remove":
		_, err = api.RemoveItem.Call(r.Context(), o.Client, api.ItemID{ID: id})
	case "pause", "resume":
		paused := what == "pause"
		_, err = api.PatchItem.Call(r.Context(), o.Client, api.ItemPatch{ID: id,
			ItemSettings: api.ItemSettings{Paused: &paused}})
	case "accept":
		_, err = api.AcceptWatch.Call(r.Context(), o.Client, api.ItemID{ID: id})
	default:
		err = badRequest("an item can be checked, forced, paused, resumed or removed, and its watch accepted")
	}
	done := map[string]string{"check": "check", "force": "forced", "remove": "removed", "accept": "accepted",
		"pause": "paused", "resume": "resumed"}[what]
	return page{to: "/items/" + url.PathEscape(id) + "?done=" + done}, err
}

func setTestMode(o Options, r *http.Request) (page, error) {
	mode, err := api.SetTestMode.Call(r.Context(), o.Client, api.TestMode{IsTestMode: r.PostForm.Get("on") == "true"})
	done := "test-off"
	if mode.IsTestMode {
		done = "test-on"
	}
	return page{to: "/machine?done=" + done}, err
}
