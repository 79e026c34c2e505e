package source

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// sessionPart is the part of a path that holds a visitor's session, as in Java servlets and in ASP.NET without
	// cookies.
	sessionPart = regexp.MustCompile(`(?i);(?:jsessionid|phpsessid|sid|cfid)=[^/;]*|/\(S\([a-z0-9]{16,}\)\)`)
	// surelySession matches a parameter that holds a session, whatever the site: its value is that of a digest. Others
	// may select a page.
	surelySession = regexp.MustCompile(`(?i)^(?:s|sid|j?session_?id|j?sess_?id|oscsid|zenid|xtcsid)=[0-9a-f]{32}$`)
)

// WithoutSession returns the address of a link without the session of a visitor, for which a site serves the same page.
// Each visit of a page brings links with another session, so with it no page would be found again.
func WithoutSession(url string) string {
	address, query, asked := strings.Cut(url, "?")
	address = sessionPart.ReplaceAllString(address, "")
	if !asked {
		return address
	}
	params := slices.DeleteFunc(strings.Split(query, "&"), surelySession.MatchString)
	if len(params) == 0 {
		return address
	}
	return address + "?" + strings.Join(params, "&")
}
