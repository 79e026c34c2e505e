package ui

import (
	"html/template"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// This file is the part of the dashboard about Tidemark itself: problems that a person must solve, the work in
// progress, and whether the index is up to date. All parts use its [tally], which counts items and problems.

// statusFuncs are the functions that the templates of this part call.
var statusFuncs = template.FuncMap{"phase": phase, "rebuildBar": rebuildBar, "rebuildName": rebuildName}

// statusArea is this part of the dashboard.
type statusArea struct {
	client *api.Client
	clock  func() time.Time
	tally  *tally
}

// statusViews returns the pages of this part and the actions of their forms, by pattern.
func statusViews(client *api.Client, clock func() time.Time, tally *tally) map[string]frame.View {
	a := statusArea{client, clock, tally}
	return map[string]frame.View{
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
func (a statusArea) setTestMode(r *http.Request) (frame.Page, error) {
	mode, err := api.SetTestMode.Call(r.Context(), a.client, api.TestMode{IsTestMode: r.PostForm.Get("on") == "true"})
	done := "test-off"
	if mode.IsTestMode {
		done = "test-on"
	}
	return frame.GoTo("/machine?done=" + done), err
}
