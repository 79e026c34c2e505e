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
	// hostsShown is the number of hosts that a page lists.
	hostsShown = 100
	// failingRead limits the number of a host's failing items that are read. They are shown in groups
	// with the same error.
	failingRead = 200
)

type hostsData struct {
	Hosts []api.HostStatus
	Skip  int
	Count int // the number of all hosts
}

// Next returns the parameter that selects the next page; "" on the last page.
func (d hostsData) Next() string {
	if next := d.Skip + len(d.Hosts); next < d.Count {
		return strconv.Itoa(next)
	}
	return ""
}

// hosts lists the hosts. Those with the most waiting items come first.
func (a area) hosts(r *http.Request) (page, error) {
	st, err := a.tally.Counts(r.Context())
	st.Hosts = slices.Clone(st.Hosts)
	slices.SortStableFunc(st.Hosts, func(a, b api.HostStatus) int {
		return cmp.Or(cmp.Compare(b.Backlog(), a.Backlog()), cmp.Compare(b.Total(), a.Total()))
	})
	skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
	d := hostsData{Skip: min(max(0, skip), len(st.Hosts)), Count: len(st.Hosts)}
	d.Hosts = st.Hosts[d.Skip:min(d.Skip+hostsShown, d.Count)]
	return page{Name: "hosts", Title: "Hosts", Data: d}, err
}

type hostData struct {
	api.HostDetail
	Sites    []api.Site       // the sites of the site file that are at this host
	Backfill *api.BackfillRun // the latest run of one of these sites, if among the last 20 runs
	Spent    api.HostDay      // the requests and results of all stored days
	Plot     activityPlot
	Polite   []string // how the host is crawled, in sentences
	Causes   []cause  // why items cannot be checked now
}

// A cause is an error that prevented checks of some items of a host.
type cause struct {
	Why   string
	Items int
	First api.Item
}

// host shows the data about a host, the cost of watching it, and how it is crawled.
func (a area) host(r *http.Request) (page, error) {
	h, err := api.GetHost.Call(r.Context(), a.client, api.HostName{Host: r.PathValue("host")})
	missing := err
	if problem := refusal(err); problem != nil && problem.Status == http.StatusNotFound {
		h.Host, err = r.PathValue("host"), nil // the host may belong to a site whose pages were not found yet
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
	d.Plot = newPlot(days, month, a.clock())
	if err := a.cover(r, &d); err != nil {
		return page{}, err
	}
	if missing == nil {
		d.Polite = politeness(h, a.clock())
	} else if len(d.Sites) == 0 {
		return page{}, missing
	}
	if h.Items[api.StatusError] > 0 {
		list, err := api.ListItems.Call(r.Context(), a.client,
			api.ItemQuery{Host: h.Host, Status: api.StatusError, Top: failingRead})
		if err != nil {
			return page{}, err
		}
		d.Causes = causesOf(list.Items)
	}
	return page{Name: "host", Title: h.Host, Data: d}, nil
}

// cover adds the numbers of pages that the polls and the last backfill have found at the host.
func (a area) cover(r *http.Request, d *hostData) error {
	known, err := api.ListBackfillSites.Call(r.Context(), a.client, api.None{})
	if err != nil {
		return err
	}
	var slugs []string
	for _, site := range known.Sites {
		if site.Domain != d.Host {
			continue
		}
		one, err := api.GetSite.Call(r.Context(), a.client, api.SiteSlug{Slug: site.Slug})
		if err != nil {
			return err
		}
		d.Sites, slugs = append(d.Sites, one), append(slugs, site.Slug)
	}
	if len(slugs) == 0 {
		return nil
	}
	runs, err := api.ListBackfills.Call(r.Context(), a.client, api.BackfillQuery{Top: runsShown})
	at := slices.IndexFunc(runs.Runs, func(run api.BackfillRun) bool {
		return !run.DryRun && slices.ContainsFunc(slugs, func(s string) bool { return slices.Contains(run.Sources, s) })
	})
	if at >= 0 {
		d.Backfill = &runs.Runs[at]
	}
	return err
}

// causesOf groups items by their errors. The most frequent error comes first.
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

// politeness describes how a host is crawled, in sentences.
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
	spent := fmt.Sprintf("Today it received %s and sent %s", words.Count(h.RequestsToday, "request"),
		words.Size(h.BytesToday))
	var most []string
	if h.RequestsPerDay > 0 {
		most = append(most, words.Count(h.RequestsPerDay, "request"))
	}
	if h.BytesPerDay > 0 {
		most = append(most, words.Size(h.BytesPerDay))
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
		out = append(out, "The next request starts "+words.Ago(now, h.NextStartAt)+".")
	}
	return out
}

// seconds formats milliseconds as seconds, such as 1.5 s.
func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s" }

// verdict describes what a robots.txt file allows the crawler to do.
func verdict(v string) string {
	known := map[string]string{"body": "followed as shown below", "allow": "there is none, so everything may be fetched",
		"disallow": "it cannot be fetched, so nothing else is fetched for now"}
	if text, ok := known[v]; ok {
		return text
	}
	return v
}
