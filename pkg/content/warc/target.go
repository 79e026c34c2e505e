package warc

import (
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/percent"
)

// target is the address and the time of a request, in the form in which records contain them.
type target struct{ uri, date string }

func targeted(uri string, at time.Time) (t target, err error) {
	if t.uri, err = targetURI(uri); err != nil {
		return t, err
	}
	t.date, err = date(at)
	return t, err
}

// date formats a time as W3CDTF, to the microsecond. Readers do not agree on other forms.
func date(at time.Time) (string, error) {
	at = at.UTC().Truncate(time.Microsecond)
	if at.IsZero() || at.Year() < 1 || at.Year() > 9999 {
		return "", fault.Field("at", "%v is not a time that can be written", at)
	}
	return at.Format(time.RFC3339Nano), nil
}

// targetURI returns a URI in the form of RFC 3986.
func targetURI(raw string) (string, error) {
	if len(raw) > maxURI {
		return "", fault.New(fault.TooLarge, "uri of %d bytes: want at most %d", len(raw), maxURI)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fault.Field("uri", "%.100q holds what no URI can", raw)
	}
	scheme, rest, _ := strings.Cut(raw, "://")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	authority := rest[:end] // brackets in the authority are those of an IPv6 address
	uri := strings.ToLower(scheme) + "://" + authority + encoded(rest[end:])
	u, err := url.Parse(uri)
	if err != nil || strings.ContainsAny(authority, `"<>\^{|}`+"`") {
		return "", fault.Field("uri", "%.100q is not a URI", raw)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Contains(uri, "#") {
		return "", fault.Field("uri", "%.100q: want an absolute http or https URI without userinfo and fragment", raw)
	}
	return uri, nil
}

// encoded is a path and query with percent signs for what may not stand there (RFC 3986 §3.3, §3.4),
// also for a percent sign that begins no encoding. Number signs stay, to be refused.
func encoded(s string) string {
	return percent.Repair(s, func(c byte) bool { return strings.IndexByte("\"<>[\\]^`{|}", c) >= 0 })
}
