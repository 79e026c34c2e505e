package render

import (
	"encoding/base64"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// request is what a page wants to send.
type request struct {
	ID      string `json:"requestId"`
	Frame   string `json:"frameId"`
	Type    string `json:"resourceType"`
	Request struct {
		URL     string            `json:"url"`
		Method  string            `json:"method"`
		Headers map[string]string `json:"headers"`
		HasPost bool              `json:"hasPostData"`
		Post    []struct {
			Bytes string `json:"bytes"`
		} `json:"postDataEntries"`
	} `json:"request"`
}

// header returns a header of the request, whatever the case of its name.
func (r request) header(name string) string {
	for n, v := range r.Request.Headers {
		if strings.EqualFold(n, name) {
			return v
		}
	}
	return ""
}

// body returns the body, and whether all of it is known and within the bound.
func (r request) body() ([]byte, bool) {
	var out []byte
	for _, part := range r.Request.Post {
		b, err := base64.StdEncoding.DecodeString(part.Bytes)
		if err != nil || len(out)+len(b) > maxPostBytes {
			return nil, false
		}
		out = append(out, b...)
	}
	return out, len(out) > 0 || !r.Request.HasPost
}

// action is what becomes of a request.
type action string

const (
	doFetch    action = "fetch"
	doRefuse   action = "refuse"
	doOmit     action = "omit"     // fails, and is not told: no content depends on it
	doLocal    action = "local"    // the browser has the answer itself
	doApproval action = "approval" // of a request to another origin (CORS), given here; the real request is judged
)

// rules are what a request is judged by, beside the address guard and robots.txt.
type rules struct {
	site      string   // the site of the page
	postHosts []string // hosts that a POST may go to, beside the site
}

// judge decides what becomes of a request. Whether the address may be reached is decided when it is dialled.
func (r rules) judge(q request) (action, Reason) {
	u, err := url.Parse(q.Request.URL)
	if err != nil {
		return doRefuse, RefusedScheme
	}
	switch u.Scheme {
	case "data", "blob", "about":
		return doLocal, ""
	case "http", "https":
	default:
		return doRefuse, RefusedScheme
	}
	switch q.Type {
	case "Ping", "CSPViolationReport":
		return doRefuse, RefusedBeacon
	case "EventSource", "WebSocket", "Media":
		return doRefuse, RefusedStream
	}
	if q.header("Accept") == "text/event-stream" { // of whichever type the browser says that it is
		return doRefuse, RefusedStream
	}
	if isIcon(q) {
		return doOmit, ""
	}
	switch q.Request.Method {
	case http.MethodGet, http.MethodHead:
		return doFetch, ""
	case http.MethodOptions:
		if q.header("Access-Control-Request-Method") != "" {
			return doApproval, ""
		}
		return doRefuse, RefusedMethod
	case http.MethodPost:
		if _, ok := q.body(); !ok || !r.mayPost(u) {
			return doRefuse, RefusedPost
		}
		return doFetch, ""
	}
	return doRefuse, RefusedMethod
}

// isIcon reports whether a request is for the icon of the tab, which nobody sees.
func isIcon(q request) bool {
	return q.Type == "Other" && strings.HasPrefix(q.header("Accept"), "image/")
}

// mayPost reports whether a POST may go to an address.
func (r rules) mayPost(u *url.URL) bool {
	return siteOf(u.Hostname()) == r.site || slices.ContainsFunc(r.postHosts, func(host string) bool {
		return strings.EqualFold(host, u.Host)
	})
}

// siteOf returns the part of a host that one owner has: the registrable domain, or the host itself if it has none.
func siteOf(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

// originOf returns scheme, host and port as browsers write an origin.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":80")
	} else {
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host
}

// mayKnow reports whether a request gets the credentials of the item: it goes to the item's origin, and comes from a
// frame or script of that origin.
func mayKnow(q request, own, frame string) bool {
	u, err := url.Parse(q.Request.URL)
	if err != nil || originOf(u) != own {
		return false
	}
	if from := q.header("Origin"); from != "" && from != own {
		return false
	}
	if q.Type == "Document" && q.Request.Method != http.MethodPost {
		return true // what a frame of the origin shows, nobody else can read
	}
	if referer, err := url.Parse(q.header("Referer")); err == nil && referer.Host != "" && originOf(referer) != own {
		return false
	}
	return frame == own || frame == "" // a worker's requests name no frame, and it is of its page's origin
}
