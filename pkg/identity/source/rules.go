package source

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Rules are the configured part of normalization: the query parameters that are trackers. The zero Rules have no
// trackers. Rules are safe for concurrent use.
//
// Changing the list changes identities: a source that was registered under the old list may get another ID under the
// new one (spec 000 §2.1).
type Rules struct {
	names    []string // whole names, in lower case
	prefixes []string // beginnings of names, in lower case, each ending in "_"
}

// The limits on the list of trackers.
const (
	maxTrackers   = 256
	maxTrackerLen = 64
)

// DefaultRules returns the rules with the trackers of spec 003 §11: utm_, gclid, fbclid, msclkid.
func DefaultRules() Rules {
	return Rules{names: []string{"gclid", "fbclid", "msclkid"}, prefixes: []string{"utm_"}}
}

// NewRules makes rules from the entries of TRACKING_PARAM_PREFIXES (A2). An entry that ends in "_" matches every name
// that begins with it. Any other entry matches only the whole name. ASCII case does not matter. Spaces around an
// entry are ignored. The error is Invalid for more than 256 entries, and for an entry that is not 1 to 64 printable
// ASCII characters without & = # % + *. An asterisk is refused because "utm_*" would match nothing.
func NewRules(trackingPrefixes []string) (Rules, error) {
	const field = "TRACKING_PARAM_PREFIXES"
	if len(trackingPrefixes) > maxTrackers {
		return Rules{}, fault.Field(field, "%d tracking parameters; at most %d are allowed", len(trackingPrefixes),
			maxTrackers)
	}
	var r Rules
	for _, entry := range trackingPrefixes {
		name := lower(strings.TrimSpace(entry))
		if name == "" || len(name) > maxTrackerLen || strings.ContainsFunc(name, notInTracker) {
			return Rules{}, fault.Field(field, "tracking parameter %q: write a name such as gclid, or a beginning such as utm_",
				entry)
		}
		if strings.HasSuffix(name, "_") {
			r.prefixes = append(r.prefixes, name)
		} else {
			r.names = append(r.names, name)
		}
	}
	return r, nil
}

// String lists the trackers in sorted order, so that equal rules have equal texts.
func (r Rules) String() string {
	all := slices.Concat(r.names, r.prefixes)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

func notInTracker(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune("&=#%+*", c) }

// tracks reports whether a decoded, lower-case name is a tracker.
func (r Rules) tracks(name string) bool {
	return slices.Contains(r.names, name) ||
		slices.ContainsFunc(r.prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
