package verdict

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

const (
	maxValidator = 1024      // bytes
	maxMimeType  = 200       // bytes
	maxHop       = 2000      // bytes of one URL of a redirect chain
	maxHeaders   = 16 * 1024 // bytes of all headers kept with a capture
)

// Bounded returns a header value; "" for a value that no honest server sends, because it is too long or not printable
// ASCII. Bounded does not shorten values, because a changed validator would be worse than a missing one.
func Bounded(value string) string {
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	if len(value) > maxValidator || strings.ContainsFunc(value, odd) {
		return ""
	}
	return value
}

// mimeType returns a media type that is fit for a row; "" if the given text is not one.
func mimeType(t string) string {
	if len(t) > maxMimeType {
		return ""
	}
	return Bounded(t)
}

// PublicURL returns the URL of a redirect, or one that a browser shows, without userinfo, signatures and other secrets.
func PublicURL(raw string) string {
	form, err := source.FetchForm(raw)
	if err != nil || len(form) > maxHop {
		return "(a URL that is not shown)"
	}
	return form
}

// replayHeaders are the headers that are stored with a capture. A replay of the response needs them, and none of them
// can contain a visitor's secret.
var replayHeaders = []string{
	"Cache-Control", "Content-Language", "Content-Type", "Date", "ETag", "Expires", "Last-Modified",
	"Link", "Vary", "X-Robots-Tag",
}

func keptHeaders(resp fetch.Response) map[string][]string {
	kept, size := map[string][]string{}, 0
	for _, name := range replayHeaders {
		for _, v := range resp.Header.Values(name) {
			v = Bounded(v)
			if size += len(v); v != "" && size <= maxHeaders {
				kept[name] = append(kept[name], v)
			}
		}
	}
	return kept
}

// finalURL returns the address that sent a response's validators; "" if the address contains secrets or is too long
// to be stored. Validators without an address are not sent when a request is redirected.
func finalURL(resp fetch.Response) string {
	if form, err := source.FetchForm(resp.FinalURL); err != nil || form != resp.FinalURL || len(form) > maxHop {
		return ""
	}
	return resp.FinalURL
}
