package main

import (
	"slices"
	"strings"
	gotesting "testing"
)

// exporting is a package with a name for each reason to export one.
const exporting = `package a

import ("errors"; "time")

func Nobody() { Own() }
func Own()    {}
func Other()  {}
func ByTest() {}
func ByOwnTest() {}
func ByMeasure() {}
func ByWindows() {}

type Returned struct{ F Field }
type Field int
type Parameter[T Constraint] struct{ t T }
type Constraint interface{ ~int }
type hidden struct{ F Hidden }
type Hidden int

func Make(...[]*Parameter[int]) (map[string]Returned, error) { return nil, errors.ErrUnsupported }

const (
	One  Field = 1
	Wait       = time.Second
	Max        = 10
)

var Count, limit int

type T struct{ base }
type base struct{}

func (T) Called()              {}
func (T) Idle()                {}
func (T) Template() int        { return 0 }
func (T) InString() int        { return 0 }
func (T) ByWindows()           {}
func (*T) String() string      { return "" }
func (*T) Unwrap() error       { return nil }
func (*T) Do(n Number, f func(int)) {}

type Number = int

type Error struct{}

func (Error) Is(other error) bool { return false }
func (Error) Text() string        { return "{{.InString}} {{with .Other}}" }
`

// TestNeedless checks each reason for which a name is exported, and that a name without one is found.
func TestNeedless(t *gotesting.T) {
	m, err := measure(write(t, map[string]string{
		"go.mod":      "module example\n\ngo 1.25\n",
		"a/a.go":      exporting,
		"a/page.html": "{{range .Template}}{{end}} .Idle\n",
		"a/a_test.go": "package a\n\nvar _, _ = Nobody, T.Idle\n",
		"a/x_test.go": "package a_test\n\nimport \"example/a\"\n\nvar _ = a.ByOwnTest\n",
		"b/b.go": `package b

import "example/a"

type doer interface{ Do(m int, g func(n int)) }

var _ = a.Other

func b(t a.T, _ a.Error) { t.Called() }
`,
		"b/b_test.go":       "package b\n\nimport \"example/a\"\n\nvar _ = a.ByTest\n",
		"b/b_windows.go":    "package b\n\nimport x \"example/a\"\n\nfunc c(t x.T) { x.ByWindows(); t.ByWindows() }\n",
		"measure/go.mod":    "module example/measure\n\ngo 1.25\n\nrequire example v0.0.0\n\nreplace example => ../\n",
		"measure/m/main.go": "package main\n\nimport \"example/a\"\n\nfunc main() { a.ByMeasure() }\n",
		"c/c.go":            "package c\n\nimport \"fmt\"\n\nvar _ fmt.Stringer\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("ByOwnTest Count Error.Text Hidden Make Max Nobody Own T.Idle")
	for i, name := range want {
		want[i] = "a/a.go: " + name
	}
	if have := m.Figures.Needless; !slices.Equal(have, want) {
		t.Errorf("have %q\nwant %q", have, want)
	}
}

// TestFigures measures a product whose figures are known.
func TestFigures(t *gotesting.T) {
	long := "// " + strings.Repeat("x", longColumns-2) + "\n"
	m, err := measure(write(t, map[string]string{
		"go.mod":          "module example\n\ngo 1.25\n",
		"top.go":          "package example\n\nimport _ \"example/a\"\n" + long,
		"a/a.go":          "package a\n\nimport (\n\t_ \"fmt\"\n\n\t_ \"example/b\"\n)\n",
		"a/other.go":      "package a\n" + long,
		"a/other_test.go": "package a\n\nimport _ \"strings\"\n" + long,
		"b/b.go": `package b

const A, b = 1, 2

type T struct{ F int }

func (T) M() {}

func (t *T) n() {}

type u int

func (u) M() {}
`,
		"b/b_windows.go": "package b\n\nfunc F() {}\n",
		"b/b_plan9.go":   "package b\n\nfunc F() {}\n",
		"c/c.go":         "package c\n\nimport _ \"example\"\n",
		"tools/t.go":     "package t\n\nimport _ \"example/c\"\n\nvar V int\n",
		"measure/m.go":   "package m\n\nimport _ \"example/c\"\n\nvar V int\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if n := m.Lines[tools]; n != 6 {
		t.Errorf("%d lines of development tools, want 6", n)
	}
	f := m.Figures
	if len(f.imports) != 4 || f.Files != 7 || f.Depth != 4 || f.Long != 2 || len(f.Exported) != 4 {
		t.Errorf("%d packages, %d files, depth %d, %d long lines, exported %v", len(f.imports), f.Files, f.Depth, f.Long,
			f.Exported)
	}
	if want := 2 + 5 + 1 + 1 + 1 + 1 + 2; f.Heads != want {
		t.Errorf("%d lines of imports and package clauses, want %d", f.Heads, want)
	}
	var out strings.Builder
	m.write(&out, 1)
	for _, want := range []string{
		"4 of 7 files", "4 packages", "61.9 % of the lines of code", "5.7 % have more", "4, of them needlessly 3",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from\n%s", want, &out)
		}
	}
}
