package ui

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// maxHeld is how many hosts the overview shows of those that hold us back.
const maxHeld = 10

// overviewData is what the overview shows.
type overviewData struct {
	api.SearchStatus
	Health api.Health
	Plot   plot
	Held   []heldHost // hosts that hold us back, the most items first
}

// heldHost is a host whose items wait, and why.
type heldHost struct {
	api.HostStatus
	Why string
}

func (s *server) overview(r *http.Request) (page, error) {
	st, err := s.Client.Status(r.Context(), "")
	if err != nil {
		return page{}, err
	}
	over := spellOf(r.URL.Query().Get("hours"))
	done, err := s.Client.Activity(r.Context(), over.Hours)
	d := overviewData{SearchStatus: st, Health: s.health(r), Held: holding(st.Hosts, s.Clock()), Plot: plotOf(done, over, s.Clock())}
	return page{name: "overview", title: "Overview", data: d}, err
}

// holding picks the hosts that keep work waiting, and says why.
func holding(hosts []api.HostStatus, now time.Time) []heldHost {
	var out []heldHost
	for _, h := range hosts {
		switch {
		case h.PausedUntil.After(now):
			out = append(out, heldHost{h, "left alone until " + stamp(h.PausedUntil) + ": " + h.PauseReason})
		case h.ErrorRate >= 0.5 && h.Items[api.StatusError] > 0:
			out = append(out, heldHost{h, count(h.Items[api.StatusError], "item") + " cannot be checked; they are tried again by themselves"})
		case h.Due > 0:
			out = append(out, heldHost{h, "its pace lets no more through at once"})
		}
	}
	slices.SortStableFunc(out, func(a, b heldHost) int { return cmp.Compare(b.Backlog(), a.Backlog()) })
	return out[:min(len(out), maxHeld)]
}
