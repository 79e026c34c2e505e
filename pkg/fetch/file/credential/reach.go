package credential

import (
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// reach is the WHERE of a credential: an origin, and a path that restricts it.
type reach struct {
	scheme, host string // host includes the port unless it is the scheme's default
	path         string // decoded, such as "/docs"; empty if every path is within the reach
}

// parseReach parses a WHERE. The error does not repeat the text, because it may be a misplaced secret.
func parseReach(where string) (reach, error) {
	u, err := url.Parse(where)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return reach{}, fault.New(fault.Invalid, "the second word is not an address such as https://example.com")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return reach{}, fault.New(fault.Invalid, "the place is more than scheme, host, port and path")
	}
	if !plain(u.Path) {
		return reach{}, fault.New(fault.Invalid, "the path of the place has empty or dot segments")
	}
	return reach{scheme: u.Scheme, host: Host(u), path: strings.TrimRight(u.Path, "/")}, nil
}

// Host returns a URL's host in lower case, without the scheme's default port.
func Host(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Host), ":")
	if u.Scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}

// covers reports whether a URL is within the reach. If the reach has a path, covers returns false for a URL whose
// path a server might interpret as another path.
func (r reach) covers(u *url.URL) bool {
	if u.Scheme != r.scheme || Host(u) != r.host || u.User != nil {
		return false
	}
	if r.path == "" {
		return true
	}
	return !dotted(u.Path) && (u.Path == r.path || strings.HasPrefix(u.Path, r.path+"/"))
}

// plain reports whether a path has neither dot segments nor empty segments. A slash at the end is allowed.
func plain(path string) bool { return !strings.Contains(path, "//") && !dotted(path) }

// dotted reports whether a path has segments such as "..", by which a server resolves it to another path.
func dotted(path string) bool {
	for segment := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// String returns the WHERE.
func (r reach) String() string {
	return (&url.URL{Scheme: r.scheme, Host: r.host, Path: r.path}).String()
}
