// Package lineage decides which captures may be compared with each other: only those whose URLs and texts were
// normalized by the same rules (requirements B1 and B3; spec 000 §1 and §3).
//
// [Current] is the [Version] of the rules in force. Every collection run records the version at its start and never
// changes it. If the output of the rules for URLs (package source) or for text (package extract) changes, the number
// after "url" or "text" must be raised. Until it is raised, the golden-file tests of those packages fail (B6).
//
//	http_snapshot _ url_v1 _ text_v1
//	└ collector ┘   └ components, each with its own number ┘
package lineage

import (
	"hash/fnv"
	"strconv"
	"strings"
)

// Version identifies the normalization rules of a run:
//
//	<collector>_<component>_v<n>[.<patch>][_<component>_v<n>[.<patch>]…]
//
// This text is what is stored. Each set of rules has exactly one spelling, so versions can be compared with ==. The
// zero Version means that there is no version.
type Version string

// Current is the version of the rules compiled into this program.
const Current Version = "http_snapshot_url_v2_text_v4"

// maxPatch bounds the number of a patch, so that it fits into a 32-bit column.
const maxPatch = 1_000_000

// String returns the version as stored.
func (v Version) String() string { return string(v) }

// Component returns the component with the given name, including its number, such as "url_v2" or "text_v1.1". It
// returns "" if the version has no such component.
func (v Version) Component(name string) string {
	words := strings.Split(string(v), "_")
	for i, word := range words[:len(words)-1] {
		number, numbered := strings.CutPrefix(words[i+1], "v")
		if word == name && numbered && number != "" && strings.Trim(number, "0123456789.") == "" {
			return word + "_v" + number
		}
	}
	return ""
}

// Under returns the version for settings that change the output of the rules, such as another list of trackers. It
// derives a patch number for the component with the given name from the settings. So the same settings give the same
// version everywhere.
func (v Version) Under(name, settings string) Version {
	h := fnv.New32a()
	_, _ = h.Write([]byte(settings)) // never fails
	part := v.Component(name)
	rules, _, _ := strings.Cut(part, ".")
	return Version(strings.Replace(string(v), part, rules+"."+strconv.Itoa(1+int(h.Sum32()%maxPatch)), 1))
}

// Comparable reports whether captures of two versions may be compared, deduplicated and joined by edges. They may
// only if the versions are equal (B3), including their patches. A missing version is not comparable with any version,
// not even with another missing one.
func Comparable(a, b Version) bool { return a == b && a != "" }
