package robots

import (
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// TestX10Charsets checks that a robots.txt in UTF-16, with several byte order marks or with no-break spaces is read
// (X10).
func TestX10Charsets(t *testing.T) {
	const rules = "User-agent: *\r\nDisallow: /private\r\n"
	encode := func(order unicode.Endianness, mark unicode.BOMPolicy) string {
		s, err := unicode.UTF16(order, mark).NewEncoder().String(rules)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, body := range map[string]string{
		"little endian with a mark": encode(unicode.LittleEndian, unicode.UseBOM),
		"big endian with a mark":    encode(unicode.BigEndian, unicode.UseBOM),
		"little endian":             encode(unicode.LittleEndian, unicode.IgnoreBOM),
		"big endian":                encode(unicode.BigEndian, unicode.IgnoreBOM),
		"two marks":                 "\ufeff\ufeff" + rules,
		"no width":                  "\u200b\ufeff" + rules,
		"no-break spaces":           "User-agent:\u00a0*\nDisallow:\u00a0/private\n",
	} {
		r := Parse([]byte(body))
		if r.Allowed("tidemark", "/private/x") || !r.Allowed("tidemark", "/x") {
			t.Errorf("%s: the rules are not those of the text", name)
		}
	}
}

// TestX10PagesAndQuotes checks that rules are read where a page shows nothing but them, and where values are in quotes;
// and that no other page becomes rules (X10).
func TestX10PagesAndQuotes(t *testing.T) {
	const lines = "User-agent: *\nDisallow: /private"
	for name, tt := range map[string]struct {
		body string
		held bool
	}{
		"a pre element":               {"<pre>" + lines + "</pre>", true},
		"a page with a title":         {"<html><title>robots.txt</title><body><pre>" + lines + "</pre></body>", true},
		"with a style and a script":   {"<style>pre {}</style><script>1</script><pre class=x>" + lines, true},
		"upper case, br and entities": {"\ufeff\n<HTML><PRE>User&#45;agent: *<BR>Disallow: /private</PRE></HTML>", true},
		"the agent in quotes":         {"User-agent: \"*\"\nDisallow: /private", true},
		"the agent's name in quotes":  {"User-agent: 'Tidemark/1.0'\nDisallow: /private", true},
		"all in quotes":               {"User-agent: \"*\"\nDisallow: \"/private\"", true},
		"an empty rule in quotes":     {"User-agent: *\nDisallow: \"\"", false},
		"an error page":               {"<h1>Not found</h1><pre>" + lines + "</pre>", false},
		"an article":                  {"<p>Write this:</p><pre>" + lines + "</pre>", false},
		"words after it":              {"<pre>" + lines + "</pre><p>Write this.", false},
		"two elements":                {"<pre>" + lines + "\n</pre><pre>Allow: /a</pre>", false},
		"a comment":                   {"<!-- <pre>" + lines + "</pre> -->", false},
		"headers of the request":      {"<pre>GET /robots.txt HTTP/1.1\nUser-agent: Tidemark/1.0\nAccept: */*</pre>", false},
		"one quote":                   {"User-agent: *\nDisallow: \"/private", false},
	} {
		r := Parse([]byte(tt.body))
		if r.Allowed("tidemark", "/private/x") == tt.held || !r.Allowed("tidemark", "/x") {
			t.Errorf("%s: want rules held: %v; have %+v", name, tt.held, r.groups)
		}
	}
	r := Parse([]byte("<pre>Sitemap: 'https://a.example/m.xml?a=1&amp;b=2'</pre>"))
	if have := r.Sitemaps(); len(have) != 1 || have[0] != "https://a.example/m.xml?a=1&b=2" {
		t.Errorf("have %q", have)
	}
}
