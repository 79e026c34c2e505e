package fetch

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Bounds of a page that only leads to another one.
const (
	maxStub        = 64 << 10 // bytes
	maxStubLetters = 400      // letters that people see
	maxRefresh     = 10       // seconds until the other page is shown
)

// refreshValue matches a Refresh header, or the content of its meta element, that names an address (HTML standard,
// "shared declarative refresh steps").
var refreshValue = regexp.MustCompile(`(?is)^\s*(\d*)(?:\.[\d.]*)?(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(.*)$`)

// refreshed returns the page to which an answer leads by a Refresh header or by a meta element, or nil. The answer must
// be a short page, so that no text is passed over, and the other page must be shown within seconds. An address that no
// browser would request, one of another scheme, or one that was requested already, is not followed: then the short page
// is what there is. Errors: Blocked for a page that the guard refuses.
func (x *exchange) refreshed(from *url.URL) (*url.URL, error) {
	if !x.req.Refresh || x.out.Encoding != "" || !isRefreshable(x.out) || len(x.out.Redirects) >= x.redirects {
		return nil, nil
	}
	s := readStub(x.out.Body)
	value := x.out.Header.Get("Refresh")
	if value == "" {
		value = s.refresh
	}
	location := refreshTarget(value)
	if location == "" || s.letters > maxStubLetters {
		return nil, nil
	}
	base := from
	if s.base != "" && value == s.refresh {
		if at, err := x.c.guard.resolve(from, s.base); err == nil {
			base = at
		}
	}
	to, err := x.c.guard.resolve(base, location)
	switch {
	case fault.Is(err, fault.Blocked) && isWeb(to):
		x.record(from, x.out.Status, to)
		return nil, fault.New(fault.Blocked, "refresh refused: %w", err)
	case err != nil || x.seen[to.String()] > 0:
		return nil, nil
	}
	x.record(from, x.out.Status, to)
	return to, nil
}

// isRefreshable reports whether a response is a short page in HTML.
func isRefreshable(r Response) bool {
	kind := strings.ToLower(r.Header.Get("Content-Type"))
	whole := r.Status == http.StatusOK || r.Status == http.StatusNonAuthoritativeInfo
	return whole && len(r.Body) <= maxStub && (kind == "" || strings.Contains(kind, "html"))
}

// refreshTarget returns the address that a Refresh value names, if it is shown within seconds; otherwise "".
func refreshTarget(value string) string {
	m := refreshValue.FindStringSubmatch(value)
	if m == nil {
		return ""
	}
	if seconds, err := strconv.Atoi(m[1]); m[1] != "" && (err != nil || seconds > maxRefresh) {
		return ""
	}
	target := strings.TrimSpace(m[2])
	if quote := target[:min(1, len(target))]; quote == `"` || quote == "'" {
		target, _, _ = strings.Cut(target[1:], quote)
	}
	return strings.TrimSpace(target)
}

// stub is what matters of a page that may only lead to another one.
type stub struct {
	refresh string // the content of the first meta element that refreshes the page
	base    string // the address against which the page's addresses are resolved
	letters int    // that people see, as far as they were counted
}

// readStub reads a page until it has too many letters. A meta element in noscript does not count, because the page may
// have its text by scripts.
func readStub(body []byte) (s stub) {
	unseen := 0 // elements around whose content people do not see
	for z := html.NewTokenizer(bytes.NewReader(body)); s.letters <= maxStubLetters; {
		switch z.Next() {
		case html.ErrorToken:
			return s
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch {
			case isUnseen(t.DataAtom) && t.Type == html.StartTagToken:
				unseen++
			case unseen == 0:
				s.see(t)
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); isUnseen(atom.Lookup(name)) && unseen > 0 {
				unseen--
			}
		case html.TextToken:
			if unseen == 0 {
				for _, c := range string(z.Text()) {
					if unicode.IsLetter(c) {
						s.letters++
					}
				}
			}
		}
	}
	return s
}

func isUnseen(a atom.Atom) bool {
	return a == atom.Script || a == atom.Style || a == atom.Title || a == atom.Noscript || a == atom.Template
}

// see reads a start tag.
func (s *stub) see(t html.Token) {
	values := map[string]string{}
	for _, a := range t.Attr {
		if _, found := values[a.Key]; !found {
			values[a.Key] = a.Val
		}
	}
	switch {
	case t.DataAtom == atom.Base && s.base == "":
		s.base = values["href"]
	case t.DataAtom == atom.Meta && s.refresh == "" && strings.EqualFold(values["http-equiv"], "refresh"):
		s.refresh = values["content"]
	}
}
