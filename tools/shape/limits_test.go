package main

import (
	"path"
	gotesting "testing"
)

// Limits of the product as a whole. The number of names may only fall.
const (
	maxImports  = 7.5 // percent of the lines of code that are imports and package clauses
	maxNeedless = 39  // names that are exported needlessly
)

// TestDependencies fails when files of a package depend on each other more than they may, or when a function reaches
// too many services. Split such a package along its dependencies, or join what reaches each other and is small.
func TestDependencies(t *gotesting.T) {
	m := measured(t)
	if len(m.Knots) < 20 || len(m.Services) < 1000 {
		t.Fatalf("only %d packages and %d functions were measured", len(m.Knots), len(m.Services))
	}
	for _, k := range m.Knots {
		if n := len(k.Files); n > maxKnotFiles {
			t.Errorf("%s: %d files all reach each other (at most %d): shape -knot %[1]s shows by which names", k.Package, n,
				maxKnotFiles)
		}
	}
	for _, f := range m.Services {
		if f.Size > maxServices {
			t.Errorf("%s: %s reaches %d services (at most %d)", path.Dir(f.Name), path.Base(f.Name), f.Size, maxServices)
		}
	}
}

// TestPackagesAreWorthTheirImports fails when more of the code is imports, or more names are exported needlessly, than
// before. Join packages that only one other imports and that share its subject.
func TestPackagesAreWorthTheirImports(t *gotesting.T) {
	m := measured(t)
	if have := m.Figures.headShare(m.Lines[product]); have >= maxImports+0.05 {
		t.Errorf("%.2f %% of the code are imports and package clauses (at most %v)", have, maxImports)
	}
	if n := len(m.Figures.Needless); n == 0 || n > maxNeedless {
		t.Errorf("%d names are exported needlessly (at most %d): shape -needless lists them", n, maxNeedless)
	}
}
