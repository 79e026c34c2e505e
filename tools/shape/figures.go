package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longColumns is the number of columns above which a line counts as long. A tab counts as one column.
const longColumns = 100

// figures describe the product as a whole.
type figures struct {
	Files    int
	Lines    int // lines of any kind
	Long     int // lines of more than longColumns columns
	Heads    int // lines of code that belong to package clauses and imports
	Depth    int // packages in the longest chain of imports
	Exported map[string]bool
	Needless []string // names that are needlessly exported, each with its file
	// imports has the paths that the files of each package import. A package is named by its folder.
	imports map[string]map[string]bool
	// templateNames are the names that templates select.
	templateNames map[string]bool
}

func newFigures() figures {
	return figures{Exported: map[string]bool{}, imports: map[string]map[string]bool{}, templateNames: map[string]bool{}}
}

// add adds a file of the product.
func (f *figures) add(place string, lines [][]byte, fset *token.FileSet, file *ast.File) {
	f.Files++
	f.Lines += len(lines)
	for _, line := range lines {
		if utf8.RuneCount(line) > longColumns {
			f.Long++
		}
	}
	pkg := path.Dir(place)
	if f.imports[pkg] == nil {
		f.imports[pkg] = map[string]bool{}
	}
	heads := map[int]bool{fset.Position(file.Package).Line: true}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			heads[fset.Position(g.Pos()).Line] = true
			heads[fset.Position(g.End()-1).Line] = true
		}
		for _, name := range declared(d) {
			f.Exported[pkg+"."+name] = true
		}
	}
	for _, s := range file.Imports {
		heads[fset.Position(s.Pos()).Line] = true
		name, _ := strconv.Unquote(s.Path.Value) // the parser accepts strings alone
		f.imports[pkg][name] = true
	}
	f.Heads += len(heads)
}

// declared returns the exported names of a declaration. Methods are those of exported types, with the type's name.
func declared(d ast.Decl) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		} else if t := receiver(d.Recv.List[0].Type); ast.IsExported(t) && d.Name.IsExported() {
			names = append(names, t+"."+d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				add(s.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					add(id)
				}
			}
		}
	}
	return names
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return "" // Unreachable: receivers are named types.
}

// measureDepth finds the longest chain of imports between packages of the product.
func (f *figures) measureDepth(module string) {
	depths := map[string]int{}
	var of func(pkg string) int
	of = func(pkg string) int {
		if depths[pkg] > 0 {
			return depths[pkg]
		}
		most := 0
		for name := range f.imports[pkg] {
			if dep, ours := strings.CutPrefix(name, module+"/"); ours && f.imports[dep] != nil {
				most = max(most, of(dep))
			} else if name == module {
				most = max(most, of("."))
			}
		}
		depths[pkg] = most + 1
		return most + 1
	}
	for pkg := range f.imports {
		f.Depth = max(f.Depth, of(pkg))
	}
}

// headShare is the share of the lines of code that belong to package clauses and imports, in percent.
func (f *figures) headShare(code int) float64 { return share(f.Heads, code) }

func share(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// write writes the figures of a product with a number of lines of code.
func (f *figures) write(w io.Writer, code int) {
	fmt.Fprintf(w, "packages\t%d of %d files\n", len(f.imports), f.Files)
	fmt.Fprintf(w, "depth of imports\t%d packages\n", f.Depth)
	fmt.Fprintf(w, "imports, package clauses\t%.1f %% of the lines of code\n", f.headShare(code))
	fmt.Fprintf(w, "long lines\t%.1f %% have more than %d columns\n", share(f.Long, f.Lines), longColumns)
	fmt.Fprintf(w, "exported names\t%d, of them needlessly %d\n", len(f.Exported), len(f.Needless))
}
