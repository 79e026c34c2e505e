package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"
)

// interfaces notes which methods an interface needs: each method of a type that implements an interface with such a
// method. The interfaces are those of the loaded packages, and the exported ones of packages that these import.
func (s *surface) interfaces(loaded []*packages.Package) {
	// byMethod has the interfaces, as the texts of their methods, by each of their methods.
	byMethod, seen := map[string][][]string{}, map[string]bool{}
	add := func(t types.Type) {
		wanted := signatures(t)
		if id := strings.Join(wanted, "\n"); len(wanted) > 0 && !seen[id] {
			seen[id] = true
			for _, m := range wanted {
				byMethod[m] = append(byMethod[m], wanted)
			}
		}
	}
	for _, t := range unnamedInterfaces {
		add(t)
	}
	imported := map[*types.Package]bool{}
	for _, p := range loaded {
		eachInterface(p, add)
		eachImported(p.Types, imported, add)
	}
	for _, p := range loaded {
		for _, obj := range p.TypesInfo.Defs {
			if t, ok := obj.(*types.TypeName); ok && !t.IsAlias() && !types.IsInterface(t.Type()) {
				s.implements(t.Type(), byMethod)
			}
		}
	}
}

// unnamedInterfaces are needed by the package errors, which does not export them.
var unnamedInterfaces = func() (all []types.Type) {
	err := types.Universe.Lookup("error").Type()
	result := func(t types.Type) *types.Tuple { return types.NewTuple(types.NewVar(0, nil, "", t)) }
	for name, sig := range map[string]*types.Signature{
		"Unwrap": types.NewSignatureType(nil, nil, nil, nil, result(err), false),
		"Is":     types.NewSignatureType(nil, nil, nil, result(err), result(types.Typ[types.Bool]), false),
	} {
		all = append(all, types.NewInterfaceType([]*types.Func{types.NewFunc(0, nil, name, sig)}, nil))
	}
	return all
}()

// eachInterface calls a function with each interface that the source of a package declares or mentions.
func eachInterface(p *packages.Package, do func(types.Type)) {
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				do(p.TypesInfo.TypeOf(i))
			}
			return true
		})
	}
}

// eachImported calls a function with each exported interface of packages that a package imports, also indirectly.
func eachImported(p *types.Package, seen map[*types.Package]bool, do func(types.Type)) {
	for _, dep := range p.Imports() {
		if seen[dep] {
			continue
		}
		seen[dep] = true
		for _, name := range dep.Scope().Names() {
			if t, ok := dep.Scope().Lookup(name).(*types.TypeName); ok && types.IsInterface(t.Type()) {
				do(t.Type())
			}
		}
		eachImported(dep, seen, do)
	}
}

// implements notes the methods of a type that an interface needs, those of embedded types included.
func (s *surface) implements(t types.Type, byMethod map[string][][]string) {
	set := types.NewMethodSet(types.NewPointer(t))
	texts := signatures(types.NewPointer(t))
	has := map[string]bool{}
	for _, text := range texts {
		has[text] = true
	}
	for i, text := range texts {
		for _, wanted := range byMethod[text] {
			all := true
			for _, m := range wanted {
				all = all && has[m]
			}
			if all {
				s.needed[key(set.At(i).Obj())] = true
				break
			}
		}
	}
}

// mentions notes the types that exported names of a package mention: in signatures, fields and types of variables.
func (s *surface) mentions(p *packages.Package) {
	for _, name := range p.Types.Scope().Names() {
		obj := p.Types.Scope().Lookup(name)
		t, isType := obj.(*types.TypeName)
		switch {
		case isType && !t.IsAlias() && obj.Exported():
			named := t.Type().(*types.Named)
			s.parts(named.Underlying())
			s.constraints(named.TypeParams())
			for f := range named.Methods() {
				if f.Exported() {
					s.mention(f.Type())
				}
			}
		case obj.Exported():
			s.mention(obj.Type())
		}
	}
}

// parts notes the types that a type's definition shows to other packages.
func (s *surface) parts(t types.Type) {
	switch t := t.(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				s.mention(f.Type())
			}
		}
	case *types.Interface:
		for f := range t.ExplicitMethods() {
			s.mention(f.Type())
		}
		for e := range t.EmbeddedTypes() {
			s.mention(e)
		}
	default:
		s.mention(t)
	}
}

// mention notes the named types of which a type is made.
func (s *surface) mention(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		s.needed[key(t.Obj())] = true
		s.mention(types.Unalias(t))
	case *types.Named:
		s.needed[key(t.Obj())] = true
		for arg := range t.TypeArgs().Types() {
			s.mention(arg)
		}
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels and maps
		if m, ok := t.(*types.Map); ok {
			s.mention(m.Key())
		}
		s.mention(t.Elem())
	case *types.Signature:
		s.constraints(t.TypeParams())
		for v := range t.Params().Variables() {
			s.mention(v.Type())
		}
		for v := range t.Results().Variables() {
			s.mention(v.Type())
		}
	case *types.Union:
		for term := range t.Terms() {
			s.mention(term.Type())
		}
	case *types.Struct, *types.Interface:
		s.parts(t)
	}
}

func (s *surface) constraints(params *types.TypeParamList) {
	for p := range params.TypeParams() {
		s.mention(p.Constraint())
	}
}

var (
	action   = regexp.MustCompile(`\{\{[^}]*\}\}`)
	selected = regexp.MustCompile(`\.([A-Z]\w*)`)
)

// addTemplate notes the names that the actions of a template select.
func (f *figures) addTemplate(text string) {
	for _, a := range action.FindAllString(text, -1) {
		for _, name := range selected.FindAllStringSubmatch(a, -1) {
			f.templateNames[name[1]] = true
		}
	}
}

// addTemplates notes what templates select that are strings of a Go file.
func (f *figures) addTemplates(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			f.addTemplate(s.Value)
		}
		return true
	})
}
