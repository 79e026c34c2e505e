package discover

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

const iana = "http://www.iana.org/assignments/relation/alternate"

const jsonFeedOfA = `{ "version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/a"}] }`

// wildForms are forms of sitemaps and feeds that servers send, with what is found in them.
var wildForms = []struct{ name, body, want string }{
	{"loc below the index", "<sitemapindex><loc>s.xml</loc><loc>t.xml</loc></sitemapindex>", "map s.xml, map t.xml"},
	{"loc below the root", "<urlset><loc>/a</loc><lastmod>2024-06-30</lastmod><loc>/b</loc></urlset>", "/a, /b"},
	{"loc between entries", "<urlset><url><loc>/a</loc></url><loc>/b</loc><url><loc>/c</loc></url></urlset>",
		"/a, /b, /c"},
	{"several loc in one entry", "<urlset><url><loc>/a</loc><loc>/b</loc></url><url><loc>/c</loc></url></urlset>",
		"/a, /b, /c"},
	{"several loc in a map", "<sitemapindex><sitemap><loc>s</loc><loc>t</loc></sitemap></sitemapindex>", "map s, map t"},
	{"entries that are not closed", "<urlset><url><loc>/a</loc><url><loc>/b</loc><lastmod/><loc>/c</loc></urlset>",
		"/a, /b, /c"},
	{"loc that is not closed", "<urlset><url><loc>/a<lastmod>2024-01-01</lastmod></url><url><loc>/b</url></urlset>",
		"/a, /b"},
	{"an address without loc", "<sitemapindex><sitemap>https://port.example/s</sitemap></sitemapindex>", "map /s"},
	{"an address in url", "<urlset><url> https://port.example/a </url></urlset>", "/a"},
	{"a void link", "<urlset><url><link rel=alternate hreflang=de href=/d><loc>/a</loc></url></urlset>", "/a"},
	{"loc of an image",
		"<urlset><url><image:image><image:loc>/i.png</image:loc></image:image><loc>/a</loc></url></urlset>",
		"/a"},
	{"loc of an image behind",
		"<urlset><url><loc>/a</loc><image:image><image:loc>/i</image:loc></image:image></url></urlset>",
		"/a"},
	{"a warning of PHP", "<br />\n<b>Warning</b>: x in <b>/a.php</b> on line <b>3</b><br />\n<?xml version='1.0'?>" +
		"<urlset><url><loc>/a</loc></url></urlset>", "/a"},
	{"a notice in bold", "<b>Notice</b><p><urlset><url><loc>/a</loc></url></urlset>", "/a"},
	{"a table of xdebug", "<font size='1'><table><tr><th>Deprecated</th></tr></table></font><rss><channel><item><link>" +
		"/a</link></item></channel></rss>", "/a"},
	{"a script", "<script>if (a<b) { c('<url>') }</script><urlset><url><loc>/a</loc></url></urlset>", "/a"},
	{"long plain warnings", strings.Repeat("Warning: x in /a.php\n", 200) + "<urlset><url><loc>/a</loc></url></urlset>",
		"/a"},
	{"a list with blanks", "\ufeff\u00a0https://port.example/a\u200b \r\n\r\n\thttps://port.example/b\t\r\n", "/a, /b"},
	{"Atom with its id", "<feed><entry><id>https://port.example/a</id></entry></feed>", "/a"},
	{"Atom with an id that is no address", "<feed><entry><id>tag:x</id><link href=/a /></entry></feed>", "/a"},
	{"Atom with its link before the id", "<feed><entry><link href=/a /><id>https://port.example/b</id></entry></feed>",
		"/a"},
	{"rel in capitals", "<feed><entry><link rel=ALTERNATE href=/a /></entry></feed>", "/a"},
	{"rel as an address", "<feed><entry><link rel='" + iana + "' href=/a /></entry></feed>", "/a"},
	{"rel of another kind", "<feed><entry><link rel=enclosure href=/a /></entry></feed>", ""},
	{"only rel self", "<feed><entry><link rel=self href=/a /><id>https://port.example/b</id></entry></feed>", "/b"},
	{"base of a link", "<feed><entry><link xml:base='/x/' href=a /></entry></feed>", "/x/a"},
	{"base of an entry and a link",
		"<feed xml:base='/x/'><entry xml:base='y/'><link xml:base='z/' href=a /></entry></feed>",
		"/x/y/z/a"},
	{"HTML among alternates", "<feed><entry><link type=application/atom+xml href=/a.atom /><link type=application/pdf " +
		"href=/a.pdf /><link type=text/html href=/a /><link type=text/html href=/b /></entry></feed>", "/a"},
	{"the original link", "<rss><item><link>https://proxy.example/1</link><feedburner:origLink>https://port.example/a" +
		"</feedburner:origLink></item></rss>", "/a"},
	{"a relative guid", "<rss><item><guid isPermaLink=true>/a</guid></item></rss>", "/a"},
	{"a relative guid that is not called an address", "<rss><item><guid>/a</guid></item></rss>", ""},
	{"a number as a date", `{"version":"https://jsonfeed.org/version/1","items":[{"url":"/a"},{"url":"/b",` +
		`"date_published":1700000000},{"url":"/c","date_modified":12}]}`, "/a, /b, /c"},
	{"an address that is a number", `{"version":"https://jsonfeed.org/version/1","next_url":false,"items":[{"url":5},` +
		`{"url":"/b"},7,{"id":["x"]},{"url":"/c"}]}`, "/b, /c"},
	{"two documents in one", "<urlset><url><loc>/a</loc></url></urlset>\n<?xml version='1.0'?><urlset><url>" +
		"<loc>/b</loc></url></urlset><!-- x --><p>y", "/a, /b"},
	{"a page behind the document", "<urlset><url><loc>/a</loc></url></urlset><html><url><loc>/b</loc></url></html>",
		"/a"},
	{"addresses in quotes", "<urlset><url><loc>\"https://port.example/a\"</loc></url><url><loc>'/b'</loc></url></urlset>",
		"/a, /b"},
	{"addresses without their scheme", "<urlset><url><loc>www.port.example/a</loc></url><url><loc>port.example/b</loc>" +
		"</url><url><loc>https//port.example/c</loc></url><url><loc>x.html/d</loc></url></urlset>",
		"https://www.port.example/a, /b, /c, /x.html/d"},
	{"a list with columns", "https://port.example/a\t0.5\nhttps://port.example/b,2024-01-01\n" +
		"https://port.example/c,d https://port.example/e\n\"https://port.example/f\", \"2024-01-01\"\n",
		"/a, /b, /c,d, /e, /f"},
	{"a list in quotes", "\"https://port.example/a\"\n'https://port.example/b'", "/a, /b"},
	{"entries without a root", "<url><loc>/a</loc></url>\n<url><loc>/b</loc></url>", "/a, /b"},
	{"maps without a root", "<sitemap><loc>s</loc></sitemap><sitemap><loc>t</loc></sitemap>", "map s, map t"},
	{"a zero byte before the document", "\x00<urlset><url><loc>/a</loc></url></urlset>", "/a"},
	{"a scheme with one slash", "<urlset><url><loc>https:/port.example/a</loc></url></urlset>", "/a"},
	{"a scheme without slashes", "<urlset><url><loc>https:port.example/a</loc></url></urlset>", "/a"},
	{"a scheme without slashes before a file", "<urlset><url><loc>https:a.html</loc></url><url><loc>https:/b.html</loc>" +
		"</url></urlset>", "/a.html, /b.html"},
	{"a scheme twice", "<urlset><url><loc>https://https://port.example/a</loc></url><url><loc>" +
		"http://https//port.example/b</loc></url></urlset>", "/a, /b"},
	{"two addresses in one loc", "<urlset><url><loc>https://port.example/a https://port.example/b</loc></url><url><loc>" +
		"https://port.example/c,\n https://port.example/d</loc></url></urlset>", "/a, /b, /c, /d"},
	{"an address within an address", "<urlset><url><loc>/save?u=https://x.example/</loc></url></urlset>",
		"/save?u=https://x.example/"},
	{"an address within an address, behind a blank", "<urlset><url><loc>https://port.example/go?u= https://x.example/y" +
		"</loc></url></urlset>", "/go?u=%20https://x.example/y"},
	{"a fragment", "<urlset><url><loc>#</loc></url><url><loc>/a</loc></url></urlset>", "/a"},
	{"a list with remarks", "# pages\nhttps://port.example/a # first\nhttps://port.example/b#c\n", "/a, /b"},
	{"a list in brackets", "x\n<https://port.example/a>\n", "/a"},
	{"a JSON feed behind a warning", "Warning: x in /a.php\n" + jsonFeedOfA, "/a"},
	{"a JSON feed behind a warning in HTML", "<br />\n<b>Warning</b>: x<br />" + jsonFeedOfA, "/a"},
	{"a JSON feed for a script", "call(" + jsonFeedOfA + ");", "/a"},
	{"members in capitals", `{"version":"https://jsonfeed.org/version/1","Items":[{"URL":"/a"}]}`, "/a"},
	{"RSS about JSON feeds", "<rss><channel><item><link>/b</link><description><![CDATA[" + jsonFeedOfA +
		"]]></description></item></channel></rss>", "/b"},
	{"Atom about JSON feeds, behind a warning", "Warning: x\n<feed><entry><link href=/b /><content><![CDATA[" +
		jsonFeedOfA + "]]></content></entry></feed>", "/b"},
	{"RDF about JSON feeds", "<rdf:RDF><item><link>/b</link><description><![CDATA[" + jsonFeedOfA +
		"]]></description></item></rdf:RDF>", "/b"},
	{"entries without a root about JSON feeds", "<url><loc>/b</loc><!-- " + jsonFeedOfA + " --></url>", "/b"},
	{"a JSON feed about pages, behind a warning", "Warning: x\n" + `{"version":"https://jsonfeed.org/version/1","title":` +
		`"<html>","items":[{"url":"/a"}]}`, "/a"},
	{"a page about JSON feeds", "<!doctype html><pre>" + jsonFeedOfA + "</pre>", ""},
	{"entries by number", `{"version":"https://jsonfeed.org/version/1","items":{"0":{"url":"/a"},"7":{"url":"/b"}}}`,
		"/a, /b"},
}

// TestX11Forms checks that the forms of sitemaps and feeds that servers send are read: addresses without an entry of
// their own, fields that are not closed, warnings before the document, and the links of feeds (X11).
func TestX11Forms(t *testing.T) {
	for _, row := range wildForms {
		t.Run(row.name, func(t *testing.T) {
			found, err := Sitemap([]byte(row.body), "https://port.example/maps", Bounds{})
			if err != nil && row.want != "" {
				t.Fatal(err)
			}
			var have []string
			for _, l := range found.Links {
				have = append(have, strings.TrimPrefix(l.URL, "https://port.example"))
			}
			for _, l := range found.Maps {
				have = append(have, "map "+strings.TrimPrefix(l.URL, "https://port.example"))
			}
			want := strings.ReplaceAll(row.want, "map s", "map /s")
			if diff := cmp.Diff(strings.ReplaceAll(want, "map t", "map /t"), strings.Join(have, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestX11Shortfall checks that entries that could not be read are counted, and that the first one is named with its
// number (X11).
func TestX11Shortfall(t *testing.T) {
	for body, want := range map[string]string{
		"<urlset><url><loc>/a</loc></url><url></url><url><loc>ftp://x/</loc></url></urlset>": "2 of 3 entries could not be " +
			"read; the first is entry 2: no address",
		"https://port.example/a\nx\nhttps://port.example/b\n": "1 of 3 entries could not be read; the first is entry 2: " +
			"the line is no address",
		`{"version":"https://jsonfeed.org/version/1","items":5,"next_url":"/b"}`: "1 of 1 entries could not be read; " +
			"the first is entry 1: items is not a list",
		`{"version":"https://jsonfeed.org/version/1","title":"x"}`: "1 of 1 entries could not be read; the first is " +
			"entry 1: the feed has no items",
		"<url><loc>/a</loc></url><url></url>": "1 of 2 entries could not be read; the first is entry 2: " +
			"no address",
		`{"version":"https://jsonfeed.org/version/1","items":null}`:         "",
		"<urlset><url><loc>/a</loc></url><url><loc>/a</loc></url></urlset>": "",
	} {
		found, err := Sitemap([]byte(body), sitemapBase, Bounds{})
		if have := found.shortfall(); err != nil || have != want {
			t.Errorf("%s: %q, %v", body, have, err)
		}
	}
}

// TestX11Robots checks that sitemaps in robots.txt may be relative, or lack their scheme (X11).
func TestX11Robots(t *testing.T) {
	body := "Sitemap: /maps/s.xml\nSitemap: t.xml\nSitemap: maps/u.xml\nSitemap: //other.example/v.xml\n" +
		"Sitemap: www.port.example/w.xml\nSitemap: https://port.example/x.xml\nSitemap: ftp://port.example/y.xml\n" +
		"Sitemap: <https://port.example/1.xml>\nSitemap: https://port.example/2.xml, https://port.example/3.xml\n" +
		"Sitemap: https://port.example/4.xml\u200b\nSitemap: https:/port.example/5.xml\n"
	found := Robots([]byte(body), "https://port.example/robots.txt")
	var have []string
	for _, m := range found.Maps {
		have = append(have, strings.TrimPrefix(m.URL, "https://"))
	}
	want := []string{"port.example/maps/s.xml", "port.example/t.xml", "port.example/maps/u.xml", "other.example/v.xml",
		"www.port.example/w.xml", "port.example/x.xml", "port.example/1.xml", "port.example/2.xml", "port.example/3.xml",
		"port.example/4.xml", "port.example/5.xml"}
	if diff := cmp.Diff(want, have); diff != "" || found.shortfall() == "" {
		t.Errorf("%s%q", diff, found.shortfall())
	}
}

// TestX10Charset checks that the charset of the Content-Type is used where the document declares none (X10).
func TestX10Charset(t *testing.T) {
	for prefix, want := range map[string]string{
		"":                                   "https://port.example/%C3%A9",
		"<?xml encoding='iso-8859-1'?>":      "https://port.example/%C3%A9",
		"<?xml version='1.0'?>":              "https://port.example/%C3%A9",
		"\ufeff":                             "https://port.example/%E9",
		"<?xml version='1.0' encoding='x'?>": "https://port.example/%E9",
	} {
		body := prefix + "<urlset><url><loc>/\xe9</loc></url></urlset>"
		found, err := Sitemap([]byte(body), sitemapBase, Bounds{Charset: "ISO-8859-1"})
		if err != nil || len(found.Links) != 1 || found.Links[0].URL != want {
			t.Errorf("%q: %v, %v", prefix, found.Links, err)
		}
	}
}

// FuzzX11Robots checks that the sitemaps of a robots.txt are addresses that can be requested.
func FuzzX11Robots(f *testing.F) {
	f.Add("Sitemap: /s.xml\nSitemap: <https://port.example/a>, https://port.example/b\u200b")
	f.Add("sitemap: https:/port.example/a\rSITEMAP: \\\\x\\y")
	f.Fuzz(func(t *testing.T, body string) {
		found := Robots([]byte(body), "https://port.example/robots.txt")
		for _, m := range found.Maps {
			if form, err := source.FetchForm(m.URL); err != nil || form != m.URL {
				t.Errorf("%q: form %q, %v", m.URL, form, err)
			}
		}
	})
}
