package source

import (
	"regexp"
	"strconv"
	"strings"
)

// refreshValue matches a Refresh header, or the content of its meta element, that names an address (HTML standard,
// "shared declarative refresh steps").
var refreshValue = regexp.MustCompile(`(?is)^\s*(\d*)(?:\.[\d.]*)?(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(.*)$`)

// RefreshTarget returns the address that a Refresh header names, or the content of its meta element, and after how many
// seconds it is shown. The target is "" if the value names none.
func RefreshTarget(value string) (target string, seconds int) {
	m := refreshValue.FindStringSubmatch(value)
	if m == nil {
		return "", 0
	}
	seconds, _ = strconv.Atoi(m[1]) // the greatest number if it has more digits than fit
	target = strings.TrimSpace(m[2])
	if quote := target[:min(1, len(target))]; quote == `"` || quote == "'" {
		target, _, _ = strings.Cut(target[1:], quote)
	}
	return strings.TrimSpace(target), seconds
}
