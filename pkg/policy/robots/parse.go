package robots

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
	unicodes "unicode"

	"github.com/jimsmart/grobotstxt"
	"github.com/tidemark/tidemark/pkg/base/percent"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/unicode"
)

// Parse compiles a robots.txt body. It accepts any text: unknown lines are skipped, and bytes after maxBody are
// ignored.
func Parse(body []byte) Rules {
	var b builder
	grobotstxt.Parse(neutral(cut(body)), &b)
	for _, g := range b.rules.groups {
		slices.SortStableFunc(g.rules, byPriority)
	}
	return b.rules
}

// cut returns the first MaxBody bytes, up to the last line end. A rule that is cut in half has a shorter pattern,
// which would forbid more than the site wants.
func cut(body []byte) []byte {
	if len(body) <= maxBody {
		return body
	}
	body = body[:maxBody]
	if end := bytes.LastIndexAny(body, "\r\n"); end >= 0 {
		return body[:end]
	}
	return body
}

// neutral rewrites the body so that the parser's own escaping changes nothing: it decodes UTF-16, drops byte order
// marks and other characters without width before the text, takes the text out of a page that shows nothing else, makes
// plain blanks of no-break spaces, escapes bytes outside ASCII and writes escapes in upper case. Otherwise the parser
// turns the digits of an escape into control characters when a rule holds a lower-case escape or a byte outside ASCII.
func neutral(body []byte) string {
	body = fromUTF16(body)
	// Byte order marks are such characters, too. A partial mark is dropped as well.
	body = bytes.TrimLeftFunc(body, func(c rune) bool { return unicodes.Is(unicodes.Cf, c) })
	for _, mark := range []byte("\ufeff") {
		if len(body) == 0 || body[0] != mark {
			break
		}
		body = body[1:]
	}
	text := strings.ReplaceAll(preformatted(string(body)), "\u00a0", " ")
	var out strings.Builder
	out.Grow(len(text))
	for i := 0; i < len(text); i++ {
		c, escaped := percent.Byte(text, i)
		if escaped || c >= 0x80 {
			percent.Write(&out, c)
		} else {
			out.WriteByte(c)
		}
		if escaped {
			i += 2
		}
	}
	return out.String()
}

// fromUTF16 returns a body in UTF-8. A body is in UTF-16 if it has the byte order mark of UTF-16, or if one of its
// first two bytes is zero, because the text of a robots.txt begins in ASCII.
func fromUTF16(body []byte) []byte {
	if len(body) < 2 {
		return body
	}
	order := unicode.LittleEndian
	switch begin := [2]byte(body); {
	case begin == [2]byte{0xff, 0xfe}, begin[0] != 0 && begin[1] == 0:
	case begin == [2]byte{0xfe, 0xff}, begin[0] == 0 && begin[1] != 0:
		order = unicode.BigEndian
	default:
		return body
	}
	decoded, err := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return decoded
}

// builder collects the parser's results. Its methods are those of grobotstxt.ParseHandler.
type builder struct {
	rules     Rules
	seen      map[string]bool // sitemaps found so far
	ruleSeen  bool            // a rule was found after the last user-agent line
	delaySeen bool            // a rule or a delay was found after the last user-agent line
}

var _ grobotstxt.ParseHandler = (*builder)(nil)

// HandleRobotsStart begins without an open group. Lines above the first user agent belong to no group.
func (b *builder) HandleRobotsStart() {
	*b = builder{seen: map[string]bool{}, ruleSeen: true, delaySeen: true}
}

// HandleRobotsEnd does nothing.
func (b *builder) HandleRobotsEnd() {}

// HandleUserAgent adds an agent to the open group. If a rule has closed that group, it opens a new one. A Crawl-delay
// is an extension and must not close a group of rules (RFC 9309 §2.2.4), but it applies only to the agents above it.
// So delays have groups of their own.
func (b *builder) HandleUserAgent(_ int, value string) {
	if b.ruleSeen {
		b.rules.groups = append(b.rules.groups, group{})
		b.ruleSeen = false
	}
	if b.delaySeen {
		b.rules.delays = append(b.rules.delays, delay{})
		b.delaySeen = false
	}
	value = unquoted(value)
	b.rules.groups[len(b.rules.groups)-1].add(value)
	b.rules.delays[len(b.rules.delays)-1].add(value)
}

// HandleAllow adds a rule, and for "…/index.html" a second one for the bare folder, because servers send the same
// page for both.
func (b *builder) HandleAllow(_ int, value string) {
	b.add(value, true)
	if slash := strings.LastIndexByte(value, '/'); slash >= 0 && strings.HasPrefix(value[slash:], "/index.htm") {
		b.add(value[:slash+1]+"$", true)
	}
}

// HandleDisallow adds a rule.
func (b *builder) HandleDisallow(_ int, value string) { b.add(value, false) }

// HandleSitemap stores a sitemap, in whichever group its line is.
func (b *builder) HandleSitemap(_ int, value string) {
	value = unquoted(value)
	if value == "" || len(value) > maxSitemapURL || len(b.seen) == MaxSitemaps || b.seen[value] {
		return
	}
	b.seen[value] = true
	b.rules.sitemaps = append(b.rules.sitemaps, value)
}

// HandleUnknownAction handles Crawl-delay and ignores everything else.
func (b *builder) HandleUnknownAction(_ int, action, value string) {
	if !strings.EqualFold(action, "crawl-delay") || len(b.rules.delays) == 0 {
		return
	}
	b.delaySeen = true
	wait, ok := parseDelay(value)
	if d := &b.rules.delays[len(b.rules.delays)-1]; ok {
		d.wait, d.set = max(d.wait, wait), true
	}
}

func (b *builder) add(value string, allow bool) {
	if len(b.rules.groups) == 0 {
		return // a rule above any user-agent line belongs to no group
	}
	b.ruleSeen, b.delaySeen = true, true
	if value = unquoted(value); value == "" {
		return // an empty pattern has no priority, so it never decides
	}
	g := &b.rules.groups[len(b.rules.groups)-1]
	g.rules = append(g.rules, compile(value, allow))
}

// parseDelay parses a number of seconds, which may have a fraction. It limits the delay to maxCrawlDelay.
func parseDelay(value string) (time.Duration, bool) {
	number, _, _ := strings.Cut(value, " ")
	seconds, err := strconv.ParseFloat(number, 64)
	if err != nil || !(seconds >= 0) { // NaN fails every comparison
		return 0, false
	}
	return time.Duration(min(seconds, maxCrawlDelay.Seconds()) * float64(time.Second)), true
}

// preformatted returns the text of a page in HTML that shows one pre element and nothing else. Some servers send
// robots.txt so. It returns any other text unchanged, also that of a page with words around the element: an error page
// or an article about robots.txt does not give the rules of the site.
func preformatted(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "<") {
		return text
	}
	var out strings.Builder
	within, elements, unseen := false, 0, atom.Atom(0)
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if elements != 1 {
				return text
			}
			return out.String()
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			switch tag, start := atom.Lookup(name), kind == html.StartTagToken; {
			case tag == atom.Pre:
				within = start
				if start {
					elements++
				}
			case tag == atom.Br:
				out.WriteByte('\n')
			case tag == atom.Title || tag == atom.Style || tag == atom.Script:
				if unseen = 0; start {
					unseen = tag
				}
			}
		case html.TextToken:
			shown := string(z.Text())
			switch {
			case within:
				out.WriteString(shown)
			case unseen == 0 && strings.TrimSpace(shown) != "":
				return text
			}
		}
	}
}

// unquoted returns a value without the quotes around it. Neither the name of a crawler nor a path begins with one.
func unquoted(value string) string {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return strings.TrimSpace(value[1 : n-1])
	}
	return value
}
