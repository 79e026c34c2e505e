package registry

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// Rendering is what is known of a page as a browser shows it.
type Rendering struct {
	// Plain is the hash of the plain answer from which the item's content was rendered. It is empty while the content is
	// that of the plain answer itself.
	Plain string `json:"plain,omitempty"`
	// Needless is the contentHash of a plain answer that was rendered and says the same without its scripts.
	Needless string `json:"needless,omitempty"`
	// Why is why the page was rendered, or why it needs no browser, as a text for people.
	Why string    `json:"why,omitempty"`
	At  time.Time `json:"at,omitzero"` // when it was last rendered
	// Apart states that the content was seen to change while the plain answer stayed the same. Same is the number of
	// renders of the same plain answer in a row that found the same content, and Skipped the number of checks since the
	// last render that needed none.
	Apart   bool `json:"apart,omitempty"`
	Same    int  `json:"same,omitempty"`
	Skipped int  `json:"skipped,omitempty"`

	// Always states that it was rendered because it is set to be always.
	Always bool `json:"always,omitempty"`

	URL         string            `json:"url,omitempty"` // where its scripts led to; empty if that is where the answer came from. A failed check leaves it.
	Met         []string          `json:"met,omitempty"` // the bounds that the page met
	Refused     []RefusedRequests `json:"refused,omitempty"`
	PictureOnly bool              `json:"pictureOnly,omitempty"` // it shows a picture, and hardly any text
	NotReady    string            `json:"notReady,omitempty"`    // what it was read without: the selector, or calm
	Requests    int               `json:"requests,omitempty"`    // the plain one not among them
	Failed      int               `json:"failed,omitempty"`      // requests that were not answered
	Waiting     int               `json:"waiting,omitempty"`     // requests still open when the page was read
	Errors      int               `json:"errors,omitempty"`      // requests for scripts and data that were answered by an error
	Bytes       int64             `json:"bytes,omitempty"`
	Millis      int64             `json:"millis,omitempty"`
	Browser     string            `json:"browser,omitempty"` // its name and version
}

// RefusedRequests says how many requests of a page were refused for a reason.
type RefusedRequests struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
	Host   string `json:"host,omitempty"` // of the first one
}

// IsRendered reports whether the item's content was read in a browser.
func (r Rendering) IsRendered() bool { return r.Plain != "" }

// Missing says for people what of a rendered page may not have been read; "" if nothing.
func (r Rendering) Missing() string {
	var out []string
	if len(r.Met) > 0 {
		out = append(out, "it met a bound ("+strings.Join(r.Met, ", ")+")")
	}
	for _, f := range r.Refused {
		if by, found := refusers[f.Reason]; found {
			out = append(out, words.Count(f.Count, "request")+" refused by "+by)
		}
	}
	if r.Failed > 0 {
		out = append(out, words.Count(r.Failed, "request")+" without an answer")
	}
	if r.Waiting > 0 {
		out = append(out, words.Count(r.Waiting, "request")+" still open when the page was read (if its text comes late, "+
			"set waitFor to a selector of what is to come)")
	}
	if r.Errors > 0 {
		out = append(out, words.Count(r.Errors, "request")+" for scripts or data answered with an error")
	}
	if r.NotReady != "" {
		out = append(out, r.NotReady)
	}
	if len(out) == 0 {
		return ""
	}
	return "something may be missing: " + strings.Join(slices.Compact(out), "; ")
}

// refusers are what refuses requests that a page may need for its content.
var refusers = map[string]string{"robots": "robots.txt", "host": "the limits of a host", "address": "the address guard",
	"post": "the rules for POST, see postHosts", "stream": "the rules for streams", "socket": "the rules for WebSockets",
	"pdf": "the rules for PDFs within a page, which are read at their own addresses"}
