package discover

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// group holds counts for addresses that have something in common.
type group struct {
	N int `json:"n"`
	// Sets are the sets of parameter names seen with a path, as digests of 16 bits.
	Sets []uint16 `json:"s,omitempty"`
	// Values holds, for each parameter of one set, the values seen with it: each sets one bit, chosen by a digest. A
	// parameter with many values sets most bits, which distinguishes ids from choices.
	Values []uint64 `json:"x,omitempty"`
}

// maxValues bounds the parameters of one set that are counted.
const maxValues = 6

// group returns the group with that name. A new one replaces the smallest if there are too many.
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

// smallest returns the key of the group to replace; of several, the first by key.
func (t *Traps) smallest() string {
	least := ""
	for key, g := range t.groups {
		if least == "" || cmp.Or(cmp.Compare(g.N, t.groups[least].N), cmp.Compare(key, least)) < 0 {
			least = key
		}
	}
	return least
}

// Combinations are filters if many addresses come from few values of their parameters. With parameters that are ids,
// each address brings new values. With lists to choose from, all values are soon seen and only the combinations are
// new.
const (
	fewestCombinations = 256
	perValue           = 16
	manyValues         = 56 // bits of 64: more than 130 values
)

// filters checks the query. If a path is requested with ever new sets of parameters, or with every combination of
// their values, it has no more pages than its plain lists have. Parameters for paging and dates do not count as
// filters.
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

// combine checks one more combination of values of the same parameters.
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

// values estimates how many values the parameters have together; it returns endless if one has many.
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
