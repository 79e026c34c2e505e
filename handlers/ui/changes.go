package ui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// changesShown is the number of changes that a page lists.
const changesShown = 50

// changesViews returns, by pattern, what people see first: what has changed, what the visitor has not read, who was
// notified, and a guide for the first minutes. It also has the forms that add pages and sites.
func (a area) changesViews() map[string]viewFunc {
	return map[string]viewFunc{
		"GET /{$}":          a.changes,
		"GET /changes/{id}": a.change,
		"GET /add":          a.adding,

		"POST /add":     a.add,
		"POST /sites":   a.addSite,
		"POST /read":    a.markRead,
		"POST /filters": a.saveFilter,
	}
}

type changesData struct {
	api.ChangePage
	Query   url.Values // the query of this page
	Chips   []chip
	Days    []changesOfDay
	Reader  api.Reader
	Counts  counts
	Filters savedFilters
	Guide   *guide // nil if no guide is needed
}

// Form returns the form for a folder, without values.
func (changesData) Form() Form { return filesForm() }

// changesOfDay are the changes of one day in the time zone of the reader.
type changesOfDay struct {
	Day     time.Time // its beginning
	Changes []shownChange
}

// A shownChange is a change as a list shows it.
type shownChange struct {
	api.FeedChange
	Unread bool
	Also   []api.FeedChange // equal changes of other pages of the host
	OrMore bool             // whether more of them may be on the next page
}

// Pages returns the number of pages that have changed alike.
func (c shownChange) Pages() int { return 1 + len(c.Also) }

// fewAdded is the number of new pages of a host and a day that are still listed one by one.
const fewAdded = 2

// IsAdded reports whether this is a line for several pages of a host that were fetched for the first time.
func (c shownChange) IsAdded() bool { return c.Kind == api.ChangeNew && len(c.Also) >= fewAdded }

// Anchor returns the id of the change's element on its page.
func (c shownChange) Anchor() string { return "c" + strings.ReplaceAll(c.ID, ".", "-") }

// changes lists the changes, newest first.
func (a area) changes(r *http.Request) (p page, err error) {
	ctx, query := r.Context(), r.URL.Query()
	d := changesData{Query: query, Chips: chips(query)}
	if d.Counts, err = a.tally.Counts(ctx); err != nil {
		return p, err
	}
	if d.Guide, err = a.guideOf(ctx, d.Counts); err != nil {
		return p, err
	}
	q := changeQuery(query)
	if d.ChangePage, err = api.ListChanges.Call(ctx, a.client, q); err != nil {
		return p, err
	}
	if d.Reader, err = api.GetReader.Call(ctx, a.client, api.None{}); err != nil {
		return p, err
	}
	d.Filters = filtersOf(d.Reader.Filters, "changes", "/", query)
	unread := api.ChangePage{}
	if d.Reader.Unread > 0 {
		q.Unread = true
		if unread, err = api.ListChanges.Call(ctx, a.client, q); err != nil {
			return p, err
		}
	}
	d.Days = byDay(d.Changes, unread.Changes, zoneOf(r))
	if n := len(d.Days); n > 0 && d.Continuation != "" {
		for i := range d.Days[n-1].Changes {
			d.Days[n-1].Changes[i].OrMore = true
		}
	}
	return page{Name: "changes", Title: "What changed", Data: d, Feed: feedOf(query)}, nil
}

// feedOf returns the address of the feed with the filters of a page's address.
func feedOf(query url.Values) string {
	q := url.Values{}
	for _, name := range []string{"host", "tag", "type", "kind", "zone", "small", "q", "minShare"} {
		if value := query.Get(name); value != "" {
			q.Set(name, value)
		}
	}
	return linkTo(allChanges, q)
}

// changeQuery returns the API's query for the parameters of a page's address.
func changeQuery(q url.Values) api.ChangeQuery {
	share, _ := strconv.ParseFloat(q.Get("minShare"), 64)
	small, zone := cmp.Or(q.Get("small"), "false"), api.ZoneFacts
	if small != "false" || strings.Contains(q.Get("kind"), "beside") {
		zone = api.ZoneAll
	}
	return api.ChangeQuery{Until: q.Get("until"), Order: q.Get("order"), Zone: cmp.Or(q.Get("zone"), zone), Small: small,
		MinShare: share,
		Host:     q.Get("host"), Tag: q.Get("tag"), Type: q.Get("type"), Kind: q.Get("kind"),
		Q: q.Get("q"), Unread: q.Get("unread") != "", Silenced: q.Get("silenced"), Since: q.Get("since"),
		Top: changesShown, Continuation: q.Get("after")}
}

// byDay groups changes by day, gathers equal changes of a host within a day, and marks the unread ones.
func byDay(all, unread []api.FeedChange, zone *time.Location) (days []changesOfDay) {
	isUnread := func(c api.FeedChange) bool {
		return slices.ContainsFunc(unread, func(u api.FeedChange) bool { return u.ID == c.ID })
	}
	for len(all) > 0 {
		day := dayOf(all[0], zone)
		n := slices.IndexFunc(all, func(c api.FeedChange) bool { return !dayOf(c, zone).Equal(day) })
		if n < 0 {
			n = len(all)
		}
		var lines api.ChangeLines
		for _, c := range all[:n] {
			lines.Add(c, n)
		}
		of := changesOfDay{Day: day}
		for _, l := range lines.All {
			of.Changes = append(of.Changes, shownChange{
				FeedChange: l.Changes[0], Unread: slices.ContainsFunc(l.Changes, isUnread), Also: l.Changes[1:],
			})
		}
		of.Changes = gatherAdded(of.Changes)
		days, all = append(days, of), all[n:]
	}
	return days
}

// gatherAdded makes one line of the new pages of a host, where its newest one stood, unless there are only a few.
func gatherAdded(list []shownChange) (out []shownChange) {
	hosts := map[string]int{}
	isAdded := func(c shownChange) bool { return c.Kind == api.ChangeNew && c.Host != "" && c.ItemID != "" }
	for _, c := range list {
		if isAdded(c) {
			hosts[c.Host] += c.Pages()
		}
	}
	at := map[string]int{}
	for _, c := range list {
		i, known := at[c.Host]
		switch {
		case !isAdded(c) || hosts[c.Host] <= fewAdded:
			out = append(out, c)
		case known:
			out[i].Also = append(append(out[i].Also, c.FeedChange), c.Also...)
			out[i].Unread = out[i].Unread || c.Unread
		default:
			at[c.Host] = len(out)
			out = append(out, c)
		}
	}
	return out
}

func dayOf(c api.FeedChange, zone *time.Location) time.Time {
	year, month, day := c.At.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

// kindChips are the filters by kind. A filter may select several kinds.
var kindChips = []struct{ text, kinds string }{
	{"Everything", ""}, {"Text", "content,reverted"}, {"Values", "field"}, {"New", "new,listed"},
	{"Gone and back", "gone,back"},
	{"Title, images, metadata", "title,images,metadata"}, {"Failures", "failing,recovered"},
	{"Watches", "watchBroken,watchRestored"},
}

// chips returns the links that turn the filters of a page on or off. Each link keeps the other
// filters that are active.
func chips(q url.Values) (out []chip) {
	to := func(name, value string) string {
		other := url.Values{}
		for k, v := range q {
			if k != "after" && k != "done" && k != name && v[0] != "" {
				other[k] = v
			}
		}
		if value != "" {
			other.Set(name, value)
		}
		return linkTo(Root+"/", other)
	}
	for _, k := range kindChips {
		out = append(out, chip{Text: k.text, To: to("kind", k.kinds), On: q.Get("kind") == k.kinds})
	}
	for _, c := range []struct{ text, name, value string }{
		{"Unread", "unread", "1"}, {"Include silenced", "silenced", "true"}, {"Include small", "small", "true"},
	} {
		if q.Get(c.name) == c.value {
			out = append(out, chip{Text: c.text, To: to(c.name, ""), On: true})
		} else {
			out = append(out, chip{Text: c.text, To: to(c.name, c.value)})
		}
	}
	for _, name := range []string{"host", "tag", "type", "q", "since", "until", "zone", "minShare", "order"} {
		if v := q.Get(name); v != "" {
			out = append(out, chip{Text: v + " ×", To: to(name, ""), On: true})
		}
	}
	return out
}

// markRead marks changes as read: either the changes listed in the form, or all changes up to a cursor.
func (a area) markRead(r *http.Request) (page, error) {
	f := r.PostForm
	query, err := url.ParseQuery(f.Get("query"))
	if err != nil {
		return page{}, badRequest("the return address cannot be read")
	}
	q := api.ReadRequest{UpTo: f.Get("upTo"), IDs: f["id"]}
	if q.UpTo != "" {
		q.IDs = nil
	}
	_, err = api.MarkRead.Call(r.Context(), a.client, q)
	query.Del("done")
	to := linkTo("/", query)
	if at := f.Get("at"); at != "" {
		to += "#" + url.PathEscape(at)
	}
	return goTo(to), err
}

// change lists who was notified of a change, and why others were not.
func (a area) change(r *http.Request) (page, error) {
	why, err := api.ExplainChange.Call(r.Context(), a.client, api.ChangeID{ID: r.PathValue("id"), Top: 50,
		Continuation: r.URL.Query().Get("rules")})
	return page{Name: "change", Title: "Change of " + changeTitle(why.Change), Data: why}, err
}

// listPaths has the path of each list whose filters can be saved.
var listPaths = map[string]string{"changes": "/", "items": "/items"}

// saveFilter saves a filter under a name, or deletes the filter with that name.
func (a area) saveFilter(r *http.Request) (page, error) {
	f := api.SavedFilter{Name: r.PostForm.Get("name"), List: r.PostForm.Get("list"), Query: r.PostForm.Get("query")}
	me, err := api.GetReader.Call(r.Context(), a.client, api.None{})
	if err != nil {
		return page{}, err
	}
	req := api.ReaderRequest{Filters: slices.DeleteFunc(me.Filters, func(k api.SavedFilter) bool {
		return k.Name == f.Name && k.List == f.List
	})}
	to, done := listPaths[f.List], "filter-forgotten"
	if r.PostForm.Get("do") != "forget" {
		req.Filters, done = append(req.Filters, f), "filter-kept"
		to += "?" + f.Query
	}
	_, err = api.SaveReader.Call(r.Context(), a.client, req)
	back, parseErr := url.Parse(to)
	if err != nil || parseErr != nil {
		return page{}, err
	}
	q := back.Query()
	q.Set("done", done)
	return goTo(linkTo(back.Path, q)), nil
}

// guided is the largest number of items with which the start page still shows the guide.
const guided = 1000

// A guide lists the steps that a new user has not taken yet. The last step is to make a first rule.
type guide struct {
	Sites   []api.Site // sites that were added or are being read
	Total   int
	Waiting int // items that wait for their first check
	Indexed int
	Failed  int
}

// guideOf returns the guide, or nil if none is needed because there is a rule already or there are many items.
func (a area) guideOf(ctx context.Context, st counts) (*guide, error) {
	g := &guide{Total: st.Total(), Indexed: st.Items[api.StatusIndexed], Failed: st.Items[api.StatusError],
		Waiting: st.Items[api.StatusPending] + st.Items[api.StatusCrawled]}
	if g.Total > guided {
		return nil, nil
	}
	rules, err := api.ListRules.Call(ctx, a.client, api.RuleQuery{})
	if err != nil || len(rules.Rules) > 0 {
		return nil, err
	}
	sites, err := api.ListSites.Call(ctx, a.client, api.None{})
	for _, s := range sites.Sites {
		if s.Look != nil || s.Added {
			g.Sites = append(g.Sites, s)
		}
	}
	if err != nil || g.Total == 0 && len(g.Sites) == 0 {
		return nil, err
	}
	return g, nil
}
