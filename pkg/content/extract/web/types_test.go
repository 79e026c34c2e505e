package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// A17: TestA17EveryTextTypeIsRead checks that each kind of text has a text form, and that a small change of it changes
// the hash.
func TestA17EveryTextTypeIsRead(t *testing.T) {
	for contentType, body := range map[string]string{
		"application/json": `{"price": 12}`, "text/json": `{"price": 12}`, "application/hal+json": `{"price": 12}`,
		"application/x-ndjson": "{\"price\": 12}\n", "application/xml": "<a><price>12</price></a>",
		"text/xml":            "<a><price>12</price></a>",
		"application/rss+xml": "<rss><channel><item><title>12</title></item></channel></rss>",
		"application/x-yaml":  "price: 12", "text/x-python": "price = 12", "text/css": "a { width: 12px }",
		"text/calendar": "BEGIN:VEVENT\nSUMMARY:12\nEND:VEVENT", "text/vcard": "BEGIN:VCARD\nFN:12\nEND:VCARD",
		"text/vtt": "WEBVTT\n\n12 downloads", "application/html": "<p>price 12", "html": "<p>price 12", "text/*": "price 12",
		"application/csv": "price,12", "application/javascript": "price = 12", "application/toml": "price = 12",
		"application/sql": "SELECT 12",
		"text/rtf-not":    "12", "application/x-sh": "echo 12", "application/json5": "{price: 12}",
		"text/csv": "12 downloads,x", "application/json; charset=utf-8": "12 downloads", "image/x": "",
	} {
		doc := extractAs(t, contentType, body)
		if body == "" {
			continue
		}
		if doc.Unsupported || !strings.Contains(doc.Text, "12") {
			t.Errorf("%s: %v %q", contentType, doc.Unsupported, doc.Text)
		}
		if now := extractAs(t, contentType, strings.Replace(body, "12", "15", 1)); contentType != "text/vtt" &&
			now.ContentHash() == doc.ContentHash() {
			t.Errorf("%s: a change is not seen", contentType)
		}
	}
}

// A17: TestA17TheNameGivesTheType checks that a text has the same form with its own type and with those that servers
// send by default.
func TestA17TheNameGivesTheType(t *testing.T) {
	for _, tt := range []struct{ name, contentType, body string }{
		{"readme.md", "text/markdown", "# Title\n\nText *here*"}, {"a.csv", "text/csv", "a,b\n1,2"},
		{"a.tsv", "text/tab-separated-values", "a\tb\n1\t2"}, {"a.txt", "text/plain", "# no title\n\n1,2"},
		{"a.json", "application/json", `{"a":{"b":1}}`}, {"a.jsonl", "application/jsonl", "{\"a\":1}\n{\"a\":2}"},
		{"a.xml", "text/xml", "<a><b c='1'>2</b></a>"}, {"a.ics", "text/calendar", "BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT"},
		{"a.py", "text/x-python", "if a:\n    b()"}, {"a.yml", "application/yaml", "a:\n  b: 1"},
	} {
		want := extractAs(t, tt.contentType, tt.body)
		for _, contentType := range []string{"application/octet-stream", "text/plain", ""} {
			doc, err := Extract([]byte(tt.body), contentType, goldenBase+tt.name, extract.Limits{})
			if diff := cmp.Diff(want.Blocks, doc.Blocks); err != nil || diff != "" || doc.ContentHash() != want.ContentHash() {
				t.Errorf("%s as %q: %v %s", tt.name, contentType, err, diff)
			}
		}
	}
}

// A17: TestA17XMLIsDecoded checks the encoding that XML declares, and that XHTML is read as a page.
func TestA17XMLIsDecoded(t *testing.T) {
	doc := extractAs(t, "application/xml", "<?xml version='1.0' encoding='ISO-8859-1'?><a><b>Gr\xfcn</b></a>")
	if doc.Text != "- b: Grün" {
		t.Errorf("have %q", doc.Text)
	}
	page := "<?xml version='1.0'?><!DOCTYPE html><html><head><title>T</title></head><body><h1>A</h1><p>x</p></body></html>"
	if doc = extractAs(t, "application/xml", page); doc.Title != "A" || doc.Text != "A\n\nx" {
		t.Errorf("have %q %q", doc.Title, doc.Text)
	}
}
