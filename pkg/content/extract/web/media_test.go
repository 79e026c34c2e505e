package web

import (
	"strings"
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
		{"the output of a program in Perl", "", "<head><title>x", "a.pl", "text/html", false},
		{"the output of a program in Python", "", " <!-- x --><TITLE>x", "a.py", "text/html", false},
		{"the output of a program in Ruby", "application/octet-stream", "<body>x", "a.rb", "text/html", false},
		{"the output of a program in Lua", "", "<title>x", "a.lua", "text/html", false},
		{"a program that begins with a tag", "", "<p>x", "a.pl", "text/plain", false},
		{"a part of a page in Vue", "", "<body>x", "a.vue", "text/plain", false},
		{"Markdown that begins with a tag", "", "<title>x", "a.md", "text/markdown", false},
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

// TestX7DeclaredTypes checks that a value that is no media type declares none, that bytes that are no text are not read
// as HTML, that HTML with a few odd bytes is, and that text declared as plain stays so (X7).
func TestX7DeclaredTypes(t *testing.T) {
	const html = "<!doctype html><p>High water"
	packed := make([]byte, 2000)
	for i := range packed {
		packed[i] = byte(i*i*31 + i*7)
	}
	for _, tc := range []struct {
		name, contentType, body string
		mimeType                string
		unsupported             bool
	}{
		{"a word", "html", html, "text/html", false},
		{"a word with a charset", "html; charset=utf-8", html, "text/html", false},
		{"a word for nothing", "none", html, "text/html", false},
		{"in quotes", `"text/html"`, html, "text/html", false},
		{"in single quotes", "'text/html'", html, "text/html", false},
		{"a comma before the charset", "text/html,charset=utf-8", html, "text/html", false},
		{"a colon before the charset", "text/html:charset=utf-8", html, "text/html", false},
		{"a blank before the charset", "text/html charset=utf-8", html, "text/html", false},
		{"two types", "text/html, text/html", html, "text/html", false},
		{"a wildcard", "text/*", html, "text/html", false},
		{"a charset alone", "charset=utf-8", html, "text/html", false},
		{"no subtype", "text/", html, "text/html", false},
		{"a word for a table", "html", "<table><tr><td>x", "text/html", false},
		{"a word for text", "html", "High water at noon", "text/plain", false},
		{"a broken type of a picture", "jpg", "\xff\xd8\xff\xe0\x00\x10JFIF", "application/octet-stream", true},

		{"gzip as HTML", "text/html", "\x1f\x8b\x08\x00\x00\x00", "application/octet-stream", true},
		{"zip of texts as HTML", "text/html", "PK\x03\x04\x14\x00" + strings.Repeat("High water. ", 200),
			"application/octet-stream", true},
		{"zstd as XHTML", "application/xhtml+xml", "\x28\xb5\x2f\xfd\x04\x00", "application/octet-stream", true},
		{"JPEG as HTML", "text/html; charset=utf-8", "\xff\xd8\xff\xe0\x00\x10JFIF", "application/octet-stream", true},
		{"bytes without a signature as HTML", "text/html", string(packed), "application/octet-stream", true},

		{"HTML with a few odd bytes", "text/html", html + "\x00\x01" + strings.Repeat(" of spring", 40), "text/html", false},
		{"a fragment with an odd byte", "text/html", "High \x01water" + strings.Repeat(" of spring", 40), "text/html", false},
		{"HTML with many odd bytes", "text/html", html + strings.Repeat("\x01 ", 100), "text/html", false},
		{"HTML in UTF-16", "text/html", "<\x00p\x00>\x00H\x00i\x00", "text/html", false},
		{"HTML in ISO-2022-JP", "text/html", "\x1b$B$3$s$K$A$O\x1b(B", "text/html", false},
		{"text that begins like an archive", "text/html", "PK\x03\x04"[:2] + " is a name", "text/html", false},

		{"a page as JSON", "application/json; charset=utf-8", html, "text/html", false},
		{"a page as JSON of another name", "application/problem+json", html, "text/html", false},
		{"a page as a script", "text/javascript", "\n<HTML lang=de><p>High water", "text/html", false},
		{"a page as a style sheet", "text/css", "<!-- x -->\n" + html, "text/html", false},
		{"a page as a table", "text/csv", html, "text/html", false},
		{"a page as a calendar", "text/calendar", html, "text/html", false},
		{"a page as a picture", "image/png", html, "text/html", false},
		{"a page as a font", "font/woff2", html, "text/html", false},
		{"a page as its program", "application/x-httpd-php", html, "text/html", false},
		{"a part of a page as its program", "text/x-php", "<p>High water", "text/html", false},
		{"a page in UTF-16 as JSON", "application/json", "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", "text/html", false},
		{"XHTML as JSON", "application/json", "<?xml version='1.0'?>" + html, "text/html", false},
		{"XHTML without a type", "", "<?xml version='1.0'?>" + html, "text/html", false},
		{"a page as XML", "application/xml", html, "application/xml", false},
		{"the source of a page", "text/x-php", html + "<?php echo $tide ?>", "text/x-php", false},
		{"the short source of a page", "application/x-httpd-php", "<p><?= $tide ?>", "application/x-httpd-php", false},
		{"JSON that speaks of pages", "application/json", `{"a":"<html>"}`, "application/json", false},
		{"a script that makes a page", "text/javascript", "write('<html>')", "text/javascript", false},
		{"a part of a page as JSON", "application/json", "<p>High water", "application/json", false},
		{"a word that begins like a page", "application/json", "<htmlx>", "application/json", false},

		{"plain text is not raised", "text/plain", html, "text/plain", false},
		{"plain text with a charset is not raised", "Text/Plain; charset=utf-8", html, "text/plain", false},
	} {
		doc, err := Extract([]byte(tc.body), tc.contentType, goldenBase, extract.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if doc.MimeType != tc.mimeType || doc.Unsupported != tc.unsupported {
			t.Errorf("%s: have %s unsupported=%v, want %s %v", tc.name, doc.MimeType, doc.Unsupported, tc.mimeType,
				tc.unsupported)
		}
	}
}

// FuzzX7MediaType checks that declared plain text is never raised to HTML, that pages are pages whatever is declared,
// and that no body is read as a type that it cannot have.
func FuzzX7MediaType(f *testing.F) {
	for _, contentType := range []string{
		"", "text/plain", "html", "application/json", "text/x-php", "image/png", "a/b;c",
	} {
		for _, body := range []string{"<!doctype html><p>x", "<?xml version='1'?><html>", "{}", "\xff\xfe<\x00", "<?php x"} {
			f.Add(contentType, []byte(body), "/a.php")
		}
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte, path string) {
		have, declared := mediaType(contentType, body, path), DeclaredType(contentType)
		if declared == "text/plain" && IsHTML(have) {
			t.Errorf("plain text is %s", have)
		}
		if declared == "application/json" && wholePage.Match(pageHead(body)) != (have == "text/html") {
			t.Errorf("a page, or not, is %s", have)
		}
		if have == "" || strings.ContainsAny(have, "; \n") {
			t.Errorf("%q is no type", have)
		}
	})
}
