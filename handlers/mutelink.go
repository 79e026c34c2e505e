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

// linkedMute is the path of the pages that mute links open, below [ui.Root]. They need no key: the
// reader of a message may mute its page for its rule. They show the titles of the page and of the
// rule, and nothing else.
const linkedMute = "/mute/"

// muteToken returns the token of a mute link, if a request is for one. Hosts fold the case of paths, but not of tokens.
func muteToken(r *http.Request) (token string, found bool) {
	const before = ui.Root + linkedMute
	at := "/" + strings.Trim(r.URL.Path, "/")
	if len(at) <= len(before) || !strings.EqualFold(at[:len(before)], before) {
		return "", false
	}
	return at[len(before):], !strings.Contains(at[len(before):], "/")
}

// serveMuteLink answers a request for a mute link. GET changes nothing, because programs follow the
// links in mails. A form mutes the page, or ends that mute. The requests for what a link mutes
// share a small allowance; for links that are not valid, there is one for each address.
func (d *door) serveMuteLink(w http.ResponseWriter, r *http.Request, token string) {
	r = wire.WithCaller(r, wire.Caller{})
	w.Header().Set("X-Robots-Tag", "noindex")
	wait := muteWait(d, r, token)
	form := r.Method == http.MethodPost
	switch {
	case wait > 0:
		wire.RetryAfter(w, wait)
		ui.RefuseForm(w, r, &api.Problem{Title: "Too many requests", Status: http.StatusTooManyRequests,
			Detail: "open the link again in a few seconds"})
		return
	case form && ui.FromElsewhere(r):
		ui.RefuseForm(w, r, &api.Problem{Title: "Forbidden", Status: http.StatusForbidden,
			Detail: "this form was sent by another site"})
		return
	case !form && r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "a link is opened, or its form is sent", http.StatusMethodNotAllowed)
		return
	}
	if form {
		if why := ui.ReadForm(r); why != nil {
			ui.RefuseForm(w, r, why)
			return
		}
	}
	of, err := d.muteByLink(r, token, form)
	if err != nil {
		ui.RefuseForm(w, r, notMuted(r, d.Log, err))
		return
	}
	done := ""
	if form {
		done = r.PostForm.Get("do")
	}
	ui.MuteLink(w, r, ui.LinkedMute{Action: ui.Root + linkedMute + url.PathEscape(token), Done: done, LinkedMute: of})
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

// muteByLink does what a form asks for, or only reads.
func (d *door) muteByLink(r *http.Request, token string, form bool) (of notify.LinkedMute, err error) {
	services, err := d.open(r.Context())
	if err != nil {
		return of, d.unavailable(r, err)
	}
	links := services.of.Notify.Links
	switch {
	case !form:
		return links.Read(r.Context(), token)
	case r.PostForm.Get("do") == "undo":
		of, err = links.Undo(r.Context(), token)
	default:
		of, err = links.Mute(r.Context(), token, r.PostForm.Get("do"))
	}
	return of, services.flushed(r.Context(), err)
}

// notMuted returns what is said of a link that cannot be used. Of other errors it says nothing,
// because anybody may ask.
func notMuted(r *http.Request, log *slog.Logger, err error) *api.Problem {
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Expired:
		return &api.Problem{Title: "Not muted", Status: http.StatusNotFound, Detail: err.Error()}
	case fault.Invalid:
		return &api.Problem{Title: "Not muted", Status: http.StatusBadRequest, Detail: "the form asks for day, week or undo"}
	}
	log.ErrorContext(r.Context(), "a mute link failed", "err", err)
	return &api.Problem{Title: "Not muted", Status: http.StatusServiceUnavailable, Detail: "try again in a minute"}
}
