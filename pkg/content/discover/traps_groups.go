package discover

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// group holds the counts for addresses that share a path or a prefix of it.
type group struct {
	N int `json:"n"`
	// Sets are the sets of parameter names that were seen with a path. Each is stored as a digest of 16 bits.
	Sets []uint16 `json:"s,omitempty"`
	// Values holds, for each parameter of one set, the values that were seen. Each value sets one of 64 bits, chosen
	// by a digest. A parameter with many values, such as an id, sets most bits; a choice from a short list sets few.
	Values []uint64 `json:"x,omitempty"`
}

// maxValues limits how many parameters of one set are counted.
const maxValues = 6

// group returns the group with that name, and creates it if necessary. If there are too many groups, the new one
// replaces the smallest.
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

// smallest returns the key of the group to replace. If several groups are equally small, it returns the first key in
// order.
func (t *Traps) smallest() string {
	least := ""
	for key, g := range t.groups {
		if least == "" || cmp.Or(cmp.Compare(g.N, t.groups[least].N), cmp.Compare(key, least)) < 0 {
			least = key
		}
	}
	return least
}

// Many addresses that are made of few values are combinations of filters. If the parameters are ids, each address
// brings new values. If they are choices from lists, all values are soon known and only the combinations are new.
const (
	fewestCombinations = 256
	perValue           = 16
	manyValues         = 56 // bits of the 64; more than 130 values set that many
)

// filters checks the query of an address. Some paths appear with ever new sets of parameters, or with every
// combination of their values. The pages of such a path are also in its unfiltered lists. Parameters for paging and
// dates are not filters.
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

// combine records one more combination of values of the same parameters.
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

// values estimates how many values the parameters have together. It returns endless if one parameter has too many.
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
