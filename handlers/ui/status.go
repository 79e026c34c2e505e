package ui

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// statusFuncs are the functions that the templates of this part call.
var statusFuncs = template.FuncMap{"phase": phase, "rebuildBar": rebuildBar, "rebuildName": rebuildName}

// statusViews returns the pages and forms about Tidemark itself, by pattern: problems that a person must solve, the
// work in progress, and whether the index is up to date.
func (a area) statusViews() map[string]viewFunc {
	return map[string]viewFunc{
		"GET /attention": a.attention,
		"GET /machine":   a.machine,
		"GET /index":     a.index,
		"GET /index/run": a.rebuild,

		"GET /keys": a.keys,

		"POST /keys":      a.changeKeys,
		"POST /index":     a.startRebuild,
		"POST /test-mode": a.setTestMode,
	}
}

// setTestMode turns test mode on or off.
func (a area) setTestMode(r *http.Request) (page, error) {
	mode, err := api.SetTestMode.Call(r.Context(), a.client, api.TestMode{IsTestMode: r.PostForm.Get("on") == "true"})
	done := "test-off"
	if mode.IsTestMode {
		done = "test-on"
	}
	return goTo("/machine?done=" + done), err
}

// keysData lists the keys, with the form for a new one.
type keysData struct {
	Keys []api.Key
	Form Form
	Made *api.NewKey // the key that was just made; its secret is shown once
}

// keys lists all keys.
func (a area) keys(r *http.Request) (page, error) {
	return a.keysPage(r, keysData{})
}

func (a area) keysPage(r *http.Request, d keysData) (page, error) {
	all, err := api.ListKeys.Call(r.Context(), a.client, api.None{})
	d.Keys = all.Keys
	p := page{Name: "keys", Title: "Keys", Data: d}
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	return p, err
}

// changeKeys makes a key, or removes one.
func (a area) changeKeys(r *http.Request) (page, error) {
	ctx, f := r.Context(), r.PostForm
	if name := f.Get("remove"); name != "" {
		_, err := api.RemoveKey.Call(ctx, a.client, api.KeyName{Name: name})
		return goTo("/keys?done=key-remove"), err
	}
	made, err := api.AddKey.Call(ctx, a.client, api.KeyRequest{Name: f.Get("name"), Scope: api.Scope(f.Get("scope"))})
	if problem := refusal(err); problem != nil {
		return a.keysPage(r, keysData{Form: Form{Values: f, Problem: problem}})
	}
	if err != nil {
		return page{}, err
	}
	return a.keysPage(r, keysData{Made: &made})
}

// maxHeld limits the number of hosts with waiting or failing items that a page shows.
const maxHeld = 10

type machineData struct {
	api.SearchStatus
	Health api.Health
	Plot   activityPlot
	Held   []heldHost // hosts whose items wait, those with the most items first
}

// A heldHost is a host whose items wait, and the reason why they wait.
type heldHost struct {
	api.HostStatus
	Why string
}

// machine shows the work in progress and the work that waits.
func (a area) machine(r *http.Request) (page, error) {
	st, err := a.tally.Counts(r.Context())
	if err != nil {
		return page{}, err
	}
	period := periodOf(r.URL.Query().Get("hours"))
	done, err := api.GetActivity.Call(r.Context(), a.client, api.ActivityQuery{Hours: period.Hours})
	d := machineData{SearchStatus: st.SearchStatus, Health: a.healthOf(r), Held: holding(st.Hosts, a.clock()),
		Plot: newPlot(done, period, a.clock())}
	return page{Name: "machine", Title: "Machine", Data: d}, err
}

// holding returns the hosts whose items wait, and the reasons.
func holding(hosts []api.HostStatus, now time.Time) []heldHost {
	var out []heldHost
	for _, h := range hosts {
		switch {
		case h.PausedUntil.After(now):
			out = append(out, heldHost{h, "paused until " + words.Stamp(h.PausedUntil) + ": " + h.PauseReason})
		case h.ErrorRate >= 0.5 && h.Items[api.StatusError] > 0:
			out = append(out, heldHost{h, words.Count(h.Items[api.StatusError], "item") +
				" could not be checked; retried automatically"})
		case h.Due > 0:
			out = append(out, heldHost{h, "limited by the pace of the host"})
		}
	}
	slices.SortStableFunc(out, func(a, b heldHost) int { return cmp.Compare(b.Backlog(), a.Backlog()) })
	return out[:min(len(out), maxHeld)]
}
