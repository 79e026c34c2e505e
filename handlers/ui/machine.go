package ui

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxHeld is how many hosts that wait or fail the page of the machine shows.
const maxHeld = 10

// machineData is what the page of the machine shows.
type machineData struct {
	api.SearchStatus
	Health api.Health
	Plot   plot
	Held   []heldHost // hosts that wait or fail, those with the most items first
}

// heldHost is a host whose items wait, and why.
type heldHost struct {
	api.HostStatus
	Why string
}

func machine(o Options, r *http.Request) (page, error) {
	st, err := o.status(r.Context())
	if err != nil {
		return page{}, err
	}
	over := spellOf(r.URL.Query().Get("hours"))
	done, err := api.GetActivity.Call(r.Context(), o.Client, api.ActivityQuery{Hours: over.Hours})
	d := machineData{SearchStatus: st.SearchStatus, Health: healthOf(o, r), Held: holding(st.Hosts, o.Clock()),
		Plot: plotOf(done, over, o.Clock())}
	return page{name: "machine", title: "Machine", data: d}, err
}

// holding picks the hosts that keep work waiting, and says why.
func holding(hosts []api.HostStatus, now time.Time) []heldHost {
	var out []heldHost
	for _, h := range hosts {
		switch {
		case h.PausedUntil.After(now):
			out = append(out, heldHost{h, "paused until " + stamp(h.PausedUntil) + ": " + h.PauseReason})
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
