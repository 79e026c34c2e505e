package main

import (
	"os"
	"path/filepath"
	"slices"
	gotesting "testing"
)

// write makes a tree of files and returns its folder.
func write(t *gotesting.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestKnots checks that functions, methods, fields, and an interface with one implementation tie files together, and
// that an interface with two implementations and equal names do not.
func TestKnots(t *gotesting.T) {
	m, err := measure(write(t, map[string]string{
		"go.mod":           "module example\n\ngo 1.25\n",
		"function/a.go":    "package function\n\nfunc A() { B() }\n",
		"function/b.go":    "package function\n\nfunc B() { A() }\n",
		"function/c.go":    "package function\n\nfunc C() { A() }\n",
		"method/a.go":      "package method\n\ntype T struct{}\n\nfunc New() T { return T{} }\n",
		"method/b.go":      "package method\n\nfunc (T) B() {}\n",
		"method/c.go":      "package method\n\nvar _ = func() { New().B() }\n",
		"field/a.go":       "package field\n\ntype T[X any] struct{ F X; U U }\n",
		"field/b.go":       "package field\n\ntype U int\n\nfunc b(t T[int]) int { return t.F }\n",
		"interface/a.go":   "package i\n\ntype I interface{ Do() }\n\ntype A struct{ i I }\n",
		"interface/b.go":   "package i\n\ntype B struct{ a *A }\n\nfunc (*B) Do() {}\n",
		"two/a.go":         "package two\n\ntype I interface{ Twice() }\n\ntype A struct{ i I }\n",
		"two/b.go":         "package two\n\ntype B struct{ a *A }\n\nfunc (*B) Twice() {}\n",
		"two/c.go":         "package two\n\ntype C struct{ a *A }\n\nfunc (*C) Twice() {}\n",
		"alike/a.go":       "package alike\n\nfunc A() { b := 1; _ = b }\n",
		"alike/b.go":       "package alike\n\nfunc b() { A() }\n",
		"alike/a_test.go":  "package alike\n\nvar _ = b\n",
		"testsonly/a.go":   "package testsonly\n\nfunc A() {}\n",
		"testsonly/b.go":   "package testsonly\n\nfunc B() { A() }\n",
		"tools/x/one.go":   "package x\n\nfunc A() { B() }\n",
		"tools/x/other.go": "package x\n\nfunc B() { A() }\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string][]string{}
	for _, k := range m.Knots {
		have[k.Package] = k.Files
	}
	for pkg, want := range map[string][]string{
		"function": {"function/a.go", "function/b.go"}, "field": {"field/a.go", "field/b.go"},
		"interface": {"interface/a.go", "interface/b.go"},
	} {
		if !slices.Equal(have[pkg], want) {
			t.Errorf("%s: have %v, want %v", pkg, have[pkg], want)
		}
		delete(have, pkg)
	}
	if len(have) > 0 {
		t.Errorf("knots that are none: %v", have)
	}
}

// TestServices checks that a parameter reaches the services in its fields, and in the fields of nested structs.
func TestServices(t *gotesting.T) {
	m, err := measure(write(t, map[string]string{
		"go.mod": "module example\n\ngo 1.25\n",
		"s/s.go": `package s

type Store struct{ n int }

func (*Store) Get() int { return 0 }

type Port interface{ Do() }

type Item struct{ Name string }

func (*Item) Valid() bool { return true }

type Hidden struct{ store *Store; port Port }

func (*Hidden) Do() {}
`,
		"a/a.go": `package a

import ("context"; "io"; "example/s")

type bag struct {
	inner
	Store *s.Store
	w     io.Writer
	item  *s.Item
}

type inner struct{ port s.Port; hidden *s.Hidden }

func three(ctx context.Context, b bag)  {}
func one(h *s.Hidden, store *s.Store)   {}
func none(ctx context.Context, i *s.Item, n int) {}
`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"a/a.go: three": 3, "a/a.go: one": 1, "a/a.go: none": 0} {
		if i := slices.IndexFunc(m.Services, func(p piece) bool { return p.Name == name }); m.Services[i].Size != want {
			t.Errorf("%s reaches %d services, want %d", name, m.Services[i].Size, want)
		}
	}
}
