package render

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
)

// Page is a page to render.
type Page struct {
	// URL is the address of the item: absolute, http or https.
	URL string
	// Plain is the answer to the plain request for URL, which stands in for the browser's first request. If it is nil,
	// the page is requested first, with the errors of [fetch.Client.Get] as a [*PageError].
	Plain *fetch.Response
	// Secret contains headers such as Authorization. They are sent only to the origin of URL, and only for frames and
	// scripts of that origin. The browser never knows them.
	Secret http.Header
	// PostHosts lists hosts, with their port unless that is the scheme's, that a POST may go to, beside the page's site.
	PostHosts []string
	// Gate is called before each request to a URL, as in [fetch.Request]: it checks robots.txt. A Blocked error is
	// counted as a refusal by robots.txt, any other as one by the host's limits. A nil Gate allows everything.
	Gate func(ctx context.Context, url string) error
	// AtOnce returns how many requests a host may get at once; zero means that it has no limit of its own. It may be
	// nil. All requests of the page together are at most RequestsAtOne.
	AtOnce func(host string) int

	View View
	// Selector is a CSS selector for which the render waits, until its deadline.
	Selector string
	// Scrolls bounds how often the page is scrolled to its end. Zero means DefaultScrolls, a negative value none.
	Scrolls int
	// Keep keeps the answers to the page's requests in Rendered.Resources.
	Keep bool
}

// View is how a page is seen.
type View struct {
	Width, Height int    // in CSS pixels; zero means 1280 and 1024
	Language      string // of Accept-Language and navigator.language, such as de-DE,de; empty means en
	Dark          bool   // whether dark colours are preferred
}

// Bound is a bound of a render.
type Bound string

// The bounds that a page can meet.
const (
	BoundTime      Bound = "time"      // the page was read at its deadline
	BoundRequests  Bound = "requests"  // further requests were refused
	BoundBytes     Bound = "bytes"     // further answers were refused
	BoundMemory    Bound = "memory"    // its scripts were stopped
	BoundScrolls   Bound = "scrolls"   // it was still growing when it was scrolled for the last time
	BoundWorkers   Bound = "workers"   // its scripts were stopped
	BoundDialogs   Bound = "dialogs"   // its scripts were stopped
	BoundPopups    Bound = "popups"    // its scripts were stopped
	BoundDownloads Bound = "downloads" // its scripts were stopped
	BoundSockets   Bound = "sockets"   // its scripts were stopped
	// BoundNavigations means that a frame went on loading documents: further ones were refused.
	BoundNavigations Bound = "navigations"
)

// Reason is why a request was refused.
type Reason string

// The reasons of refusals.
const (
	RefusedAddress  Reason = "address"  // the address guard: not public, or another port
	RefusedRobots   Reason = "robots"   // robots.txt
	RefusedHost     Reason = "host"     // the host's own limits or a pause that it asked for
	RefusedMethod   Reason = "method"   // neither GET nor a POST that may be sent
	RefusedPost     Reason = "post"     // a POST to another site, or with too large a body
	RefusedScheme   Reason = "scheme"   // neither http nor https
	RefusedBeacon   Reason = "beacon"   // a report that no content depends on
	RefusedStream   Reason = "stream"   // an answer without an end, or a film or sound
	RefusedBound    Reason = "bound"    // the page has met a bound
	RefusedPopup    Reason = "popup"    // a window of its own
	RefusedDownload Reason = "download" // a file to be saved
	RefusedDialog   Reason = "dialog"   // a dialog, which was dismissed
	RefusedSocket   Reason = "socket"   // a WebSocket
	RefusedWorker   Reason = "worker"   // one worker too many
	RefusedPDF      Reason = "pdf"      // a PDF within the page, of which a browser gives no text
)

// Refusal says what a page wanted and did not get.
type Refusal struct {
	Reason Reason
	Count  int
	Host   string // of the first one, where it is known
}

// Resource is the answer to a request of a page.
type Resource struct {
	Method string
	URL    string
	Posted []byte // the body of a POST
	fetch.Response
}

// Rendered is a page as a browser shows it.
type Rendered struct {
	// HTML is the document in UTF-8, with the content of frames and shadow roots in its place, without noscript.
	HTML []byte
	URL  string // the address of the document, which scripts may have changed
	// Plain is the answer to the plain request.
	Plain fetch.Response
	// PictureOnly reports that the page shows a picture (canvas, image, film) and hardly any text.
	PictureOnly bool
	// Changing reports that the page was read while its content still changed, though nothing was loaded any more.
	Changing bool
	// Partly reports that the page replaces what it shows as it is scrolled: it is read as it begins.
	Partly bool
	// Waited reports whether the selector of the page matched. It is true without one.
	Waited bool

	Met      []Bound        // the bounds that the page met, in their order
	Refused  []Refusal      // ordered by reason
	Requests int            // sent, the plain one not among them
	Cached   int            // answered from an earlier render
	Failed   int            // sent, and not answered
	Waiting  int            // sent, and not answered yet when the page was read
	Errors   int            // of scripts and for scripts, answered with a status of 400 or more
	Stopped  int            // connections that only the second wall stopped, those among them that Chromium opens ahead
	Bytes    int64          // of the answers, decoded
	ByHost   map[string]int // requests that were sent, by host with port
	// Resources are the answers, if they were to be kept.
	Resources []Resource
	Elapsed   time.Duration // without waiting for a browser
	Browser   string        // its name and version
}

// RefusedBy returns how many requests were refused for a reason.
func (r Rendered) RefusedBy(reason Reason) int {
	for _, f := range r.Refused {
		if f.Reason == reason {
			return f.Count
		}
	}
	return 0
}

// MetBound reports whether the page met a bound.
func (r Rendered) MetBound(b Bound) bool {
	return slices.Contains(r.Met, b)
}
