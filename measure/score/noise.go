package main

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// noise is a way in which pages change without an edit.
type noise struct {
	name     string
	variants []func(html string) string
}

// noises are the kinds of noise. The "nameless" kinds have no class or id that reveals them, so that an extractor
// could recognize them only by text or position.
var noises = []noise{
	{"advertisement", advertisements("ad-slot")},
	{"advertisement, nameless", advertisements("x7f3a")},
	{"CSRF token, nonce", each([]string{"a81fb77e", "c90dffff3", "12"}, func(s string) func(string) string {
		return atStart(`<form><input type="hidden" name="csrf" value="` + s + `"></form><script nonce="` + s + `">var t="` +
			s + `"</script>`)
	})},
	{"clock in the header", each([]string{"Saturday 21 November, 14:46", "Sunday 22 November, 9:03"},
		func(s string) func(string) string {
			return atStart(`<header><div class="date">` + s + `</div></header>`)
		})},
	{"view counter", each([]string{"10,234 views", "1,000,001 views"}, func(s string) func(string) string {
		return atEnd(`<div class="view-count">` + s + `</div>`)
	})},
	{"footer", each([]string{"Made in 12 ms. Visitor 88121.", "Made in 131 ms. Visitor 99999999."},
		func(s string) func(string) string {
			return atEnd(`<footer>` + s + `</footer>`)
		})},
	{"related pages", related("related-posts")},
	{"related pages, nameless", related("x7f3a")},
	{"count in a line", inProse("12 comments", "13 comments", "浏览 1,234 次", "浏览 1,301 次")},
	{"readers at this moment", inProse("17 people are viewing this", "12 people are viewing this")},
	{"clock", inProse("The time now is 03:45 PM.", "The time now is 03:46 PM.")},
	{"date of today", inProse("Today is Wednesday, 25 November 2026", "Today is Thursday, 26 November 2026")},
	{"load time", inProse("Page generated in 0.123 seconds.", "Page generated in 0.101 seconds.")},
	{"countdown", inProse("Sale ends in 03:12:44", "Sale ends in 03:10:01")},
	{"id of the request", inProse("Request ID: 8f3a77b1c2", "Request ID: 77c1f30a9e")},
	{"relative time", inProse("Updated 3 days ago", "Updated 4 days ago")},
	{"typography", []func(string) string{
		func(s string) string { return s },
		func(s string) string {
			return strings.NewReplacer("’", "'", "“", "&quot;", "”", "&quot;", "–", "-").Replace(s)
		},
		func(s string) string { return norm.NFD.String(s) },
		func(s string) string { return paragraphStart.ReplaceAllString(s, "$0\u202a\u00ad\ufe0f") },
	}},
	{"order of attributes", []func(string) string{
		func(s string) string { return reorder(s, func([]html.Attribute) {}) },
		func(s string) string { return reorder(s, slices.Reverse[[]html.Attribute]) },
	}},
}

// inProse returns two variants, each with paragraphs inserted in the middle of the content. The pairs have the text
// of each paragraph in the first and in the second variant.
func inProse(pairs ...string) (all []func(string) string) {
	line := func(i int) string {
		var out strings.Builder
		for ; i < len(pairs); i += 2 {
			out.WriteString("<p>" + pairs[i] + "</p>")
		}
		return out.String()
	}
	return each([]string{line(0), line(1)}, func(lines string) func(string) string {
		return func(s string) string {
			n := 0
			return paragraphEnd.ReplaceAllStringFunc(s, func(tag string) string {
				if n++; n != 2 {
					return tag
				}
				return tag + lines
			})
		}
	})
}

func each(texts []string, make func(string) func(string) string) (all []func(string) string) {
	for _, text := range texts {
		all = append(all, make(text))
	}
	return all
}

var (
	paragraphEnd   = regexp.MustCompile(`(?i)</p>`)
	paragraphStart = regexp.MustCompile(`(?i)<p(?:\s[^<>]*)?>(\pL)`)
	bodyStart      = regexp.MustCompile(`(?i)<body[^>]*>`)
	bodyEnd        = regexp.MustCompile(`(?i)</body>`)
)

func atStart(insert string) func(string) string {
	return func(s string) string {
		return bodyStart.ReplaceAllStringFunc(s, func(tag string) string { return tag + insert })
	}
}

func atEnd(insert string) func(string) string {
	return func(s string) string { return bodyEnd.ReplaceAllLiteralString(s, insert+"</body>") }
}

// advertisements returns the variants of a page in which a slot after every third paragraph has one advertisement,
// another one, or none.
func advertisements(class string) []func(string) string {
	ads := []string{
		"<p>Buy the new tide watch for only 49.99 today! The offer ends soon, so do not wait any longer.</p>",
		`<a href="https://ads.example/x">Win a trip to Brest</a>`, "",
	}
	return each(ads, func(ad string) func(string) string {
		return func(s string) string {
			n := 0
			return paragraphEnd.ReplaceAllStringFunc(s, func(tag string) string {
				if n++; n%3 != 2 || n > 30 {
					return tag
				}
				return tag + `<div class="` + class + `">` + ad + `</div>`
			})
		}
	})
}

func related(class string) []func(string) string {
	lists := []string{
		`<li><a href="/a">Pilot rescued off the coast</a><li><a href="/b">New crane</a><li><a href="/c">Old quay wall</a>`,
		`<li><a href="/d">Old crane sold to a museum in the north</a><li><a href="/e">New ship in town</a>` +
			`<li><a href="/f">Whale seen</a>`,
	}
	return each(lists, func(list string) func(string) string {
		return atEnd(`<div class="` + class + `"><h3>More</h3><ul>` + list + `</ul></div>`)
	})
}

// reorder rewrites all start tags. The function order changes their attributes.
func reorder(s string, order func([]html.Attribute)) string {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			out.Write(z.Raw())
			continue
		}
		token := z.Token()
		order(token.Attr)
		out.WriteString(token.String())
	}
	return out.String()
}

// flips counts the pages whose content differs between the variants of a noise.
func flips(pages []page, e extractor, kind noise) (int, error) {
	n := 0
	for _, p := range pages {
		source, first := inUTF8(p.html), ""
		for i, variant := range kind.variants {
			text, err := e.decides([]byte("\ufeff" + variant(source)))
			if err != nil {
				return n, err
			}
			if text = dom.Fold(text); i == 0 {
				first = text
			} else if text != first {
				n++
				break
			}
		}
	}
	return n, nil
}

// inUTF8 converts a page to UTF-8, so that text can be inserted.
func inUTF8(page []byte) string {
	r, err := charset.NewReader(bytes.NewReader(page), "text/html")
	if err != nil {
		return string(page)
	}
	text, err := io.ReadAll(r)
	if err != nil { // Unreachable: decoders replace invalid bytes.
		return string(page)
	}
	return string(text)
}
