package ui

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const (
	// hostsShown is how many hosts a page has.
	hostsShown = 100
	// failingRead is how many of a host's failing items are grouped by what they failed with.
	failingRead = 200
)

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

type hostData struct {
	api.HostDetail
	Sites    []api.Site       // of the site file, at this host
	Backfill *api.BackfillRun // of the last 20 that which named one of the sites last
	Spent    api.HostDay      // in all days that are kept
	Plot     plot
	Polite   []string // sentences
	Causes   []cause  // of what fails now
}

// cause is why some items of a host could not be checked.
type cause struct {
	Why   string
	Items int
	First api.Item
}

// host shows what is found and watched at a host, what that costs, and how the host is treated.
func host(o Options, r *http.Request) (page, error) {
	h, err := api.GetHost.Call(r.Context(), o.Client, api.HostName{Host: r.PathValue("host")})
	missing := err
	if problem := refusal(err); problem != nil && problem.Status == http.StatusNotFound {
		h.Host, err = r.PathValue("host"), nil // the host of a site of which nothing was found yet
	}
	if err != nil {
		return page{}, err
	}
	d := hostData{HostDetail: h}
	var days api.Activity
	for _, day := range h.Days {
		c := api.ActivityCounts{Checks: day.Checks, Changes: day.Changes, Errors: day.Errors, Bytes: day.Bytes}
		days.Hours = append(days.Hours, api.ActivityHour{Hour: day.Day, ActivityCounts: c})
		d.Spent.Requests, d.Spent.Bytes = d.Spent.Requests+day.Requests, d.Spent.Bytes+day.Bytes
		d.Spent.Checks, d.Spent.Changes = d.Spent.Checks+day.Checks, d.Spent.Changes+day.Changes
		d.Spent.Errors += day.Errors
	}
	days.Total = api.ActivityCounts{Checks: d.Spent.Checks, Changes: d.Spent.Changes, Errors: d.Spent.Errors}
	d.Plot = plotOf(days, month, o.Clock())
	if err := d.cover(o, r); err != nil {
		return page{}, err
	}
	if missing == nil {
		d.Polite = politeness(h, o.Clock())
	} else if len(d.Sites) == 0 {
		return page{}, missing
	}
	if h.Items[api.StatusError] > 0 {
		list, err := api.ListItems.Call(r.Context(), o.Client,
			api.ItemQuery{Host: h.Host, Status: api.StatusError, Top: failingRead})
		if err != nil {
			return page{}, err
		}
		d.Causes = causesOf(list.Items)
	}
	return page{name: "host", title: h.Host, data: d}, nil
}

// cover finds what polls and the last backfill found at the host.
func (d *hostData) cover(o Options, r *http.Request) error {
	known, err := api.ListBackfillSites.Call(r.Context(), o.Client, api.None{})
	if err != nil {
		return err
	}
	var slugs []string
	for _, site := range known.Sites {
		if site.Domain != d.Host {
			continue
		}
		one, err := api.GetSite.Call(r.Context(), o.Client, api.SiteSlug{Slug: site.Slug})
		if err != nil {
			return err
		}
		d.Sites, slugs = append(d.Sites, one), append(slugs, site.Slug)
	}
	if len(slugs) == 0 {
		return nil
	}
	runs, err := api.ListBackfills.Call(r.Context(), o.Client, api.BackfillQuery{Top: runsShown})
	at := slices.IndexFunc(runs.Runs, func(run api.BackfillRun) bool {
		return !run.DryRun && slices.ContainsFunc(slugs, func(s string) bool { return slices.Contains(run.Sources, s) })
	})
	if at >= 0 {
		d.Backfill = &runs.Runs[at]
	}
	return err
}

// causesOf groups items by what they failed with, the most frequent first.
func causesOf(items []api.Item) (out []cause) {
	at := map[string]int{}
	for _, it := range items {
		i, known := at[it.ErrorMessage]
		if !known {
			i = len(out)
			at[it.ErrorMessage], out = i, append(out, cause{Why: it.ErrorMessage, First: it})
		}
		out[i].Items++
	}
	slices.SortStableFunc(out, func(a, b cause) int { return cmp.Compare(b.Items, a.Items) })
	return out
}

// politeness says how a host is treated.
func politeness(h api.HostDetail, now time.Time) (out []string) {
	pause := "with no pause between them"
	if h.MaxDelayMS > 0 {
		pause = fmt.Sprintf("%s to %s apart, longer if the host answers slowly", seconds(h.MinDelayMS),
			seconds(h.MaxDelayMS))
	}
	out = append(out, fmt.Sprintf("At most %s at once, %s.", words.Count(h.MaxConcurrent, "request"), pause))
	if h.CrawlDelayMS > 0 {
		out = append(out, "Its robots.txt asks for a pause of "+seconds(h.CrawlDelayMS)+", which is honoured.")
	}
	spent := fmt.Sprintf("Today it received %s and sent %s", words.Count(h.RequestsToday, "request"), size(h.BytesToday))
	var most []string
	if h.RequestsPerDay > 0 {
		most = append(most, words.Count(h.RequestsPerDay, "request"))
	}
	if h.BytesPerDay > 0 {
		most = append(most, size(h.BytesPerDay))
	}
	if len(most) > 0 {
		spent += "; the limit for a day is " + strings.Join(most, " and ")
	}
	out = append(out, spent+".")
	if h.MaxItems > 0 {
		out = append(out, fmt.Sprintf("The limit for this host is %s.", words.Count(h.MaxItems, "page")))
	}
	if h.Workers > 0 {
		out = append(out, "It is being crawled now, with at most "+words.Count(h.Requests, "request")+" at once.")
	}
	if h.NextStartAt.After(now) {
		out = append(out, "The next request starts "+ago(now, h.NextStartAt)+".")
	}
	return out
}

// seconds writes milliseconds as seconds: 1.5 s.
func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s" }
