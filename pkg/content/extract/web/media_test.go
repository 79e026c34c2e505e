package web

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

func TestMediaTypes(t *testing.T) {
	for _, tc := range []struct {
		name, contentType, body, file string
		mimeType                      string
		unsupported                   bool
	}{
		{"HTML", "Text/HTML; Charset=UTF-8", "<p>x", "", "text/html", false},
		{"XHTML", "application/xhtml+xml", "<p>x", "", "application/xhtml+xml", false},
		{"HTML whatever its name", "text/html", "<p>x", "readme.md", "text/html", false},
		{"broken parameter", "text/html; charset", "<p>x", "", "text/html", false},
		{"no type, looks like HTML", "", " <!DOCTYPE HTML><p>x", "", "text/html", false},
		{"no type, does not", "", "%PDF-1.7", "", "application/octet-stream", true},
		{"octets that look like HTML", "application/octet-stream", "<html>x", "", "text/html", false},
		{"octets named like text", "application/octet-stream", "a,b", "prices.CSV", "text/csv", false},
		{"octets named like text that are none", "application/octet-stream", "a\x00\x01\x02", "a.txt",
			"application/octet-stream", true},
		{"plain text is believed", "text/plain", "<html>x", "", "text/plain", false},
		{"plain text that is none", "text/plain", "\x89PNG\r\n\x1a\n\x00\x00", "", "application/octet-stream", true},
		{"plain text with colours of a terminal", "text/plain", "\x1b[31mred", "", "text/plain", false},
		{"UTF-16 is text", "text/plain", "h\x00i\x00 \x00y\x00", "", "text/plain", false},
		{"plain text named like Markdown", "text/plain; charset=utf-8", "# x", "README.md", "text/markdown", false},
		{"Markdown", "text/markdown; variant=GFM", "# x", "", "text/markdown", false},
		{"tabs", "text/tab-separated-values", "a\tb", "", "text/tab-separated-values", false},
		{"A17: an image is reported, not failed", "image/png", "\x89PNG", "", "image/png", true},
		{"text of an unknown type", "foo/bar", "hello", "", "foo/bar", false},
		{"bytes of an unknown type", "foo/bar", "PK\x03\x04\x00", "", "foo/bar", true},
		{"a type that is misspelt", "html", "<html>x", "", "text/html", false},
		{"HTML by another name", "application/html", "<!doctype html>x", "", "text/html", false},
		{"JSON", "application/ld+json", "{}", "", "application/ld+json", false},
		{"octets named like JSON", "application/octet-stream", "{}", "a.json", "application/json", false},
		{"plain text named like JSON", "text/plain", "{}", "a.json", "application/json", false},
		{"octets that are text", "application/octet-stream", "just text", "", "text/plain", false},
		{"CSV by another name", "application/csv", "a,b", "", "application/csv", false},
		{"an image that is text", "image/svg+xml", "<svg/>", "", "image/svg+xml", true},
		{"JSON that is none", "application/json", "\x00\x01", "", "application/json", true},
		{"nothing at all", "", "", "", "application/octet-stream", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := Extract([]byte(tc.body), tc.contentType, goldenBase+tc.file, extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if doc.MimeType != tc.mimeType || doc.Unsupported != tc.unsupported {
				t.Errorf("have %s unsupported=%v, want %s %v", doc.MimeType, doc.Unsupported, tc.mimeType, tc.unsupported)
			}
		})
	}
}
