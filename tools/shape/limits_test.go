package main

import (
	"fmt"
	"path"
	gotesting "testing"
)

// exceeding are the packages above a limit, with their present numbers: files and lines of the largest set of files
// that all reach each other, and services. The numbers may only fall, and no package is added. A package that meets
// the limits is removed.
var exceeding = map[string]struct{ files, lines, services int }{}

// TestDependencies fails when files of a package depend on each other more than they may, or when a function reaches
// too many services. Split such a package along its dependencies. Do not merge files, and do not raise a limit.
func TestDependencies(t *gotesting.T) {
	m := measured(t)
	if len(m.Knots) < 20 || len(m.Services) < 1000 {
		t.Fatalf("only %d packages and %d functions were measured", len(m.Knots), len(m.Services))
	}
	have := map[string]struct{ files, lines, services int }{}
	for _, k := range m.Knots {
		if len(k.Files) > maxKnotFiles || k.Lines > maxKnotLines {
			h := have[k.Package]
			h.files, h.lines = len(k.Files), k.Lines
			have[k.Package] = h
		}
	}
	for _, f := range m.Services {
		if f.Size > maxServices {
			pkg := path.Dir(f.Name)
			h := have[pkg]
			h.services = max(h.services, f.Size)
			have[pkg] = h
		}
	}
	for _, pkg := range sortedKeys(have) {
		h, d := have[pkg], exceeding[pkg]
		if h.files > d.files || h.lines > d.lines || h.services > d.services {
			t.Errorf("%s: %d files of %d lines all reach each other (at most %d of %d), a function reaches %d services "+
				"(at most %d): split it; shape -knot %[1]s shows by which names", pkg, h.files, h.lines, maxKnotFiles,
				maxKnotLines, h.services, maxServices)
		}
	}
	for _, pkg := range sortedKeys(exceeding) {
		if h, d := have[pkg], exceeding[pkg]; h.files < d.files || h.lines*20 < d.lines*19 || h.services < d.services {
			t.Errorf("%s is better than the table says: %s", pkg, fmt.Sprintf("{%d, %d, %d}", h.files, h.lines, h.services))
		}
	}
}
