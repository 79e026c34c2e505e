package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// generate returns every mutant that follows from the syntax, in the order of the code.
func (c *code) generate() (all []mutant) {
	for _, f := range c.files {
		if f.rule {
			continue
		}
		for name, fn := range f.functions {
			if len(f.only) > 0 && !slices.Contains(f.only, fn.Name.Name) {
				continue
			}
			all = append(all, c.walk(f, name, fn.Body)...)
		}
		for _, d := range f.tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				all = append(all, c.walk(f, s.(*ast.ValueSpec).Names[0].Name, s)...)
			}
		}
	}
	return numbered(all)
}

// numbered numbers the mutants of one kind within each function, in the order of the code. A new mutant therefore
// does not change the names of the mutants before it.
func numbered(all []mutant) []mutant {
	slices.SortStableFunc(all, func(a, b mutant) int {
		return cmp.Or(strings.Compare(a.file.name, b.file.name), a.from-b.from, b.to-a.to)
	})
	number := map[string]int{}
	for i := range all {
		m := &all[i]
		key := m.name()
		number[key]++
		m.number = number[key]
	}
	return all
}

// A walker finds the changes that are possible in a function.
type walker struct {
	*code
	file     *file
	function string
	found    []mutant
	nothing  map[ast.Node]bool // literals that are returned together with an error, so that their values do not matter
}

func (c *code) walk(f *file, function string, n ast.Node) []mutant {
	w := &walker{code: c, file: f, function: function, nothing: map[ast.Node]bool{}}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			w.negate(n.Cond)
		case *ast.BlockStmt:
			w.drop(n.List)
		case *ast.CaseClause:
			w.drop(n.Body)
			w.negate(n.List...)
		case *ast.BinaryExpr:
			w.shift(n)
			if n.Op == token.LAND || n.Op == token.LOR {
				w.negate(n.X, n.Y)
			}
		case *ast.ReturnStmt:
			w.besideError(n.Results)
		case *ast.BasicLit:
			w.add(offByOne, n, w.text(n)+" + 1", n.Kind == token.INT && !w.nothing[n])
		case *ast.CallExpr:
			w.shiftTime(n)
			w.dropETags(n.Args...)
		case *ast.KeyValueExpr:
			w.dropETags(n.Value)
		}
		return true
	})
	return w.found
}

func (w *walker) text(n ast.Node) string {
	from, to := w.span(n)
	return string(w.file.text[from:to])
}

func (w *walker) add(k kind, n ast.Node, text string, wanted bool) {
	if !wanted {
		return
	}
	m := mutant{file: w.file, function: w.function, kind: k, text: text}
	m.from, m.to = w.span(n)
	w.found = append(w.found, m)
}

// besideError records the literals that are returned together with an error.
func (w *walker) besideError(results []ast.Expr) {
	for _, x := range results {
		if len(results) > 1 && w.text(results[len(results)-1]) == "err" {
			w.nothing[x] = true
		}
	}
}

// negate negates conditions. It skips conditions that only test for an error, because with the opposite condition
// every call would fail.
func (w *walker) negate(conditions ...ast.Expr) {
	for _, x := range conditions {
		t := w.file.unit.TypesInfo.TypeOf(x)
		isBool := t != nil && types.Identical(t.Underlying(), types.Typ[types.Bool]) ||
			t == types.Typ[types.UntypedBool]
		asksForError := w.text(x) == "err != nil" || w.text(x) == "err == nil"
		w.add(negated, x, "!("+w.text(x)+")", isBool && !asksForError)
	}
}

// drop removes statements one by one. It keeps statements that only log, and declarations, which the code needs.
func (w *walker) drop(list []ast.Stmt) {
	for _, s := range list {
		text := w.text(s)
		wanted := false
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt, *ast.RangeStmt:
			wanted = true
		case *ast.AssignStmt:
			wanted = s.Tok != token.DEFINE
		case *ast.IfStmt:
			wanted = s.Else == nil
		case *ast.BranchStmt:
			wanted = s.Tok == token.CONTINUE
		}
		says := strings.Contains(text, ".Log.") || strings.HasPrefix(text, "defer fault.Wrap")
		w.add(dropped, s, strings.Repeat("\n", strings.Count(text, "\n")), wanted && !says)
	}
}

// shift changes < to <=, > to >=, and the reverse.
func (w *walker) shift(x *ast.BinaryExpr) {
	other := map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ,
		token.GEQ: token.GTR}[x.Op]
	w.add(offByOne, x, w.text(x.X)+" "+other.String()+" "+w.text(x.Y), other != token.ILLEGAL)
}

// shiftTime does the same as shift for comparisons of times.
func (w *walker) shiftTime(call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) != 1 {
		return
	}
	other := map[string]string{"After": "Before", "Before": "After"}[sel.Sel.Name]
	w.add(offByOne, call, fmt.Sprintf("!%s.%s(%s)", w.text(sel.X), other, w.text(call.Args[0])), other != "")
}

// dropETags makes the write of a row ignore the row's revision. It does not change the insert of a row that was not
// read before.
func (w *walker) dropETags(values ...ast.Expr) {
	const whatever = `func(e storage.ETag) storage.ETag { if e != "" { e = storage.AnyETag }; return e }(%s)`
	for _, x := range values {
		t := w.file.unit.TypesInfo.TypeOf(x)
		named, ok := t.(*types.Named)
		isETag := ok && named.Obj().Name() == "ETag" && !strings.HasSuffix(w.text(x), "AnyETag")
		w.add(noETag, x, fmt.Sprintf(whatever, w.text(x)), isETag)
	}
}
