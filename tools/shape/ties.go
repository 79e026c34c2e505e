package main

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A knot is a set of files of one package that all reach each other through the names they use: package-level names,
// methods and fields. None of these files can be read or changed alone.
//
// If a file uses an interface that only one type of the module implements, the file counts as using that type, too.
// An interface between two halves of a knot therefore does not separate them.

// knot is the largest knot of a package.
type knot struct {
	Package string
	Files   []string
	Arrows  []string
}

// tree has the facts about all packages that are needed to measure their ties.
type tree struct {
	dir      string
	files    map[string]bool              // files of the product
	concrete map[string][]*types.TypeName // types of the product, by their methods
	methods  map[*types.TypeName][]string // methods of the concrete types
}

// newTree records the methods of all types of the product. The given files are those of the product.
func newTree(dir string, all []*packages.Package, files map[string]bool) *tree {
	t := &tree{dir: dir, files: files, concrete: map[string][]*types.TypeName{}, methods: map[*types.TypeName][]string{}}
	for _, p := range all {
		for _, name := range p.Types.Scope().Names() {
			obj, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || obj.IsAlias() || types.IsInterface(obj.Type()) || t.file(p, obj) == "" {
				continue
			}
			t.methods[obj] = signatures(types.NewPointer(obj.Type()))
			for _, m := range t.methods[obj] {
				t.concrete[m] = append(t.concrete[m], obj)
			}
		}
	}
	return t
}

// file returns the product file in which a name is declared, or "" if there is none.
func (t *tree) file(p *packages.Package, obj types.Object) string {
	path, err := filepath.Rel(t.dir, p.Fset.Position(obj.Pos()).Filename)
	if path = filepath.ToSlash(path); err != nil || !t.files[path] {
		return ""
	}
	return path
}

// signatures returns the methods of a type as texts. The packages of the module are type-checked one by one, so a
// type seen from one package is not identical to the same type seen from another package, but its texts are the same.
func signatures(t types.Type) (out []string) {
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		f := set.At(i).Obj()
		out = append(out, f.Id()+textOf(f.Type()))
	}
	return out
}

// only(i) is the type that implements the interface i, if there is exactly one.
func (t *tree) only(i types.Type) *types.TypeName {
	wanted := signatures(i)
	if len(wanted) == 0 {
		return nil
	}
	var found *types.TypeName
	for _, obj := range t.concrete[wanted[0]] {
		has := func(m string) bool { return slices.Contains(t.methods[obj], m) }
		if slices.ContainsFunc(wanted, func(m string) bool { return !has(m) }) {
			continue
		}
		if found != nil {
			return nil
		}
		found = obj
	}
	return found
}

// knot finds the largest knot of a package.
func (t *tree) knot(p *packages.Package) knot {
	arrows, names := map[string]map[string]bool{}, map[string][]string{}
	for _, f := range p.Syntax {
		from, err := filepath.Rel(t.dir, p.Fset.Position(f.Pos()).Filename)
		if from = filepath.ToSlash(from); err != nil || !t.files[from] {
			continue
		}
		arrows[from] = map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				for _, obj := range t.used(p, p.TypesInfo.Uses[id]) {
					if to := t.file(p, obj); to != "" && to != from {
						arrows[from][to] = true
						if key := from + " → " + to; !slices.Contains(names[key], id.Name) {
							names[key] = append(names[key], id.Name)
						}
					}
				}
			}
			return true
		})
	}
	k := knot{Package: strings.TrimPrefix(p.PkgPath, p.Module.Path+"/")}
	for _, files := range components(arrows) {
		if len(files) > len(k.Files) {
			k.Files = files
		}
	}
	for _, f := range k.Files {
		for _, to := range k.Files {
			if key := f + " → " + to; len(names[key]) > 0 {
				k.Arrows = append(k.Arrows, key+": "+strings.Join(names[key], " "))
			}
		}
	}
	return k
}

// used returns the declarations in package p to which a use of a name refers.
func (t *tree) used(p *packages.Package, obj types.Object) (out []types.Object) {
	if obj == nil || obj.Pkg() != p.Types {
		return nil
	}
	switch o := obj.(type) {
	case *types.Var:
		if o.IsField() || o.Parent() == p.Types.Scope() {
			return []types.Object{o}
		}
		return nil
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
			return t.implemented(p, recv.Type(), o)
		}
		return []types.Object{o.Origin()}
	case *types.TypeName:
		if o.Parent() != p.Types.Scope() {
			return nil
		}
		if types.IsInterface(o.Type()) {
			return t.implemented(p, o.Type(), o)
		}
	}
	if obj.Parent() != p.Types.Scope() {
		return nil
	}
	return []types.Object{obj}
}

// implemented returns the declarations to which a use of an interface, or of one of its methods, refers: the use
// itself and, if the interface has only one implementation, that implementation.
func (t *tree) implemented(p *packages.Package, i types.Type, use types.Object) []types.Object {
	out := []types.Object{use}
	if impl := t.only(i); impl != nil && impl.Pkg() == p.Types {
		out = append(out, impl)
	}
	return out
}

// components returns the sets of files that all reach each other, each sorted, by Kosaraju's algorithm.
func components(arrows map[string]map[string]bool) (out [][]string) {
	back := map[string]map[string]bool{}
	for from, to := range arrows {
		for f := range to {
			if back[f] == nil {
				back[f] = map[string]bool{}
			}
			back[f][from] = true
		}
	}
	var order []string
	visit(arrows, map[string]bool{}, sortedKeys(arrows), func(f string) { order = append(order, f) })
	slices.Reverse(order)
	seen := map[string]bool{}
	for _, f := range order {
		var set []string
		visit(back, seen, []string{f}, func(f string) { set = append(set, f) })
		if len(set) > 0 {
			slices.Sort(set)
			out = append(out, set)
		}
	}
	return out
}

// visit follows the arrows from some files, depth first, and calls done for each file after the files that it
// reaches.
func visit(arrows map[string]map[string]bool, seen map[string]bool, from []string, done func(string)) {
	for _, f := range from {
		if seen[f] {
			continue
		}
		seen[f] = true
		visit(arrows, seen, sortedKeys(arrows[f]), done)
		done(f)
	}
}
