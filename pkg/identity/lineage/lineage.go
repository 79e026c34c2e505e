// Package lineage says which captures may be compared with each other: only those whose URLs and
// texts were normalized by the same rules (requirement B1, B3; spec 000 §1 and §3).
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
	"hash/fnv"
	"strconv"
	"strings"
)

// Version names the normalization rules of a run:
//
//	<collector>_<component>_v<n>[.<patch>][_<component>_v<n>[.<patch>]…]
//
// It is stored as this text. Each set of rules has exactly one spelling, so == is enough to tell
// whether two versions are the same. The zero Version means none.
type Version string

// Current is the version of the rules compiled into this program.
const Current Version = "http_snapshot_url_v2_text_v3"

// maxPatch bounds a patch, so that it fits a column of 32 bits.
const maxPatch = 1_000_000

// String is the version as it is stored.
func (v Version) String() string { return string(v) }

// Component is the part of the version called name, with its number, such as "url_v2" or "text_v1.1"; ""
// if the version has no such part.
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

// Under is the version of v's rules under settings that change their output, such as another list of trackers:
// the component called name gets a patch that is made of the settings, so the same settings have the same
// version everywhere.
func (v Version) Under(name, settings string) Version {
	h := fnv.New32a()
	_, _ = h.Write([]byte(settings)) // never fails
	part := v.Component(name)
	rules, _, _ := strings.Cut(part, ".")
	return Version(strings.Replace(string(v), part, rules+"."+strconv.Itoa(1+int(h.Sum32()%maxPatch)), 1))
}

// Comparable reports whether captures made under a and under b may be compared, deduplicated and
// joined by edges: only when both versions are the same (B3), a patch included. What has no version is
// comparable with nothing, not even with its like.
func Comparable(a, b Version) bool { return a == b && a != "" }
