package discover

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// address is a parsed normalized URL.
type address struct {
	host, path, query string
	segments          []string
	params            []param // ordered by name, as package source sorts them
}

// param is a parameter of an address, still encoded; its name is in lower case.
type param struct{ name, value string }

// apart splits an address into its parts. It never fails: text that is not a URL becomes a path.
func apart(url string) address {
	var a address
	_, rest, found := strings.Cut(url, "://")
	if !found {
		rest = url
	}
	rest, a.query, _ = strings.Cut(rest, "?")
	a.host, a.path, _ = strings.Cut(rest, "/")
	if len(a.path) > longestPath || len(a.query) > longestQuery {
		return a // such an address is refused for its length alone
	}
	for segment := range strings.SplitSeq(a.path, "/") {
		if segment != "" {
			a.segments = append(a.segments, segment)
		}
	}
	for piece := range strings.SplitSeq(a.query, "&") {
		if name, value, _ := strings.Cut(piece, "="); name != "" {
			a.params = append(a.params, param{strings.ToLower(name), value})
		}
	}
	return a
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

var (
	// sessionName matches the parameter names that hold a session on most sites, and sessionValue matches the form of
	// a session id. A parameter named sid or s is an ordinary parameter if its value is short.
	sessionName = regexp.MustCompile(`^(?:j?session_?id|j?sess_?id|phpsessid|aspsessionid\w*|sid|s|` +
		`oscsid|zenid|xtcsid|cfid|cftoken)$`)
	sessionValue = regexp.MustCompile(`(?i)^[a-z0-9_.-]{16,}$`)
)

// hasSession reports whether the address contains a visitor's session.
func (a address) hasSession() bool {
	if path := "/" + a.path; source.WithoutSession(path) != path {
		return true
	}
	return slices.ContainsFunc(a.params, func(p param) bool {
		return sessionName.MatchString(p.name) && sessionValue.MatchString(p.value) &&
			strings.ContainsAny(p.value, "0123456789")
	})
}

// paging holds names of parameters that select a page of a list.
var paging = map[string]bool{
	"page": true, "p": true, "pg": true, "paged": true, "start": true, "offset": true, "from": true,
	"skip": true, "limit": true, "per_page": true, "pagesize": true, "cursor": true, "n": true,
}

func (p param) isPaging() bool { return paging[p.name] }

// The names of parameters that select a day, month or year, and the form of their values.
var (
	yearName  = regexp.MustCompile(`^(?:yr|year|jahr|annee|anno|ano)$`)
	monthName = regexp.MustCompile(`^(?:m|mo|mon|month|monat|mois|mes|mese)$`)
	dayName   = regexp.MustCompile(`^(?:d|day|tag|jour|dia|giorno)$`)
	dateValue = regexp.MustCompile(`^([12]\d{3})-(?:0[1-9]|1[0-2])(-(?:0[1-9]|[12]\d|3[01]))?$`)
	yearValue = regexp.MustCompile(`^[12]\d{3}$`)
	fewDigits = regexp.MustCompile(`^\d{1,2}$`)
)

// isDate reports whether a parameter selects a day, month or year.
func (p param) isDate() bool {
	switch {
	case dateValue.MatchString(p.value):
		return true
	case yearName.MatchString(p.name):
		return yearValue.MatchString(p.value)
	case monthName.MatchString(p.name), dayName.MatchString(p.name):
		return fewDigits.MatchString(p.value)
	}
	return false
}

// endsInDate matches a path that ends in a month or day.
var endsInDate = regexp.MustCompile(`^(|.*/)([12]\d{3})` +
	`(?:-(?:0[1-9]|1[0-2])(-(?:0[1-9]|[12]\d|3[01]))?|/(?:0?[1-9]|1[0-2])(/(?:0?[1-9]|[12]\d|3[01]))?)` +
	`(?:\.html?|\.php)?$`)

// date is a date at the end of an address.
type date struct {
	before string // prefix that all pages of the calendar share
	year   int    // 0 if the address has none
	// sure reports whether this is certainly a date: it has a day, or it is the value of a parameter with the name of
	// a date. A year and a month alone may be another number, or a page of a list.
	sure bool
}

// date returns the date at the end of an address, in its path or query.
func (a address) date() (d date, found bool) {
	if m := endsInDate.FindStringSubmatch(a.path); m != nil {
		year, _ := strconv.Atoi(m[2])
		return date{a.host + "/" + m[1], year, m[3] != "" || m[4] != ""}, true
	}
	d.before = a.host + "/" + a.path + "?"
	for _, p := range a.params {
		switch m := dateValue.FindStringSubmatch(p.value); {
		case m != nil:
			d.year, _ = strconv.Atoi(m[1])
			d.sure = d.sure || m[2] != ""
		case yearName.MatchString(p.name) && p.isDate():
			d.year, _ = strconv.Atoi(p.value)
			d.sure = true
		}
		found = found || p.isDate()
	}
	return d, found
}
