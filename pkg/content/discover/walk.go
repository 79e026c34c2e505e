package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// roots are the kinds of documents, by root element.
var roots = map[string]Kind{
	"urlset": urlSet, "url": urlSet, "sitemapindex": mapIndex, "sitemap": mapIndex,
	"rss": rssKind, "rdf": rdfKind, "feed": atomKind,
}

// walker finds the entries of a sitemap or feed. It tracks the open elements. If an element was not closed, walker
// closes it when an outer element ends or the next entry begins. An unclosed field also ends where the next element
// begins. These are the roots, their entries and the fields of an entry:
//
//	urlset        url        loc lastmod, link rel=alternate
//	sitemapindex  sitemap    loc lastmod
//	rss, RDF      item       link guid pubDate date origLink
//	feed          entry      link id updated published origLink
//
// A field is read only directly below its entry. So the addresses of images, videos and news, which are deeper, are
// not taken as pages. In a sitemap, a loc directly below the root is an entry of its own, and a second loc in an entry
// begins the next one. An entry without fields may hold its address as text.
type walker struct {
	out    *collector
	bounds Bounds
	open   []string
	over   bool   // the root element has ended
	ended  int    // how many root elements have ended
	entry  *entry // the entry being read
	field  string // field of the entry whose text is being read, or ""
	text   strings.Builder
}

// entry collects the fields of the entry that is being read.
type entry struct {
	name               string // name of its element
	base               string // base address of the document, restored when the entry ends
	loc, guid          string
	permalink          bool   // the feed calls the guid an address
	rank               int    // how well loc suits a reader ([linkRank]); 0 for an address that is not an Atom link
	original           string // address of the page behind a proxy that counts clicks (feedburner:origLink)
	bare               string // text of the element itself
	changed, published string
	alternates         []string
}

// missingRoot stands for the root element of entries without one.
const missingRoot = ""

// maxRoots bounds the documents in one body, because each end of one costs work.
const maxRoots = 100

// leaves are the fields of entries that contain no elements. HTML's void form of link is one of them.
var leaves = map[string]bool{
	"loc": true, "lastmod": true, "changefreq": true, "priority": true, "link": true, "guid": true, "id": true,
	"pubdate": true, "date": true, "updated": true, "published": true, "origlink": true,
}

// isEntry reports whether an element is an entry in this kind of document. An element "url" is an entry only in
// sitemaps; in RSS it is the address of a picture.
func (w *walker) isEntry(name string) bool {
	switch {
	case w.out.Kind.isMap():
		return name == "url" || name == "sitemap"
	case w.out.Kind == atomKind:
		return name == "entry"
	}
	return name == "item"
}

// isMap reports whether a document is a sitemap.
func (k Kind) isMap() bool { return k == urlSet || k == mapIndex }

// walk reads all tokens. The first token is the start tag of the root element.
func (w *walker) walk(m *markup, first token) error {
	tok, err := first, error(nil)
	if w.isEntry(first.name) {
		w.open = append(w.open, missingRoot)
	}
	for w.out.Truncated == "" && tok.kind != ended {
		switch {
		case w.over && !w.goesOn(tok):
		case tok.kind == startTag:
			w.start(tok)
		case tok.kind == endTag:
			if w.end(tok.name); len(w.open) == 0 {
				if w.ended++; w.ended > maxRoots {
					w.out.stop(fmt.Sprintf("it holds more than %d documents", maxRoots))
					break
				}
				// Another document may follow at once, but what else follows may be endless.
				if rest, _ := m.r.Peek(head); !holdsRoot(rest) {
					return nil
				}
				w.over = true
			}
		case tok.kind == chars:
			w.characters(tok.text)
		}
		if tok, err = m.next(); err != nil && w.over {
			return nil
		} else if err != nil {
			return err
		}
	}
	w.cutOff()
	return nil
}

// goesOn reports whether a token behind the end of the root element begins another document of the same kind.
func (w *walker) goesOn(tok token) bool {
	switch {
	case tok.kind != startTag:
		return false
	case w.out.Kind.isMap():
		w.over = tok.name != "urlset" && tok.name != "sitemapindex"
	default:
		w.over = roots[tok.name] != w.out.Kind
	}
	return !w.over
}

// cutOff ends the document early. It drops the text that is being read, because this text may be incomplete.
func (w *walker) cutOff() {
	w.field = ""
	if w.entry != nil && w.entry.loc != "" {
		w.finish()
	}
	if len(w.open) > 0 && w.open[len(w.open)-1] != missingRoot {
		w.out.stop("it ends in the middle")
	}
}

// start handles the beginning of an element.
func (w *walker) start(tok token) {
	w.closeField()
	if last := len(w.open) - 1; w.entry != nil && last > 0 && leaves[w.open[last]] {
		w.open = w.open[:last]
	}
	w.startEntryAt(tok)
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

// startEntryAt begins an entry at a loc that stands directly below the root of a sitemap, or second in an entry.
func (w *walker) startEntryAt(tok token) {
	if tok.name != "loc" || !w.out.Kind.isMap() || len(w.open) == 0 {
		return
	}
	parent := w.open[len(w.open)-1]
	if w.entry != nil && (parent != w.entry.name || w.entry.loc == "") ||
		w.entry == nil && parent != "urlset" && parent != "sitemapindex" {
		return
	}
	name := "url"
	if w.out.Kind == mapIndex {
		name = "sitemap"
	}
	w.begin(token{name: name})
	w.open = append(w.open, name)
}

// endEmpty ends a self-closing element.
func (w *walker) endEmpty(tok token) {
	w.closeField()
	if w.isEntry(tok.name) {
		w.finish()
	}
}

// begin begins an entry. If the previous entry is still open because its end tag is missing, begin ends it first.
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

// aboutDocument reads an element outside of entries, to find the address at which a feed continues.
func (w *walker) aboutDocument(tok token) {
	if len(w.open) == 0 {
		w.rebase(tok)
	}
	if !w.out.Kind.isMap() && tok.name == "link" && (hasRel(tok, "next") || hasRel(tok, "prev-archive")) {
		w.out.follow(w.href(tok))
	}
}

// hasRel reports whether a link has a relation: as a word in any case, or as the address under which IANA lists it
// (RFC 4287 §4.2.7.2).
func hasRel(tok token, rel string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(tok.attr("rel"))) {
		if word == rel || strings.Contains(word, "iana.org/assignments/") && strings.HasSuffix(word, "/"+rel) {
			return true
		}
	}
	return false
}

// href returns the address of a link. If the link has an xml:base of its own, the address is resolved against it.
func (w *walker) href(tok token) string {
	ref := tok.attr("href")
	if base := tok.attr("base"); base != "" && ref != "" {
		if at, err := w.out.resolve(base); err == nil {
			if url, err := source.ResolveFetchForm(at, ref); err == nil {
				return url
			}
		}
	}
	return ref
}

// linkRank says how well a link of an Atom entry suits a reader: 3 for a web page, 2 for an unknown type, 1 for a file
// of another type, 0 if the link is no alternate.
func linkRank(tok token) int {
	switch kind := strings.ToLower(tok.attr("type")); {
	case tok.attr("rel") != "" && !hasRel(tok, "alternate"):
		return 0
	case strings.Contains(kind, "html"):
		return 3
	case kind == "":
		return 2
	}
	return 1
}

// startField begins an element directly below the entry.
func (w *walker) startField(tok token) {
	if tok.name == "link" && tok.attr("href") != "" {
		w.addLink(tok)
		return
	}
	e, permalink := w.entry, tok.attr("ispermalink")
	if tok.name == "guid" && strings.EqualFold(permalink, "false") || tok.name == "id" && w.out.Kind != atomKind {
		return
	}
	e.permalink = e.permalink || tok.name == "guid" && strings.EqualFold(permalink, "true")
	w.field = tok.name
	w.text.Reset()
}

// addLink adds the address of a link: to a page of a sitemap as a translation, and to an entry of a feed as its page.
func (w *walker) addLink(tok token) {
	e, href := w.entry, w.href(tok)
	if w.out.Kind.isMap() {
		if w.bounds.Alternates && tok.attr("hreflang") != "" && len(e.alternates) < maxAlternates {
			e.alternates = append(e.alternates, href)
		}
		return
	}
	if rank := linkRank(tok); rank > 0 && (e.loc == "" || rank > e.rank && e.rank > 0) {
		e.loc, e.rank = href, rank
	}
}

// maxAlternates bounds the translations of one page.
const maxAlternates = 500

// characters adds text to the open field.
func (w *walker) characters(s string) {
	switch {
	case w.field != "" && w.text.Len() < maxText:
		w.text.WriteString(s)
	case w.field == "" && w.entry != nil && len(w.open) > 0 && w.open[len(w.open)-1] == w.entry.name:
		set(&w.entry.bare, strings.TrimSpace(s))
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
	case "guid", "id":
		set(&e.guid, value)
	case "origlink":
		set(&e.original, value)
	case "lastmod", "updated", "date":
		set(&e.changed, value)
	case "pubdate", "published":
		set(&e.published, value)
	}
	w.field = ""
}

func set(to *string, value string) {
	*to = cmp.Or(*to, value)
}

// end ends the innermost open element with the given name, and the unclosed elements within it. An end tag without a
// start tag is ignored.
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
	w.out.Entries++
	mod, span := e.time()
	switch ref := e.address(); {
	case ref == "":
		w.out.skip("no address")
	case e.name == "sitemap":
		for _, ref := range separate(ref) {
			w.out.sitemap(ref, mod, span)
		}
	default:
		for _, ref := range separate(ref) {
			w.out.page(ref, mod, span)
		}
	}
	for _, ref := range e.alternates {
		w.out.page(ref, mod, span)
	}
	w.out.base = e.base
}

// address returns the best address of an entry, or "".
func (e *entry) address() string {
	switch {
	case isWeb(e.original):
		return e.original
	case e.loc != "" && e.loc[0] != '#': // a fragment alone would be the document itself
		return e.loc
	case isWeb(e.guid) || e.permalink:
		return e.guid
	case isWeb(e.bare):
		return e.bare
	}
	return ""
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
