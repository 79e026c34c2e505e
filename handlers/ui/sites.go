package ui

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

// site shows a dry run. What is a site is shown with its host.
func (v *visit) site() page {
	s := ask(v, api.GetSite, api.SiteSlug{Slug: v.PathValue("slug")})
	if s.DryRun == nil {
		return goTo("/hosts/" + url.PathEscape(s.Domain))
	}
	return page{Name: "dryrun", Title: "Dry run of " + s.Domain, Data: s}
}

// siteForm returns the form of a new site.
func siteForm() Form { return newForm(api.SiteRequest{}) }

type siteData struct {
	api.Site
	Form Form
}

// siteSettings shows the form for the settings of a site that was added.
func (v *visit) siteSettings() page {
	s := ask(v, api.GetSite, api.SiteSlug{Slug: v.PathValue("slug")})
	return page{Name: "site", Title: "What is read of " + s.Domain, Data: siteData{s, newForm(s.Set)}}
}

// saveSite saves what a person changed of the settings of a site, or shows the form again with the errors in it.
func (v *visit) saveSite() page {
	patch := v.valid(changesOf[api.SiteSettings](v.PostForm))
	s := ask(v, api.PatchSite, api.SitePatch{Slug: v.PathValue("slug"), Patching: api.Patching{Patch: patch}})
	problem := v.refused()
	if problem == nil {
		return goTo("/hosts/" + url.PathEscape(s.Domain) + "?done=settings")
	}
	p := v.siteSettings()
	if d, is := p.Data.(siteData); is {
		d.Form = d.Form.Typed(v.PostForm, problem)
		p.Data, p.Refused = d, problem
	}
	return p
}

// actSite polls a site now, or removes it.
func (v *visit) actSite() page {
	q := api.SiteSlug{Slug: v.PathValue("slug")}
	var s api.Site
	switch v.PostForm.Get("do") {
	case "look":
		s = ask(v, api.PollSite, q)
		return goTo("/hosts/" + url.PathEscape(s.Domain))
	case "remove":
		s = ask(v, api.RemoveSite, q)
	default:
		v.fail(badRequest("a site can be polled or removed"))
	}
	return goTo("/hosts/" + url.PathEscape(s.Domain) + "?done=site-removed")
}

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
func (v *visit) hosts() page {
	all := slices.Clone(v.counts().Hosts)
	slices.SortStableFunc(all, func(a, b api.HostStatus) int {
		return cmp.Or(cmp.Compare(b.Backlog(), a.Backlog()), cmp.Compare(b.Total(), a.Total()))
	})
	skip, _ := strconv.Atoi(v.URL.Query().Get("skip"))
	d := hostsData{Skip: min(max(0, skip), len(all)), Count: len(all)}
	d.Hosts = all[d.Skip:min(d.Skip+hostsShown, d.Count)]
	return page{Name: "hosts", Title: "Hosts", Data: d}
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
func (v *visit) host() page {
	h := ask(v, api.GetHost, api.HostName{Host: v.PathValue("host")})
	unknown := v.err
	if v.missing() {
		h.Host = v.PathValue("host") // it may belong to a site whose pages were not found yet
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
	d.Plot = newPlot(days, month, v.clock())
	v.cover(&d)
	if unknown == nil {
		d.Polite = politeness(h, v.clock())
	} else if len(d.Sites) == 0 {
		return v.fail(unknown)
	}
	if h.Items[api.StatusError] > 0 {
		list := ask(v, api.ListItems, api.ItemQuery{Host: h.Host, Status: api.StatusError, Top: failingRead})
		d.Causes = causesOf(list.Items)
	}
	return page{Name: "host", Title: h.Host, Data: d}
}

// cover adds the numbers of pages that the polls and the last backfill have found at the host.
func (v *visit) cover(d *hostData) {
	var slugs []string
	for _, site := range ask(v, api.ListBackfillSites, api.None{}).Sites {
		if site.Domain != d.Host {
			continue
		}
		one := ask(v, api.GetSite, api.SiteSlug{Slug: site.Slug})
		d.Sites, slugs = append(d.Sites, one), append(slugs, site.Slug)
	}
	if len(slugs) == 0 {
		return
	}
	runs := ask(v, api.ListBackfills, api.BackfillQuery{Top: runsShown})
	at := slices.IndexFunc(runs.Runs, func(run api.BackfillRun) bool {
		return !run.DryRun && slices.ContainsFunc(slugs, func(s string) bool { return slices.Contains(run.Sources, s) })
	})
	if at >= 0 {
		d.Backfill = &runs.Runs[at]
	}
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

// runsShown is the number of backfill runs that a page lists.
const runsShown = 20

type backfillData struct {
	api.BackfillSites
	api.BackfillRuns
	Form Form
}

// backfill shows the sites, the runs and the form that starts one.
func (v *visit) backfill() page {
	return v.backfillPage(nil, nil)
}

func (v *visit) backfillPage(typed url.Values, problem *api.Problem) page {
	after := v.URL.Query().Get("after")
	d := backfillData{Form: newForm(api.BackfillRequest{})}
	if typed != nil {
		d.Form = d.Form.Typed(typed, problem)
	}
	d.BackfillSites = ask(v, api.ListBackfillSites, api.None{})
	d.BackfillRuns = ask(v, api.ListBackfills, api.BackfillQuery{Top: runsShown, Continuation: after})
	config := ask(v, api.GetConfig, api.None{})
	for path, setting := range map[string]string{"maxUrls": "BACKFILL_MAX_URLS_PER_RUN",
		"maxUrlsPerSource": "BACKFILL_MAX_URLS_PER_SOURCE", "concurrency": "BACKFILL_MAX_CONCURRENCY"} {
		d.Form.Holds = append(d.Form.Holds, form.Fact{Path: path, Value: config.Settings[setting]})
	}
	return page{Name: "backfill", Title: "Backfill", Data: d, Refused: problem}
}

// startBackfill starts a run, or shows the form again with the errors in it.
func (v *visit) startBackfill() page {
	req := api.BackfillRequest{DryRun: v.PostForm.Get("do") == "dry", RunBy: "the dashboard"}
	v.err = readInto(v.PostForm, &req)
	run := ask(v, api.StartBackfill, req)
	if problem := v.refused(); problem != nil {
		return v.backfillPage(v.PostForm, problem)
	}
	return goTo("/backfill/" + url.PathEscape(run.ID))
}

type runData struct {
	api.BackfillRun
	Domains map[string]string // the domain of each site, by slug
	Enabled bool
}

// run shows one run of a backfill.
func (v *visit) run() page {
	run := ask(v, api.GetBackfill, api.BackfillID{ID: v.PathValue("id")})
	sites := ask(v, api.ListBackfillSites, api.None{})
	d := runData{BackfillRun: run, Enabled: sites.Enabled, Domains: map[string]string{}}
	for _, site := range sites.Sites {
		d.Domains[site.Slug] = site.Domain
	}
	return page{Name: "run", Title: "Backfill of " + some(run.Sources), Data: d}
}

// actRun pauses, resumes or cancels a run.
func (v *visit) actRun() page {
	id, what := v.PathValue("id"), v.PostForm.Get("do")
	route, known := map[string]api.Route[api.BackfillID, api.BackfillRun]{
		"pause": api.PauseBackfill, "resume": api.ResumeBackfill, "cancel": api.CancelBackfill,
	}[what]
	if !known {
		return v.fail(badRequest("a run can be paused, resumed or cancelled"))
	}
	ask(v, route, api.BackfillID{ID: id})
	return goTo("/backfill/" + url.PathEscape(id) + "?done=run-" + what)
}

// found is the number of addresses that a run has found, as a bar and in words. Until the search is
// complete, a full bar means that the number has reached the run's limit.
type found struct {
	Bar  progressBar
	Text string
}

func foundOf(n, most int, all bool) found {
	if all {
		return found{newBar(max(1, n), max(1, n), "addresses found"), words.Thousands(n)}
	}
	return found{newBar(n, max(1, most), "addresses found"),
		words.Thousands(n) + " of at most " + words.Thousands(most)}
}

// foundByRun returns how many addresses a whole run has found.
func foundByRun(r api.BackfillRun) found {
	return foundOf(r.Discovered, r.Most(), r.Whole())
}

// foundAt returns how many addresses a run has found at one source.
func foundAt(r api.BackfillRun, p api.BackfillProgress) found {
	return foundOf(p.Discovered, min(r.MaxURLs, r.MaxURLsPerSource), p.Whole())
}
