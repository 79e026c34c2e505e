package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/packages"
)

// loadTests type-checks the tests of packages of a module that were loaded without them: each package together with
// its tests, and each package of tests. The go command would compile all of them for that, which takes minutes. Here
// a test may see one package twice, as it was compiled and as its source says, and the type checker takes their types
// for different ones. It finds what names mean all the same, so its errors are ignored.
func loadTests(dir string, all []*packages.Package) ([]*packages.Package, error) {
	found, err := packages.Load(&packages.Config{
		Dir: dir, Tests: true, Mode: packages.NeedName | packages.NeedFiles | packages.NeedForTest,
	}, "./...")
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(p *packages.Package) bool { return p.ForTest == "" })
	known, fset := testImports{}, token.NewFileSet()
	for _, p := range all {
		known[p.PkgPath] = p.Types
	}
	for _, p := range all {
		for path, dep := range p.Imports {
			known[path] = dep.Types
		}
	}
	for _, p := range found {
		if err := parseFiles(fset, p); err != nil {
			return nil, err
		}
	}
	if err := known.loadMissing(dir, found); err != nil {
		return nil, err
	}
	own := map[string]*types.Package{} // packages with their tests
	for _, p := range found {
		if p.PkgPath == p.ForTest {
			check(p, known)
			own[p.PkgPath] = p.Types
		}
	}
	for _, p := range found {
		if p.PkgPath != p.ForTest {
			compiled := known[p.ForTest]
			if own[p.ForTest] != nil {
				known[p.ForTest] = own[p.ForTest]
			}
			check(p, known)
			known[p.ForTest] = compiled
		}
	}
	return found, nil
}

func parseFiles(fset *token.FileSet, p *packages.Package) error {
	p.Fset, p.CompiledGoFiles = fset, p.GoFiles
	for _, file := range p.GoFiles {
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.Syntax = append(p.Syntax, f)
	}
	return nil
}

// check type-checks a package that is parsed.
func check(p *packages.Package, known testImports) {
	p.TypesInfo = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}
	conf := types.Config{Importer: known, Error: func(error) {}, FakeImportC: true}
	p.Types, _ = conf.Check(p.PkgPath, p.Fset, p.Syntax, p.TypesInfo) // see loadTests for its errors
}

// testImports has the packages that tests import, by their paths.
type testImports map[string]*types.Package

func (known testImports) Import(path string) (*types.Package, error) {
	if p := known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}

// loadMissing loads what only tests import.
func (known testImports) loadMissing(dir string, tests []*packages.Package) error {
	missing := map[string]bool{}
	for _, p := range tests {
		for _, f := range p.Syntax {
			for _, i := range f.Imports {
				path, _ := strconv.Unquote(i.Path.Value) // the parser accepts strings alone
				missing[path] = known[path] == nil
			}
		}
	}
	paths := slices.DeleteFunc(sortedKeys(missing), func(path string) bool { return !missing[path] })
	if len(paths) == 0 {
		return nil
	}
	loaded, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedTypes}, paths...)
	for _, p := range loaded {
		known[p.PkgPath] = p.Types
	}
	return err
}
