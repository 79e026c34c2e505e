package maincontent

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/fact"
)

// controls counts what readers use in an element rather than read.
type controls struct {
	all     int // buttons, fields, and elements with the role of one
	dismiss int // those that close the box around them
	accept  int // short texts that agree to something, whether they are controls or not
	decline int // short texts that refuse it
}

func (c *controls) add(o controls) {
	c.all += o.all
	c.dismiss += o.dismiss
	c.accept += o.accept
	c.decline += o.decline
}

// controlRoles are the roles of controls.
var controlRoles = dom.WordSet(`button switch combobox listbox option radio checkbox slider menuitem`)

// seeControl counts n if it is a control. Its visible text begins at start.
func (s *Survey) seeControl(n *html.Node, start int, c *controls) {
	switch n.DataAtom {
	case atom.Button, atom.Input, atom.Select:
	default:
		if len(n.Attr) == 0 || !controlRoles[strings.ToLower(dom.Attr(n, "role"))] && !dom.HasAttr(n, "onclick") {
			return
		}
	}
	c.all++
	if s.isDismiss(n, start) {
		c.dismiss++
	}
}

// isDismiss reports whether a control closes the box around it: a framework, its name or its sign says so.
func (s *Survey) isDismiss(n *html.Node, start int) bool {
	if dom.Attr(n, "data-dismiss")+dom.Attr(n, "data-bs-dismiss") != "" ||
		s.kindsOf(n)&ofDismiss != 0 {
		return true
	}
	const longest = 30 // bytes
	if s.Text.Size()-start > longest {
		return false
	}
	switch strings.TrimSpace(s.Text.From(start)) {
	case "×", "✕", "✖", "x", "X":
		return true
	}
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(dom.Attr(n, "aria-label"))), " ")
	return closeWords[first] || closeWords[strings.ToLower(strings.TrimSpace(s.Text.From(start)))]
}

var closeWords = dom.WordSet(`close dismiss hide schließen ausblenden fermer cerrar chiudi fechar sluiten stäng luk lukk
	sulje zamknij zavřít закрыть kapat 閉じる 关闭 關閉 닫기 إغلاق`)

// choice counts a line that is the text of a button with which readers agree to something or refuse it. Many requests
// for consent consist of div elements alone.
func choice(text string, c *controls) {
	const longest = 40 // bytes
	text = strings.TrimRight(strings.TrimSpace(text), ".!")
	if len(text) == 0 || len(text) > longest {
		return
	}
	most := 4 // words
	accepts, declines := false, false
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(text) {
		if most--; most < 0 {
			return
		}
		accepts = accepts || acceptWords[word]
		declines = declines || declineWords[word]
	}
	switch {
	case declines:
		c.decline++
	case accepts, text == "ok", text == "got it":
		c.accept++
	}
}

var (
	acceptWords = dom.WordSet(`accept agree allow okay understood akzeptieren zustimmen erlauben einverstanden verstanden
		accepter j'accepte autoriser aceptar acepto permitir accetta accetto aceitar aceito accepteren akkoord acceptera
		godkänn acceptér godta tillad hyväksy akceptuj akceptuję zaakceptuj přijmout souhlasím принять согласен принимаю
		kabul 同意する 同意 接受 全部接受 동의 동의합니다 قبول`)
	declineWords = dom.WordSet(`decline reject refuse deny disagree ablehnen verweigern refuser rechazar denegar rifiuta
		rejeitar recusar weigeren afwijzen neka avvisa afvis avslå hylkää odrzuć odmítnout отклонить reddet 拒否する 拒绝 拒絕
		거부 رفض necessary notwendige nécessaires necesarias`)
)

// cookieWords are words for cookies. Most languages have the English one.
var cookieWords = []string{"cookie", "ciasteczk", "informasjonskapsler", "evästee", "sütik", "クッキー", "쿠키"}

func saysCookie(text string) bool {
	text = strings.ToLower(text)
	for _, w := range cookieWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// isLeftover reports whether a box around the content is a control with a few words, such as "Switch to" before a
// button. What has a fact may be an offer or a state, such as "Sold out", what closes the box around it belongs to a
// notice, and what opens an element on the page names it.
func (s *Survey) isLeftover(n *html.Node, start int, m *linkMeasure, at ancestors) bool {
	const longest, mostWords = 60, 3 // bytes; words beside the sign that closes the box
	size := s.Text.Size() - start
	if at.inContent() || m.controls.all == 0 || m.seen.pages > 0 || size == 0 || size > longest || isAlert(n) {
		return false
	}
	text := s.Text.From(start)
	if m.controls.dismiss > 0 && words(text) > mostWords || fact.Has(text) {
		return false
	}
	return !opensOrStates(n)
}

// opensOrStates reports whether n is or holds a control that opens an element on the page, or one that is disabled.
func opensOrStates(n *html.Node) bool {
	const most = 60 // nodes
	is := func(n *html.Node) bool {
		return dom.HasAttr(n, "aria-expanded") || dom.HasAttr(n, "aria-controls") || isDisabled(n)
	}
	nodes := 0
	return is(n) || dom.Holds(n, func(c *html.Node) bool {
		nodes++
		return nodes > most || is(c)
	})
}

// isAlert reports whether the role of an element says that its text is news.
func isAlert(n *html.Node) bool {
	switch strings.ToLower(dom.Attr(n, "role")) {
	case "alert", "status", "log", "marquee", "note", "alertdialog":
		return true
	}
	return false
}

// isOffScreen reports whether the style of an element puts it where no reader sees it.
func isOffScreen(n *html.Node) bool {
	const beyond = -500 // in any unit
	style := dom.Attr(n, "style")
	if !strings.Contains(style, "-") {
		return false
	}
	style = strings.ToLower(style)
	if !strings.Contains(style, "absolute") && !strings.Contains(style, "fixed") {
		return false
	}
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		switch strings.TrimSpace(name) {
		case "left", "right", "top", "bottom":
			far, err := strconv.ParseFloat(strings.TrimRight(strings.TrimSpace(value), "pxemrvw%! "), 64)
			if err == nil && far <= beyond {
				return true
			}
		}
	}
	return false
}

// isTest reports whether an element is one that a script appends to measure fonts: directly in the body, or in a box of
// its own there, and with a single word that belongs to no language.
func (s *Survey) isTest(n *html.Node, start int, at ancestors) bool {
	const shortest, longest = 10, 100 // bytes
	size := s.Text.Size() - start
	if at.inContent() || size < shortest || size > longest || n.Parent != s.Body && n.Parent.Parent != s.Body ||
		dom.IsBlock(n.DataAtom) && !dom.HasAttr(n, "style") || n.DataAtom == atom.A {
		return false
	}
	text := strings.TrimSpace(s.Text.From(start))
	return text != "" && !strings.ContainsFunc(text, unicode.IsSpace) && isGlyphs(text)
}

// isGlyphs reports whether a word is a row of letters and signs chosen for their widths: it changes between cases,
// digits and signs at each third letter or more often, or repeats a letter many times.
func isGlyphs(word string) bool {
	const many = 6 // times the same letter
	changes, row, most := 0, 0, 0
	var before rune
	lower, upper := false, false
	for i, r := range word {
		if r > unicode.MaxASCII || r == '/' || r == ':' {
			return false
		}
		lower, upper = lower || unicode.IsLower(r), upper || unicode.IsUpper(r)
		if i > 0 && kindOf(r) != kindOf(before) {
			changes++
		}
		if row++; r != before {
			row = 1
		}
		most = max(most, row)
		before = r
	}
	return lower && (upper && changes*3 >= len(word) || most >= many)
}

func kindOf(r rune) int {
	switch {
	case unicode.IsLower(r):
		return 1
	case unicode.IsUpper(r):
		return 2
	case unicode.IsDigit(r):
		return 3
	}
	return 4
}

// isPicker reports whether a box around the content offers languages: a control, and the names that at least three
// languages have for themselves, with few other words.
func (s *Survey) isPicker(n *html.Node, start int, m *linkMeasure, at ancestors) bool {
	const longest = 3000 // bytes
	if at.inContent() || m.controls.all == 0 || s.Text.Size()-start > longest {
		return false
	}
	names, others := 0, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(s.Text.From(start)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r)
	}) {
		if languageNames[word] {
			names++
		} else {
			others++
		}
	}
	return names >= 3 && names >= 2*others
}

// languageNames are the names of languages in themselves.
var languageNames = dom.WordSet(`english deutsch français español castellano italiano português nederlands svenska dansk
	norsk bokmål nynorsk suomi íslenska polski čeština slovenčina slovenščina hrvatski srpski bosanski magyar română
	български македонски русский українська беларуская ελληνικά türkçe azərbaycan қазақша shqip latviešu lietuvių eesti
	català euskara galego cymraeg gaeilge malti עברית العربية فارسی اردو हिन्दी বাংলা தமிழ் తెలుగు मराठी ไทย việt bahasa
	indonesia melayu filipino kiswahili afrikaans 日本語 中文 简体中文 繁體中文 繁体中文 简体 繁體 한국어 brasil`)

// isAway reports whether an element is neither content nor beside it, for what it does or shows: it asks for consent,
// leads past the navigation, offers languages, or measures fonts. Controls with a few words are noted, because
// only the whole page shows whether it has an element for its content.
func (s *Survey) isAway(n *html.Node, start int, m *linkMeasure, at ancestors) bool {
	if at.inFurniture || n == s.Body || n.DataAtom == atom.Main || n.DataAtom == atom.Article || at.inCode {
		return false
	}
	if n.DataAtom == atom.A {
		return s.isSkipLink(n, start, at)
	}
	switch {
	case s.asksForConsent(n, start, m, at), s.isTest(n, start, at), !at.inContent() && isOffScreen(n):
		return true
	case !dom.IsBlock(n.DataAtom):
	case s.isPicker(n, start, m, at):
		return true
	case s.isLeftover(n, start, m, at):
		s.leftovers = append(s.leftovers, n)
	}
	return false
}

// isNotice reports whether a box is a notice or a promotion that readers can close, or whose class calls it a bar of
// announcements. It is beside the content, because it may say that the harbour is closed on Monday.
func (s *Survey) isNotice(n *html.Node, start int, m *linkMeasure) bool {
	const longest = 400 // bytes
	if !dom.IsBlock(n.DataAtom) || m.seen.text > longest || s.Text.Size()-start > longest ||
		n.DataAtom == atom.Main || n.DataAtom == atom.Article || s.holdsHeading(n) {
		return false
	}
	return m.controls.dismiss > 0 || m.names&ofNotice != 0
}

// holdsHeading reports whether n holds the heading of the page.
func (s *Survey) holdsHeading(n *html.Node) bool {
	return s.headingAt != nil && isBelow(s.headingAt, n)
}

var noticeWords = dom.WordSet(`announcement announcements notification notice alert message info sale promo promotion
	hinweis meldung aktion annonce aviso avviso`)

// isSkipLink reports whether a link leads to a part of the page, past the navigation: it stands at the very beginning
// of the page or of its content. The beginning of the page is counted in elements: a clock before the link may be
// longer at the next check. Several links at the beginning of the content are its table of contents.
func (s *Survey) isSkipLink(n *html.Node, start int, at ancestors) bool {
	const longest, beginning = 60, 100 // bytes, elements
	if s.Text.Size()-start >= longest || at.headed || !strings.HasPrefix(strings.TrimSpace(dom.Attr(n, "href")), "#") {
		return false
	}
	if !at.inContent() {
		return s.elements < beginning
	}
	if n.Parent.DataAtom == atom.Li {
		return false
	}
	if before := len(s.lines) - 2; before >= 0 && s.lines[before].content {
		return false
	}
	for next := n.NextSibling; next != nil; next = next.NextSibling {
		if next.DataAtom == atom.A && strings.HasPrefix(dom.Attr(next, "href"), "#") {
			return false
		}
	}
	return true
}

// asksForConsent reports whether an element is a request for consent. It needs something to press, a role or a class: a
// text about cookies alone does not ask.
func (s *Survey) asksForConsent(n *html.Node, start int, m *linkMeasure, at ancestors) bool {
	c, size := m.controls, s.Text.Size()-start
	if m.seen.text > longestConsent || size > longestWithChrome {
		return false
	}
	dialog := n.DataAtom == atom.Dialog || isDialog(strings.ToLower(dom.Attr(n, "role")))
	called := m.names&ofConsent != 0 || len(n.Attr) > 0 && dom.AnyName(dom.Attr(n, "aria-label"), isConsent)
	switch {
	case called && !at.inContent():
		return c.all+c.accept+m.links > 0
	case dialog, called && c.all+c.accept > 0:
	case at.inContent(), !dom.IsBlock(n.DataAtom) && n.DataAtom != atom.Td, c.all+c.accept == 0:
		return false
	}
	return c.accept > 0 && c.decline > 0 || saysCookie(s.Text.From(start))
}

const (
	// mostOfBox is the greatest number of links to other pages in a box that is left out of the content for what it
	// does. A larger box may hold a menu, and then it may hold more.
	mostOfBox = 5
	// longestConsent is the greatest length of a request for consent, in bytes.
	longestConsent = 1500
	// longestWithChrome is the greatest length including the chrome. It bounds the work on nested elements.
	longestWithChrome = 10 * longestConsent
)
