package main

import (
	"fmt"
	"io"
	"time"
)

// String formats an outcome as a line of the report.
func (o outcome) String() string {
	what := "survived"
	switch e := equivalentOf(o.mutant); {
	case o.killed:
		what = "killed by " + o.by
	case e != nil:
		what = "equivalent"
	}
	return fmt.Sprintf("%s\n\t%s\n\t%s, %s", o.mutant.name(), o.mutant.says(), what, o.took.Round(100*time.Millisecond))
}

// report prints a summary. It returns an error if no test detected a mutant that has no proof in [equivalents], or if
// a test detected a mutant that has one.
func report(out io.Writer, all []outcome) error {
	killed, proved, wrong := 0, 0, 0
	for _, o := range all {
		e := equivalentOf(o.mutant)
		switch {
		case o.killed && e != nil:
			fmt.Fprintln(out, "\nkilled in spite of its proof:", o)
			wrong++
		case o.killed:
			killed++
		case e != nil:
			fmt.Fprintf(out, "\nequivalent: %s\n\t%s\n", o.mutant.name(), e.proof)
			proved++
		default:
			fmt.Fprintln(out, "\nsurvived:", o)
			wrong++
		}
	}
	fmt.Fprintf(out, "\n%d mutants: %s; %d killed, %d equivalent, %d neither\n",
		len(all), sorts(all), killed, proved, wrong)
	if wrong > 0 {
		return fmt.Errorf("%d mutants need a test that kills them, or a true proof in measure/mutants/equivalent.go", wrong)
	}
	return nil
}

// sorts counts mutants by their kind.
func sorts(all []outcome) (text string) {
	n := map[kind]int{}
	for _, o := range all {
		n[o.mutant.kind]++
	}
	text = fmt.Sprintf("%d %s", n[byHand], byHand)
	for _, k := range kinds {
		text += fmt.Sprintf(", %d %s", n[k], k)
	}
	return text
}
