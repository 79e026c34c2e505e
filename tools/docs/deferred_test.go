package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// deferring are the packages whose writes may be deferred: a commit of the registry that waits follows each of them.
var deferring = []string{"pkg/registry", "pkg/storage/snapshot", "pkg/crawl/index"}

// TestST2WhoDefers checks that no other package defers writes, and that those do.
func TestST2WhoDefers(t *testing.T) {
	root, used := filepath.Join("..", ".."), map[string]bool{}
	for file := range sources(t) {
		tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		if !defers(tree) || below([]string{"pkg/storage/storagetest"}, pkg) {
			continue
		}
		i := slices.IndexFunc(deferring, func(of string) bool { return below([]string{of}, pkg) })
		if i < 0 {
			t.Errorf("%s: its caller may answer before what it writes is durable; only %v may defer", file, deferring)
			continue
		}
		used[deferring[i]] = true
	}
	for _, of := range deferring {
		if !used[of] {
			t.Errorf("%s defers nothing: take it from the list", of)
		}
	}
}

// defers reports whether a file uses storage.Deferred.
func defers(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		found = found || ok && s.Sel.Name == "Deferred"
		return !found
	})
	return found
}
