package ui

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
)

// hosts lists the hosts, those with the most waiting items first.
func hosts(o Options, r *http.Request) (page, error) {
	st, err := api.GetStatus.Call(r.Context(), o.Client, api.StatusQuery{Host: ""})
	slices.SortStableFunc(st.Hosts, func(a, b api.HostStatus) int {
		return cmp.Or(cmp.Compare(b.Backlog(), a.Backlog()), cmp.Compare(b.Total(), a.Total()))
	})
	return page{name: "hosts", title: "Hosts", data: st}, err
}

// host shows how a host is treated, and why.
func host(o Options, r *http.Request) (page, error) {
	h, err := api.GetHost.Call(r.Context(), o.Client, api.HostName{Host: r.PathValue("host")})
	return page{name: "host", title: h.Host, data: h}, err
}
