package failure

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// A host that wants to know its visitors redirects them to another page: for login, single sign-on or consent. Such a
// page often asks for no password yet. So such a sign is not enough: the caller must know that a redirect
// led there.

// doorPath matches a segment of the path of a page for login, single sign-on or consent.
var doorPath = regexp.MustCompile(`(?i)^(log-?in|log-?on|signin|sign-in|sign_in|sso|saml2?|` +
	`oauth2?|oidc|openid.*|auth|` +
	`authenticate|authentication|authorize|adfs|cas|idp|consent|cookie-?consent|cookie-?wall|` +
	`anmelden|anmeldung|einloggen|` +
	`connexion|se-connecter|iniciar-sesion|acceder|accedi|inloggen|aanmelden|logga-in|wp-login\.php|` +
	`(log-?in|signin|auth|sso)\.(php|aspx?|jsp|do|html?))$`)

// doorHost matches the first label of the host of such a page.
var doorHost = regexp.MustCompile(`(?i)^(login|signin|sso|auth|accounts?|idp|adfs|id|consent|identity)$`)

// doorText matches what such a page says in its text.
var doorText = regexp.MustCompile(`(?i)\b(log|sign) ?in to (view|continue|access|see|read|proceed)\b|` +
	`\b(melden sie sich|einloggen|anmelden)\b.{0,40}\b(um|fortzufahren|weiter)|\bconnectez-vous pour\b|` +
	`\binici[ae] sesión para\b|\baccedi per\b|\bsingle sign-?on\b`)

// DoorAddress reports whether an address is by its name that of a page for login, single sign-on or consent.
func DoorAddress(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	label, _, _ := strings.Cut(u.Hostname(), ".")
	for segment := range strings.SplitSeq(u.Path+"/"+source.Route(address), "/") {
		if doorPath.MatchString(segment) {
			return true
		}
	}
	return strings.Contains(u.Hostname(), ".") && doorHost.MatchString(label)
}

// Door describes by which sign a page is one for login, single sign-on or consent; "" if it has no such sign.
func Door(root *html.Node, doc *extract.Document, title string) string {
	if len(doc.Text) > consentText {
		return ""
	}
	for _, text := range append(titleParts(title), firstLines(doc.Blocks)...) {
		if headingsOf(text)&(saysLogin|saysConsent) != 0 {
			return "“" + dom.Clip(strings.TrimSpace(text), 80) + "”"
		}
	}
	if said := doorText.FindString(doc.Text); said != "" {
		return "“" + dom.Clip(said, 80) + "”"
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch {
		case n.DataAtom == atom.Form && DoorAddress(dom.Attr(n, "action")):
			return "a form for login"
		case n.DataAtom == atom.Input && (strings.HasPrefix(dom.Attr(n, "name"), "SAML") ||
			strings.EqualFold(dom.Attr(n, "type"), "password") && !dom.Hides(n) ||
			strings.Contains(strings.ToLower(dom.Attr(n, "autocomplete")), "username")):
			return "a form for login"
		}
	}
	return ""
}

// cookies recognizes a short text that says that nothing is shown without cookies.
func (s *signs) cookies() string {
	if s.size() > briefText {
		return ""
	}
	if said := wantsCookies.FindString(s.doc.Text); said != "" {
		s.quote = strings.TrimSpace(said)
		return s.say("a demand for cookies")
	}
	return ""
}

// wantsCookies matches a demand for cookies. A notice that a page uses cookies, and offers to accept them, is not one.
var wantsCookies = regexp.MustCompile(`(?i)\b(please|must|need to|have to|bitte) ([a-z]+ )?` +
	`(enable|activate|turn on|switch on|allow|aktivieren|erlauben) (sie )?([a-z'’]+ ){0,4}cookies\b|` +
	`\b(enable|activate|turn on|switch on) ([a-z]+ ){0,3}cookies ([a-z]+ ){0,4}(to|in order to|` +
	`and (then )?(reload|try))\b|` +
	`\bcookies (are|must be|have to be|need to be|seem to be) (required|enabled|turned on|` +
	`disabled|not enabled|turned off|` +
	`switched off|blocked)\b|\b(does not|doesn't|must) (accept|support|allow) cookies\b|` +
	`\bcookies (müssen aktiviert|sind deaktiviert)|\bveuillez (activer|autoriser|accepter) les cookies\b|` +
	`\b(active|habilite|habilita|active) las cookies\b|\babilita(re)? i cookie\b|\bschakel cookies in\b|` +
	`\b(ative|habilite) os cookies\b`)
