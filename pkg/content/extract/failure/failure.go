// Package failure recognizes answers with status 200 that a host sends in place of a page (H10): an error, a
// maintenance notice, a challenge for robots, a consent wall, a login form. It also recognizes pages that are empty
// until their scripts run.
//
// Words alone do not decide, because there are articles about all of these. A failure has little text, and the text
// begins with the words of a failure and nothing else. There must also be further signs of that kind of failure.
//
// Alternatives considered: a list of sites is never complete. A score over many weak signs cannot be explained to a
// user who asks why a page failed.
package failure

import (
	_ "embed"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The largest size of the main content of a failure, in bytes. An article about an error is longer.
const (
	briefText   = 300  // for a page with little more than a heading
	failureText = 1200 // for an error page, a challenge or a login form, including the text around it
	consentText = 2000 // for a consent wall
)

// Of describes the answer that a host sent in place of a page, or returns "" for a page. It walks the tree only if
// the page has little text. The title argument is the title in the head of the page.
func Of(root *html.Node, doc *extract.Document, title string) string {
	if len(doc.Text) > consentText {
		return ""
	}
	s := signs{doc: doc}
	for n := range root.Descendants() {
		s.see(n)
	}
	if s.article {
		return ""
	}
	s.title, s.heading = s.read(titleParts(title)), s.read(firstLines(extract.MainBlocks(doc.Blocks)))
	for _, is := range []func() string{s.crash, s.challenge, s.login, s.cookies, s.consent, s.error} {
		if why := is(); why != "" {
			return why
		}
	}
	return ""
}

// signs are the properties by which a failure is recognized.
type signs struct {
	doc            *extract.Document
	title, heading headings // failures that the parts of the title and the first lines state
	quote          string   // the first words that were recognized
	guard          string   // the maker of the challenge, if the page has the markup of a challenge
	article        bool     // the page declares itself an article
	password       bool     // the page asks for a password
	crashed        bool     // the markup is a framework's error page
}

func (s *signs) see(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	switch n.DataAtom {
	case atom.Html:
		s.crashed = dom.Attr(n, "id") == "__next_error__"
	case atom.Script, atom.Iframe:
		s.seeScript(n)
	case atom.Meta:
		s.article = s.article || dom.Attr(n, "property") == "article:published_time" ||
			dom.Attr(n, "property") == "og:type" && strings.EqualFold(dom.Attr(n, "content"), "article")
	case atom.Input:
		s.password = s.password || strings.EqualFold(dom.Attr(n, "type"), "password") && !dom.Hides(n)
	}
	if guard, known := guardIDs[dom.Attr(n, "id")]; known {
		s.guard = guard
	}
}

// guardIDs maps an element id that only occurs in challenges to the maker of the challenge.
var guardIDs = map[string]string{
	"challenge-form": "Cloudflare", "challenge-running": "Cloudflare", "challenge-error-text": "Cloudflare",
	"cf-error-details": "Cloudflare", "px-captcha": "HUMAN", "sec-if-cpt-container": "Akamai",
	"ddg-l10n-title": "DDoS-Guard",
}

// guardScripts are substrings that occur only in the scripts of challenges, or in the addresses of those scripts.
var guardScripts = []struct{ part, guard string }{
	{"_cf_chl_opt", "Cloudflare"}, {"captcha-delivery.com/captcha", "DataDome"}, {"awsWafCookieDomainList", "AWS WAF"},
	{"sucuri_cloudproxy_js", "Sucuri"}, {"_Incapsula_Resource?SWUDNSAI", "Imperva"},
	{"/.well-known/ddos-guard/", "DDoS-Guard"},
}

func (s *signs) seeScript(n *html.Node) {
	const enough = 20_000 // bytes of a script that are searched
	text := dom.Attr(n, "src")
	if text == "" && n.FirstChild != nil && n.FirstChild.Type == html.TextNode {
		text = n.FirstChild.Data[:min(len(n.FirstChild.Data), enough)]
	}
	for _, g := range guardScripts {
		if s.guard == "" && strings.Contains(text, g.part) {
			s.guard = g.guard
		}
	}
}

// read returns all kinds of failure that are stated in the given headings.
func (s *signs) read(texts []string) (all headings) {
	for _, text := range texts {
		found := headingsOf(text)
		if found != 0 && s.quote == "" {
			s.quote = text
		}
		all |= found
	}
	return all
}

func (s *signs) size() int { return len(s.doc.Text) }

// say returns the description of a failure, followed by the words by which it was recognized.
func (s *signs) say(what string) string {
	if s.quote == "" {
		return what + " came instead of the page"
	}
	return what + " came instead of the page: “" + dom.Clip(s.quote, 80) + "”"
}

func (s *signs) crash() string {
	if s.crashed && s.size() <= briefText {
		return s.say("an application's page for errors")
	}
	return ""
}

func (s *signs) challenge() string {
	robots := (s.title | s.heading) & (saysRobot | saysDenied)
	if s.size() > failureText {
		return ""
	}
	switch {
	case s.guard != "" && (robots != 0 || s.size() <= briefText):
		return s.say("a challenge for robots by " + s.guard)
	case robots&saysRobot != 0 && hasWords("challenge", 1, s.doc.VisibleText):
		return s.say("a challenge for robots")
	}
	return ""
}

func (s *signs) login() string {
	if s.password && (s.title|s.heading)&saysLogin != 0 && s.size() <= failureText {
		return s.say("a login form")
	}
	return ""
}

func (s *signs) consent() string {
	const most = 3
	headings := 0
	for _, b := range extract.MainBlocks(s.doc.Blocks) {
		if b.Kind == extract.Heading {
			headings++
		}
	}
	if headings <= most && (s.title|s.heading)&saysConsent != 0 && hasWords("accept", 1, s.doc.VisibleText) &&
		hasWords("consent", 4, s.doc.Text) {
		return s.say("a wall of consent")
	}
	return ""
}

// error recognizes error pages and maintenance notices. It requires a heading that states the failure, and two
// further signs.
func (s *signs) error() string {
	const kinds = saysMissing | saysBroken | saysClosed | saysDenied
	named := (s.title | s.heading) & kinds
	if named == 0 || s.size() > failureText {
		return ""
	}
	spoken := hasWords("error", 1, s.doc.VisibleText)
	noindex := strings.Contains(strings.ToLower(strings.Join(s.doc.MetaRobots, " ")), "noindex")
	if s.saysMuch() && !spoken && !noindex {
		return "" // a short page about errors or maintenance in a manual
	}
	more := 0
	for _, sign := range []bool{
		s.title&s.heading&kinds != 0,
		(s.title|s.heading)&saysNumber != 0,
		s.size() <= briefText,
		spoken,
		noindex,
	} {
		if sign {
			more++
		}
	}
	switch {
	case more < 2:
		return ""
	case named == saysClosed:
		return s.say("a maintenance notice")
	}
	return s.say("an error page")
}

// saysMuch reports whether the page has several whole sentences besides its headings.
func (s *signs) saysMuch() bool {
	const (
		least     = 60 // in bytes; the smallest length of the text besides headings
		sentences = 2
	)
	size, ends := 0, 0
	for _, b := range s.doc.Blocks {
		if b.Kind == extract.Heading || headingsOf(b.Text) != 0 {
			continue
		}
		size += len(b.Text)
		ends += strings.Count(b.Text+" ", ". ") + strings.Count(b.Text, "。")
	}
	return size >= least && ends >= sentences
}

// titleParts returns the parts of a title. Sites put separators between the title of the page and the name of the
// site.
func titleParts(title string) []string {
	const most = 6
	parts := strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune("|–—·•»:", r) })
	for _, part := range parts {
		parts = append(parts, strings.Split(part, " - ")...)
	}
	parts = append(parts, title)
	var out []string
	for _, part := range parts[max(0, len(parts)-2*most):] {
		if !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// firstLines returns the first line of each of the first blocks.
func firstLines(blocks []extract.Block) (lines []string) {
	const most = 3
	for _, b := range blocks[:min(len(blocks), most)] {
		line, _, _ := strings.Cut(b.Text, "\n")
		lines = append(lines, line)
	}
	return lines
}

// headings is a set of kinds of failure: those that the headings of a page state.
type headings uint8

const (
	saysMissing headings = 1 << iota // the page does not exist
	saysBroken                       // something does not work
	saysClosed                       // the site is closed for maintenance
	saysDenied                       // access is denied
	saysRobot                        // the visitor must prove not to be a robot
	saysConsent                      // the visitor must consent
	saysLogin                        // the visitor must log in
	saysNumber                       // the heading has the number of an error
)

// failureLines are patterns by kind.
//
//go:embed failurewords.txt
var failureLines string

// failureWords are patterns of the words on pages that a host sends in place of other pages.
type failureWords struct {
	heading map[headings]*regexp.Regexp // patterns of whole headings
	text    map[string]*regexp.Regexp   // patterns of words in the text, by "error", "challenge", "accept" or "consent"
}

// failurePatterns are compiled on first use, because most pages are too long to be a failure.
var failurePatterns = sync.OnceValue(func() failureWords {
	kinds := map[string]headings{
		"missing": saysMissing, "broken": saysBroken, "closed": saysClosed, "denied": saysDenied, "robot": saysRobot,
		"consent": saysConsent, "login": saysLogin,
	}
	whole, parts := map[headings]string{}, map[string]string{}
	for line := range strings.Lines(failureLines) {
		kind, pattern, isPattern := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		name, isText := strings.CutPrefix(kind, "text of ")
		name, isNumbered := strings.CutSuffix(name, " numbered")
		says := kinds[name]
		if isNumbered {
			says |= saysNumber
		}
		switch {
		case isPattern && isText:
			parts[name] += "|" + pattern
		case isPattern:
			whole[says] += "|" + pattern
		}
	}
	w := failureWords{map[headings]*regexp.Regexp{}, map[string]*regexp.Regexp{}}
	for says, pattern := range whole {
		w.heading[says] = regexp.MustCompile(`^(?:` + pattern[1:] + `)$`)
	}
	for name, pattern := range parts {
		w.text[name] = regexp.MustCompile(pattern[1:])
	}
	return w
})

var (
	// apology matches an apology at the beginning of a heading.
	apology = regexp.MustCompile(`^((oops|ooops|whoops|uh-?oh|oh no|hm+|sorry|we're sorry|we are sorry|désolé|` +
		`entschuldigung|hoppla|ups)[\s!.,:;…-]+(but )?|error[:\s]+|(40[134]|410|451|5[0-2]\d)[\s:.,–—-]+)+`)
	// numbered matches headings that contain the number of an error.
	numbered = regexp.MustCompile(`\b(40[134]|410|451|5[0-2]\d)\b`)
	// straight replaces apostrophes with the form that the patterns use.
	straight = strings.NewReplacer("’", "'", "‘", "'")
)

// headingsOf returns the kinds of failure that a heading states, provided that the heading contains nothing else.
func headingsOf(text string) (says headings) {
	const longest = 120
	if len(text) > longest {
		return 0
	}
	text = strings.TrimRight(straight.Replace(strings.ToLower(strings.TrimSpace(text))), " \t\n.!?:…")
	rest := apology.ReplaceAllString(text, "")
	for kind, pattern := range failurePatterns().heading {
		if text != "" && pattern.MatchString(text) || rest != text && rest != "" && pattern.MatchString(rest) {
			says |= kind
		}
	}
	if says != 0 && numbered.MatchString(text) {
		says |= saysNumber
	}
	return says
}

// hasWords reports whether the beginning of a text contains at least the given number of words of a kind.
func hasWords(kind string, least int, text string) bool {
	const enough = 8000 // bytes of the text that are searched
	text = straight.Replace(strings.ToLower(text[:min(len(text), enough)]))
	return len(failurePatterns().text[kind].FindAllStringIndex(text, least)) >= least
}

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
