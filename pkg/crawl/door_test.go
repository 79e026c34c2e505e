package crawl

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
)

// formPage is a page with a title and the inside of a form.
func formPage(title, inside string) page {
	return page{body: "<html lang=en><title>" + title + "</title><main>" + inside + "</main>"}
}

// TestX9Doors checks that a redirect to a page for login or consent is a failed check, and no change; but that other
// redirects are followed (X9).
func TestX9Doors(t *testing.T) {
	const saml = `<form method=post action="https://idp.example/x"><input type=hidden name=SAMLRequest value=abc></form>` +
		`<p>You are being redirected.</p>`
	const mail = `<p>Enter your work address.</p><form action=/next><input name=id autocomplete="username"></form>`
	for _, tt := range []struct {
		name string
		path string // where /p leads
		page page
		want registry.Status
	}{
		{"a form that submits itself", "/go", formPage("Redirecting", saml), registry.Error},
		{"the address first", "/start", formPage("Harbour", mail), registry.Error},
		{"a password", "/start", formPage("Harbour", `<p>Hello</p><form><input type=password></form>`), registry.Error},
		{"only a sentence", "/members", formPage("Harbour", "<p>Please log in to view this page.</p>"), registry.Error},
		{"only the path", "/account/login", formPage("Harbour", "<p>One moment.</p>"), registry.Error},
		{"a script by its name", "/wp-login.php", formPage("Harbour", "<p>One moment.</p>"), registry.Error},
		{"single sign-on", "/sso/saml2", formPage("Harbour", "<p>One moment.</p>"), registry.Error},
		{"consent by the title", "/c", formPage("Consent", "<p>One moment.</p>"), indexed},
		{"consent by the path", "/cookie-consent", formPage("Harbour", "<p>One moment.</p>"), registry.Error},
		{"German", "/m", formPage("Anmelden", "<p>Ihre Kennung</p>"), registry.Error},
		{"a page that has moved", "/new", text("v1"), indexed},
		{"a text about logins", "/login-errors", formPage("Logins", "<p>How logins fail.</p>"), indexed},
		{"a long page below a login's path", "/login", prose("Help", 0, 200), indexed},
		{"an author", "/authors/login-smith", formPage("Smith", "<p>He writes.</p>"), indexed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", formPage("v1", "<p>Some words of the page.</p>"))
			before := r.first("/p")
			r.site.put("/p", to(302, tt.path+"?next=/p"))
			r.site.put(tt.path, tt.page)
			var it registry.Item
			for range 4 {
				r.clock.pass(time.Hour)
				it = r.look("/p")
			}
			if it.Status != tt.want {
				t.Fatalf("%s (%s), holds %q", it.Status, it.ErrorMessage, r.index.holds(it))
			}
			if tt.want == indexed {
				return
			}
			if it.ContentHash != before.ContentHash || r.index.holds(it) != "v1" || len(r.captures("/p")) != 1 ||
				!strings.HasPrefix(it.ErrorMessage, "redirected to a page for login or consent, "+r.site.URL+tt.path+" (by ") {
				t.Errorf("holds %q: %s", r.index.holds(it), it.ErrorMessage)
			}
			if it = r.force("/p"); it.Status != indexed || r.index.holds(it) == "v1" {
				t.Errorf("forced: %s (%s)", it.Status, it.ErrorMessage)
			}
			if it = r.look("/p"); it.Status != indexed { // now earlier checks ended there
				t.Errorf("then: %s (%s)", it.Status, it.ErrorMessage)
			}
			other := tt.page
			other.body = strings.Replace(other.body, "</main>", "<p>Closed on Monday.</p></main>", 1)
			r.site.put(tt.path, other)
			if now := r.look("/p"); now.Status != indexed || now.ContentHash == it.ContentHash {
				t.Errorf("a change there: %s (%s)", now.Status, now.ErrorMessage)
			}
		})
	}
}

// TestX9ScriptsToADoor checks that scripts which lead to a page for login or consent are a failed check, as with a
// redirect; but that a page with a login box of its own is a page, and so is one that has moved (X9).
func TestX9ScriptsToADoor(t *testing.T) {
	const box = `<form><input name=user><input type=password><button>Log in</button></form>`
	for _, tt := range []struct {
		name, to string // the address that the scripts lead to
		page     page
		want     registry.Status
	}{
		{"a login page", "/login?next=/p", formPage("Sign in", "<p>Your name</p>"+box), registry.Error},
		{"a login page by its form", "/start", formPage("Harbour", "<p>Hello</p>"+box), registry.Error},
		{"a route of an application", "/p#/login", formPage("Harbour", "<p>Hello</p>"+box), registry.Error},
		{"a route with a query", "/p#!/auth/login?next=p", formPage("Harbour", "<p>One moment.</p>"), registry.Error},
		{"a box of its own", "/p", formPage("Harbour", "<p>The tide is high at noon.</p>"+box), indexed},
		{"a box of its own, at a route", "/p#/tides", formPage("Harbour", "<p>The tide is high at noon.</p>"+box), indexed},
		{"a place in the page", "/p#login", formPage("Harbour", "<p>The tide is high at noon.</p>"+box), indexed},
		{"a page that has moved", "/tides", formPage("Harbour", "<p>The tide is high at noon.</p>"), indexed},
		{"a long page with a box", "/tides", page{body: prose("Tides", 0, 200).body + box}, indexed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &stagehand{text: spring}
			r := browsed(t, b)
			r.site.put("/p", shellPage("1"))
			before := r.first("/p")
			b.out.HTML, b.out.URL = []byte(tt.page.body), r.site.URL+tt.to
			for range 4 {
				r.clock.pass(time.Hour)
				r.look("/p")
			}
			it := r.item("/p")
			if it.Status != tt.want || (it.ContentHash == before.ContentHash) != (tt.want == registry.Error) {
				t.Fatalf("%s (%s), index %q", it.Status, it.ErrorMessage, r.indexedText("/p"))
			}
			if tt.want == indexed {
				return
			}
			address, _, _ := strings.Cut(r.site.URL+tt.to, "?")
			said := strings.HasPrefix(it.ErrorMessage, "its scripts led to a page for login or consent, "+address+" (by ") ||
				strings.HasPrefix(it.ErrorMessage, "HTTP 200, but a login form came instead of the page")
			if !said || len(r.captures("/p")) != 1 {
				t.Error(it.ErrorMessage)
			}
			if it = r.force("/p"); it.Status != indexed || it.ContentHash == before.ContentHash {
				t.Errorf("forced: %s (%s)", it.Status, it.ErrorMessage)
			}
			if it = r.look("/p"); it.Status != indexed { // now earlier checks ended there
				t.Errorf("then: %s (%s)", it.Status, it.ErrorMessage)
			}
		})
	}
}

// TestX9FirstCheckAtADoor checks that a page that is a login form itself is read, and one whose first check is sent to
// another page is not (X9).
func TestX9FirstCheckAtADoor(t *testing.T) {
	r := newRig(t)
	door := formPage("Sign in", "<p>Your name</p>")
	r.site.put("/login", door)
	if it := r.first("/login"); it.Status != indexed {
		t.Errorf("/login is %s (%s)", it.Status, it.ErrorMessage)
	}
	r.site.put("/p", to(302, "/login"))
	if it := r.first("/p"); it.Status != registry.Error || r.index.holds(it) != "" {
		t.Errorf("/p is %s (%s)", it.Status, it.ErrorMessage)
	}
}

// TestX6RefreshIsFollowed checks that a page which only leads to another one has the text of the other, that a change
// there is found, that an unchanged check costs no more than with a redirect, and that one which leads to a login is a
// failed check (X6, X9).
func TestX6RefreshIsFollowed(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", page{body: `<html lang=en><meta http-equiv=refresh content="0;url=new">One moment.`})
	r.site.put("/new", text("v1").etag("1"))
	if it := r.first("/p"); it.Status != indexed || r.index.holds(it) != "v1" || it.HTTPFinalURL != r.site.URL+"/new" {
		t.Fatalf("%s (%s), holds %q of %s", it.Status, it.ErrorMessage, r.index.holds(it), it.HTTPFinalURL)
	}
	r.site.put("/new", text("v2").etag("2"))
	if it := r.next("/p"); r.index.holds(it) != "v2" || len(it.HTTPRedirectChain) != 1 {
		t.Errorf("holds %q, by %v", r.index.holds(it), it.HTTPRedirectChain)
	}
	r.site.asked()
	r.next("/p")
	if asked := strings.Join(r.site.asked(), "; "); asked != "GET /p; GET /new if 2" {
		t.Errorf("an unchanged check asked %q", asked)
	}
	r.site.put("/p", page{body: `<html lang=en><meta http-equiv=refresh content="0;url=/login">One moment.`})
	r.site.put("/login", formPage("Sign in", "<p>Your name</p>"))
	if it := r.next("/p"); it.Status != registry.Error || r.index.holds(it) != "v2" {
		t.Errorf("%s (%s), holds %q", it.Status, it.ErrorMessage, r.index.holds(it))
	}
	r.site.put("/p", page{body: `<html lang=en><meta http-equiv=refresh content="0;url=http://10.0.0.1/">One moment.`})
	if it := r.next("/p"); !strings.Contains(it.ErrorMessage, "10.0.0.1/, which is not followed") ||
		r.index.holds(it) != "v2" {
		t.Errorf("%s (%s), holds %q", it.Status, it.ErrorMessage, r.index.holds(it))
	}
}

// TestX6RefreshThatFails checks that a page whose refresh is not followed, or leads to nothing, keeps its own text with
// the reason, and that a failure that may pass does not replace the text of the other page (X6).
func TestX6RefreshThatFails(t *testing.T) {
	r := newRig(t)
	leads := page{body: `<html lang=en><meta http-equiv=refresh content="0;url=new">One moment.`}
	r.site.put("/p", leads)
	if it := r.first("/p"); it.Status != indexed || !strings.Contains(it.Thin, "/new, which is not followed: HTTP 404") {
		t.Errorf("%s (%s), thin %q", it.Status, it.ErrorMessage, it.Thin)
	}
	r.site.put("/new", text("v1").etag("1"))
	if it := r.next("/p"); r.index.holds(it) != "v1" || it.Thin != "" {
		t.Errorf("holds %q, thin %q", r.index.holds(it), it.Thin)
	}
	r.site.put("/new", page{hangUp: true})
	if it := r.next("/p"); it.Status != registry.Error || r.index.holds(it) != "v1" {
		t.Errorf("%s (%s), holds %q", it.Status, it.ErrorMessage, r.index.holds(it))
	}
}
