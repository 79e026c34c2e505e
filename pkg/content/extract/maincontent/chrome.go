package maincontent

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// drop is the reason why an element is not part of the main content. The zero drop means that the element is content.
// The values are ordered by strength, the weakest first. Each attempt of mainContent honors fewer of them.
type drop uint8

const (
	beside   drop = iota + 1 // almost only links, however long; beside an article, such links lead to other articles
	dense                    // almost only short links, which are navigation that no class or id declares
	named                    // its class or id is a usual name for elements around the content
	chrome                   // its element type or role says that it is not content
	noReason                 // stronger than all reasons; an attempt that honors noReason drops nothing
)

// reason returns the reason to drop n, or zero. The reason follows from the element type and the attributes of n.
func reason(n *html.Node, at ancestors, names kinds) drop {
	if at.inCode {
		return reasonInCode(n)
	}
	if dom.IsCode(n.DataAtom) {
		return 0
	}
	inContent := at.inContent()
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.H1:
		return 0
	case atom.Nav, atom.Dialog:
		return chrome
	case atom.Button, atom.Label:
		if !dom.IsCaption(n) {
			return chrome
		}
	case atom.Footer:
		if !isInQuote(n) {
			return chrome
		}
	case atom.Header:
		if !inContent {
			return chrome
		}
	case atom.Aside:
		if !isNote(n) {
			return chrome
		}
	}
	return reasonByAttr(n, inContent, names)
}

// isInQuote reports whether an element is part of a quotation, such as its source.
func isInQuote(n *html.Node) bool {
	const near = 4 // levels
	for i := 0; i < near && n != nil; i, n = i+1, n.Parent {
		if n.DataAtom == atom.Blockquote {
			return true
		}
	}
	return false
}

// reasonInCode returns the reason to drop an element below pre or code. There, classes describe the code; for
// example, a highlighter gives a comment the class "comment".
func reasonInCode(n *html.Node) drop {
	if n.DataAtom == atom.Button {
		return chrome
	}
	if dom.HasName(besideCode, dom.Attr(n, "class")) {
		return named
	}
	return 0
}

func reasonByAttr(n *html.Node, inContent bool, names kinds) drop {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "role":
			if isChromeRole(strings.ToLower(strings.TrimSpace(a.Val)), inContent) {
				return chrome
			}
		case dom.NoscriptAttr: // a text for readers without scripts is beside what others read
			return chrome
		case "aria-hidden":
			if a.Val == "true" && !dom.IsPanel(n) {
				return named
			}
		case "class":
			if names&ofChrome != 0 {
				return named
			}
		}
	}
	return 0
}

func isChromeRole(role string, inContent bool) bool {
	switch role {
	case "navigation", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "tablist":
		return true
	case "banner", "complementary":
		return !inContent
	}
	return false
}

// isNote reports whether an aside is a note in documentation. Such a note is content. Other asides are not.
func isNote(n *html.Node) bool {
	for class := range strings.FieldsSeq(strings.ToLower(dom.Attr(n, "class"))) {
		word, _, _ := strings.Cut(class, "-")
		switch word {
		case "note", "warning", "admonition", "callout", "tip", "important", "caution", "info", "hint", "danger", "footnote":
			return true
		}
	}
	return strings.EqualFold(dom.Attr(n, "role"), "note")
}

// chromeNames are classes and ids of elements around the content, in lower case with "-" for "_".
var chromeNames = dom.WordSet(`
	ad ads adsense adslot adbox adverts advertising sponsor promoted promotion
	banner-ad ad-banner ad-container ad-slot ad-unit ad-wrapper dfp-ad google-ad taboola outbrain
	cookies cookiebar cc-window cc-banner gdpr ccpa privacy-banner onetrust-banner-sdk
	nav navbar navigation topnav subnav sidenav navbox menu main-menu site-menu toolbar topbar
	pagination pager paginator page-nav post-nav post-navigation nav-links prev-next toc table-of-contents
	sidebar side-bar site-header global-header masthead skip skip-link
	skiplink skip-to-content visually-hidden sr-only screen-reader-text screen-reader-only print-only noprint no-print
	share sharing social socials social-media sharedaddy addtoany addthis
	recommendations read-next more-stories
	most-read most-popular trending you-may-also-like
	signup sign-up login login-form search-form searchform search-box searchbox
	modal overlay lightbox tooltip toast snackbar
	respond disqus-thread
	headerlink anchorjs-link anchor-link hash-link header-anchor heading-anchor mw-editsection mw-jump-link
	lineno linenos linenodiv gutter rouge-gutter line-numbers-rows copy-button copybtn
` + counters)

// besideCode are the classes of elements beside the lines of code. Elements with other classes are part of the code.
var besideCode = dom.WordSet(`
	lineno linenos linenodiv gutter rouge-gutter line-numbers-rows line-number linenumber ln blob-num
	copy-button copybtn copy-btn headerlink anchorjs-link
`)

// chromePrefixes are the beginnings of further classes and ids of elements around the content.
var chromePrefixes = []string{
	"cookie-", "cookieconsent", "consent-", "gdpr-", "onetrust", "ad-slot", "ads-", "sponsor-",
	"share-", "sharing-", "social-", "skip-", "wp-block-social", "jp-relatedposts",
	"sidebar-", "taboola", "outbrain", "google-ads", "div-gpt-ad",
}

// chromeWords are words that mark a class or id as chrome in any position, as in "article__comments-box".
var chromeWords = dom.WordSet(`
	related newsletter comment comments kommentar kommentare footer copyright recommended promo donation subscribe popup
	breadcrumb breadcrumbs advert advertisement adsbygoogle sponsored
`)

// furnitureNames are classes of helpers whose text is not part of the page. Some are only for screen readers or for
// printing, some are controls beside a heading or a line of code, and some are filled by a service for advertisements
// or consent.
var furnitureNames = dom.WordSet(`
	visually-hidden visuallyhidden sr-only screen-reader-text screen-reader-only print-only a-offscreen
	skip-link skiplink skip-to-content mw-jump-link mw-editsection
	headerlink anchorjs-link anchor-link hash-link header-anchor heading-anchor
	lineno linenos linenodiv rouge-gutter line-numbers-rows copy-button copybtn
	adsbygoogle adsense adslot ad-slot ad-unit ad-container dfp-ad google-ad taboola outbrain
	katex-html
`)

// furniturePrefixes are the beginnings of further classes of such helpers.
var furniturePrefixes = []string{"taboola", "outbrain", "div-gpt-ad", "google-ads", "ad-slot"}

// isConsent reports whether a class is one of requests for consent. Texts about privacy have such classes, too.
func isConsent(name string) bool {
	return strings.Contains(name, "cookie") || strings.Contains(name, "consent") || name == "gdpr" || name == "ccpa" ||
		strings.HasPrefix(name, "onetrust") || name == "cc-window" || name == "cc-banner"
}

// counters are classes of visitor counters, which are furniture outside the content.
const counters = `
	view-count viewcount view-counter views-count page-views hit-counter hitcounter visitor-counter visitors
	online-users who-is-online last-seen
`

var counterNames = dom.WordSet(counters)

func beginsWith(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// linkMeasure holds how much of an element's text is in links, and how much of the other text only a class or id
// marks as chrome.
type linkMeasure struct {
	text, linked, links, named int
	prose                      int // text outside links, in pieces as long as sentences
	abroad                     int // number of links to other sites
	controls                   controls
	code                       bool // the element holds code
	nav                        bool // the element holds navigation
	list                       bool // the element is a list of links to other pages
	seen                       seen
	names                      kinds // what the classes of the element itself are usual for
}

// seen holds how much of an element's visible text is not furniture, and how much of that leads elsewhere.
type seen struct {
	text         int
	paged, pages int // text in links to other pages, and number of these links
	plain        int // text of blocks without links, other than headings
	heads        int // text of headings without a digit
}

func (m *linkMeasure) add(o linkMeasure) {
	m.text += o.text
	m.linked += o.linked
	m.links += o.links
	m.named += o.named
	m.seen.text += o.seen.text
	m.seen.paged += o.seen.paged
	m.seen.pages += o.seen.pages
	m.seen.plain += o.seen.plain
	m.seen.heads += o.seen.heads
	m.prose += o.prose
	m.abroad += o.abroad
	m.controls.add(o.controls)
	m.code = m.code || o.code
	m.nav = m.nav || o.nav
}

// isAnnounced reports whether all links of a list lead to other hosts and the paragraph before the list ends with a
// colon. Lists of sources or of names often follow such a paragraph.
func isAnnounced(n *html.Node, m linkMeasure) bool {
	if n.DataAtom != atom.Ul && n.DataAtom != atom.Ol || m.links == 0 || m.abroad < m.links {
		return false
	}
	before := n.PrevSibling
	for before != nil && before.Type != html.ElementNode {
		before = before.PrevSibling
	}
	if before == nil || before.DataAtom != atom.P || before.LastChild == nil {
		return false
	}
	last := before.LastChild
	return last.Type == html.TextNode && strings.HasSuffix(strings.TrimSpace(last.Data), ":")
}

// linkiness returns the reason to drop an element that is mostly links: dense if the links are short, else beside.
// Some elements full of links are content: lists of headlines, except beside an article; lists of other sites that a
// paragraph announces; and elements that hold code, because documentation makes links of words in code.
func linkiness(n *html.Node, m linkMeasure) drop {
	switch n.DataAtom {
	case atom.Div, atom.Section, atom.Ul, atom.Ol, atom.Menu, atom.Dl, atom.Table, atom.P, atom.Center, atom.Fieldset:
	default:
		return 0
	}
	const shortLink = 40 // in bytes
	switch {
	case m.code || m.links < 3 || m.linked*10 <= m.text*6:
		return 0
	case m.linked < shortLink*m.links:
		return dense
	case m.prose >= enough:
		return 0
	}
	return beside
}
