package robots

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/wallclock"
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
// directives that follow it, up to the next such prefix, to that crawler. Sites also separate directives by other signs
// or by blanks only, put them in quotes or brackets, and write "no-index" or "noindex: true". Directives add up; no
// directive revokes another, so "index" next to "noindex" changes nothing. "unavailable_after:" is noindex from its
// date on; the argument now is the present. An unreadable date is ignored, and so is an unknown directive.
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
		if found && isYes(rest) && isDirective(name) {
			part, found = name, false
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

// add applies directives in lower case. Whatever is no letter, digit or hyphen separates them.
func (d *Directives) add(directives string) {
	separates := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' }
	for directive := range strings.FieldsFuncSeq(directives, separates) {
		switch directive {
		case "noindex", "no-index":
			d.NoIndex = true
		case "nofollow", "no-follow":
			d.NoFollow = true
		case "none":
			d.NoIndex, d.NoFollow = true, true
		case "noimageindex":
			d.NoImageIndex = true
		}
	}
}

// isDirective reports whether a text has a directive that counts, and is not the name of a crawler.
func isDirective(text string) bool {
	var d Directives
	d.add(text)
	return d != Directives{}
}

// isYes reports whether the value of a directive only confirms it.
func isYes(value string) bool {
	switch strings.Trim(value, " \"'") {
	case "", "1", "true", "yes":
		return true
	}
	return false
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
	if at, _, ok := wallclock.ParseDate(date); ok && !now.Before(at) {
		return "noindex"
	}
	return ""
}
