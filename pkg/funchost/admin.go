package funchost

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/storage"
)

// maxAdminBody bounds the body of an admin request.
const maxAdminBody = 1 << 20

// adminParts gives the parts of a path below /admin, lower case but for the name of a function, or
// nil for any other path.
func adminParts(r *http.Request) []string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 2 || !strings.EqualFold(parts[0], "admin") {
		return nil
	}
	return parts[1:]
}

// serveAdmin answers the management API. Everything but ping needs the master key.
func (h *Host) serveAdmin(w http.ResponseWriter, r *http.Request, parts []string) {
	area := strings.ToLower(parts[0])
	ping := area == "host" && len(parts) == 2 && strings.EqualFold(parts[1], "ping")
	if h.opt.Auth && !ping && !h.opt.Keys.permits(r, levelAdmin, "") {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	switch {
	case area == "host" && len(parts) == 2:
		h.adminHost(w, r, strings.ToLower(parts[1]))
	case area == "functions":
		h.adminFunctions(w, r, parts[1:])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (h *Host) adminHost(w http.ResponseWriter, r *http.Request, verb string) {
	post := r.Method == http.MethodPost
	switch {
	case verb == "status" && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, h.statusPage())
	case verb == "ping":
		w.WriteHeader(http.StatusOK)
	case verb == "drain" && post:
		h.listeners.stop()
		w.WriteHeader(http.StatusAccepted)
	case verb == "resume" && post:
		h.listeners.start()
		writeJSON(w, http.StatusOK, map[string]string{"state": h.state()})
	case verb == "restart" && post:
		h.handler.restart(h.handler.current(), "asked to over /admin/host/restart")
		w.WriteHeader(http.StatusNoContent)
	case verb == "synctriggers" && post:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// state is Running once the handler answers.
func (h *Host) state() string {
	if h.handler.running() {
		return "Running"
	}
	return "Initialized"
}

type statusPage struct {
	ID            string   `json:"id"`
	State         string   `json:"state"`
	Version       string   `json:"version"`
	VersionDetail string   `json:"versionDetails"`
	Uptime        int64    `json:"processUptime"` // milliseconds
	Editing       string   `json:"functionAppContentEditingState"`
	Errors        []string `json:"errors,omitempty"`
}

func (h *Host) statusPage() statusPage {
	page := statusPage{
		ID: "local", State: h.state(), Version: hostVersion, VersionDetail: hostVersion + " (tidemark funchost)",
		Uptime: h.opt.Now().Sub(h.begun).Milliseconds(), Editing: "NotAllowed",
	}
	for _, err := range h.loadErrors {
		page.Errors = append(page.Errors, err.Error())
	}
	return page
}

type functionPage struct {
	Name       string `json:"name"`
	Trigger    string `json:"trigger"`
	IsDisabled bool   `json:"isDisabled"`
}

// adminFunctions lists functions, tells the state of one, and runs one by hand.
func (h *Host) adminFunctions(w http.ResponseWriter, r *http.Request, parts []string) {
	if len(parts) == 0 {
		h.listFunctions(w)
		return
	}
	f := h.named(parts[0])
	switch {
	case f == nil:
		w.WriteHeader(http.StatusNotFound)
	case len(parts) == 1 && r.Method == http.MethodPost:
		h.runByHand(w, r, f)
	case len(parts) == 1 && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, f.page())
	case len(parts) == 2 && strings.EqualFold(parts[1], "status") && r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, map[string]any{})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (h *Host) listFunctions(w http.ResponseWriter) {
	pages := []functionPage{}
	for _, f := range h.functions {
		pages = append(pages, f.page())
	}
	writeJSON(w, http.StatusOK, pages)
}

func (f *function) page() functionPage {
	return functionPage{Name: f.name, Trigger: f.trigger.kind, IsDisabled: f.disabled}
}

func (h *Host) named(name string) *function {
	for _, f := range h.functions {
		if strings.EqualFold(f.name, name) {
			return f
		}
	}
	return nil
}

// runByHand answers 202 at once and runs the function behind that answer. The input of a queue
// function is the message text; a timer takes none.
func (h *Host) runByHand(w http.ResponseWriter, r *http.Request, f *function) {
	var body struct{ Input *string }
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAdminBody)).Decode(&body)
	if err != nil || (f.trigger.kind == queueTrigger && body.Input == nil) {
		writeJSON(w, http.StatusBadRequest, map[string]string{"Message": `want {"input":"text"}`})
		return
	}
	now := h.opt.Now()
	switch f.trigger.kind {
	case queueTrigger:
		m := storage.Message{Body: []byte(*body.Input), Inserted: now}
		h.runLater(f, queueEnvelope(f, m, now))
	case timerTrigger:
		h.runLater(f, timerEnvelope(f, f.timer, timerStatus{Next: f.timer.schedule.next(now)}, false, now))
	default:
		writeJSON(w, http.StatusBadRequest, map[string]string{"Message": "call an HTTP function at its route"})
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (h *Host) runLater(f *function, e envelope) {
	h.work(func(ctx context.Context) {
		// The outcome is logged by invoke; nobody waits for it.
		h.invoke(ctx, f, e)
	})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b)
}
