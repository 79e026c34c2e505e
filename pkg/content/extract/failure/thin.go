package failure

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

const (
	// littleText limits the size, in bytes, of the content of a page that may be the empty shell of an application.
	littleText = 150
	// shortText is the largest size, in bytes, of a text that may be a placeholder in an application root. It is also
	// the largest size of all text of a page whose noscript element asks for JavaScript.
	shortText = 120
	// maxRoots limits the number of application roots to examine, because each is walked and roots may be nested.
	maxRoots = 8
)

// appRoots are the ids of the elements that frameworks render into, and appTags are their names.
var appRoots = map[string]bool{
	"root": true, "app": true, "__next": true, "__nuxt": true, "___gatsby": true, "svelte": true, "app-root": true,
	"react-root": true, "react-app": true, "main-app": true, "q-app": true, "application": true, "ember-application": true,
}

var appTags = map[string]bool{"app-root": true, "app": true, "my-app": true, "ember-app": true}

var (
	// placeholder matches the text that pages show while their scripts load.
	placeholder = regexp.MustCompile(`(?i)^(app (is )?)?(loading|please wait|one moment|just a moment|initiali[sz]ing|` +
		`wird geladen|lade|bitte warten|chargement|cargando|caricamento|carregando|laden|загрузка)` +
		`( (app|application|content|page|please wait))?[\s.…!,]*$`)
	// demand matches the text with which pages ask for JavaScript.
	demand = regexp.MustCompile(`(?i)\b(enable|activate|turn on|switch on|allow) (js|javascript)\b|` +
		`\bjavascript (is|appears to be|seems to be) ` +
		`(disabled|not enabled|not available|turned off|switched off|required)\b|` +
		`\b(requires?|needs) javascript( to \w+|[.!]|$)`)
)

// shell holds the signs that a page's text is written by its scripts.
type shell struct {
	scripts int    // number of scripts that browsers execute
	asks    bool   // a noscript element mentions JavaScript
	root    string // an application root without readable text, if there is one
	roots   int    // number of roots examined
	things  bool   // the page has pictures, videos, frames or forms, which are content without text
}

// Thin explains why a page has little text before its scripts run, or returns "" for other pages. The text argument
// is the visible text of the page. The size argument is the length of this text in bytes, without the elements that a
// class or id marks as chrome.
func Thin(root *html.Node, text string, size int) string {
	var sh shell
	for n := range root.Descendants() {
		sh.see(n)
	}
	if sh.scripts == 0 {
		return ""
	}
	text = strings.TrimSpace(text)
	switch {
	case sh.root != "" && size < littleText:
		return "its application root, " + sh.root + ", is empty until its scripts run"
	case size < 2*shortText && demand.MatchString(text):
		return "its text is a request for JavaScript"
	case sh.asks && size < shortText:
		return "it asks for JavaScript, and has little text without it"
	case placeholder.MatchString(text):
		return "its text is a placeholder until its scripts run"
	case text == "" && !sh.things:
		return "nothing can be read before its scripts run"
	}
	return ""
}

func (sh *shell) see(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	switch n.DataAtom {
	case atom.Script:
		if runs(n) {
			sh.scripts++
		}
	case atom.Noscript:
		sh.asks = sh.asks || strings.Contains(strings.ToLower(dom.RawText(n)), "javascript")
	case atom.Img, atom.Svg, atom.Video, atom.Audio, atom.Iframe, atom.Object, atom.Embed, atom.Input, atom.Textarea,
		atom.Table:
		sh.things = true
	default:
		if sh.root == "" && sh.roots < maxRoots && isAppRoot(n) {
			if sh.roots++; waits(n) {
				sh.root = "<" + strings.TrimSpace(n.Data+" "+idOf(n)) + ">"
			}
		}
	}
}

// runs reports whether browsers execute a script. They do not execute a script element that holds data.
func runs(n *html.Node) bool {
	kind := strings.ToLower(strings.TrimSpace(dom.Attr(n, "type")))
	return kind == "" || kind == "module" || strings.Contains(kind, "javascript") ||
		strings.Contains(kind, "ecmascript") || strings.Contains(kind, "babel")
}

func isAppRoot(n *html.Node) bool {
	return appTags[n.Data] || (n.DataAtom == atom.Div || n.DataAtom == atom.Main || n.DataAtom == atom.Section) &&
		appRoots[strings.ToLower(dom.Attr(n, "id"))]
}

// waits reports whether an element shows no text, or only a placeholder.
func waits(n *html.Node) bool {
	var f dom.Folder
	var walk func(*html.Node) bool // returns false as soon as it finds content
	walk = func(n *html.Node) bool {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				f.Write(c.Data)
			case c.Type != html.ElementNode || dom.Unseen(c):
			case c.DataAtom == atom.Img || c.DataAtom == atom.Input || !walk(c):
				return false
			}
			if f.Size() > shortText {
				return false
			}
		}
		return true
	}
	if !walk(n) {
		return false
	}
	text := strings.TrimSpace(f.Peek())
	return text == "" || placeholder.MatchString(text)
}

func idOf(n *html.Node) string {
	if id := dom.Attr(n, "id"); id != "" {
		return "id=" + dom.Clip(id, 40)
	}
	return ""
}
