package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

// Bounds of what a page may start.
const (
	maxWorkers   = 16
	maxPopups    = 8
	maxDialogs   = 20
	maxDownloads = 8
	maxSockets   = 100
	maxFrames    = 60 // targets of frames
	maxDocuments = 20 // of one frame, one after another
)

// attached guards a new target before it runs. It is called by the reader of the connection.
func (t *tab) attached(id string, to target) {
	s := &session{id: id, kind: to.Type, to: to}
	t.mu.Lock()
	defer t.mu.Unlock()
	popup := to.Type == "page" && t.main != nil
	if t.closing || popup || t.tooMany(to.Type) {
		// It is guarded as well, because its opener may use it until it is closed.
		t.b.dev.Send(id, "Fetch.enable", everyRequest)
		t.b.dev.Send("", "Target.closeTarget", map[string]any{"targetId": to.ID})
		if !t.closing {
			t.running.Go(func() { t.refuseTarget(to, popup) })
		}
		return
	}
	t.sessions[id] = s
	if to.Type == "page" {
		t.main = s
	}
	t.running.Go(func() {
		if err := t.guard(s); err != nil && !isGone(err) {
			// A target without its guard must not go on: the page ends.
			t.cancel(pageError("", fmt.Errorf("the guard of a %s: %w", s.kind, err)))
		}
	})
}

// refuseTarget counts a window or a worker that is not let run.
func (t *tab) refuseTarget(to target, popup bool) {
	if popup {
		t.refuse(RefusedPopup, to.URL, maxPopups, BoundPopups)
	} else {
		t.refuse(RefusedWorker, to.URL, 0, BoundWorkers)
	}
}

// tooMany reports whether there are as many targets of a type as there may be. The mutex must be held.
func (t *tab) tooMany(kind string) bool {
	n := 0
	for _, s := range t.sessions {
		if s.kind == kind || kind != "iframe" && s.kind != "iframe" && s.kind != "page" {
			n++
		}
	}
	switch kind {
	case "page":
		return false
	case "iframe":
		return n >= maxFrames
	}
	return n >= maxWorkers
}

var everyRequest = map[string]any{"patterns": []any{map[string]any{"urlPattern": "*"}}}

// guard intercepts the requests of a target, and lets it run. A dedicated worker and a worklet have no interception of
// their own: their page sees their requests.
func (t *tab) guard(s *session) error {
	ctx, cancel := context.WithTimeout(t.ctx, callTimeout)
	defer cancel()
	fetching := t.b.dev.Start(s.id, "Fetch.enable", everyRequest)
	attaching := t.b.dev.Start(s.id, "Target.setAutoAttach", autoAttach())
	if err := fetching.Wait(ctx, nil); err != nil && !(s.isPart() && isUnknown(err)) {
		return err
	}
	var shaping []*devtools.Pending
	if s.kind == "page" || s.kind == "iframe" {
		shaping = t.shape(s)
	}
	if strings.HasSuffix(s.kind, "worker") { // answered once it runs
		shaping = append(shaping, t.b.dev.Start(s.id, "Network.enable", nil))
	}
	running := t.b.dev.Start(s.id, "Runtime.runIfWaitingForDebugger", nil)
	if err := attaching.Wait(ctx, nil); err != nil && !(s.kind == "worklet" && isUnknown(err)) {
		return err
	}
	for _, p := range append(shaping, running) {
		if err := p.Wait(ctx, nil); err != nil {
			return err
		}
	}
	if s == t.mainSession() {
		close(t.ready)
	}
	return nil
}

// isPart reports whether a target belongs to a page that sees its requests.
func (s *session) isPart() bool { return s.kind == "worker" || s.kind == "worklet" }

// isUnknown reports whether an error says that a target has no such method.
func isUnknown(err error) bool {
	var refused *devtools.CallError
	return errors.As(err, &refused) && refused.Code == devtools.UnknownMethod
}

func (t *tab) mainSession() *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.main
}

// isGone reports whether an error says that a target has ended meanwhile, or that the render has.
func isGone(err error) bool {
	var refused *devtools.CallError
	if errors.As(err, &refused) && refused.Code == devtools.UnknownSession {
		return true
	}
	return errors.Is(err, errClosed)
}

// shape sets what a document sees: the viewport, the language, colours; and removes what no proxy holds.
func (t *tab) shape(s *session) []*devtools.Pending {
	v, call := t.view(), func(method string, params any) *devtools.Pending { return t.b.dev.Start(s.id, method, params) }
	scheme := "light"
	if v.Dark {
		scheme = "dark"
	}
	out := []*devtools.Pending{
		call("Page.enable", nil),
		call("Network.enable", map[string]any{"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
		call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": shields, "runImmediately": true}),
		call("Emulation.setUserAgentOverride", map[string]any{"userAgent": t.agent(), "acceptLanguage": v.Language}),
		call("Emulation.setEmulatedMedia", map[string]any{"features": []any{
			map[string]any{"name": "prefers-color-scheme", "value": scheme},
			map[string]any{"name": "prefers-reduced-motion", "value": "reduce"}}}),
	}
	if s.kind == "page" {
		out = append(out, call("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.Width,
			"height": v.Height, "deviceScaleFactor": 1, "mobile": false}),
			call("Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}))
	}
	return out
}

// event handles what happens in a target. It is called by the reader of the connection.
func (t *tab) event(m devtools.Message) {
	switch m.Method {
	case "Fetch.requestPaused":
		t.requestPaused(m)
	case "Page.frameNavigated":
		t.frameNavigated(m)
	case "Page.navigatedWithinDocument":
		t.addressChanged(m)
	case "Page.loadEventFired":
		t.mu.Lock()
		if t.main != nil && t.main.id == m.Session {
			t.loaded, t.fired, t.file = time.Now(), true, ""
		}
		t.mu.Unlock()
	case "Page.javascriptDialogOpening":
		t.b.dev.Send(m.Session, "Page.handleJavaScriptDialog", map[string]any{"accept": false})
		t.refuse(RefusedDialog, "", maxDialogs, BoundDialogs)
	case "Page.downloadWillBegin":
		downloadBegun(t, m)
	case "Network.webSocketCreated":
		t.socketOpened(m)
	case "Inspector.targetCrashed":
		t.crashed(m.Session)
	case "Target.detachedFromTarget":
		t.detached(m)
	}
}

// downloadBegun counts a file to be saved, which the browser refuses. A page that is led to one before it is loaded
// loads no further.
func downloadBegun(t *tab, m devtools.Message) {
	var e struct {
		Frame string `json:"frameId"`
		URL   string `json:"url"`
	}
	_ = json.Unmarshal(m.Params, &e)
	t.mu.Lock()
	if t.main != nil && e.Frame == t.main.to.ID && !t.fired {
		t.file = e.URL
	}
	t.mu.Unlock()
	t.refuse(RefusedDownload, e.URL, maxDownloads, BoundDownloads)
}

// socketOpened counts a WebSocket, which the second wall refuses.
func (t *tab) socketOpened(m devtools.Message) {
	var e struct {
		URL string `json:"url"`
	}
	_ = json.Unmarshal(m.Params, &e)
	t.refuse(RefusedSocket, e.URL, maxSockets, BoundSockets)
}

// crashed ends the render if the page's own process has ended.
func (t *tab) crashed(session string) {
	t.mu.Lock()
	main := t.main != nil && t.main.id == session
	t.mu.Unlock()
	switch {
	case main && t.account.hasMet(BoundMemory):
		t.cancel(pageError(BoundMemory, fault.New(fault.TooLarge, "the page needs more than %d bytes of memory",
			t.r.o.MaxMemory)))
	case main:
		t.cancel(pageError("", fault.New(fault.Unavailable, "the browser's process of the page has crashed")))
	}
}

func (t *tab) detached(m devtools.Message) {
	var d struct {
		Session string `json:"sessionId"`
	}
	if json.Unmarshal(m.Params, &d) != nil {
		return
	}
	t.mu.Lock()
	delete(t.sessions, d.Session)
	t.mu.Unlock()
	t.b.forget(d.Session)
	t.b.dev.Abandon(d.Session)
}

func (t *tab) frameNavigated(m devtools.Message) {
	var e struct {
		Frame struct {
			ID     string `json:"id"`
			Parent string `json:"parentId"`
			URL    string `json:"url"`
			Origin string `json:"securityOrigin"`
		} `json:"frame"`
	}
	if json.Unmarshal(m.Params, &e) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.origins[e.Frame.ID] = e.Frame.Origin
	if e.Frame.Parent == "" && t.main != nil && t.main.id == m.Session {
		t.address, t.loaded, t.fired, t.file = e.Frame.URL, time.Time{}, false, ""
	}
}

// addressChanged notes the address that a script has given to the document.
func (t *tab) addressChanged(m devtools.Message) {
	var e struct {
		Frame string `json:"frameId"`
		URL   string `json:"url"`
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if json.Unmarshal(m.Params, &e) == nil && t.main != nil && e.Frame == t.main.to.ID {
		t.address = e.URL
	}
}

// pageError returns a failure of a page, with the kind Unavailable unless it has another one.
func pageError(bound Bound, err error) error {
	if fault.KindOf(err) == fault.Internal {
		err = fault.New(fault.Unavailable, "%w", err)
	}
	return &PageError{Err: err, Bound: bound}
}
