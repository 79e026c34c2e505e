package fetch

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Bounds of a page that only leads to another one.
const (
	maxStub     = 64 << 10 // bytes, decoded and as received
	maxStubText = 100      // letters and digits that people see
	maxRefresh  = 1        // seconds until the other page is shown
)

// refreshed returns the page to which an answer leads by a Refresh header or by a meta element, or nil. The answer must
// be a short page, so that no text is passed over. If another page is not followed, the response says why.
func (x *exchange) refreshed(from *url.URL, res *http.Response) *url.URL {
	if !x.req.Refresh || x.req.Head || !isRefreshable(x.out) {
		return nil
	}
	s := readStub(x.out.Body)
	value := cmp.Or(x.out.Header.Get("Refresh"), s.refresh)
	location, seconds := source.RefreshTarget(value)
	if location == "" || s.text >= maxStubText {
		return nil
	}
	base := from
	if s.base != "" && value == s.refresh {
		if at, err := x.c.guard.resolve(from, s.base); err == nil {
			base = at
		}
	}
	to, err := x.c.guard.resolve(base, location)
	if to == nil || !isWeb(to) || to.String() == from.String() {
		return nil
	}
	s.page, s.to = x.out, to
	if err == nil {
		err = x.mayFollow(from, to, seconds)
	}
	if err != nil {
		x.out.NotFollowed = s.notFollowed(err)
		return nil
	}
	if x.keepCookies(from, res) {
		clear(x.seen) // as for a redirect
	}
	x.record(from, x.out.Status, to)
	x.stub = &s
	return to
}

// mayFollow returns why a refresh is not followed, or nil.
func (x *exchange) mayFollow(from, to *url.URL, seconds int) error {
	switch {
	case seconds > maxRefresh:
		return fault.New(fault.Blocked, "it is shown after more than %d second", maxRefresh)
	case !source.SameSite(from.Host, to.Host):
		return fault.New(fault.Blocked, "it is on another host")
	case origin(from) == origin(to) && from.EscapedPath() == to.EscapedPath():
		return fault.New(fault.Blocked, "only its query is another one")
	case len(x.out.Redirects) >= x.redirects:
		return fault.New(fault.TooLarge, "%w: more than %d", errRedirects, max(x.redirects, 0))
	case x.seen[to.String()] > 0:
		return fault.New(fault.TooLarge, "%w: a loop", errRedirects)
	}
	return nil
}

// orStub replaces a failure of the page to which a short page led by the short page, which then is what there is. The
// response says why. A pause that a host asks for, and an error for which the site is not the cause, stay.
func (x *exchange) orStub(err error) error {
	status := x.out.Status
	switch {
	case x.stub == nil || x.ours != nil:
		return err
	case err != nil:
	case x.out.OK() || x.out.NotModified || status == http.StatusTooManyRequests ||
		status == http.StatusServiceUnavailable:
		return nil
	case status == http.StatusNotFound || status == http.StatusGone:
		err = fault.New(fault.NotFound, "HTTP %d", status)
	default:
		err = fault.New(fault.Unavailable, "HTTP %d", status)
	}
	page := x.stub.page
	page.NotFollowed = x.stub.notFollowed(err)
	page.Requests, page.WireBytes, page.Elapsed = x.out.Requests, x.out.WireBytes, x.out.Elapsed
	x.out = page
	return nil
}

// isRefreshable reports whether a response is a short page in HTML.
func isRefreshable(r Response) bool {
	kind := strings.ToLower(r.Header.Get("Content-Type"))
	whole := r.Status == http.StatusOK || r.Status == http.StatusNonAuthoritativeInfo
	return whole && r.Encoding == "" && len(r.Body) <= maxStub && r.WireBytes <= maxStub &&
		(kind == "" || strings.Contains(kind, "html"))
}

// stub is what matters of a page that may only lead to another one.
type stub struct {
	refresh string // the content of the first meta element that refreshes the page
	base    string // the address against which the page's addresses are resolved
	text    int    // letters and digits that people see, as far as they were counted
	page    Response
	to      *url.URL // the other page
}

// notFollowed says to people why the other page does not stand in place of the short one.
func (s stub) notFollowed(why error) error {
	return fault.New(fault.KindOf(why), "the page only leads to %.200s, which is not followed: %w",
		s.to.Host+s.to.EscapedPath(), why)
}

// readStub reads a page until it has too much text. A meta element in noscript does not count, because the page may
// have its text by scripts.
func readStub(body []byte) (s stub) {
	unseen := 0 // elements around whose content people do not see
	for z := html.NewTokenizer(bytes.NewReader(body)); s.text < maxStubText; {
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
				s.text += weight(z.Text())
			}
		}
	}
	return s
}

// weight returns the number of letters and digits in a text. Letters that stand for syllables or words count as four.
func weight(text []byte) (n int) {
	for _, c := range string(text) {
		switch {
		case unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 4
		case unicode.IsLetter(c) || unicode.IsNumber(c):
			n++
		}
	}
	return n
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
