package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// changesShown is how many changes a page lists.
const changesShown = 50

// changesData is what the first page shows: what has changed, by day.
type changesData struct {
	api.ChangePage
	Query   url.Values // of this page
	Chips   []chip
	Days    []changesOfDay
	Reader  api.Reader
	Counts  counts
	Filters savedFilters
	Guide   *guide // nil for none
}

// chip is a filter that is an address.
type chip struct {
	Text, To string
	On       bool
}

// changesOfDay are those of one day, in UTC.
type changesOfDay struct {
	Day     time.Time
	Changes []shownChange
}

// shownChange is a change as a list shows it.
type shownChange struct {
	api.FeedChange
	Unread bool
}

// Anchor is the place of the change on its page.
func (c shownChange) Anchor() string { return "c" + strings.ReplaceAll(c.ID, ".", "-") }

// changes lists what has changed, the newest first.
func changes(o Options, r *http.Request) (p page, err error) {
	ctx, query := r.Context(), r.URL.Query()
	d := changesData{Query: query, Chips: chips(query)}
	if d.Counts, err = o.status(ctx); err != nil {
		return p, err
	}
	if d.Guide, err = guideOf(o, ctx, d.Counts); err != nil {
		return p, err
	}
	q := changeQuery(query)
	if d.ChangePage, err = api.ListChanges.Call(ctx, o.Client, q); err != nil {
		return p, err
	}
	if d.Reader, err = api.GetReader.Call(ctx, o.Client, api.None{}); err != nil {
		return p, err
	}
	d.Filters = filtersOf(d.Reader.Filters, "changes", "/", query)
	unread := api.ChangePage{}
	if d.Reader.Unread > 0 {
		q.Unread = true
		if unread, err = api.ListChanges.Call(ctx, o.Client, q); err != nil {
			return p, err
		}
	}
	d.Days = byDay(d.Changes, unread.Changes)
	return page{name: "changes", title: "What changed", data: d}, nil
}

// changeQuery is what the address of a page asks for.
func changeQuery(q url.Values) api.ChangeQuery {
	return api.ChangeQuery{Host: q.Get("host"), Tag: q.Get("tag"), Type: q.Get("type"), Kind: q.Get("kind"),
		Q: q.Get("q"), Unread: q.Get("unread") != "", Silenced: q.Get("silenced"), Since: q.Get("since"),
		Top: changesShown, Continuation: q.Get("after")}
}

// byDay groups changes, and marks those that are among the unread.
func byDay(all, unread []api.FeedChange) (days []changesOfDay) {
	for _, c := range all {
		day := c.At.UTC().Truncate(24 * time.Hour)
		if n := len(days); n == 0 || !days[n-1].Day.Equal(day) {
			days = append(days, changesOfDay{Day: day})
		}
		isUnread := slices.ContainsFunc(unread, func(u api.FeedChange) bool { return u.ID == c.ID })
		last := &days[len(days)-1]
		last.Changes = append(last.Changes, shownChange{c, isUnread})
	}
	return days
}

// kindChips are the filters by kind, each of which may have several.
var kindChips = []struct{ text, kinds string }{
	{"Everything", ""}, {"Text", "content,reverted"}, {"New", "new"}, {"Gone and back", "gone,back"},
	{"Title, images, metadata", "title,images,metadata"}, {"Failures", "failing,recovered"},
	{"Watches", "watchBroken,watchRestored"},
}

// chips are the filters of a page, each with the others that hold.
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
		return withQuery(Root+"/", other)
	}
	for _, k := range kindChips {
		out = append(out, chip{k.text, to("kind", k.kinds), q.Get("kind") == k.kinds})
	}
	for _, c := range []struct{ text, name, value string }{
		{"Unread", "unread", "1"}, {"Include silenced", "silenced", "true"},
	} {
		if on := q.Get(c.name) == c.value; on {
			out = append(out, chip{c.text, to(c.name, ""), true})
		} else {
			out = append(out, chip{c.text, to(c.name, c.value), false})
		}
	}
	for _, name := range []string{"host", "tag", "type", "q", "since"} {
		if v := q.Get(name); v != "" {
			out = append(out, chip{v + " ×", to(name, ""), true})
		}
	}
	return out
}

// markRead marks changes as read: those of the form, or all up to a cursor.
func markRead(o Options, r *http.Request) (page, error) {
	f := r.PostForm
	query, err := url.ParseQuery(f.Get("query"))
	if err != nil {
		return page{}, badRequest("the return address cannot be read")
	}
	q := api.ReadRequest{UpTo: f.Get("upTo"), IDs: f["id"]}
	if q.UpTo != "" {
		q.IDs = nil
	}
	_, err = api.MarkRead.Call(r.Context(), o.Client, q)
	query.Del("done")
	to := withQuery("/", query)
	if at := f.Get("at"); at != "" {
		to += "#" + url.PathEscape(at)
	}
	return page{to: to}, err
}

// change says why a change was told, or why not.
func change(o Options, r *http.Request) (page, error) {
	why, err := api.ExplainChange.Call(r.Context(), o.Client, api.ChangeID{ID: r.PathValue("id")})
	return page{name: "change", title: "Change of " + changeTitle(why.Change), data: why}, err
}

// changeTitle is what a change is about.
func changeTitle(c api.FeedChange) string {
	for _, name := range []string{c.Title, c.URL, c.ItemID} {
		if name != "" {
			return name
		}
	}
	return c.EntryID
}

// changeExtent says how much has changed; "" where that is not known.
func changeExtent(c api.FeedChange) string {
	if c.WordsAdded+c.WordsRemoved == 0 {
		return ""
	}
	text := words.Count(c.WordsAdded, "word") + " added, " + words.Thousands(c.WordsRemoved) + " removed"
	if c.Share > 0 {
		text += ", " + strconv.Itoa(max(1, int(100*c.Share+.5))) + " % of the text"
	}
	return text
}

// dayName is a day for people.
func dayName(now, day time.Time) string {
	switch now.UTC().Truncate(24 * time.Hour).Sub(day) {
	case 0:
		return "Today"
	case 24 * time.Hour:
		return "Yesterday"
	}
	return day.Format("Monday, 2 January 2006")
}

// kindTones are how kinds look.
var kindTones = map[api.ChangeKind]string{"new": "good", "back": "good", "recovered": "good", "watchRestored": "good",
	"gone": "bad", "failing": "bad", "watchBroken": "bad", "reverted": "wait"}

func kindTone(k api.ChangeKind) string {
	if tone := kindTones[k]; tone != "" {
		return tone
	}
	return "quiet"
}

// kindWords are kinds in words, where theirs are none.
var kindWords = map[api.ChangeKind]string{"watchBroken": "watch broken", "watchRestored": "watch restored"}

func kindWord(k api.ChangeKind) string {
	if text := kindWords[k]; text != "" {
		return text
	}
	return string(k)
}
