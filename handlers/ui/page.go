package ui

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// This file turns a page's data into an HTTP answer. All pages have the same layout and the same
// policy for what a browser may do, and all forms are read and refused in the same way.
//
// A part of the dashboard is a set of views. A [viewFunc] reads a request and returns a [page],
// which has the name of a template; a [server] renders the page with that template, inside the
// common layout.

// allChanges is the address of the feed of all changes.
const allChanges = "/api/changes.atom"

// Root is the path of the dashboard.
const Root = "/api/ui"

// viewFunc makes the data of a page. The errors that it returns are errors of the API.
type viewFunc func(r *http.Request) (page, error)

// page is the name of a template and its data.
type page struct {
	Name, Title string
	Data        any
	Status      int    // 200 when zero
	Pictures    bool   // whether the browser may load pictures of other sites
	Feed        string // address of the feed of what the page lists; that of all changes when empty
	To          string // if set, redirect to this path below [Root], which may have a query
}

// goTo redirects the browser to a path below [Root], which may have a query.
func goTo(to string) page { return page{To: to} }

// linkTo joins a path and a query. The query may be empty.
func linkTo(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// passing are the parameters in a list's address that are not part of its filter.
var passing = []string{"after", "done", "page"}

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
	out := savedFilters{List: list, Query: filterQuery(q)}
	for _, f := range kept {
		if f.List == list {
			out.Saved = append(out.Saved, savedFilter{f, Root + path + "?" + f.Query, f.Query == out.Query})
		}
	}
	return out
}

// filterQuery returns the part of a query that is a filter. Equal filters give equal text.
func filterQuery(q url.Values) string {
	out := url.Values{}
	for name, values := range q {
		if !slices.Contains(passing, name) && values[0] != "" {
			out[name] = values
		}
	}
	return out.Encode()
}

// Known reports whether the list's present filter is already saved.
func (f savedFilters) Known() bool {
	return slices.ContainsFunc(f.Saved, func(s savedFilter) bool { return s.On })
}

// server answers requests with views.
type server struct {
	Templates templateSet
	Client    *api.Client
	Clock     func() time.Time
	Log       *slog.Logger
	Acted     func() // called after each submitted form
}

// serve answers requests with the page that a view makes.
func (s *server) serve(v viewFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := page{}, error(nil)
		if r.Method == http.MethodPost {
			err = readForm(r)
		}
		if err == nil {
			p, err = v(r)
		}
		if r.Method == http.MethodPost {
			s.Acted()
		}
		if err != nil {
			p = s.failed(r, err)
		}
		if p.To != "" {
			w.Header().Set("Location", Root+p.To)
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		done := r.URL.Query().Get("done")
		out := shownPage{Title: p.Title, Path: r.URL.Path, Now: s.Clock().UTC(), Data: p.Data,
			Feed: cmp.Or(p.Feed, allChanges), Flash: flashes[done], Doubtful: doubtful[done], Visitor: visitorOf(r)}
		if mode, err := api.GetTestMode.Call(r.Context(), s.Client, api.None{}); err == nil {
			out.TestMode = mode.IsTestMode
		}
		s.Templates.Write(w, s.Log, p, out)
	})
}

// failed returns the page that shows an error.
func (s *server) failed(r *http.Request, err error) page {
	problem, ok := errors.AsType[*api.Problem](err)
	if !ok {
		s.Log.Error("dashboard failed", "path", r.URL.Path, "err", err)
		problem = &api.Problem{Title: "Something went wrong", Status: http.StatusInternalServerError,
			Detail: "the API gave an unexpected answer; see the log"}
	}
	return page{Name: "problem", Title: problem.Title, Data: problem, Status: problem.Status}
}

// doubtful are the messages that ask for attention, although the action succeeded.
var doubtful = map[string]bool{"settings-nothing": true, "added-route": true, "site-route": true}

// These settings replace each other.
const (
	scheduleGone = "Saved. The schedule was removed, because an interval was set."
	intervalGone = "Saved. The interval was removed, because a schedule was set."
)

// flashes are the messages that pages show after an action. The address of such a page contains the message's name.
var flashes = map[string]string{
	"filter-kept":      "The filter is saved. Only you can see it.",
	"filter-forgotten": "The filter is deleted.",

	"site-removed": "The site is removed. Its pages stay and are watched as before.",

	"added": "Registered. It will be fetched as soon as its host allows.",
	"added-route": "Registered without the part of the address after #. The page is read without it, and any other " +
		"route of the page is the same item.",
	"site-route": "The part of an address after # is left out. Pages are read without it, and other routes of a page " +
		"are the same item.",
	"forced":   "It will be fetched and indexed again, even if it has not changed.",
	"check":    "It will be checked now.",
	"removed":  "The item will be gone within seconds, and every stored version is deleted.",
	"paused":   "Paused. It is checked only on request.",
	"resumed":  "Resumed. Checks follow their schedule again.",
	"accepted": "The page is accepted as it is. It will be checked now.",
	"ignored":  "Lines like these are ignored from now on.",
	"counted":  "Lines like these count again.",
	"decided":  "Saved. It applies from the next check on; what moves is listed below.",

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
	"rule-save":      "The rule is saved. It applies to changes from now on.",
	"rule-now":       "A message about what holds already is on its way.",
	"rule-remove":    "The rule is removed.",
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
