package crawl

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// What a site says about itself ends up in rows that people read. It is made short, printable and
// free of secrets here, once.

const (
	maxValidator = 1024      // bytes
	maxMimeType  = 200       // bytes
	maxHop       = 2000      // bytes of one URL of a redirect chain
	maxHeaders   = 16 * 1024 // bytes of all headers kept with a capture
)

// bounded drops a header value that no honest server sends: too long, or not printable ASCII. A
// validator that was altered would be worse than none.
func bounded(value string) string {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	if len(value) > maxValidator || strings.ContainsFunc(value, odd) {
		return ""
	}
	return value
}

// mimeType is a media type fit for a row; "" if it is not one.
func mimeType(t string) string {
	if len(t) > maxMimeType {
		return ""
	}
	return bounded(t)
}

// publicURL is a URL of a redirect without userinfo, signatures and the like.
func publicURL(raw string) string {
	form, err := source.FetchForm(raw)
	if err != nil || len(form) > maxHop {
		return "(a URL that is not shown)"
	}
	return form
}

// replayHeaders are kept with a capture: what a replay of the response needs and nothing that
// could be a visitor's secret.
var replayHeaders = []string{
	"Cache-Control", "Content-Language", "Content-Type", "Date", "ETag", "Expires", "Last-Modified",
	"Link", "Vary", "X-Robots-Tag",
}

func keptHeaders(resp fetch.Response) map[string][]string {
	kept, size := map[string][]string{}, 0
	for _, name := range replayHeaders {
		for _, v := range resp.Header.Values(name) {
			v = bounded(v)
			if size += len(v); v != "" && size <= maxHeaders {
				kept[name] = append(kept[name], v)
			}
		}
	}
	return kept
}

// finalURL is what a response's validators belong to. One that holds secrets, or is too long, is
// not kept, and validators without it are not sent along redirects.
func finalURL(resp fetch.Response) string {
	if form, err := source.FetchForm(resp.FinalURL); err != nil || form != resp.FinalURL || len(form) > maxHop {
		return ""
	}
	return resp.FinalURL
}
