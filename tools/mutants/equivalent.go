package main

// equivalent is a mutant that nobody can tell from the code as it is.
type equivalent struct {
	name  string // of the mutant
	old   string // what it replaces: if that is another, so is the mutant
	proof string
}

// equivalents are the mutants that survive, each with the proof that it has to.
var equivalents = []equivalent{
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
