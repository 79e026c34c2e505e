// Package web reads the documents of the web: HTML, and every other text that servers send instead. A page with
// visible text never yields an empty document.
//
// One small table maps media types to readers. A text of another type is read as plain text, or as a listing if its
// type or the name of its file is that of code. Everything else is [extract.Document.Unsupported], which is never an
// error.
//
// # Life of an HTML page
//
//	bytes → UTF-8 (charset.go) → tree, within bounds; streamed pieces moved (package tree)
//	tree  → declarations of the page (package head) → survey, then the content without chrome (package maincontent)
//	      → blocks (package blocks), images (images.go), protected addresses (protected.go)
//	      → signs that the host sent something else in place of the page (package failure)
//
// If the page has no usable tree, flat.go keeps its text without structure ([extract.Document.Flat]).
//
// Plain text (text.go), comma-separated values (csv.go) and code (code.go) become blocks directly. Package data reads
// JSON, XML, feeds and calendars (structured.go). Markdown (markdown.go) is rendered to HTML and then read like a page,
// but nothing in it is chrome.
package web

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readers are the readers of the media types.
var readers = func() map[string]func(page) extract.Document {
	all := map[string]func(page) extract.Document{}
	add := func(read func(page) extract.Document, types string) {
		for name := range strings.FieldsSeq(types) {
			all[name] = read
		}
	}
	add(readHTML, "text/html application/xhtml+xml")
	add(readText, "text/plain")
	add(readMarkdown, "text/markdown text/x-markdown")
	add(readCSV, "text/csv text/x-csv text/comma-separated-values application/csv application/x-csv "+
		"text/tab-separated-values")
	add(readJSON, "application/json text/json text/x-json application/x-json application/json-seq")
	add(readJSONLines, "application/jsonl application/x-jsonl application/jsonlines application/x-jsonlines "+
		"application/ndjson application/x-ndjson")
	add(readXML, "application/xml text/xml application/rss application/atom")
	add(readCalendar, "text/calendar text/vcard text/x-vcard text/directory")
	return all
}()

// readerOf returns the reader of a media type, or nil if the body is not read.
func readerOf(mimeType, urlPath string, body []byte) func(page) extract.Document {
	read := readers[mimeType]
	switch language := languageByName(urlPath); {
	case mimeType == "text/plain" && language != "":
		read = readCode(language)
	case read != nil:
	case strings.HasSuffix(mimeType, "+json"):
		read = readJSON
	case strings.HasSuffix(mimeType, "+xml") && !isMedia(mimeType):
		read = readXML
	case codeOf(mimeType) != "":
		read = readCode(codeOf(mimeType))
	case isMedia(mimeType), mimeType == octets:
	case language != "":
		read = readCode(language)
	default:
		read = readText
	}
	if read == nil || !IsHTML(mimeType) && IsBinary(body) {
		return nil
	}
	return read
}

// page is a document as it was received.
type page struct {
	body        []byte
	contentType string // with its parameters, which may give the charset
	base        *url.URL
	limits      extract.Limits
	cut         bool                          // the body is only the beginning of the document
	letter      bool                          // the page is a mail, whose dialogs and text areas are text
	tree        func(*html.Node, jsonld.Data) // see [extract.Limits]
}

// Extract reads a document. The contentType is the Content-Type header as it was received. If the header is empty or
// gives no information, the body decides. Addresses are resolved against baseURL, the final address of the body.
// Errors: Invalid, with the field baseURL, if baseURL is not an absolute http or https address. No body causes an
// error.
//
// The field MetaRobots of the document holds the contents of robots meta elements, in the form that package robots
// parses. If an element addresses a single crawler, the content begins with the name of the crawler and ": ".
func Extract(body []byte, contentType, baseURL string, lim extract.Limits) (extract.Document, error) {
	base, err := pageBase(baseURL)
	if err != nil {
		return extract.Document{}, err
	}
	p := page{body: body, contentType: contentType, base: base, limits: lim.WithDefaults()}
	mimeType := mediaType(contentType, body, base.Path)
	read := readerOf(mimeType, base.Path, body)
	if read == nil {
		return extract.Document{MimeType: mimeType, Unsupported: true}, nil
	}
	var tail []byte
	if len(p.body) > p.limits.MaxBytes {
		p.body, tail, p.cut = p.body[:p.limits.MaxBytes], p.body[p.limits.MaxBytes:], true
	}
	doc := read(p)
	doc.DetectLanguage()
	doc.MimeType = mimeType
	if len(tail) > 0 {
		doc.Truncated = true
		doc.Cut = cmp.Or(doc.Cut, extract.OnlyBytes(p.limits.MaxBytes))
		doc.Beyond = doc.Beyond.And(beyond(tail, doc.Charset, IsHTML(mimeType)))
	}
	return doc, nil
}

// IsHTML reports whether documents of a media type are web pages.
func IsHTML(mimeType string) bool {
	return mimeType == "text/html" || mimeType == "application/xhtml+xml"
}

func pageBase(baseURL string) (*url.URL, error) {
	base, err := url.Parse(baseURL)
	if err != nil || !source.IsWeb(base) {
		return nil, fault.Field("baseURL", "base URL must be absolute http or https")
	}
	return base, nil
}

// Letter reads a text of a mail. It is like [Extract], but everything that an HTML text shows is content: a mail has
// no menus, so an element with the name of one holds words of the sender.
func Letter(body []byte, contentType, baseURL string, lim extract.Limits) (extract.Document, error) {
	base, err := pageBase(baseURL)
	if err != nil {
		return extract.Document{}, err
	}
	if !IsHTML(mediaType(contentType, body, base.Path)) || len(body) > lim.WithDefaults().MaxBytes {
		return Extract(body, contentType, baseURL, lim)
	}
	p := page{body: body, contentType: contentType, base: base, limits: lim.WithDefaults(), letter: true}
	doc := p.html(everything)
	doc.MimeType = "text/html"
	doc.DetectLanguage()
	return doc, nil
}

// showControls makes ordinary elements of dialogs and text areas: programs that show mails know neither, and show the
// text of both.
func showControls(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.DataAtom == atom.Dialog || n.DataAtom == atom.Textarea) {
			n.DataAtom, n.Data = atom.Div, "div"
		}
	}
}
