package web

import (
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/data"
)

// readJSON reads JSON. A text that is not JSON, such as JSON with comments, is read as a listing.
func readJSON(p page) extract.Document { return p.json(false) }

// readJSONLines reads JSON Lines.
func readJSONLines(p page) extract.Document { return p.json(true) }

func (p page) json(lines bool) extract.Document {
	text, charset := decode(p.body, p.contentType, false)
	doc, ok := data.JSON(jsonText(text), lines, p.options())
	return orListing(doc, ok, text, "json", charset)
}

// orListing returns a document that was read of a text, or the text as a listing if it could not be read.
func orListing(doc extract.Document, ok bool, text []byte, language, charset string) extract.Document {
	if !ok {
		return listing(string(text), language, charset)
	}
	doc.Charset = charset
	return doc
}

// jsonText returns JSON without the sign before the first of several texts (RFC 7464).
func jsonText(text []byte) string { return strings.TrimPrefix(string(text), "\x1e") }

// isJSON reports whether documents of a media type are read as JSON.
func isJSON(mimeType string) bool {
	return strings.HasSuffix(mimeType, "/json") || strings.HasSuffix(mimeType, "/x-json") ||
		strings.HasSuffix(mimeType, "+json") || mimeType == "application/json-seq" || isJSONLines(mimeType)
}

// isJSONLines reports whether each line of documents of a media type is a value.
func isJSONLines(mimeType string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(mimeType, "application/"), "x-")
	return name == "jsonl" || name == "jsonlines" || name == "ndjson"
}

// readXML reads XML. An XHTML page is read as a page, and a text that is not XML as a listing.
func readXML(p page) extract.Document {
	if p.contentType == "" || !strings.Contains(p.contentType, "charset") {
		if m := xmlEncoding.FindSubmatch(p.body[:min(len(p.body), 200)]); m != nil {
			p.contentType = "application/xml; charset=" + string(m[1])
		}
	}
	text, charset := decode(p.body, p.contentType, false)
	if htmlRoot.Match(text[:min(len(text), 2000)]) {
		return readHTML(p)
	}
	doc, ok := data.XML(string(text), p.options())
	return orListing(doc, ok, text, "xml", charset)
}

var (
	// xmlEncoding matches the declaration of the encoding (XML 1.0 §4.3.3).
	xmlEncoding = regexp.MustCompile(`^(?:\xef\xbb\xbf)?<\?xml[^>]*\bencoding\s*=\s*["']([A-Za-z0-9._-]+)`)
	// htmlRoot matches the beginning of a document whose outermost element is html.
	htmlRoot = regexp.MustCompile(`(?s)^\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<![dD][oO][cC][tT][yY][pP][eE][^>]*>\s*)*<(?i:html)[\s>]`)
)

// readCalendar reads calendars and address cards.
func readCalendar(p page) extract.Document {
	text, charset := decode(p.body, p.contentType, false)
	doc, ok := data.Calendar(string(text), "text/calendar", p.options())
	return orListing(doc, ok, text, "", charset)
}

// maxFragments bounds the pieces of HTML that are read in one document. Further ones are kept as written.
const maxFragments = 5_000

func (p page) options() data.Options {
	left := maxFragments
	return data.Options{Limits: p.limits, Cut: p.cut, Markup: func(html string) []extract.Block {
		if left--; left < 0 {
			return nil
		}
		return p.fragment(html)
	}}
}

// fragment returns the blocks of a piece of HTML, or nil if it cannot be parsed.
func (p page) fragment(html string) []extract.Block {
	doc, ok := structured(p, []byte(html), everything)
	if !ok {
		return nil
	}
	return doc.Blocks
}

// Everything reads a page on which everything is content, such as a chapter of a book.
func Everything(body []byte, baseURL string, lim extract.Limits) extract.Document {
	base, err := pageBase(baseURL)
	if err != nil { // Unreachable: callers pass constant addresses.
		return extract.Document{}
	}
	return page{body: body, base: base, limits: lim.WithDefaults()}.html(everything)
}
