package api

import (
	"cmp"
	"fmt"
)

// refusals say for people what was refused, by reason.
var refusals = map[string]string{
	"address": "addresses that are not public", "robots": "robots.txt", "host": "limits of the host",
	"method": "other methods than GET and POST", "post": "POST to other sites, or too large",
	"scheme": "neither http nor https", "beacon": "reports of use", "stream": "streams, films and sounds",
	"bound": "sent after a bound was met", "popup": "windows of its own", "download": "downloads", "dialog": "dialogs",
	"socket": "WebSockets", "worker": "workers", "pdf": "PDFs within the page",
}

// Words says for people what was refused, and how often.
func (r RefusedRequests) Words() string {
	text := fmt.Sprintf("%s: %d", cmp.Or(refusals[r.Reason], r.Reason), r.Count)
	switch {
	case r.Host == "":
		return text
	case r.Count == 1:
		return text + " (" + r.Host + ")"
	}
	return text + " (the first: " + r.Host + ")"
}

// LacksBrowser reports whether the item is a thin page that a browser would read, if there were one.
func (d ItemDetail) LacksBrowser() bool {
	return d.Thin && d.Type != TypeFile && d.Rendered == nil && d.Effective != nil && d.Effective.Render == "never" &&
		d.Effective.From["render"] == "default"
}
