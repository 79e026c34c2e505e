// Package web reads the documents of the web: HTML, and the plain text, Markdown and comma-separated values that some
// servers send instead. A page with visible text never yields an empty document.
//
// One small table maps media types to readers. A document of another type is [extract.Document.Unsupported], which is
// never an error.
//
// # Life of an HTML page
//
//	bytes → UTF-8 (charset.go) → tree, within bounds; streamed pieces moved (package tree)
//	tree  → declarations of the page (package head) → survey, then the content without chrome (package maincontent)
//	      → blocks (package blocks), images (images.go), protected addresses (protected.go)
//	      → signs that the host sent something else in place of the page (package failure)
//
// When the page has no usable tree, flat.go keeps its text without structure ([extract.Document.Flat]).
//
// Plain text (text.go) and comma-separated values (csv.go) become blocks directly. Markdown (markdown.go) is rendered
// to HTML and then read like a page, but nothing in it is chrome.
package web

import (
	"cmp"
	"net/url"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// readers maps media types to their readers.
var readers = map[string]func(page) extract.Document{
	"text/html":             readHTML,
	"application/xhtml+xml": readHTML,

	"text/plain":                readText,
	"text/markdown":             readMarkdown,
	"text/x-markdown":           readMarkdown,
	"text/csv":                  readCSV,
	"text/tab-separated-values": readCSV,
}

// page is one document as received.
type page struct {
	body        []byte
	contentType string // includes its parameters, which may give the charset
	base        *url.URL
	limits      extract.Limits
}

// Extract reads a document. Parameter contentType is the Content-Type header as received. If it is empty or gives no
// information, the body decides. Addresses are resolved against baseURL, the final address of the body. Errors:
// Invalid, with the field baseURL, when that is not an absolute http or https address. No body causes an error.
//
// The field MetaRobots of the document holds the contents of robots meta elements, in the form that package robots
// parses. If an element addresses a single crawler, the name of the crawler and ": " precede the content.
func Extract(body []byte, contentType, baseURL string, lim extract.Limits) (extract.Document, error) {
	base, err := pageBase(baseURL)
	if err != nil {
		return extract.Document{}, err
	}
	p := page{body: body, contentType: contentType, base: base, limits: lim.WithDefaults()}
	mimeType := mediaType(contentType, body, base.Path)
	read, known := readers[mimeType]
	if !known {
		return extract.Document{MimeType: mimeType, Unsupported: true}, nil
	}
	var tail []byte
	if len(p.body) > p.limits.MaxBytes {
		p.body, tail = p.body[:p.limits.MaxBytes], p.body[p.limits.MaxBytes:]
	}
	doc := read(p)
	doc.DetectLanguage()
	doc.MimeType = mimeType
	if len(tail) > 0 {
		doc.Truncated = true
		doc.Cut = cmp.Or(doc.Cut, extract.OnlyBytes(p.limits.MaxBytes))
		doc.Beyond = doc.Beyond.And(beyond(tail, doc.Charset, isHTML(mimeType)))
	}
	return doc, nil
}

func isHTML(mimeType string) bool {
	return mimeType == "text/html" || mimeType == "application/xhtml+xml"
}

func pageBase(baseURL string) (*url.URL, error) {
	base, err := url.Parse(baseURL)
	if err != nil || !dom.IsWeb(base) {
		return nil, fault.Field("baseURL", "base URL must be absolute http or https")
	}
	return base, nil
}
