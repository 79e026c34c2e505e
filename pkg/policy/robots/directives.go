package robots

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// maxDirectives limits the number of comma-separated parts that are read for one page.
const maxDirectives = 1000

// Directives are a page's own restrictions.
type Directives struct {
	NoIndex      bool // the page is kept out of the index
	NoFollow     bool // the targets of its links are not registered
	NoImageIndex bool // its images are kept out of the index
}

// ParseDirectives parses robots directives. The values are the contents of X-Robots-Tag headers, and of the meta
// elements whose name is "robots" or the name of the crawler, in any order. Within a value, "agent:" limits the
// directives that follow it, up to the next such prefix, to that crawler. Sites also separate directives by
// semicolons, slashes or blanks only. Directives add up; no directive revokes another, so "index" next to "noindex"
// changes nothing. "unavailable_after:" is noindex from its date on; the argument now is the present. An unreadable
// date is ignored, and so is an unknown directive.
func ParseDirectives(values []string, agentToken string, now time.Time) Directives {
	var d Directives
	agent, left := productToken(agentToken), maxDirectives
	for _, value := range values {
		parts := strings.SplitN(strings.ReplaceAll(value, ";", ","), ",", left+1)
		parts = parts[:min(len(parts), left)]
		left -= len(parts)
		d.addAll(parts, agent, now)
	}
	return d
}

// addAll applies the parts of one value.
func (d *Directives) addAll(parts []string, agent string, now time.Time) {
	ours := true
	for i := 0; i < len(parts); i++ {
		part := strings.ToLower(strings.TrimSpace(parts[i]))
		name, rest, found := strings.Cut(part, ":")
		if last := strings.LastIndexByte(name, ' '); found && hasValue(name[last+1:]) && ours {
			d.add(name[:last+1])
			name = name[last+1:]
		}
		if found && !hasValue(name) {
			ours, part = isFor(name, agent), strings.TrimSpace(rest)
			name, rest, found = strings.Cut(part, ":")
		}
		if found && strings.TrimSpace(name) == "unavailable_after" {
			if isWeekday(rest) && i+1 < len(parts) { // the comma belongs to the date
				i++
				rest += "," + parts[i]
			}
			part = expired(rest, now)
		}
		if ours {
			d.add(part)
		}
	}
}

// add applies directives in lower case, which may be separated by blanks, slashes or bars.
func (d *Directives) add(directives string) {
	separates := func(c rune) bool { return unicode.IsSpace(c) || c == '/' || c == '|' }
	for directive := range strings.FieldsFuncSeq(directives, separates) {
		switch directive {
		case "noindex":
			d.NoIndex = true
		case "nofollow":
			d.NoFollow = true
		case "none":
			d.NoIndex, d.NoFollow = true, true
		case "noimageindex":
			d.NoImageIndex = true
		}
	}
}

// hasValue reports whether a name is that of a directive with a value, and not that of a crawler.
func hasValue(name string) bool {
	name = strings.TrimSpace(name)
	return name == "unavailable_after" || strings.HasPrefix(name, "max-")
}

func isFor(name, agent string) bool {
	name = strings.TrimSpace(name)
	return name == "*" || name == "robots" || agent != "" && productToken(name) == agent
}

func isWeekday(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) >= 3 && slices.ContainsFunc(weekdays, func(day string) bool { return strings.HasPrefix(day, s) })
}

var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// expired returns "noindex" if the date has passed, or "" if it has not.
func expired(date string, now time.Time) string {
	if at, ok := ParseDate(date); ok && !now.Before(at) {
		return "noindex"
	}
	return ""
}

// zones are the zone names of RFC 822 §5.1. The time package reads them as UTC unless they belong to the machine's
// own zone.
var zones = map[string]string{
	"UT": "+0000", "UTC": "+0000", "GMT": "+0000", "Z": "+0000",
	"EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500",
	"MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
}

// dateLayouts are the layouts of dates without their weekday.
var dateLayouts = []string{
	"2 Jan 2006 15:04:05 -0700", "2 Jan 06 15:04:05 -0700", "2 Jan 2006 15:04 -0700",
	"2-Jan-06 15:04:05 -0700", "2-Jan-2006 15:04:05 -0700",
	"2 Jan 2006 15:04:05", "2-Jan-2006 15:04:05", "2 Jan 2006", "2-Jan-2006",
	time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02",
}

// ParseDate reads a date as sites write it: in the forms of RFC 822, RFC 850 and ISO 8601, with or without a weekday.
// A date without a zone is UTC.
func ParseDate(s string) (time.Time, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	if day, rest, found := strings.Cut(s, ","); found && isWeekday(strings.ToLower(day)) {
		s = strings.TrimSpace(rest)
	}
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		if offset, known := zones[s[i+1:]]; known {
			s = s[:i+1] + offset
		}
	}
	for _, layout := range dateLayouts {
		if at, err := time.Parse(layout, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
