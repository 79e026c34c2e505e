package main

import (
	"fmt"
	"path"
	gotesting "testing"
)

// exceeding are packages above a limit, with what they have: files and lines of the largest set that all reach each
// other, and services. The numbers may only fall, and nothing is added: a package that meets the limits leaves.
var exceeding = map[string]struct{ files, lines, services int }{
	"pkg/crawl": {21, 2088, 18},
}

// TestDependencies fails when files of a package depend on each other more than they may, or a function reaches too
// many services. Such a package is split along its dependencies: files are not merged, and no limit is raised.
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
