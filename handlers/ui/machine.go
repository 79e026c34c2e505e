package ui

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxHeld limits the number of hosts with waiting or failing items that a page shows.
const maxHeld = 10

type machineData struct {
	api.SearchStatus
	Health api.Health
	Plot   frame.Plot
	Held   []heldHost // hosts whose items wait, those with the most items first
}

// A heldHost is a host whose items wait, and the reason why they wait.
type heldHost struct {
	api.HostStatus
	Why string
}

// machine shows the work in progress and the work that waits.
func (a statusArea) machine(r *http.Request) (frame.Page, error) {
	st, err := a.tally.Counts(r.Context())
	if err != nil {
		return frame.Page{}, err
	}
	period := frame.PeriodOf(r.URL.Query().Get("hours"))
	done, err := api.GetActivity.Call(r.Context(), a.client, api.ActivityQuery{Hours: period.Hours})
	d := machineData{SearchStatus: st.SearchStatus, Health: a.healthOf(r), Held: holding(st.Hosts, a.clock()),
		Plot: frame.NewPlot(done, period, a.clock())}
	return frame.Page{Name: "machine", Title: "Machine", Data: d}, err
}

// holding returns the hosts whose items wait, and the reasons.
func holding(hosts []api.HostStatus, now time.Time) []heldHost {
	var out []heldHost
	for _, h := range hosts {
		switch {
		case h.PausedUntil.After(now):
			out = append(out, heldHost{h, "paused until " + words.Stamp(h.PausedUntil) + ": " + h.PauseReason})
		case h.ErrorRate >= 0.5 && h.Items[api.StatusError] > 0:
			out = append(out, heldHost{h, words.Count(h.Items[api.StatusError], "item") +
				" could not be checked; retried automatically"})
		case h.Due > 0:
			out = append(out, heldHost{h, "limited by the pace of the host"})
		}
	}
	slices.SortStableFunc(out, func(a, b heldHost) int { return cmp.Compare(b.Backlog(), a.Backlog()) })
	return out[:min(len(out), maxHeld)]
}
