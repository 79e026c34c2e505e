package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// services records for each function how many services it reaches through one of its parameters. A service is either
// a type with methods and unexported fields, reached through a pointer, or an interface of the module. If the
// function can see fields of a service that hold other services, these other services count instead of that service.
func (t *tree) services(p *packages.Package, m *measures) {
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			obj, _ := p.TypesInfo.Defs[fn.Name].(*types.Func)
			if obj == nil || t.file(p, obj) == "" {
				continue
			}
			most := 0
			for v := range obj.Signature().Params().Variables() {
				r := reach{from: p.Types, module: p.Module.Path, seen: map[types.Type]bool{}, found: map[string]bool{}}
				r.visit(v.Type(), false)
				most = max(most, len(r.found))
			}
			m.Services = append(m.Services, piece{t.file(p, obj) + ": " + fn.Name.Name, most, product})
		}
	}
}

// reach is the set of services that can be reached from a parameter.
type reach struct {
	from   *types.Package
	module string
	seen   map[types.Type]bool
	found  map[string]bool
}

// visit adds the services that can be reached from a value of a type.
func (r *reach) visit(t types.Type, pointer bool) {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		r.visit(p.Elem(), true)
		return
	}
	named, ok := t.(*types.Named)
	if !ok || r.seen[t] || named.Obj().Pkg() == nil || !r.ours(named.Obj().Pkg()) {
		return
	}
	r.seen[t] = true
	name := named.Obj().Pkg().Path() + "." + named.Obj().Name()
	switch u := named.Underlying().(type) {
	case *types.Interface:
		if u.NumMethods() > 0 {
			r.found[name] = true
		}
	case *types.Struct:
		before, hidden := len(r.found), false
		for f := range u.Fields() {
			hidden = hidden || !f.Exported()
			if f.Exported() || named.Obj().Pkg() == r.from {
				r.visit(f.Type(), false)
			}
		}
		if len(r.found) == before && pointer && hidden && named.NumMethods() > 0 {
			r.found[name] = true
		}
	}
}

func (r *reach) ours(p *types.Package) bool {
	return p.Path() == r.module || strings.HasPrefix(p.Path(), r.module+"/")
}

// sortedKeys returns the keys of a map, sorted.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

func (k knot) String() string {
	return fmt.Sprintf("%d files\t%s", len(k.Files), k.Package)
}
