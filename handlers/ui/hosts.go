package ui

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/tidemark/tidemark/pkg/api"
)

// hostsShown is how many hosts a page has.
const hostsShown = 100

type hostsData struct {
	Hosts []api.HostStatus
	Skip  int
	Count int // of all hosts
}

// Next is where the next page begins, as a parameter; "" after the last.
func (d hostsData) Next() string {
	if next := d.Skip + len(d.Hosts); next < d.Count {
		return strconv.Itoa(next)
	}
	return ""
}

// hosts lists the hosts, those with the most waiting items first.
func hosts(o Options, r *http.Request) (page, error) {
	st, err := o.status(r.Context())
	st.Hosts = slices.Clone(st.Hosts)
	slices.SortStableFunc(st.Hosts, func(a, b api.HostStatus) int {
		return cmp.Or(cmp.Compare(b.Backlog(), a.Backlog()), cmp.Compare(b.Total(), a.Total()))
	})
	skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
	d := hostsData{Skip: min(max(0, skip), len(st.Hosts)), Count: len(st.Hosts)}
	d.Hosts = st.Hosts[d.Skip:min(d.Skip+hostsShown, d.Count)]
	return page{name: "hosts", title: "Hosts", data: d}, err
}

// host shows how a host is treated, and why.
func host(o Options, r *http.Request) (page, error) {
	h, err := api.GetHost.Call(r.Context(), o.Client, api.HostName{Host: r.PathValue("host")})
	return page{name: "host", title: h.Host, data: h}, err
}
