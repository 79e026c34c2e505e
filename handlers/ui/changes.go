package ui

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// changesShown is the number of changes that a page lists, and smallShown that of small ones that are counted below
// them.
const (
	changesShown = 30
	smallShown   = 100
)

type changesData struct {
	api.ChangePage
	Query   url.Values // the query of this page
	Tabs    []chip     // the kinds of changes to choose from
	Chips   []chip     // the filters that are on
	Days    []changesOfDay
	Reader  api.Reader
	Counts  counts
	Filters savedFilters
	Guide   *guide // nil if no guide is needed
	GoesOn  bool   // what the reader has not seen goes on after this page
	Recent  []chip // a link for each of the last days
}

// Problems reports whether the page lists only problems.
func (d changesData) Problems() bool { return d.Query.Get("kind") == problemKinds }

// MarksAll reports whether the page has the button for all changes: it would surprise where only some are listed.
func (d changesData) MarksAll() bool {
	return d.Reader.Unread > 0 && d.Filters.Query == "" && d.Query.Get("after") == ""
}

// changes lists the changes, newest first.
func (v *visit) changes() page {
	query, zone := v.URL.Query(), zoneOf(v.Request)
	d := changesData{Query: query, Tabs: tabs(query), Chips: chips(query), Recent: recentDays(query, v.clock().In(zone))}
	d.Counts = v.counts()
	d.Guide = v.guideOf(d.Counts)
	q := changeQuery(query, zone)
	d.ChangePage = v.someChanges(q)
	if query.Get("day") != "" { // it is read from its beginning, because the days after it may have any number of changes
		slices.Reverse(d.Changes)
	}
	d.Reader = ask(v, api.GetReader, api.None{})
	d.Filters = filtersOf(d.Reader.Filters, "changes", "/", query)
	var unread api.ChangePage
	if q.Outcome = false; d.Reader.Unread > 0 && len(d.Changes) > 0 {
		q.Unread, q.Top = true, len(d.Changes)
		unread = ask(v, api.ListChanges, q)
		d.GoesOn = d.Continuation != "" && len(unread.Changes) == len(d.Changes)
	}
	d.Days = byDay(d.Changes, unread.Changes, zone)
	if n := len(d.Days); n > 0 && d.Continuation != "" {
		for i := range d.Days[n-1].Changes {
			d.Days[n-1].Changes[i].OrMore = true
		}
	}
	d.Days = v.withSmall(query, d, zone)
	if query.Get("order") == "" {
		mark(d.Days, d.MarksAll())
	}
	v.sayTold(d.Days, zone)
	return page{Name: "changes", Title: "What changed", Data: d, Feed: feedOf(query)}
}

// someChanges lists changes until they make about half as many lines as a page may have. New pages of a host are one
// line.
func (v *visit) someChanges(q api.ChangeQuery) (out api.ChangePage) {
	const mostPages = 4
	lines, hosts := 0, map[string]bool{}
	for i := range mostPages {
		next := ask(v, api.ListChanges, q)
		if i == 0 {
			out.Cursor = next.Cursor
		}
		out.Changes, out.Continuation = append(out.Changes, next.Changes...), next.Continuation
		for _, c := range next.Changes {
			if c.Kind != api.ChangeNew || !hosts[c.Host] {
				lines++
			}
			hosts[c.Host] = hosts[c.Host] || c.Kind == api.ChangeNew
		}
		if q.Continuation = next.Continuation; q.Continuation == "" || lines >= changesShown/2 {
			break
		}
	}
	return out
}

// feedOf returns the address of the feed with the filters of a page's address.
func feedOf(query url.Values) string {
	return linkTo(allChanges, only(query, "host", "tag", "type", "kind", "zone", "small", "q", "minShare"))
}

// changeQuery returns the API's query for the parameters of a page's address, for a reader in a time zone.
func changeQuery(q url.Values, zone *time.Location) api.ChangeQuery {
	share, _ := strconv.ParseFloat(q.Get("minShare"), 64)
	small, part := q.Get("small"), api.ZoneFacts
	if small == "" { // who asks for new pages looks for those that a person has added, too
		small = strconv.FormatBool(slices.Contains(words.Parts(q.Get("kind"), ","), string(api.ChangeNew)))
	}
	if small != "false" || strings.Contains(q.Get("kind"), "beside") {
		part = api.ZoneAll
	}
	out := api.ChangeQuery{Until: q.Get("until"), Order: q.Get("order"), Zone: cmp.Or(q.Get("zone"), part), Small: small,
		MinShare: share,
		Host:     q.Get("host"), Tag: q.Get("tag"), Type: q.Get("type"), Kind: q.Get("kind"),
		Q: q.Get("q"), Unread: q.Get("unread") != "", Silenced: q.Get("silenced"), Since: q.Get("since"),
		Outcome: true, Top: changesShown, Continuation: q.Get("after")}
	if q.Get("told") != "" { // also what is not listed unasked
		out.State, out.Small, out.Zone, out.Silenced = api.OutcomeSent, "true", api.ZoneAll, "true"
	}
	if day, err := time.ParseInLocation(time.DateOnly, q.Get("day"), zone); err == nil {
		out.Since, out.Until, out.Order = iso(day), iso(day.AddDate(0, 0, 1)), "oldest"
	}
	return out
}

// problemKinds are the kinds of changes that are problems.
const problemKinds = "gone,failing,watchBroken"

// kindChoices are the filters by kind. A filter may select several kinds.
func kindChoices() []choice {
	return choices("", "everything", "content,reverted", "text", "field", "values", "new,listed", "new", "gone,back",
		"gone and back", "title,images,metadata", "title, images, metadata", "failing,recovered", "failures",
		"watchBroken,watchRestored", "parts that went missing", problemKinds, "problems")
}

// turned returns the address of the list without some filters, and with one of another value; other filters stay.
func turned(q url.Values, name, value string, left ...string) string {
	other := filterOf(q, append(left, name)...)
	if value != "" {
		other.Set(name, value)
	}
	return linkTo(Root+"/", other)
}

// tabs are the filters that people change most often. The last one is for problems.
func tabs(q url.Values) []chip {
	told, kind := q.Get("told") != "", q.Get("kind")
	return []chip{
		{"All", turned(q, "kind", "", "told"), !told && kind == ""},
		{"Told", turned(q, "told", "1", "kind"), told},
		{"Values", turned(q, "kind", "field", "told"), kind == "field"},
		{"Problems", turned(q, "kind", problemKinds, "told"), kind == problemKinds},
	}
}

// chips returns the filters that are on, besides the tabs, each with a link that turns it off.
func chips(q url.Values) (out []chip) {
	for _, name := range []string{"day", "host", "tag", "type", "kind", "q", "since", "until", "zone", "minShare", "order",
		"unread", "silenced", "small"} {
		text := q.Get(name)
		if text == "" || name == "kind" && (text == "field" || text == problemKinds) {
			continue
		}
		if said := map[string]string{"unread": "not seen yet", "silenced": "with ignored ones", "order": "oldest first",
			"small": "small changes", "zone": zoneTexts[text], "minShare": "changed share from " + text,
			"kind": kindsText(text), "day": dayText(text)}[name]; said != "" {
			text = said
		}
		out = append(out, chip{Text: text, To: turned(q, name, ""), On: true})
	}
	return out
}

// zoneTexts say which part of a page counts.
var zoneTexts = map[string]string{api.ZoneMain: "only the main content", api.ZoneAll: "the whole page"}

// kindsText returns the words of a choice of kinds.
func kindsText(kinds string) string {
	all := kindChoices()
	if i := slices.IndexFunc(all, func(c choice) bool { return c.Value == kinds }); i >= 0 {
		return all[i].Text
	}
	return kinds
}

// dayText writes a day of an address for people.
func dayText(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.Format("2 January")
}

// recentDays returns links to each of the last 30 days.
func recentDays(q url.Values, now time.Time) (out []chip) {
	for i := range 30 {
		day := now.AddDate(0, 0, -i)
		text := day.Format("2")
		if i == 0 || day.Day() == 1 {
			text = day.Format("2 Jan")
		}
		name := day.Format(time.DateOnly)
		out = append(out, chip{text, turned(q, "day", name, "since", "until"), q.Get("day") == name})
	}
	return out
}

// markRead marks changes as seen: either those of a line of the list, or all changes up to a cursor.
func (v *visit) markRead() page {
	query, err := url.ParseQuery(v.PostForm.Get("query"))
	if err != nil {
		return v.fail(badRequest("the return address cannot be read"))
	}
	query.Del("done")
	query.Del("undo")
	to := linkTo("/", query)
	if upTo := v.PostForm.Get("upTo"); upTo != "" {
		me := ask(v, api.MarkRead, api.ReadRequest{UpTo: upTo})
		return goTo(withUndo(back(to, "seen"), me.Undo))
	}
	ids := words.Parts(v.PostForm.Get("id"), ",") // a button has the ids of all changes of its line
	ask(v, api.MarkRead, api.ReadRequest{IDs: ids})
	if len(ids) > 0 {
		to += "#" + anchor(ids[0])
	}
	return goTo(to)
}

// change shows who was told of a change, and why others were not, and all that can be done about it.
func (v *visit) change() page {
	why := ask(v, api.ExplainChange, api.ChangeID{ID: v.PathValue("id"), Top: 50,
		Continuation: v.URL.Query().Get("rules")})
	return page{Name: "change", Title: "Change of " + changeTitle(why.Change), Data: why, Body: "acting"}
}

// listPaths has the path of each list whose filters can be saved.
var listPaths = map[string]string{"changes": "/", "items": "/items"}

// saveFilter saves a filter under a name, or deletes the filter with that name.
func (v *visit) saveFilter() page {
	f := api.SavedFilter{Name: v.PostForm.Get("name"), List: v.PostForm.Get("list"), Query: v.PostForm.Get("query")}
	me := ask(v, api.GetReader, api.None{})
	req := api.ReaderRequest{Filters: slices.DeleteFunc(me.Filters, func(k api.SavedFilter) bool {
		return k.Name == f.Name && k.List == f.List
	})}
	to, done := listPaths[f.List], "filter-forgotten"
	if v.PostForm.Get("do") != "forget" {
		req.Filters, done = append(req.Filters, f), "filter-kept"
		to += "?" + f.Query
	}
	ask(v, api.SaveReader, req)
	return goTo(back(to, done))
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
func (v *visit) guideOf(st counts) *guide {
	g := &guide{Total: st.Total(), Indexed: st.Items[api.StatusIndexed], Failed: st.Items[api.StatusError],
		Waiting: st.Items[api.StatusPending] + st.Items[api.StatusCrawled]}
	if g.Total > guided {
		return nil
	}
	rules := ask(v, api.ListRules, api.RuleQuery{Brief: true})
	if len(rules.Rules) > 0 {
		return nil
	}
	sites := ask(v, api.ListSites, api.None{})
	for _, s := range sites.Sites {
		if s.Look != nil || s.Added {
			g.Sites = append(g.Sites, s)
		}
	}
	if g.Total == 0 && len(g.Sites) == 0 {
		return nil
	}
	return g
}
