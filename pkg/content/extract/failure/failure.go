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
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
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
