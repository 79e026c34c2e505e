package head

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// Bounds on metadata: the number of authors, and the size in bytes of an element that may hold a date or a name.
const (
	maxAuthors   = 5
	maxStatement = 120
)

// statements are the values of one property, by source. The best source comes first.
type statements [sourceCount][]string

// The sources of metadata, best first.
const (
	fromJSON  = iota // JSON-LD
	fromMeta         // meta elements
	fromProp         // microdata
	fromClass        // elements with a class that describes their content
	fromTime         // time elements
	fromText         // texts below the heading
	sourceCount
)

const mostStatements = 20 // mostStatements limits the number of values that are kept from each source.

func (s *statements) add(source int, value string) {
	if value = strings.TrimSpace(value); value != "" && len(s[source]) < mostStatements {
		s[source] = append(s[source], value)
	}
}

// pageFacts are all statements that a page makes about itself.
type pageFacts struct {
	published, modified, author, site statements
	near                              int // number of texts below the heading that remain to be read
}

// mostNear limits the number of texts below a heading that are searched for the date of the page.
const mostNear = 25

// ReadMetadata reads the author and the dates of a page from its statements. If the statements contain no date, it
// uses the date in the page's address. The objects are those of the page's JSON-LD.
func ReadMetadata(root *html.Node, objects []jsonld.Object, pageURL *url.URL) extract.Metadata {
	var f pageFacts
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			f.readText(n)
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.H1:
			f.near = cmp.Or(f.near, mostNear)
		case atom.Script:
		case atom.Meta:
			f.readMeta(n)
		default:
			f.readElement(n)
		}
	}
	linkedData(objects).addTo(&f)
	return f.decide(pageURL)
}

// decide returns, for each property, the first statement that can be parsed.
func (f *pageFacts) decide(pageURL *url.URL) extract.Metadata {
	m := extract.Metadata{Published: f.published.date(), Modified: f.modified.date(), Author: f.author.names(),
		SiteName: f.site.name()}
	if m.Published.IsZero() {
		m.Published = dateOfPath(pageURL.Path)
	}
	return m
}

func (s *statements) date() time.Time {
	for _, values := range s {
		for _, v := range values {
			if t := parseDate(v); !t.IsZero() {
				return t
			}
		}
	}
	return time.Time{}
}

func (s *statements) name() string {
	for _, values := range s {
		for _, v := range values {
			if name := cleanName(v); name != "" {
				return name
			}
		}
	}
	return ""
}

// names returns the names in the first source that has any.
func (s *statements) names() string {
	for source, values := range s {
		var names []string
		for _, v := range values {
			if source > fromMeta && len(names) == 1 { // further names may belong to comments
				break
			}
			if name := cleanName(v); name != "" && !containsFold(names, name) && len(names) < maxAuthors {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			return dom.Clip(strings.Join(names, ", "), extract.MaxName)
		}
	}
	return ""
}

func containsFold(list []string, s string) bool {
	return slices.ContainsFunc(list, func(have string) bool { return strings.EqualFold(have, s) })
}

// byline holds words that precede an author's name and are not part of it, in several languages.
var byline = []string{"by:", "by ", "written by ", "posted by ", "posted by:", "author:", "authors:", "author ",
	"von ", "von:", "par ", "par:", "por ", "por:", "di ", "da ", "door ", "av ", "af ", "przez ", "autor:", "autora:",
	"auteur:", "autore:", "text:", "texte:", "texto:", "testo:", "tekst:", "verfasst von ",
	"geschrieben von ", "écrit par ",
	"escrito por ", "scritto da ", "a cura di ", "geschreven door ", "skrevet av ", "skrevet af ",
	"kirjoittanut ", "napisał ",
	"автор:", "автор ", "текст:", "yazar:", "yazan:", "作者:", "作者：", "文:", "文：", "著者:", "著者：", "執筆:", "執筆：",
	"撰文:", "撰文：", "記者:", "記者：", "记者:", "记者：", "글:", "글 ", "글쓴이:", "작성자:", "מאת:", "מאת ", "بقلم:", "بقلم ",
	"كتب:"}

// cleanName returns a name as it should be shown, or "" if the text is not a name.
func cleanName(s string) string {
	s = dom.Fold(html.UnescapeString(s))
	whole := s
	for _, word := range byline {
		if len(s) > len(word) && strings.EqualFold(s[:len(word)], word) {
			s = strings.TrimSpace(s[len(word):])
		}
	}
	if isParticle(whole, s) {
		s = whole
	}
	s = strings.Trim(s, " ,;|·•-–—\"\\")
	if !parseDate(s).IsZero() { // a name followed by a date
		s = strings.TrimSpace(s[:max(0, strings.LastIndexAny(s, ",|•·"))])
		if strings.ContainsAny(s, "0123456789") {
			return ""
		}
	}
	if strings.Contains(s, "://") || strings.Contains(s, ".com") ||
		strings.HasPrefix(s, "@") || strings.ContainsAny(s, "<>{}") {
		return ""
	}
	return dom.Clip(s, extract.MaxName)
}

// isParticle reports whether a word before a name belongs to it, as in "von Arnim" and "da Vinci": one that is in lower
// case before a single word.
func isParticle(whole, name string) bool {
	before := strings.TrimSpace(strings.TrimSuffix(whole, name))
	return !strings.Contains(name, " ") && slices.Contains([]string{"von", "di", "da", "av", "af"}, before)
}

// metaNames maps the names of meta elements, in lower case, to the properties that the elements state.
var metaNames = func() map[string]func(*pageFacts) *statements {
	all := map[string]func(*pageFacts) *statements{}
	add := func(of func(*pageFacts) *statements, names string) {
		for name := range strings.FieldsSeq(names) {
			all[name] = of
		}
	}
	add(func(f *pageFacts) *statements { return &f.published }, `article:published_time og:article:published_time
		og:published_time datepublished date pubdate publishdate publish_date publish-date publication_date
		published-date published_date article.published dc.date dc.date.issued dc.date.created dcterms.date
		dcterms.created dcterms.issued citation_publication_date citation_date citation_online_date parsely-pub-date sailthru.date
		originalpublicationdate article_date_original`)
	add(func(f *pageFacts) *statements { return &f.modified }, `article:modified_time og:article:modified_time og:updated_time
		article:modified datemodified last-modified lastmod revised dcterms.modified dc.date.modified article.updated
		modified`)
	add(func(f *pageFacts) *statements { return &f.author }, `author article:author og:article:author dc.creator
		dcterms.creator citation_author parsely-author sailthru.author byl`)
	add(func(f *pageFacts) *statements { return &f.site }, `og:site_name application-name`)
	return all
}()

// readMeta reads a meta element.
func (f *pageFacts) readMeta(n *html.Node) {
	content := dom.Attr(n, "content")
	if content == "" || len(content) > extract.MaxName {
		return
	}
	for _, key := range []string{"property", "name", "itemprop", "http-equiv"} {
		if of := metaNames[strings.ToLower(strings.TrimSpace(dom.Attr(n, key)))]; of != nil {
			of(f).add(fromMeta, content)
			return
		}
	}
}

// readElement reads an element that may hold a date or a name.
func (f *pageFacts) readElement(n *html.Node) {
	prop, class, rel := dom.Attr(n, "itemprop"), dom.Attr(n, "class"), dom.Attr(n, "rel")
	switch {
	case dom.HasWord(prop, "datePublished"), dom.HasWord(prop, "dateCreated"):
		f.published.add(fromProp, dateText(n))
	case dom.HasWord(prop, "dateModified"):
		f.modified.add(fromProp, dateText(n))
	case dom.HasWord(prop, "author"):
		f.author.add(fromProp, personText(n))
	case n.DataAtom == atom.A && dom.HasWord(rel, "author"):
		f.author.add(fromClass, labelOf(n))
	case n.DataAtom == atom.Time:
		f.readTime(n, class)
	case class != "" && len(class) < extract.MaxName:
		f.readClass(n, class)
	}
}

// readTime reads a time element.
func (f *pageFacts) readTime(n *html.Node, class string) {
	switch {
	case dom.HasWord(class, "updated") && !dom.HasWord(class, "published"), strings.Contains(class, "modified"):
		f.modified.add(fromClass, dateText(n))
	case dom.HasWord(class, "published"), dom.HasWord(class, "entry-date"), dom.Attr(n, "pubdate") != "":
		f.published.add(fromClass, dateText(n))
	default:
		if !isOfTopic(labelOf(n.Parent)) {
			f.published.add(fromTime, dateText(n))
		}
	}
}

// readClass reads an element whose class describes its content.
func (f *pageFacts) readClass(n *html.Node, class string) {
	for name := range strings.FieldsSeq(strings.ToLower(class)) {
		switch {
		case strings.Contains(name, "update") || strings.Contains(name, "modifi"):
			f.modified.add(fromClass, dateText(n))
		case strings.Contains(name, "publish"), strings.HasPrefix(name, "date"), strings.HasSuffix(name, "date"),
			name == "posted-on", name == "timestamp":
			f.published.add(fromClass, dateText(n))
		case strings.Contains(name, "byline"), name == "author", strings.HasSuffix(name, "author"),
			strings.HasSuffix(name, "author-name"), strings.HasSuffix(name, "author__name"):
			f.author.add(fromClass, labelOf(n))
		default:
			continue
		}
		return
	}
}

// readText reads a text near the heading. It is about the page if it is a date alone, or a date beside words that
// say when or by whom the page was written; not if it says when something happened.
func (f *pageFacts) readText(n *html.Node) {
	const longest = 60
	if f.near <= 0 || len(n.Data) > maxStatement {
		return
	}
	text := dom.Fold(n.Data)
	if text == "" {
		return
	}
	if f.near--; f.near == 0 {
		f.near = -1
	}
	if len(text) > longest || parseDate(text).IsZero() {
		return
	}
	around := contextOf(n)
	lower := strings.ToLower(around)
	switch {
	case !isDateline(around):
	case slices.ContainsFunc(updateWords, func(word string) bool { return strings.Contains(lower, word) }):
		f.modified.add(fromText, text)
	default:
		f.published.add(fromText, text)
	}
}

// dateText returns the date in an attribute of an element, or else the element's text.
func dateText(n *html.Node) string {
	for _, key := range []string{"datetime", "content", "title"} {
		if v := dom.Attr(n, key); v != "" && len(v) <= maxStatement {
			return v
		}
	}
	return labelOf(n)
}

// personText returns the name of a microdata author, or else the element's text.
func personText(n *html.Node) string {
	nodes := 0
	for c := range n.Descendants() {
		if nodes++; nodes > mostNodes {
			break
		}
		if c.Type == html.ElementNode && dom.HasWord(dom.Attr(c, "itemprop"), "name") {
			n = c
			break
		}
	}
	if v := dom.Attr(n, "content"); v != "" {
		return v
	}
	return labelOf(n)
}

// mostNodes limits the number of nodes in an element that can be a label.
const mostNodes = 30

// labelOf returns the text of a small element, or "" for a larger one. It stops in the middle of a larger element,
// because it may be called for every element around a text.
func labelOf(n *html.Node) string {
	var out strings.Builder
	nodes := 0
	for c := range n.Descendants() {
		if nodes++; nodes > mostNodes || len(c.Data) > 4*maxStatement {
			return ""
		}
		if c.Type == html.TextNode {
			out.WriteString(c.Data)
			out.WriteByte(' ')
		}
	}
	if text := dom.Fold(out.String()); len(text) <= maxStatement {
		return text
	}
	return ""
}

// Date returns the first date among texts, or the zero time.
func Date(texts ...string) time.Time {
	s := statements{fromMeta: texts}
	return s.date()
}

// Names returns the names of authors, joined by ", ".
func Names(names ...string) string {
	s := statements{fromMeta: names}
	return s.names()
}
