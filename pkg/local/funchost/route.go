package funchost

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// A route is an ASP.NET route template, matched regardless of case. The handler, which receives the path unchanged,
// extracts the values of parameters itself.
type route struct{ segments []segment }

// A segment is one part between slashes: a literal or a parameter.
type segment struct {
	literal string // "" for a parameter
	rest    bool   // {*name} matches everything that remains, including slashes
}

var parameter = regexp.MustCompile(`^\{\*{0,2}[A-Za-z_][A-Za-z0-9_]*\}$`)

// joinRoute joins a prefix and a template; either may be empty.
func joinRoute(prefix, template string) string {
	return strings.Trim(prefix+"/"+strings.Trim(template, "/"), "/")
}

func parseRoute(template string) (route, error) {
	var r route
	if len(template) > 2048 {
		return r, fault.New(fault.TooLarge, "route longer than 2048 bytes")
	}
	if template == "" {
		return r, nil
	}
	parts := strings.Split(template, "/")
	for i, part := range parts {
		s, err := parseSegment(part)
		if err != nil {
			return route{}, err
		}
		if s.rest && i < len(parts)-1 {
			return route{}, fault.New(fault.Invalid, "%s must come last", part)
		}
		r.segments = append(r.segments, s)
	}
	return r, nil
}

func parseSegment(part string) (segment, error) {
	switch {
	case parameter.MatchString(part):
		return segment{rest: strings.HasPrefix(part, "{*")}, nil
	case part == "" || strings.ContainsAny(part, "{}?"):
		return segment{}, fault.New(fault.Invalid,
			"segment %q: want a literal or one parameter such as {id} or {*rest}; this host knows no constraints, defaults or "+
				"optional ones", part)
	}
	return segment{literal: part}, nil
}

// reserved reports whether the template is among the paths that the host reserves for itself.
func (r route) reserved() bool {
	if len(r.segments) == 0 {
		return false
	}
	first := r.segments[0].literal
	return strings.EqualFold(first, "admin") || strings.EqualFold(first, "runtime")
}

// match reports whether a request path matches. A trailing slash does not count.
func (r route) match(u *url.URL) bool {
	var parts []string
	if path := strings.TrimSuffix(strings.TrimPrefix(u.EscapedPath(), "/"), "/"); path != "" {
		parts = strings.Split(path, "/")
	}
	for i, s := range r.segments {
		if s.rest {
			return true
		}
		if i >= len(parts) || !s.fits(parts[i]) {
			return false
		}
	}
	return len(parts) == len(r.segments)
}

// fits reports whether one part of a path, in its escaped form, matches. A parameter of the real host is never empty.
func (s segment) fits(part string) bool {
	if s.literal == "" {
		return part != ""
	}
	decoded, err := url.PathUnescape(part)
	return err == nil && strings.EqualFold(s.literal, decoded)
}
