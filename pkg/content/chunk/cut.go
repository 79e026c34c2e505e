package chunk

import "sort"

// cuts returns the atoms after which a run is cut, in ascending order. A run within the budget stays whole. A longer
// run is first cut at its anchors. An anchor is a cut that has the greatest score within [window] tokens on both
// sides, and that is at least this far from both ends of the run. A part between two anchors that exceeds the budget
// is cut where the score is greatest, and so on until all parts fit. The first of equal scores counts as the
// greatest. There must be at least one atom.
func cuts(atoms []atom) []int {
	c := cutter{atoms: atoms}
	if c.tokens(0, len(atoms)-1) <= Budget {
		return nil
	}
	c.tree = newTree(atoms[:len(atoms)-1])
	from := 0
	for _, anchor := range c.anchors() {
		c.divide(from, anchor)
		c.at = append(c.at, anchor)
		from = anchor + 1
	}
	c.divide(from, len(atoms)-1)
	return c.at
}

// cutter holds the state for one run.
type cutter struct {
	atoms []atom
	tree  tree
	at    []int
}

// before returns the number of tokens that precede atom i.
func (c *cutter) before(i int) int32 {
	if i == 0 {
		return 0
	}
	return c.atoms[i-1].pos
}

// tokens returns the size of atoms i to j.
func (c *cutter) tokens(i, j int) int32 { return c.atoms[j].pos - c.before(i) }

// inside returns the cuts within atoms i to j that leave at least a window on either side, as the range [lo, hi).
func (c *cutter) inside(i, j int) (lo, hi int) {
	return c.search(i, j, c.before(i)+window), c.search(i, j, c.atoms[j].pos-window+1)
}

// search returns the first of atoms i to j-1 that ends at or after pos, or j.
func (c *cutter) search(i, j int, pos int32) int {
	return i + sort.Search(j-i, func(k int) bool { return c.atoms[i+k].pos >= pos })
}

// anchors returns the anchors of the run. Text further away than the window does not affect them.
func (c *cutter) anchors() []int {
	var out []int
	last := len(c.atoms) - 1
	first, end := c.inside(0, last)
	lo, hi := 0, first
	for i := first; i < end; i++ {
		for c.atoms[lo].pos <= c.atoms[i].pos-window {
			lo++
		}
		for hi < last && c.atoms[hi].pos < c.atoms[i].pos+window {
			hi++
		}
		if c.tree.greatest(lo, hi) == i {
			out = append(out, i)
		}
	}
	return out
}

// divide cuts atoms i to j until no part exceeds the budget. Each cut leaves at least a window of tokens on either
// side, unless an atom is so large that no such cut exists.
func (c *cutter) divide(i, j int) {
	if c.tokens(i, j) <= Budget {
		return
	}
	at := c.middle(i, j)
	if lo, hi := c.inside(i, j); lo < hi {
		at = c.tree.greatest(lo, hi)
	}
	c.divide(i, at)
	c.at = append(c.at, at)
	c.divide(at+1, j)
}

// middle returns the cut within atoms i to j for which the smaller of the two parts is as large as possible.
func (c *cutter) middle(i, j int) int {
	from, to := c.before(i), c.atoms[j].pos
	at := c.search(i, j, from+(to-from)/2)
	if at == j || at > i && c.atoms[at].pos-from-(to-from)/2 > from+(to-from)/2-c.atoms[at-1].pos {
		at--
	}
	return at
}

// tree finds the greatest score of a range in logarithmic time. The leaves begin at len/2. Each inner node holds the
// index of the atom with the greater score among its two children.
type tree struct {
	atoms []atom
	nodes []int32
}

func newTree(atoms []atom) tree {
	n := len(atoms)
	t := tree{atoms, make([]int32, 2*n)}
	for i := range atoms {
		t.nodes[n+i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		t.nodes[i] = t.greater(t.nodes[2*i], t.nodes[2*i+1])
	}
	return t
}

// greater returns the atom with the greater score, or the first of two equal ones.
func (t tree) greater(i, j int32) int32 {
	a, b := t.atoms[i].score, t.atoms[j].score
	if a > b || a == b && i < j {
		return i
	}
	return j
}

// greatest returns the atom with the greatest score in [lo, hi), which must not be empty.
func (t tree) greatest(lo, hi int) int {
	best := int32(lo)
	for lo, hi = lo+len(t.atoms), hi+len(t.atoms); lo < hi; lo, hi = lo/2, hi/2 {
		if lo&1 == 1 {
			best = t.greater(best, t.nodes[lo])
			lo++
		}
		if hi&1 == 1 {
			hi--
			best = t.greater(best, t.nodes[hi])
		}
	}
	return int(best)
}
