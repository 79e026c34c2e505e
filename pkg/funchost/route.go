package funchost

import (
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// route is an ASP.NET route template, matched without regard to case.
type route struct{ segments []segment }

// segment is one part between slashes: a literal, or a parameter with its constraints.
type segment struct {
	literal  string
	param    string
	optional bool
	rest     bool // {*name} takes everything that is left, slashes included
	standard string
	checks   []constraint
}

type constraint func(value string) bool

var (
	paramForm = regexp.MustCompile(`^\{(\*{0,2})([A-Za-z_][A-Za-z0-9_]*)((?::[a-z]+(?:\([0-9,-]*\))?)*)(?:=([^{}?]*))?(\?)?\}$`)
	checkForm = regexp.MustCompile(`:([a-z]+)(?:\(([0-9,-]*)\))?`)
)

// plainChecks are the constraints without an argument. They are named as in ASP.NET; booleans and
// GUIDs ignore case.
var plainChecks = map[string]*regexp.Regexp{
	"alpha":    regexp.MustCompile(`^[A-Za-z]*$`),
	"bool":     regexp.MustCompile(`^(?i:true|false)$`),
	"guid":     regexp.MustCompile(`^(?i:[0-9a-f]{32}|\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?)$`),
	"required": regexp.MustCompile(`(?s)^.+$`),
}

// joinRoute puts a prefix before a template; either may be empty.
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
		if (s.rest || s.optional) && i < len(parts)-1 {
			return route{}, fault.New(fault.Invalid, "%s must come last", part)
		}
		r.segments = append(r.segments, s)
	}
	return r, nil
}

func parseSegment(part string) (segment, error) {
	if !strings.ContainsAny(part, "{}") {
		if part == "" || strings.Contains(part, "?") {
			return segment{}, fault.New(fault.Invalid, "segment %q is empty or has a ?", part)
		}
		return segment{literal: part}, nil
	}
	m := paramForm.FindStringSubmatch(part)
	if m == nil {
		return segment{}, fault.New(fault.Invalid, "segment %q: want a literal or one parameter such as {id}, {id:int}, {id?} or {*rest}", part)
	}
	s := segment{param: m[2], rest: m[1] != "", standard: m[4], optional: m[5] != "" || m[4] != ""}
	for _, c := range checkForm.FindAllStringSubmatch(m[3], -1) {
		check, err := parseConstraint(c[1], c[2])
		if err != nil {
			return segment{}, err
		}
		s.checks = append(s.checks, check)
	}
	return s, nil
}

func parseConstraint(name, args string) (constraint, error) {
	if re, ok := plainChecks[name]; ok && args == "" {
		return re.MatchString, nil
	}
	bound, err := strconv.ParseInt(args, 10, 64)
	switch name {
	case "int":
		return inRange(math.MinInt32, math.MaxInt32), nil
	case "long":
		return inRange(math.MinInt64, math.MaxInt64), nil
	case "min":
		return inRange(bound, math.MaxInt64), err
	case "max":
		return inRange(math.MinInt64, bound), err
	case "minlength":
		return func(v string) bool { return int64(len(v)) >= bound }, err
	case "maxlength":
		return func(v string) bool { return int64(len(v)) <= bound }, err
	}
	return nil, fault.New(fault.Invalid, "constraint %q is not known to this host", name)
}

func inRange(least, most int64) constraint {
	return func(v string) bool {
		n, err := strconv.ParseInt(v, 10, 64)
		return err == nil && n >= least && n <= most
	}
}

// reserved reports whether the template lies in what the host keeps for itself.
func (r route) reserved() bool {
	if len(r.segments) == 0 {
		return false
	}
	first := r.segments[0].literal
	return strings.EqualFold(first, "admin") || strings.EqualFold(first, "runtime")
}

// match compares a request path and gives the values of the parameters.
func (r route) match(u *url.URL) (params map[string]string, ok bool) {
	parts, ok := splitPath(u.EscapedPath())
	if !ok {
		return nil, false
	}
	params = map[string]string{}
	for i, s := range r.segments {
		if s.rest {
			return s.take(params, strings.Join(parts[min(i, len(parts)):], "/"))
		}
		if i >= len(parts) {
			if !s.optional {
				return nil, false
			}
			s.fallback(params)
			continue
		}
		if !s.fits(params, parts[i]) {
			return nil, false
		}
	}
	return params, len(parts) <= len(r.segments)
}

func (s segment) take(params map[string]string, value string) (map[string]string, bool) {
	return params, s.fits(params, value)
}

func (s segment) fallback(params map[string]string) {
	if s.standard != "" {
		params[s.param] = s.standard
	}
}

// fits compares one part of a path and notes its value.
func (s segment) fits(params map[string]string, part string) bool {
	if s.param == "" {
		return strings.EqualFold(s.literal, part)
	}
	if part == "" {
		s.fallback(params)
		return s.rest
	}
	for _, check := range s.checks {
		if !check(part) {
			return false
		}
	}
	params[s.param] = part
	return true
}

// splitPath gives the decoded parts of a path. A trailing slash does not count.
func splitPath(escaped string) ([]string, bool) {
	escaped = strings.TrimSuffix(strings.TrimPrefix(escaped, "/"), "/")
	if escaped == "" {
		return nil, true
	}
	parts := strings.Split(escaped, "/")
	for i, p := range parts {
		decoded, err := url.PathUnescape(p)
		if err != nil {
			return nil, false
		}
		parts[i] = decoded
	}
	return parts, true
}
