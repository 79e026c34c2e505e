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
	maxBulks    = 108
	firstOfBulk = 8  // pages of a group that are read before more are wanted
	firstOfPath = 24 // pages of a path with parameters that are read before more are wanted
	knownAlike  = 3  // sketches that are remembered of a group
	maxNames    = 16 // names of parameters that are remembered of a path
)

// Bulk recognizes groups of addresses whose pages are nearly equal, such as the days of an empty calendar or one list
// under all its filters. The addresses of a group differ in the last part of their path, in numbers, and in the values
// of parameters. The first pages of a group are read before more of it are wanted: so an endless space brings
// eight pages, however many links lead into it. The addresses of one path with parameters are such a group, too, of
// which 24 pages are read first: else each set of parameters of a list with filters would bring eight pages. If these
// pages are nearly equal, addresses with other parameters are still wanted. The zero value is ready. Its state is JSON
// of at most 120 KiB.
type Bulk struct {
	Groups map[string]*BulkGroup `json:"groups,omitempty"`
}

// BulkGroup is what is known of a group.
type BulkGroup struct {
	Wanted int      `json:"w"`           // addresses that may be read
	Read   int      `json:"r"`           // pages that were read, or could not be
	Alike  int      `json:"a"`           // pages that are nearly equal to an earlier one
	Known  []Sketch `json:"k,omitempty"` // of the last pages that were not
	Names  []uint32 `json:"n,omitempty"` // of a path: digests of the parameters of nearly equal pages
}

// Verdict is what a [Bulk] says of an address.
type Verdict int

// The verdicts.
const (
	wanted Verdict = iota // the page may be read
	Held                  // others of its group are read first
	unwanted
)

// Judge says whether the page of an address may be read. The caller reports a wanted page with Want.
func (b *Bulk) Judge(url string) (Verdict, string) {
	a := apart(url)
	g, path := b.Groups[groupOf(a)], b.Groups[pathOf(a)]
	switch {
	case g.trapped(firstOfBulk) || path.trapped(firstOfPath) && path.knows(a):
		return unwanted, trapAlike
	case g.waits(firstOfBulk) || path.waits(firstOfPath):
		return Held, ""
	}
	return wanted, ""
}

// Want records that the page of an address will be read.
func (b *Bulk) Want(url string) {
	a := apart(url)
	for _, key := range []string{groupOf(a), pathOf(a)} {
		if key != "" {
			b.group(key).Wanted++
		}
	}
}

// group returns a group, and creates it if necessary. Beyond a number of groups, a new one replaces the smallest that
// is not known as an endless space: many small groups do not hide a large one.
func (b *Bulk) group(key string) *BulkGroup {
	if b.Groups[key] == nil {
		if len(b.Groups) >= maxBulks {
			delete(b.Groups, b.smallest())
		}
		if b.Groups == nil {
			b.Groups = map[string]*BulkGroup{}
		}
		b.Groups[key] = &BulkGroup{}
	}
	return b.Groups[key]
}

// smallest returns the key of the group that can be spared best. Of equal ones it is the first, so that the same
// addresses always have the same result.
func (b *Bulk) smallest() string {
	rank := func(key string) int {
		g := b.Groups[key]
		if g.trapped(firstOfBulk) {
			return math.MaxInt
		}
		return g.Wanted
	}
	return slices.MinFunc(slices.Sorted(maps.Keys(b.Groups)), func(x, y string) int {
		return cmp.Compare(rank(x), rank(y))
	})
}

// Read records what a wanted page is like; nil if it could not be read.
func (b *Bulk) Read(url string, page *Sketch) {
	a := apart(url)
	b.Groups[groupOf(a)].read(a, page)
	if path := b.Groups[pathOf(a)]; path.read(a, page) {
		path.learn(a)
	}
}

// read reports whether a page is nearly equal to an earlier one. The titles of two pages do not matter where parameters
// select what a page shows.
func (g *BulkGroup) read(a address, page *Sketch) (alike bool) {
	if g == nil {
		return false
	}
	g.Read++
	if page == nil {
		return false
	}
	for _, known := range g.Known {
		if known.alike(*page, a.query == "") {
			g.Alike++
			return true
		}
	}
	if g.Known = append(g.Known, *page); len(g.Known) > knownAlike {
		g.Known = g.Known[1:]
	}
	return false
}

// trapped reports whether of the first pages of a group, or of all, nine of ten are nearly equal to another one.
func (g *BulkGroup) trapped(first int) bool {
	return g != nil && g.Read >= first && 10*(g.Alike+1) >= 9*g.Read
}

// waits reports whether the first pages of a group are still to be read.
func (g *BulkGroup) waits(first int) bool { return g != nil && g.Read < first && g.Wanted >= first }

// learn notes the parameters of a page, and knows reports whether all of an address were noted.
func (g *BulkGroup) learn(a address) {
	for _, p := range a.params {
		if name := p.digest(); len(g.Names) < maxNames && !slices.Contains(g.Names, name) {
			g.Names = append(g.Names, name)
		}
	}
}

func (g *BulkGroup) knows(a address) bool {
	return !slices.ContainsFunc(a.params, func(p param) bool { return !slices.Contains(g.Names, p.digest()) })
}

// digest returns a digest of the name of a parameter.
func (p param) digest() uint32 { return uint32(xxhash.Sum64String(p.name)) }

// groupOf returns the key of the group of an address.
func groupOf(a address) string {
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

// pathOf returns the key of the group of all addresses with parameters of a path; "" for an address without.
func pathOf(a address) string {
	if len(a.params) == 0 {
		return ""
	}
	return strconv.FormatUint(xxhash.Sum64String("?"+a.host+"/"+a.path), 36)
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
