package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"

	"golang.org/x/net/publicsuffix"
)

// Bounds of the cookies in one chain of redirects.
const (
	maxCookies     = 20
	maxCookieBytes = 4 << 10 // of one cookie: its name, value and attributes
)

// chainJar holds the cookies that the redirects of one chain set. They are sent to later requests of the chain only,
// and are never stored. A nil jar is empty.
type chainJar struct {
	*cookiejar.Jar
	kept int
}

// keepCookies keeps the cookies of a redirect, and reports whether there was one.
func (x *exchange) keepCookies(from *url.URL, res *http.Response) (kept bool) {
	for _, cookie := range res.Cookies() {
		if len(cookie.Raw) > maxCookieBytes || x.jar != nil && x.jar.kept >= maxCookies {
			continue
		}
		if x.jar == nil {
			jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // never fails
			x.jar = &chainJar{Jar: jar}
		}
		x.jar.SetCookies(from, []*http.Cookie{cookie})
		x.jar.kept++
		kept = true
	}
	return kept
}

// addTo adds the cookies for the URL of a request. Headers that are set later take precedence.
func (j *chainJar) addTo(r *http.Request) {
	if j == nil {
		return
	}
	for _, cookie := range j.Cookies(r.URL) {
		r.AddCookie(cookie)
	}
}
