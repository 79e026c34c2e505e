package handlers

import (
	"net/http"
	"net/url"
	"time"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// linkUsed is the message for a visitor whose link begins no session. It does not reveal why.
const linkUsed = "This link was used before, or is older than ten minutes: the command “tidemark link” prints another."

// serveSignInLink answers requests for a link that signs a browser in. A program with a key makes one by POST. Opening
// it changes nothing, because programs open the links that they see; its form begins a session, once.
func (d *door) serveSignInLink(w http.ResponseWriter, r *http.Request) {
	services, err := d.open(r.Context())
	if err != nil {
		d.refuse(w, r, d.unavailable(r, err))
		return
	}
	w.Header().Set("X-Robots-Tag", "noindex")
	switch {
	case r.Method == http.MethodPost && len(credentials(r, nil)) > 0:
		d.makeLink(w, r, services.keys)
	case r.Method == http.MethodPost:
		d.useLink(w, r, services.keys)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		token := r.URL.Query().Get("t")
		if _, valid, err := services.keys.Linked(r.Context(), token); d.linkHolds(w, r, valid, err) {
			ui.SignInLink(w, r, token)
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		wire.Problem(w, http.StatusMethodNotAllowed, "a link is opened, or its form is sent")
	}
}

// makeLink makes a link for the holder of a key, which may open pages.
func (d *door) makeLink(w http.ResponseWriter, r *http.Request, ring *keys.Ring) {
	k, err := d.check(r, credentials(r, nil))
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	if !k.Scope.Covers(api.ScopeRead) {
		wire.Problem(w, http.StatusForbidden, feedKey)
		return
	}
	token, err := ring.Link(r.Context(), k)
	if err != nil {
		d.refuse(w, r, err)
		return
	}
	wire.JSON(w, http.StatusOK, api.SignInLink{Path: ui.Root + signInLink + "?t=" + url.QueryEscape(token),
		Until: time.Now().UTC().Add(keys.LinkLife).Truncate(time.Second)})
}

// useLink begins a session by the form of a link.
func (d *door) useLink(w http.ResponseWriter, r *http.Request, ring *keys.Ring) {
	if ui.FromElsewhere(r) {
		d.askToSignIn(w, r, http.StatusForbidden, "This form was sent by another site.")
		return
	}
	if why := ui.ReadForm(r); why != nil {
		d.askToSignIn(w, r, why.Status, "This cannot be done: "+why.Detail+".")
		return
	}
	k, session, valid, err := ring.UseLink(r.Context(), r.PostForm.Get("t"))
	if d.linkHolds(w, r, valid, err) {
		d.begin(w, r, ring, k, session)
	}
}

// linkHolds reports whether a link is valid. If not, it answers.
func (d *door) linkHolds(w http.ResponseWriter, r *http.Request, valid bool, err error) bool {
	switch {
	case err != nil:
		d.refuse(w, r, err)
	case !valid:
		d.askToSignIn(w, r, http.StatusGone, linkUsed)
	}
	return valid && err == nil
}

// serveOpenLink answers requests for such a link where nobody needs a key: it leads to the dashboard.
func (d *door) serveOpenLink(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		wire.JSON(w, http.StatusOK, api.SignInLink{Path: ui.Root})
		return
	}
	redirect(w, ui.Root)
}
