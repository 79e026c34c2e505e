package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTouched checks that a file belongs to the package in the nearest folder, and one of another module to none.
func TestTouched(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	for _, dir := range []string{"pkg/a/testdata", "other"} {
		if err := os.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join("other", "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	all := []pkg{{ImportPath: "m", Dir: top}, {ImportPath: "m/pkg/a", Dir: filepath.Join(top, "pkg", "a")},
		{ImportPath: "m/pkg/b", Dir: filepath.Join(top, "pkg", "b"), TestImports: []string{"m/pkg/a"}}}
	touched, others := touchedBy([]string{"pkg/a/testdata/x.golden", "pkg/a/a.go", "other/x.go", "README.md"}, all)
	if !slices.Equal(touched, []string{"m/pkg/a"}) || !slices.Equal(others, []string{"other/x.go"}) {
		t.Errorf("have %v and %v", touched, others)
	}
	if found := importersOf(touched, all); !slices.Equal(found, []string{"m/pkg/b"}) {
		t.Errorf("importers: %v", found)
	}
}

// TestSlow checks that only slow tests that passed are learned, with their packages.
func TestSlow(t *testing.T) {
	const out = `{"Action":"pass","Package":"m/a","Test":"TestB","Elapsed":2}
{"Action":"pass","Package":"m/a","Test":"TestB/part","Elapsed":2}
{"Action":"pass","Package":"m/a","Test":"TestC","Elapsed":1}
{"Action":"pass","Package":"m/a","Elapsed":9}
`
	if have := slowIn(strings.NewReader(out)); have != "m/a TestB\n" {
		t.Errorf("have %q", have)
	}
}
