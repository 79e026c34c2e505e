package discover

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// roots maps root elements to the kinds of documents.
var roots = map[string]Kind{
	"urlset": URLSet, "url": URLSet, "sitemapindex": MapIndex, "sitemap": MapIndex,
	"rss": RSS, "rdf": RDF, "feed": Atom,
}

// walker finds the entries of a sitemap or feed. It tracks the open elements. If an element was not closed, walker
// closes it when an outer element ends or the next entry begins. These are the roots, their entries and the fields of
// an entry:
//
//	urlset        url        loc lastmod, link rel=alternate
//	sitemapindex  sitemap    loc lastmod
//	rss, RDF      item       link guid pubDate date
//	feed          entry      link updated published
//
// A field is read only directly below its entry. So the addresses of images, videos and news, which are deeper, are
// not taken as pages.
type walker struct {
	out    *collector
	bounds Bounds
	open   []string
	entry  *entry // the entry being read
	field  string // field of the entry whose text is being read, or ""
	text   strings.Builder
}

// entry collects the fields of an entry.
type entry struct {
	name               string // name of its element
	base               string // base of the document, restored when the entry ends
	loc, guid          string
	changed, published string
	alternates         []string
}

// isEntry reports whether an element is an entry in this kind of document. An element "url" is an entry only in
// sitemaps; in RSS it is the address of a picture.
func (w *walker) isEntry(name string) bool {
	switch w.out.Kind {
	case URLSet, MapIndex:
		return name == "url" || name == "sitemap"
	case Atom:
		return name == "entry"
	}
	return name == "item"
}

// walk reads all tokens. Parameter first is the start tag of the root element.
func (w *walker) walk(m *markup, first token) error {
	tok, err := first, error(nil)
	for w.out.Truncated == "" && tok.kind != ended {
		switch tok.kind {
		case startTag:
			w.start(tok)
		case endTag:
			w.end(tok.name)
			if len(w.open) == 0 {
				return nil
			}
		case chars:
			w.characters(tok.text)
		}
		if tok, err = m.next(); err != nil {
			return err
		}
	}
	w.cutOff()
	return nil
}

// cutOff ends the document early. It drops the text being read, because that text may be incomplete.
func (w *walker) cutOff() {
	w.field = ""
	if w.entry != nil && w.entry.loc != "" {
		w.finish()
	}
	if len(w.open) > 0 {
		w.out.stop("it ends in the middle")
	}
}

// start begins an element.
func (w *walker) start(tok token) {
	w.closeField()
	switch {
	case w.isEntry(tok.name):
		w.begin(tok)
	case w.entry != nil && w.open[len(w.open)-1] == w.entry.name:
		w.startField(tok)
	case w.entry == nil:
		w.aboutDocument(tok)
	}
	if tok.empty {
		w.endEmpty(tok)
		return
	}
	if w.open = append(w.open, tok.name); len(w.open) > w.bounds.MaxDepth {
		w.out.stop(fmt.Sprintf("elements nest deeper than %d", w.bounds.MaxDepth))
	}
}

// endEmpty ends a self-closing element.
func (w *walker) endEmpty(tok token) {
	w.closeField()
	if w.isEntry(tok.name) {
		w.finish()
	}
}

// begin begins an entry. If another entry is still open, its end tag is missing, and begin first ends that entry.
func (w *walker) begin(tok token) {
	if w.entry != nil {
		w.end(w.entry.name)
	}
	w.entry = &entry{name: tok.name, base: w.out.base, guid: tok.attr("about")}
	w.rebase(tok)
}

// rebase makes an xml:base attribute the base of the addresses that follow.
func (w *walker) rebase(tok token) {
	if ref := tok.attr("base"); ref != "" {
		if url, err := w.out.resolve(ref); err == nil {
			w.out.base = url
		}
	}
}

// aboutDocument reads elements outside of entries: the address at which a feed continues.
func (w *walker) aboutDocument(tok token) {
	if len(w.open) == 0 {
		w.rebase(tok)
	}
	isFeed := w.out.Kind != URLSet && w.out.Kind != MapIndex
	if rel := tok.attr("rel"); isFeed && tok.name == "link" && (rel == "next" || rel == "prev-archive") {
		w.out.follow(tok.attr("href"))
	}
}

// startField begins an element directly below the entry.
func (w *walker) startField(tok token) {
	href, e := tok.attr("href"), w.entry
	switch {
	case tok.name != "link":
	case href == "":
	case e.name == "url" || e.name == "sitemap":
		if w.bounds.Alternates && tok.attr("hreflang") != "" && len(e.alternates) < maxAlternates {
			e.alternates = append(e.alternates, href)
		}
		return
	default:
		if rel := tok.attr("rel"); e.loc == "" && (rel == "" || rel == "alternate") {
			e.loc = href
		}
		return
	}
	if tok.name == "guid" && strings.EqualFold(tok.attr("ispermalink"), "false") {
		return
	}
	w.field = tok.name
	w.text.Reset()
}

// maxAlternates bounds the translations of one page.
const maxAlternates = 500

// characters adds text to the open field.
func (w *walker) characters(s string) {
	if w.field != "" && w.text.Len() < maxText {
		w.text.WriteString(s)
	}
}

// closeField stores the text of the open field. If a field occurs several times, its first non-empty value is kept.
func (w *walker) closeField() {
	value := strings.TrimSpace(w.text.String())
	if w.field == "" || w.entry == nil {
		return
	}
	switch e := w.entry; w.field {
	case "loc", "link":
		set(&e.loc, value)
	case "guid":
		set(&e.guid, value)
	case "lastmod", "updated", "date":
		set(&e.changed, value)
	case "pubdate", "published":
		set(&e.published, value)
	}
	w.field = ""
}

func set(to *string, value string) {
	if *to == "" {
		*to = value
	}
}

// end ends the innermost open element of that name, and the unclosed elements within it. An end tag without a start
// tag is ignored.
func (w *walker) end(name string) {
	w.closeField()
	for i, open := range slices.Backward(w.open) {
		if open != name {
			continue
		}
		if w.entry != nil && slices.Contains(w.open[i:], w.entry.name) {
			w.finish()
		}
		w.open = w.open[:i]
		return
	}
}

// finish adds the open entry. If the entry has no address, its guid is used, provided that the guid is an address.
func (w *walker) finish() {
	e := w.entry
	if e == nil {
		return
	}
	w.entry = nil
	mod, span := e.time()
	switch {
	case e.loc == "" && isWeb(e.guid):
		w.out.page(e.guid, mod, span)
	case e.loc == "":
		w.out.skip("an entry has no address")
	case e.name == "sitemap":
		w.out.sitemap(e.loc, mod, span)
	default:
		w.out.page(e.loc, mod, span)
	}
	for _, ref := range e.alternates {
		w.out.page(ref, mod, span)
	}
	w.out.base = e.base
}

// time returns when the page changed, or else when it was published.
func (e *entry) time() (time.Time, time.Duration) {
	if t, span := lastMod(e.changed); !t.IsZero() {
		return t, span
	}
	return lastMod(e.published)
}

// isWeb reports whether a text looks like an address on the web.
func isWeb(s string) bool {
	scheme, _, found := strings.Cut(s, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
