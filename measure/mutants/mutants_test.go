package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

// tree is the unchanged protocol code.
var tree = sync.OnceValues(func() (*code, error) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return nil, err
	}
	return load(root)
})

func loadTree(t *testing.T) *code {
	t.Helper()
	c, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestK12MutantsApply checks that the text of every written mutant still occurs and that the mutant compiles, that
// there are at least forty mutants, half of them generated, and that their names are unique.
func TestK12MutantsApply(t *testing.T) {
	c := loadTree(t)
	byHand, err := c.written(written)
	if err != nil {
		t.Fatal(err)
	}
	generated := c.choose(c.generate(), each)
	if n := len(generated); n < len(byHand) || n+len(byHand) < 40 {
		t.Errorf("%d are written and %d generated", len(byHand), n)
	}
	seen := map[string]bool{}
	for _, m := range append(byHand, generated...) {
		if seen[m.name()] {
			t.Errorf("two mutants are called %s", m.name())
		}
		seen[m.name()] = true
		if len(m.stages()) == 0 {
			t.Errorf("no test is to notice %s", m.name())
		}
	}
	for _, ch := range written {
		if ch.by.dir != "" && !c.hasTest(t, ch.by) {
			t.Errorf("%s: there is no such test: %s", ch.rule, ch.by)
		}
	}
}

// hasTest reports whether a package has the test that a stage names.
func (c *code) hasTest(t *testing.T, s stage) bool {
	files, err := filepath.Glob(filepath.Join(c.root, s.dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(s.args, "-test.run "), " ")
	name = strings.Trim(name, "^()$")
	return slices.ContainsFunc(files, func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(text), "func "+name+"(")
	})
}

// TestK12ProofsAreOfMutants checks that every proof belongs to an existing mutant with the same change.
func TestK12ProofsAreOfMutants(t *testing.T) {
	c := loadTree(t)
	byHand, err := c.written(written)
	if err != nil {
		t.Fatal(err)
	}
	all := append(byHand, c.generate()...)
	for _, e := range equivalents {
		if !slices.ContainsFunc(all, func(m mutant) bool { return e.name == m.name() && e.old == m.old() }) {
			t.Errorf("nothing is called %s and replaces %q: correct or remove the proof", e.name, e.old)
		}
		if len(e.proof) < 80 {
			t.Errorf("%s: %q is no proof", e.name, e.proof)
		}
	}
}

const sample = `package sample

type ETag string

type row struct{ ETag ETag }

const limit = 3

func pick(r row, err error) (n int, _ error) {
	if err != nil {
		return 0, err
	}
	if err != nil || limit > n {
		n++
	}
	put(r.ETag)
	return n, nil
}

func (r *row) put() { _ = row{ETag: r.ETag} }

func put(ETag) {}
`

// parseSample parses code of one file.
func parseSample(t *testing.T, text string) *code {
	t.Helper()
	c := &code{fset: token.NewFileSet()}
	tree, err := parser.ParseFile(c.fset, "sample.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	u := &unit{&packages.Package{TypesInfo: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}}
	if _, err := new(types.Config).Check("sample", c.fset, []*ast.File{tree}, u.TypesInfo); err != nil {
		t.Fatal(err)
	}
	c.files = []*file{{name: "sample.go", unit: u, text: []byte(text), tree: tree}}
	return c
}

// TestK12Generated checks that the same code gives the same mutants with the same names, even when code is added
// after it.
func TestK12Generated(t *testing.T) {
	said := func(text string) (lines []string) {
		for _, m := range parseSample(t, text).generate() {
			lines = append(lines, m.name()+" "+m.says())
		}
		return lines
	}
	whatever := regexp.MustCompile(`func\(e storage.*\}\(`)
	have := said(sample)
	for i := range have {
		have[i] = whatever.ReplaceAllString(have[i], "any(")
	}
	want := []string{
		"sample.go:limit:off-by-one:1 3 → 3 + 1",
		"sample.go:pick:dropped:1 without if err != nil { return 0, err }",
		"sample.go:pick:dropped:2 without if err != nil || limit > n { n++ }",
		"sample.go:pick:negated:1 err != nil || limit > n → !(err != nil || limit > n)",
		"sample.go:pick:negated:2 limit > n → !(limit > n)",
		"sample.go:pick:off-by-one:1 limit > n → limit >= n",
		"sample.go:pick:dropped:3 without n++",
		"sample.go:pick:dropped:4 without put(r.ETag)",
		"sample.go:pick:etag:1 r.ETag → any(r.ETag)",
		"sample.go:row.put:dropped:1 without _ = row{ETag: r.ETag}",
		"sample.go:row.put:etag:1 r.ETag → any(r.ETag)",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	longer := said(strings.Replace(sample, "\treturn n, nil\n", "\tn = 0\n\treturn n, nil\n", 1))
	for _, line := range said(sample) {
		if !slices.Contains(longer, line) {
			t.Errorf("is not the same any more: %s", line)
		}
	}
}

// TestK12Choice checks that the choice depends only on names, and not on their order.
func TestK12Choice(t *testing.T) {
	c := loadTree(t)
	names := func(each int, backwards bool) (list []string) {
		all := c.generate()
		if backwards {
			slices.Reverse(all)
		}
		for _, m := range c.choose(all, each) {
			list = append(list, m.name())
		}
		return list
	}
	some := names(2, false)
	if diff := cmp.Diff(some, names(2, true)); diff != "" || len(some) != 2*len(kinds) {
		t.Errorf("%d are chosen; backwards others:\n%s", len(some), diff)
	}
	for _, name := range some {
		if !slices.Contains(names(3, false), name) {
			t.Errorf("%s is not chosen when there are more", name)
		}
	}
}
