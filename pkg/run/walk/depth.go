package walk

import "context"

// Pages are found breadth first, but not read in the order in which they are found: some are fetched late, and of
// others the links change. So a shorter way to a page may be found after a longer one.

// noteNearer notes an address that was met before if it is a page, and this way to it is a shorter one.
func noteNearer(v *walking, i, depth int) {
	if a := v.seen[i]; a.page != noPage && depth < int(a.depth) {
		v.setPage(i, a.page, depth)
		v.nearer[a.page] = depth
	}
}

// shorten sets the depth of the pages to which a shorter way was found. The links of those that were read are read
// again: they may lead to pages that were too far away before.
func shorten(ctx context.Context, v *walking) error {
	for n, depth := range v.nearer {
		p := address{page: n}.at()
		r, err := v.load(ctx, p.row)
		if err != nil {
			return err
		}
		page := r.Pages[p.i]
		page.Depth, r.changed = depth, true
		if !v.Dry && (page.State == linkRead || page.State == linkUndecided) {
			if page.State == linkUndecided {
				v.walk.Undecided--
			}
			v.walk.nowRead(page)
			page.State, page.Again, page.Body = linkRegistered, true, ""
			v.walk.Open++
			v.walk.Read--
			v.walk.First = min(v.walk.First, p.row)
			v.acted, v.left = true, true
		}
	}
	return nil
}
