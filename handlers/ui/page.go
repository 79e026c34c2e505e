package ui

import (
	"cmp"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// This file turns a page's data into an HTTP answer. All pages have the same layout and the same
// policy for what a browser may do, and all forms are read and refused in the same way.
//
// A [view] reads a request and returns a [page], which has the name of a template; a [server]
// renders the page with that template, inside the common layout.

// allChanges is the address of the feed of all changes.
const allChanges = "/api/changes.atom"

// Root is the path of the dashboard.
const Root = "/api/ui"

// A view makes the page that answers a visit.
type view func(v *visit) page

// area is what all views need: the API, the time, the number of problems, and what is rarely looked for.
type area struct {
	client    *api.Client
	clock     func() time.Time
	tally     *tally
	positions *latest[positions]
}

// A visit is a request for a page. It has the first error that the API answers with: an error of the API or of what
// was sent, which is shown in place of the page.
type visit struct {
	*http.Request
	area
	err error
}

// ask asks the API. After an error, it asks nothing more, and the answer is empty.
func ask[Q, A any](v *visit, route api.Route[Q, A], q Q) (answer A) {
	if v.err == nil {
		answer, v.err = route.Call(v.Context(), v.client, q)
	}
	return answer
}

// valid returns what a person asks to change. The visit fails if it is wrong.
func (v *visit) valid(changes api.Patch, err error) api.Patch {
	v.fail(err)
	return changes
}

// fail ends a visit with an error, unless it has one.
func (v *visit) fail(err error) page {
	v.err = cmp.Or(v.err, err)
	return page{}
}

// refused returns why the API refused a request; nil if it did not, or for another reason than these statuses, if any
// are given. The view then says so, and may ask other things.
func (v *visit) refused(only ...int) *api.Problem {
	problem := refusal(v.err)
	if problem == nil || len(only) > 0 && !slices.Contains(only, problem.Status) {
		return nil
	}
	v.err = nil
	return problem
}

// missing reports whether what was asked for does not exist. The view then goes on without it.
func (v *visit) missing() bool { return v.refused(http.StatusNotFound) != nil }

// counts returns a count of what there is: see [tally.Counts].
func (v *visit) counts() (c counts) {
	if v.err == nil {
		c, v.err = v.tally.Counts(v.Context())
	}
	return c
}

// pages returns the lists of items that a query selects, one after the other. They end with an error.
func (v *visit) pages(q api.ItemQuery) iter.Seq[api.ItemPage] {
	return func(yield func(api.ItemPage) bool) {
		for list, err := range v.client.Pages(v.Context(), q) {
			if v.fail(err); v.err != nil || !yield(list) {
				return
			}
		}
	}
}

// itemHere returns the page that is watched with the id in the path.
func (v *visit) itemHere() api.ItemDetail {
	return ask(v, api.GetItem, api.ItemID{ID: v.PathValue("id")})
}

// page is the name of a template and its data.
type page struct {
	Name, Title string
	Data        any
	Refused     *api.Problem // why what was sent was refused; nil if it was not
	Status      int          // that of Refused when zero, or 200
	Pictures    bool         // whether the browser may load pictures of other sites
	Feed        string       // address of the feed of what the page lists; that of all changes when empty
	Body        string       // classes of the page, as in [shownPage]
	To          string       // if set, redirect to this path below [Root], which may have a query
}

// status returns the status of the answer.
func (p page) status() int {
	if p.Refused != nil {
		p.Status = cmp.Or(p.Status, p.Refused.Status)
	}
	return cmp.Or(p.Status, http.StatusOK)
}

// goTo redirects the browser to a path below [Root], which may have a query.
func goTo(to string) page { return page{To: to} }

// itemPath returns the path of the page about an item.
func itemPath(id string) string { return "/items/" + url.PathEscape(id) }

// linkTo joins a path and a query. The query may be empty.
func linkTo(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// params returns the parameters of an address. The strings in pairs are names and values in turn; those with empty
// values are left out.
func params(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// only returns the parameters with these names.
func only(q url.Values, names ...string) url.Values {
	out := url.Values{}
	for _, name := range names {
		if value := q.Get(name); value != "" {
			out.Set(name, value)
		}
	}
	return out
}

// Below returns the path of an address below [Root], with its query. It returns "/" for an address
// outside the dashboard.
func Below(to string) string {
	at, query, _ := strings.Cut(to, "?")
	if !strings.HasPrefix(at, "/") || path.Clean(at) != at || strings.ContainsAny(to, "\\\r\n#") || len(to) > 2000 {
		return "/"
	}
	if query != "" {
		return at + "?" + query
	}
	return at
}

// passing are the parameters in a list's address that are not part of its filter.
var passing = []string{"after", "done", "page", "undo"}

// savedFilters is the data of the template "filters".
type savedFilters struct {
	List  string // "changes" or "items"
	Query string // the filter that the list has now; "" for none
	Saved []savedFilter
}

type savedFilter struct {
	api.SavedFilter
	To string
	On bool
}

// filtersOf returns those of the kept filters that belong to a list, and the list's present filter.
// The given path is that of the list's page.
func filtersOf(kept []api.SavedFilter, list, path string, q url.Values) savedFilters {
	out := savedFilters{List: list, Query: filterOf(q).Encode()}
	for _, f := range kept {
		if f.List == list {
			out.Saved = append(out.Saved, savedFilter{f, Root + path + "?" + f.Query, f.Query == out.Query})
		}
	}
	return out
}

// filterOf returns the part of a query that is a filter, but for some of its parameters.
func filterOf(q url.Values, without ...string) url.Values {
	out := url.Values{}
	for name, values := range q {
		if !slices.Contains(passing, name) && !slices.Contains(without, name) && values[0] != "" {
			out[name] = values
		}
	}
	return out
}

// Known reports whether the list's present filter is already saved.
func (f savedFilters) Known() bool {
	return slices.ContainsFunc(f.Saved, func(s savedFilter) bool { return s.On })
}

// server answers requests with views.
type server struct {
	area
	templates templateSet
	log       *slog.Logger
}

// serve answers requests with the page that a view makes.
func (s *server) serve(show view) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, p := &visit{Request: r, area: s.area}, page{}
		if r.Method == http.MethodPost {
			v.err = readForm(r)
		}
		if v.err == nil {
			p = show(v)
		}
		if r.Method == http.MethodPost {
			s.tally.forget()
		}
		if v.err != nil {
			p = s.failed(r, v.err)
		}
		if p.To != "" {
			w.Header().Set("Location", Root+p.To)
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		s.templates.Write(w, r, s.log, p, s.shown(r, p))
	})
}

// shown returns what the template of a page receives.
func (s *server) shown(r *http.Request, p page) shownPage {
	q := r.URL.Query()
	done, undo := q.Get("done"), q.Get("undo")
	q.Del("done")
	q.Del("undo")
	out := shownPage{Title: p.Title, Path: r.URL.Path, Query: r.URL.Query(), Back: linkTo(r.URL.Path, q),
		Now: s.clock().UTC(), Data: p.Data,
		Feed: cmp.Or(p.Feed, allChanges), Flash: flashes[done], Doubtful: doubtful[done], Body: p.Body,
		Undo: undo, Visitor: visitorOf(r)}
	if mode, err := api.GetTestMode.Call(r.Context(), s.client, api.None{}); err == nil {
		out.TestMode = mode.IsTestMode
	}
	return out
}

// failed returns the page that shows an error.
func (s *server) failed(r *http.Request, err error) page {
	problem, ok := errors.AsType[*api.Problem](err)
	if !ok {
		s.log.Error("dashboard failed", "path", r.URL.Path, "err", err)
		problem = &api.Problem{Title: "Something went wrong", Status: http.StatusInternalServerError,
			Detail: "the API gave an unexpected answer; see the log"}
	}
	problem = peopleWords(problem)
	return page{Name: "problem", Title: problem.Title, Data: refused{Problem: problem}, Refused: problem}
}

// refused is why something was not done, with the path to which its page leads back.
type refused struct {
	*api.Problem
	Back string
}

// doubtful are the messages that ask for attention, although the action succeeded.
var doubtful = map[string]bool{"settings-nothing": true, "undo-late": true, "added-route": true, "site-route": true}

// These settings replace each other.
const (
	scheduleGone = "Saved. The schedule was removed, because an interval was set."
	intervalGone = "Saved. The interval was removed, because a schedule was set."
)

// flashes are the messages that pages show after an action. The address of such a page contains the message's name.
var flashes = map[string]string{
	"filter-kept":      "The filter is saved. Only you can see it.",
	"filter-forgotten": "The filter is deleted.",

	"seen":      "All changes are marked as seen.",
	"undone":    "It is as it was before.",
	"undo-late": "That can no longer be taken back.",

	"site-removed": "The site is removed. Its pages stay and are watched as before.",

	"added": "Registered. It will be fetched as soon as its host allows.",
	"added-route": "Registered without the part of the address after #. The page is read without it, and any other " +
		"route of the page is the same item.",
	"site-route": "The part of an address after # is left out. Pages are read without it, and other routes of a page " +
		"are the same item.",
	"forced":    "It will be fetched and indexed again, even if it has not changed.",
	"check":     "It will be checked now.",
	"waits":     "Its site is left alone for now: it is checked as soon as it may be.",
	"cancelled": "Nothing is watched. What was read of the page is being removed.",
	"watched":   "The page is watched. Nobody is told of its changes; they are listed here.",
	"told":      "Saved. You are told from now on.",
	"removed":   "Removed. For 15 minutes this can be taken back; then every reading is deleted for good.",
	"paused":    "Paused. It is checked only on request.",
	"resumed":   "Resumed. Checks follow their schedule again.",
	"accepted":  "The page is accepted as it is. It will be checked now.",
	"ignored":   "Lines like these are ignored from now on.",
	"counted":   "Lines like these count again.",
	"decided":   "Saved. It applies from the next check on; what moves is listed below.",
	"browser":   "It is read in a browser from now on, for the first time within a minute.",

	"part":     "Saved. The next check reads the page with these parts; what changes elsewhere is not reported.",
	"settings": "Saved.",
	"settings-nothing": "Saved, but the selectors find nothing in the page as it was last read. " +
		"Watch a part shows what there is to choose from.",
	"settings-schedule":  scheduleGone,
	"settings-interval":  intervalGone,
	"tag-saved":          "Saved.",
	"tag-saved-schedule": scheduleGone,
	"tag-saved-interval": intervalGone,
	"tag-removed":        "The settings of the tag are removed.",

	"run-pause":  "The run pauses before its next step.",
	"run-resume": "The run continues.",
	"run-cancel": "The run ends before its next step.",

	"described": "The entry is described.",
	"batch-cancel": "The batch is being cancelled. Answers that arrive before it ends are used; " +
		"other entries stay as they were.",

	"delivery-retry": "The message is being sent again.",
	"rule-save":      "The alert is saved. It tells changes from now on.",
	"rule-now":       "A message about what holds already is on its way.",
	"rule-remove":    "The alert is removed.",
	"rule-off":       "The alert is switched off. It tells nothing, and forgets what it has gathered.",
	"rule-on":        "The alert is on again. It tells what changes from now on.",
	"muted":          "Muted: no messages about this page. Its changes stay listed here, and are not sent later.",
	"unmuted":        "The mute has ended. Changes from now on lead to messages again.",
	"address-save":   "The address is confirmed. Messages from now on have links to it.",
	"address-remove": "The address is removed. Messages from now on have no links back.",
	"channel-save":   "The channel is saved. Send a test to see whether it works.",
	"channel-tested": "The channel is saved. Its receiver accepted a test.",
	"channel-remove": "The channel is removed.",

	"key-remove": "The key is removed. It opens nothing any more, and its sessions have ended.",

	"test-on":  "Test mode is on: entries go to the test tables.",
	"test-off": "Test mode is off.",
}

// back returns the path to which an action leads, with the name of its message.
func back(path, done string) string { return with(path, "done", done) }

// withUndo adds to such a path how the action is taken back, if it can be.
func withUndo(path string, u *api.Undo) string {
	if u == nil {
		return path
	}
	return with(path, "undo", u.ID)
}

// with sets a parameter of a path below [Root].
func with(path, name, value string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/"
	}
	path, at, anchored := strings.Cut(path, "#")
	path, query, _ := strings.Cut(path, "?")
	q, _ := url.ParseQuery(query)
	if q.Set(name, value); name == "done" {
		q.Del("undo") // of an earlier action
	}
	if path = linkTo(path, q); anchored {
		path += "#" + at
	}
	return path
}

// undo takes back what the visitor or somebody else has done. If it cannot be taken back, it says what was changed
// meanwhile, or that the time is over.
func (v *visit) undo() page {
	to := back(v.PostForm.Get("back"), "undone")
	out := ask(v, api.UndoAction, api.UndoID{ID: v.PostForm.Get("id")})
	if v.refused(http.StatusGone) != nil {
		return goTo(back(to, "undo-late"))
	}
	if problem := v.refused(http.StatusConflict); problem != nil {
		return page{Name: "problem", Title: "Not taken back", Refused: problem,
			Data: refused{problem, v.PostForm.Get("back")}}
	}
	switch {
	case out.Run != nil:
		to = with(to, "id", out.Run.ID)
	case out.Kind == "rule" && out.Rule == nil: // the page of an alert that is removed is gone
		if strings.HasPrefix(to, "/notifications/rules/") {
			to = back("/notifications", "undone")
		}
	}
	return goTo(to)
}

// zoneCookie is the cookie in which the script of the pages keeps the name of the reader's time zone.
const zoneCookie = "tidemark_zone"

// zoneOf returns the time zone of the reader; UTC if the browser has not named one.
func zoneOf(r *http.Request) *time.Location {
	const longest = 100
	c, err := r.Cookie(zoneCookie)
	if err != nil || len(c.Value) > longest {
		return time.UTC
	}
	name, err := url.QueryUnescape(c.Value)
	if err != nil || name == "Local" {
		return time.UTC
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}
