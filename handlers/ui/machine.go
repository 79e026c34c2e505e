package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// setTestMode turns test mode on or off.
func (v *visit) setTestMode() page {
	mode := ask(v, api.SetTestMode, api.TestMode{IsTestMode: v.PostForm.Get("on") == "true"})
	done := "test-off"
	if mode.IsTestMode {
		done = "test-on"
	}
	return goTo("/machine?done=" + done)
}

// keysData lists the keys, with the form for a new one.
type keysData struct {
	Keys []api.Key
	Form Form
	Made *api.NewKey // the key that was just made; its secret is shown once
}

// keys lists all keys.
func (v *visit) keys() page {
	return v.keysPage(keysData{})
}

func (v *visit) keysPage(d keysData) page {
	d.Keys = ask(v, api.ListKeys, api.None{}).Keys
	return page{Name: "keys", Title: "Keys", Data: d, Refused: d.Form.Problem}
}

// changeKeys makes a key, or removes one.
func (v *visit) changeKeys() page {
	f := v.PostForm
	if name := f.Get("remove"); name != "" {
		ask(v, api.RemoveKey, api.KeyName{Name: name})
		return goTo("/keys?done=key-remove")
	}
	made := ask(v, api.AddKey, api.KeyRequest{Name: f.Get("name"), Scope: api.Scope(f.Get("scope"))})
	if problem := v.refused(); problem != nil {
		return v.keysPage(keysData{Form: Form{Values: f, Problem: problem}})
	}
	return v.keysPage(keysData{Made: &made})
}

// settingsData lists the settings of the program.
type settingsData struct {
	Settings []api.ServerSetting
	Changed  *api.ServerSetting // the one that was just changed
	Name     string             // of the one whose typed value was refused
	Typed    string
	Problem  *api.Problem
}

// MayChange reports whether a setting can be changed while the program runs.
func (settingsData) MayChange(s api.ServerSetting) bool { return !s.Restart && s.From != "environment" }

// serverSettings shows the settings of the program.
func (v *visit) serverSettings() page { return v.serverSettingsPage(settingsData{}) }

func (v *visit) serverSettingsPage(d settingsData) page {
	d.Settings = ask(v, api.GetSettings, api.None{}).Settings
	changed := v.URL.Query().Get("changed")
	i := slices.IndexFunc(d.Settings, func(s api.ServerSetting) bool { return s.Name == changed })
	if i >= 0 && d.Problem == nil {
		d.Changed = &d.Settings[i]
	}
	return page{Name: "settings", Title: "Settings", Data: d, Refused: d.Problem}
}

// changeSetting changes a setting, or takes it out of the file.
func (v *visit) changeSetting() page {
	name, typed := v.PostForm.Get("name"), strings.TrimSpace(v.PostForm.Get("value"))
	patch := api.SettingsPatch{name: &typed}
	if v.PostForm.Get("do") == "default" || typed == "" {
		patch[name] = nil
	}
	ask(v, api.PatchSettings, patch)
	if problem := v.refused(http.StatusBadRequest, http.StatusConflict); problem != nil {
		return v.serverSettingsPage(settingsData{Name: name, Typed: typed, Problem: problem})
	}
	return goTo("/settings?changed=" + url.QueryEscape(name))
}

// maxHeld limits the number of hosts with waiting or failing items that a page shows.
const maxHeld = 10

type machineData struct {
	api.SearchStatus
	Health api.Health
	Needs  int // the number of things that a person must solve
	Plot   activityPlot
	Held   []heldHost // hosts whose items wait, those with the most items first
}

// A heldHost is a host whose items wait, and the reason why they wait.
type heldHost struct {
	api.HostStatus
	Why string
}

// machine shows the work in progress and the work that waits.
func (v *visit) machine() page {
	st := v.counts()
	period := periodOf(v.URL.Query().Get("hours"))
	done := ask(v, api.GetActivity, api.ActivityQuery{Hours: period.Hours})
	d := machineData{SearchStatus: st.SearchStatus, Needs: st.Needs, Health: v.healthOf(),
		Held: holding(st.Hosts, v.clock()), Plot: newPlot(done, period, v.clock())}
	return page{Name: "machine", Title: "Machine", Data: d}
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

type indexData struct {
	api.SearchStatus
	Health  api.Health
	Host    string // as the person typed it
	Problem *api.Problem
}

// index shows whether the index is up to date, and the forms that check or rebuild it.
func (v *visit) index() page {
	return v.indexPage(v.URL.Query().Get("host"), nil)
}

func (v *visit) indexPage(host string, problem *api.Problem) page {
	d := indexData{SearchStatus: v.counts().SearchStatus, Host: host, Problem: problem, Health: v.healthOf()}
	return page{Name: "index", Title: "Index", Data: d, Refused: problem}
}

// healthOf returns the app's own report of its health, or the error that prevented the report.
func (v *visit) healthOf() api.Health {
	h, err := api.GetHealth.Call(v.Context(), v.client, api.None{})
	if err != nil {
		h.Status = err.Error()
	}
	return h
}

// startRebuild starts a rebuild or an audit, or shows the form again with the errors in it.
func (v *visit) startRebuild() page {
	host := strings.TrimSpace(v.PostForm.Get("host"))
	var req api.RebuildRequest
	if host != "" {
		req.Scope = &api.RebuildScope{Host: host}
	}
	switch v.PostForm.Get("do") {
	case "audit":
		req.Audit = true
	case "refetch":
		req.Refetch = true
	case "rebuild":
	default:
		return v.fail(badRequest("the index can be rebuilt or audited"))
	}
	run := ask(v, api.StartRebuild, req)
	if problem := v.refused(); problem != nil {
		return v.indexPage(host, problem)
	}
	return goTo("/index/run?id=" + url.QueryEscape(run.ID))
}

// rebuild shows one rebuild or audit. The id is a parameter and not a part of the path, because it
// has upper-case letters and paths are changed to lower case.
func (v *visit) rebuild() page {
	run := ask(v, api.GetRebuild, api.RebuildID{ID: v.URL.Query().Get("id")})
	return page{Name: "rebuild", Title: rebuildName(run), Data: run}
}

// rebuildName returns a name for a rebuild or an audit.
func rebuildName(run api.Rebuild) string {
	what, of := "Rebuild of ", "everything"
	if run.Audit {
		what = "Audit of "
	}
	if run.Host != "" {
		of = run.Host
	}
	return what + of
}

// rebuildBar returns the progress of a rebuild. The total is known only after all items have been marked for it.
func rebuildBar(run api.Rebuild) progressBar {
	switch run.Status {
	case api.RebuildDone:
		return newBar(1, 1, "done")
	case api.RebuildIndexing:
		return newBar(run.Marked-min(run.Left, run.Marked), max(1, run.Marked), "indexed again")
	}
	return progressBar{What: run.Status}
}

// phase describes what a rebuild is doing now.
func phase(run api.Rebuild) string {
	return map[string]string{
		api.RebuildMarking:  "Items are being marked to be indexed again.",
		api.RebuildEntries:  "Entries are being put into the index.",
		api.RebuildClearing: "Leftovers without an item or an entry are being removed from the index.",
		api.RebuildIndexing: "All items are marked; the rest are waiting for a worker.",
		api.RebuildCounting: "The results are being counted.",
		api.RebuildDone:     "Done.",
	}[run.Status]
}
