package discover

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// trapAlike is the reason to leave out the addresses of a group whose pages are nearly equal.
const trapAlike = "trap: many pages that are nearly equal"

// Bounds of a [Bulk].
const (
	maxBulks    = 128
	firstOfBulk = 8 // pages of a group that are read before more are wanted
	knownAlike  = 3 // sketches that are remembered of a group
)

// Bulk recognizes groups of addresses whose pages are nearly equal, such as the days of an empty calendar or one list
// under all its filters. The addresses of a group differ in the last part of their path, in numbers, and in the values
// of parameters. The first pages of a group are read before more of it are wanted: so an endless space brings
// eight pages, however many links lead into it. The zero value is ready. Its state is JSON of at most 120 KiB.
type Bulk struct {
	Groups map[string]*BulkGroup `json:"groups,omitempty"`
}

// BulkGroup is what is known of a group.
type BulkGroup struct {
	Wanted int      `json:"w"`           // addresses that may be read
	Read   int      `json:"r"`           // pages that were read, or could not be
	Alike  int      `json:"a"`           // pages that are nearly equal to an earlier one
	Known  []Sketch `json:"k,omitempty"` // of the last pages that were not
}

// Verdict is what a [Bulk] says of an address.
type Verdict int

// The verdicts.
const (
	Wanted Verdict = iota // the page may be read
	Held                  // others of its group are read first
	Unwanted
)

// Judge says whether the page of an address may be read. The caller reports a wanted page with Want.
func (b *Bulk) Judge(url string) (Verdict, string) {
	g := b.Groups[groupOf(url)]
	switch {
	case g == nil:
		return Wanted, ""
	case g.trapped():
		return Unwanted, trapAlike
	case g.Read < firstOfBulk && g.Wanted >= firstOfBulk:
		return Held, ""
	}
	return Wanted, ""
}

// Want records that the page of an address will be read. Beyond a number of groups, a new one replaces the smallest
// that is not known as an endless space: many small groups do not hide a large one.
func (b *Bulk) Want(url string) {
	key := groupOf(url)
	if b.Groups[key] == nil {
		if len(b.Groups) >= maxBulks {
			delete(b.Groups, b.smallest())
		}
		if b.Groups == nil {
			b.Groups = map[string]*BulkGroup{}
		}
		b.Groups[key] = &BulkGroup{}
	}
	b.Groups[key].Wanted++
}

// smallest returns the key of the group that can be spared best. Of equal ones it is the first, so that the same
// addresses always have the same result.
func (b *Bulk) smallest() string {
	rank := func(key string) int {
		g := b.Groups[key]
		if g.trapped() {
			return math.MaxInt
		}
		return g.Wanted
	}
	return slices.MinFunc(slices.Sorted(maps.Keys(b.Groups)), func(x, y string) int {
		return cmp.Compare(rank(x), rank(y))
	})
}

// Read records what a wanted page is like; nil if it could not be read. The titles of two pages do not matter where
// parameters select what a page shows.
func (b *Bulk) Read(url string, page *Sketch) {
	g := b.Groups[groupOf(url)]
	if g == nil {
		return
	}
	g.Read++
	if page == nil {
		return
	}
	for _, known := range g.Known {
		if known.Alike(*page, !strings.Contains(url, "?")) {
			g.Alike++
			return
		}
	}
	if g.Known = append(g.Known, *page); len(g.Known) > knownAlike {
		g.Known = g.Known[1:]
	}
}

// trapped reports whether of the first pages of a group, or of all, nine of ten are nearly equal to another one.
func (g *BulkGroup) trapped() bool { return g.Read >= firstOfBulk && 10*(g.Alike+1) >= 9*g.Read }

// groupOf returns the key of the group of an address.
func groupOf(url string) string {
	a := apart(url)
	var b strings.Builder
	b.WriteString(a.host)
	for i, segment := range a.segments {
		if b.WriteByte('/'); i == len(a.segments)-1 && a.query == "" {
			segment = "*" + extension(segment)
		}
		b.WriteString(strings.Map(withoutDigits, segment))
	}
	for _, p := range a.params {
		b.WriteString("&" + strings.Map(withoutDigits, p.name))
	}
	return strconv.FormatUint(xxhash.Sum64String(b.String()), 36)
}

// withoutDigits drops digits. Numbers of any length are the same then.
func withoutDigits(c rune) rune {
	if c >= '0' && c <= '9' {
		return -1
	}
	return c
}

// extension returns the short extension of a file's name, with its dot; "" if there is none.
func extension(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 6 {
		return name[dot:]
	}
	return ""
}
