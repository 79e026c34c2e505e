package main

// An equivalent is a mutant that behaves exactly as the original code.
type equivalent struct {
	name  string // name of the mutant
	old   string // the original text: the proof holds only for this text
	proof string
}

// equivalents lists the mutants that no test can detect, each with a proof that its behavior is that of the original.
var equivalents = []equivalent{
	{"pkg/run/active.go:Runs.RequeueStalled:off-by-one:1", "f.NotBefore.After(last)",
		"The two differ only where NotBefore equals last, and there last is set to NotBefore, which it is already."},
}

// equivalentOf returns the entry of [equivalents] for a mutant, or nil if there is none.
func equivalentOf(m mutant) *equivalent {
	for i, e := range equivalents {
		if e.name == m.name() && e.old == m.old() {
			return &equivalents[i]
		}
	}
	return nil
}
