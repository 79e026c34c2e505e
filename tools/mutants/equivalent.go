package main

// equivalent is a mutant that nobody can tell from the code as it is.
type equivalent struct {
	name  string // of the mutant
	old   string // what it replaces: if that is another, so is the mutant
	proof string
}

// equivalents are the mutants that survive, each with the proof that it has to.
var equivalents = []equivalent{
	{"pkg/registry/remove.go:Item.anew:etag:1", "it.etag",
		"Whoever writes an item begun anew writes its host's row under the revision that was read before the item. So only " +
			"a writer who leaves the host's row alone can come between unseen. Of items that are to be removed or have moved " +
			"there are two: TryAlone, whose column the new beginning clears in any order, and purgeEarlier, which moves the " +
			"due row, so deleting that where it was read fails and the registration decides anew."},
	{"pkg/run/active.go:Runs.RequeueStalled:off-by-one:1", "f.NotBefore.After(last)",
		"The two differ only where NotBefore equals last, and there last is set to NotBefore, which it is already."},
}

// equivalentOf finds a mutant's proof.
func equivalentOf(m mutant) *equivalent {
	for i, e := range equivalents {
		if e.name == m.name() && e.old == m.old() {
			return &equivalents[i]
		}
	}
	return nil
}
