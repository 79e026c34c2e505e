package field

import (
	"slices"
	"strings"
)

// Ask records that rules ask for the present values, as at a first check.
func (k *Known) Ask(rules ...string) {
	all := k.Asking()
	for _, rule := range rules {
		if !slices.Contains(all, rule) {
			all = append(all, rule)
		}
	}
	k.Again = strings.Join(all, " ")
}

// Asking returns the ids of the rules that ask for the present values.
func (k Known) Asking() []string { return strings.Fields(k.Again) }

// IsFor reports whether a change is one for a rule: a first value that other rules alone have asked for is not.
func (c Change) IsFor(rule string) bool {
	return !c.First || c.Rule == "" || slices.Contains(strings.Fields(c.Rule), rule)
}
