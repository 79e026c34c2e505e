package ui

import (
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// attentionData lists the problems that a person must solve.
type attentionData struct {
	problems

	Held []api.HostStatus // hosts at which many pages went missing at once
}

// Nothing reports whether there are no problems.
func (d attentionData) Nothing() bool {
	n, _ := d.Count()
	return n+len(d.Held) == 0
}

// attention lists the problems that a person must solve, and how to solve each.
func (a statusArea) attention(r *http.Request) (p frame.Page, err error) {
	st, err := a.tally.Counts(r.Context())
	if err != nil {
		return p, err
	}
	d := attentionData{problems: st.found}
	if st.Guarded > 0 {
		d.Held = slices.DeleteFunc(slices.Clone(st.Hosts), func(h api.HostStatus) bool { return h.Guarded == 0 })
		d.Held = d.Held[:min(len(d.Held), needsShown)]
	}
	return frame.Page{Name: "attention", Title: "Needs attention", Data: d}, nil
}
