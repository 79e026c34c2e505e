package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A name is needlessly exported if no other package uses it. Tests and the other modules of the repository count as
// users, but not the tests in the name's own folder, which could be part of its package. These names are needed all the
// same: methods that an interface or a template needs, types that the signature, the field or the variable of an
// exported name mentions, and constants of an exported type.

// loadedModules are the modules, besides the one at the top, whose packages are type-checked. Files that are not, of
// other modules and of other systems, are read as text: what they select may be a method of any type.
var loadedModules = []string{"measure"}

// surface is what packages use of each other.
type surface struct {
	dir, module string
	used        map[string]bool // keys of names that another package uses
	needed      map[string]bool // keys of names that have to be exported all the same
	selected    map[string]bool // names of methods that templates and untyped files select
}

// key identifies a name of a package or a method, across packages that were loaded apart. It is "" for other names.
func key(obj types.Object) string {
	if obj == nil || obj.Pkg() == nil {
		return ""
	}
	pkg := obj.Pkg().Path()
	if f, ok := obj.(*types.Func); ok {
		if recv := f.Origin().Signature().Recv(); recv != nil {
			named := namedOf(recv.Type())
			if named == nil {
				return ""
			}
			return pkg + "." + named.Obj().Name() + "." + f.Name()
		}
	}
	if obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return pkg + "." + obj.Name()
}

// namedOf returns the named type of a value or pointer, or nil.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// measureNeedless lists the names that are needlessly exported. The packages are those of the module at the top. The
// files are all Go files of the repository.
func (f *figures) measureNeedless(dir string, all []*packages.Package, files []string) error {
	s := &surface{dir: dir, module: all[0].Module.Path, used: map[string]bool{}, needed: map[string]bool{},
		selected: f.templateNames}
	loaded, err := users(dir, all)
	if err != nil {
		return err
	}
	typed := map[string]bool{}
	for _, p := range loaded {
		s.uses(p)
		for _, file := range p.CompiledGoFiles {
			typed[file] = true
		}
	}
	for _, file := range files {
		if !typed[file] {
			if err := s.selects(file); err != nil {
				return err
			}
		}
	}
	s.interfaces(loaded)
	for _, p := range all {
		s.mentions(p)
	}
	for _, p := range all {
		f.Needless = append(f.Needless, s.needless(p)...)
	}
	slices.Sort(f.Needless)
	return nil
}

// users adds to the packages of the module at the top all tests, and the packages of the loaded modules.
func users(dir string, all []*packages.Package) ([]*packages.Package, error) {
	tests, err := loadTests(dir, all)
	if err != nil {
		return nil, err
	}
	loaded := slices.Concat(all, tests)
	for _, name := range loadedModules {
		below := filepath.Join(dir, name)
		if _, err := os.Stat(filepath.Join(below, "go.mod")); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		more, err := load(below)
		if err != nil {
			return nil, err
		}
		if tests, err = loadTests(below, more); err != nil {
			return nil, err
		}
		loaded = slices.Concat(loaded, more, tests)
	}
	return loaded, nil
}

func (s *surface) ours(p *types.Package) bool {
	return p.Path() == s.module || strings.HasPrefix(p.Path(), s.module+"/")
}

// uses notes which names of other packages a package uses.
func (s *surface) uses(p *packages.Package) {
	own := strings.TrimSuffix(p.PkgPath, "_test")
	for _, obj := range p.TypesInfo.Uses {
		if obj.Pkg() != nil && obj.Pkg().Path() != own && s.ours(obj.Pkg()) {
			s.used[key(obj)] = true
		}
	}
}

// selects notes which names a file selects whose types are not known.
func (s *surface) selects(file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	imported := map[string]string{}
	for _, i := range f.Imports {
		name, _ := strconv.Unquote(i.Path.Value) // the parser accepts strings alone
		if i.Name != nil {
			imported[i.Name.Name] = name
		} else {
			imported[path.Base(name)] = name
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imported[x.Name] != "" {
				s.used[imported[x.Name]+"."+sel.Sel.Name] = true
			} else {
				s.selected[sel.Sel.Name] = true
			}
		}
		return true
	})
	return nil
}

// needless lists the names of a package that are needlessly exported, each with its file.
func (s *surface) needless(p *packages.Package) (out []string) {
	check := func(obj types.Object, name string) {
		place, err := filepath.Rel(s.dir, p.Fset.Position(obj.Pos()).Filename)
		place = filepath.ToSlash(place)
		if k := key(obj); err == nil && kindOf(place) == product && !s.used[k] && !s.needed[k] {
			out = append(out, place+": "+name)
		}
	}
	for _, name := range p.Types.Scope().Names() {
		obj := p.Types.Scope().Lookup(name)
		if !obj.Exported() || isOfExportedType(obj) {
			continue
		}
		check(obj, name)
		if t, ok := obj.(*types.TypeName); ok && !t.IsAlias() {
			for f := range t.Type().(*types.Named).Methods() {
				if f.Exported() && !s.selected[f.Name()] {
					check(f, name+"."+f.Name())
				}
			}
		}
	}
	return out
}

// isOfExportedType reports whether a name is a constant of an exported type.
func isOfExportedType(obj types.Object) bool {
	c, ok := obj.(*types.Const)
	if !ok {
		return false
	}
	named := namedOf(c.Type())
	return named != nil && named.Obj().Exported()
}
