package discover

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// group is what is counted of addresses that have something in common.
type group struct {
	N int `json:"n"`
	// Sets are the sets of parameter names that a path was seen with, by a digest of 16 bits.
	Sets []uint16 `json:"s,omitempty"`
	// Values are, for each parameter of one set, the values it was seen with: a bit for each,
	// chosen by a digest. Many values fill them up, which tells ids from choices.
	Values []uint64 `json:"x,omitempty"`
}

// maxValues bounds the parameters of one set that are looked at.
const maxValues = 6

// group is the group of that name. A new one replaces the smallest if there are too many.
func (t *Traps) group(name string) *group {
	key := strconv.FormatUint(xxhash.Sum64String(name), 36)
	if g := t.groups[key]; g != nil {
		return g
	}
	if len(t.groups) >= maxGroups {
		delete(t.groups, t.smallest())
	}
	g := &group{}
	t.groups[key] = g
	return g
}

// smallest is the key of the group to give up; of several, the first by key.
func (t *Traps) smallest() string {
	least := ""
	for key, g := range t.groups {
		if least == "" || cmp.Or(cmp.Compare(g.N, t.groups[least].N), cmp.Compare(key, least)) < 0 {
			least = key
		}
	}
	return least
}

// Combinations are filters when so many addresses come from so few values of their parameters. Of
// three parameters that are ids, each address brings new values; of three lists to choose from, all
// values are soon seen and only the combinations are new.
const (
	fewestCombinations = 256
	perValue           = 16
	manyValues         = 56 // bits of 64: more than 130 values
)

// filters judges the query. A path that answers to ever new sets of parameters, or to every
// combination of their values, has no more pages than those of its plain lists. Parameters for
// paging and dates choose none.
func (t *Traps) filters(a address) string {
	ps := slices.DeleteFunc(slices.Clone(a.params), func(p param) bool { return p.isPaging() || p.isDate() })
	if len(ps) == 0 {
		return ""
	}
	names := ""
	for _, p := range ps {
		names += "&" + p.name
	}
	path := t.group("p" + a.host + a.path)
	if set := uint16(xxhash.Sum64String(names)); !slices.Contains(path.Sets, set) {
		if len(path.Sets) >= mostFilters {
			return trapFilters
		}
		path.Sets = append(path.Sets, set)
	}
	path.N++
	if len(ps) < 3 {
		return ""
	}
	return t.group("f" + a.host + a.path + names).combine(ps)
}

// combine judges one more combination of values of the same parameters.
func (g *group) combine(ps []param) string {
	ps = ps[:min(len(ps), maxValues)]
	if g.Values == nil {
		g.Values = make([]uint64, len(ps))
	}
	if g.N >= fewestCombinations && g.N >= perValue*g.values() {
		return trapFilters
	}
	g.N++
	for i := range min(len(ps), len(g.Values)) {
		g.Values[i] |= 1 << (xxhash.Sum64String(ps[i].value) % 64)
	}
	return ""
}

// values is about how many values the parameters have together; endless when one has many.
func (g *group) values() int {
	sum := 0
	for _, seen := range g.Values {
		n := bits.OnesCount64(seen)
		if n >= manyValues {
			return mostBelow
		}
		sum += n
	}
	return sum
}
