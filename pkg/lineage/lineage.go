// Package lineage says which captures may be compared with each other: only those whose URLs and
// texts were normalized by the same rules (requirement B1, B3; seed 000 §1 and §3).
//
// The rules in force have a name, the [Version] [Current]. Every run of collection carries the
// version it began with and never changes it. When the rules for URLs (package source) or for
// text (package extract) change their output, the number behind "url" or "text" is raised; the
// golden files of those packages fail until it is (B6).
//
//	http_snapshot _ url_v1 _ text_v1
//	└ collector ┘   └ components, each with its own number ┘
package lineage

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// Version names the normalization rules of a run:
//
//	<collector>_<component>_v<n>[.<patch>][_<component>_v<n>[.<patch>]…]
//
// It is stored as this text. Each set of rules has exactly one spelling, so == is enough to tell
// whether two versions are the same. The zero Version is no version. Text from outside becomes a
// Version through [Parse].
type Version string

// Current is the version of the rules compiled into this program.
const Current Version = "http_snapshot_url_v1_text_v2"

// MaxLen is the longest text of a version, in bytes. It bounds what a stranger can put in a row.
const MaxLen = 128

// maxNumber bounds each number of a component, so that it always fits a 32-bit column.
const maxNumber = 1_000_000

// Component is one numbered part of a version, such as url_v1. Patch is zero when it is not
// written; "v1" and "v1.1" are different versions of the same major rules (seed 000 §5).
type Component struct {
	Name  string
	Major int // 1 or more
	Patch int // 0 or more
}

// String is the component as it stands in a version: "url_v1", "text_v1.1".
func (c Component) String() string {
	s := c.Name + "_v" + strconv.Itoa(c.Major)
	if c.Patch > 0 {
		s += "." + strconv.Itoa(c.Patch)
	}
	return s
}

// Compare orders components by name, then by major number, then by patch. The result is -1, 0 or
// +1. Among components of one name the larger one is the newer one.
func (c Component) Compare(other Component) int {
	return cmp.Or(
		strings.Compare(c.Name, other.Name),
		cmp.Compare(c.Major, other.Major),
		cmp.Compare(c.Patch, other.Patch),
	)
}

// Parse reads a version. The error is Invalid and names the part that is wrong. Numbers are
// written without leading zeros and a patch of zero is left out, which keeps one spelling for
// each version.
func Parse(s string) (Version, error) {
	if _, _, err := split(s); err != nil {
		return "", err
	}
	return Version(s), nil
}

// String is the version as it is stored.
func (v Version) String() string { return string(v) }

// Collector is what gathered the captures, such as "http_snapshot"; "" for an invalid version.
func (v Version) Collector() string {
	collector, _, _ := split(string(v))
	return collector
}

// Components are the numbered parts in the order written; none for an invalid version.
func (v Version) Components() []Component {
	_, parts, _ := split(string(v))
	return parts
}

// Component returns the part called name and whether the version has one.
func (v Version) Component(name string) (c Component, found bool) {
	for _, part := range v.Components() {
		if part.Name == name {
			return part, true
		}
	}
	return Component{}, false
}

// Comparable reports whether captures made under a and under b may be compared, deduplicated and
// joined by edges: only when both versions are the same (B3, seed 000 §3). A patch counts as a
// difference, because the seed asks for identical versions. What has no version is comparable
// with nothing, not even with its like.
func Comparable(a, b Version) bool { return a == b && a != "" }

// split takes a version apart. A word of the form v<n> ends a component, whose name is the one
// word before it; the words before the first component are the collector.
func split(s string) (collector string, parts []Component, err error) {
	if len(s) > MaxLen {
		return "", nil, invalid("longer than %d bytes", MaxLen)
	}
	words := strings.Split(s, "_")
	first := 0
	for first < len(words) && !isNumber(words[first]) {
		if !isWord(words[first]) {
			return "", nil, invalid("%q is not a word of lower-case letters and digits", words[first])
		}
		first++
	}
	if first == len(words) {
		return "", nil, invalid("no component with a version such as url_v1")
	}
	if first < 2 {
		return "", nil, invalid("collector and component must come before the first v<n>")
	}
	if parts, err = components(words[first-1:]); err != nil {
		return "", nil, err
	}
	return strings.Join(words[:first-1], "_"), parts, nil
}

// components reads pairs of a name and a number. No name may come twice, since "the url
// component" must have one answer.
func components(words []string) ([]Component, error) {
	if len(words)%2 != 0 {
		return nil, invalid("component %q has no version", words[len(words)-1])
	}
	var parts []Component
	seen := map[string]bool{}
	for i := 0; i < len(words); i += 2 {
		name := words[i]
		if !isWord(name) || isNumber(name) || seen[name] {
			return nil, invalid("component %q is misspelt or doubled", name)
		}
		c, err := number(words[i+1])
		if err != nil {
			return nil, err
		}
		c.Name, seen[name] = name, true
		parts = append(parts, c)
	}
	return parts, nil
}

// number reads v<n> or v<n>.<patch>.
func number(word string) (Component, error) {
	text, isVersion := strings.CutPrefix(word, "v")
	major, patch, patched := strings.Cut(text, ".")
	c := Component{Major: decimal(major)}
	if patched {
		c.Patch = decimal(patch)
	}
	if !isVersion || c.Major == 0 || patched && c.Patch == 0 {
		return Component{}, invalid("%q is not v<n> or v<n>.<patch> with numbers from 1 to %d", word, maxNumber)
	}
	return c, nil
}

// decimal is the number that s spells in its only accepted spelling, or 0.
func decimal(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxNumber || strconv.Itoa(n) != s {
		return 0
	}
	return n
}

// isNumber reports whether a word is meant as a version number, well spelt or not.
func isNumber(word string) bool {
	return len(word) > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9'
}

func isWord(word string) bool {
	for _, r := range word {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return word != ""
}

func invalid(format string, args ...any) error {
	return fault.Field("normalizationVersion", "normalization version: "+format, args...)
}
