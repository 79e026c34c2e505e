package handlers

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/notify"
)

// linkPaths are the paths of the links of messages, below [ui.Root]: that of short links, and that of
// the mute links of older messages. They need no key: the reader of a message may mute its page for
// its rule, or stop its mails. Their pages show the titles of the page and of the rule, and nothing
// else.
var linkPaths = []string{"/m/", "/mute/"}

// linkToken returns the path and the token of a link, if a request is for one. Hosts fold the case of paths, but not of
// tokens.
func linkToken(r *http.Request) (path, token string, found bool) {
	at := "/" + strings.Trim(r.URL.Path, "/")
	for _, p := range linkPaths {
		p = ui.Root + p
		if len(at) > len(p) && strings.EqualFold(at[:len(p)], p) && !strings.Contains(at[len(p):], "/") {
			return p, at[len(p):], true
		}
	}
	return "", "", false
}

// oneClick reports whether a form is what a mail program sends when its user unsubscribes (RFC 8058). It comes from
// anywhere and without cookies; the token of the link is what allows it.
func oneClick(r *http.Request) bool { return r.PostForm.Get("List-Unsubscribe") == "One-Click" }

// maxLinkForm is the size of the largest form of a link, in bytes.
const maxLinkForm = 1 << 20

// serveLink answers a request for a link of a message. GET changes nothing, because programs follow
// the links in mails: it leads to a page of the dashboard, or shows one with a form. The form mutes
// the page, stops the mail, or ends that. The requests for what a link mutes share a small allowance;
// for links that are not valid, there is one for each address.
func (d *door) serveLink(w http.ResponseWriter, r *http.Request, path, token string) {
	r = wire.WithCaller(r, wire.Caller{})
	w.Header().Set("X-Robots-Tag", "noindex")
	form := r.Method == http.MethodPost
	if why := d.refuseLink(w, r, token); why != nil {
		ui.RefuseForm(w, r, why)
		return
	}
	if !form && r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "a link is opened, or its form is sent", http.StatusMethodNotAllowed)
		return
	}
	done := ""
	if form {
		if done = r.PostForm.Get("do"); oneClick(r) {
			done = "stop"
		}
	}
	of, to, err := d.followLink(r, token, done, form)
	switch {
	case err != nil:
		ui.RefuseForm(w, r, notMuted(r, d.Log, err))
	case to != "":
		http.Redirect(w, r, to, http.StatusSeeOther)
	default:
		ui.MuteLink(w, r, ui.LinkedMute{Action: path + url.PathEscape(token), Done: done, LinkedMute: of})
	}
}

// refuseLink reads the form of a request for a link, if it has one. It returns why the request is refused, if it is.
func (d *door) refuseLink(w http.ResponseWriter, r *http.Request, token string) *api.Problem {
	if wait := muteWait(d, r, token); wait > 0 {
		wire.RetryAfter(w, wait)
		return &api.Problem{Title: "Too many requests", Status: http.StatusTooManyRequests,
			Detail: "open the link again in a few seconds"}
	}
	if r.Method != http.MethodPost {
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxLinkForm)
	if why := ui.ReadForm(r); why != nil {
		return why
	}
	if ui.FromElsewhere(r) && !oneClick(r) {
		return &api.Problem{Title: "Forbidden", Status: http.StatusForbidden, Detail: "this form was sent by another site"}
	}
	return nil
}

// muteWait counts a request for a mute link, and returns how long it must wait. Nobody who shares
// an address can use up the allowance of a valid link.
func muteWait(d *door, r *http.Request, token string) (wait time.Duration) {
	now, limiter, of := time.Now(), &d.forged, address(r)
	if services, err := d.open(r.Context()); err == nil {
		if what, signed := services.of.Notify.Links.Signed(token); signed {
			sum := sha256.Sum256([]byte(what)) // a limiter counts by address
			limiter, of = &d.muting, netip.AddrFrom16([16]byte(sum[:16])).String()
		}
	}
	wait = limiter.Wait(now, of)
	limiter.Failed(now, of)
	return wait
}

// followLink does what a form asks for, or only reads; or it returns the page of the dashboard to which a link leads.
func (d *door) followLink(r *http.Request, token, do string, form bool) (of notify.LinkedMute, to string, err error) {
	services, err := d.open(r.Context())
	if err != nil {
		return of, "", d.unavailable(r, err)
	}
	links := services.of.Notify.Links
	if to, err = links.Leads(r.Context(), token); to != "" || err != nil {
		return of, to, err
	}
	switch {
	case !form:
		of, err = links.Read(r.Context(), token)
		return of, "", err
	case do == "undo":
		of, err = links.Undo(r.Context(), token)
	default:
		of, err = links.Mute(r.Context(), token, do)
	}
	return of, "", services.flushed(r.Context(), err)
}

// notMuted returns what is said of a link that cannot be used. Of other errors it says nothing,
// because anybody may ask.
func notMuted(r *http.Request, log *slog.Logger, err error) *api.Problem {
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Expired:
		return &api.Problem{Title: "Not muted", Status: http.StatusNotFound, Detail: err.Error()}
	case fault.Invalid:
		return &api.Problem{Title: "Not muted", Status: http.StatusBadRequest,
			Detail: "the form asks for day, week, always or undo"}
	}
	log.ErrorContext(r.Context(), "a mute link failed", "err", err)
	return &api.Problem{Title: "Not muted", Status: http.StatusServiceUnavailable, Detail: "try again in a minute"}
}
