package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"
)

// measure reads all Go files and HTML templates of the module in a folder, and type-checks its product packages. It
// skips generated files and test data.
func measure(dir string) (*measures, error) {
	m, files, err := measureSizes(dir)
	if err != nil {
		return nil, err
	}
	all, err := load(dir)
	if err != nil {
		return nil, err
	}
	m.Figures.measureDepth(all[0].Module.Path)
	if err := m.Figures.measureNeedless(dir, all, files); err != nil {
		return nil, err
	}
	m.ties(dir, all)
	return m, nil
}

// measureSizes measures what a file shows by itself, and returns the paths of the Go files. It takes seconds, because
// it checks no types.
func measureSizes(dir string) (m *measures, files []string, err error) {
	m = &measures{Lines: map[kind]int{}, Figures: newFigures()}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && (strings.HasPrefix(d.Name(), ".") || slices.Contains(skipped, d.Name())):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		place, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch filepath.Ext(path) {
		case ".go":
			files = append(files, path)
			return m.file(path, filepath.ToSlash(place))
		case ".html":
			return m.template(path, filepath.ToSlash(place))
		}
		return nil
	})
	return m, files, err
}

// load type-checks the packages of a module, without their tests.
func load(dir string) ([]*packages.Package, error) {
	all, err := packages.Load(&packages.Config{
		Dir: dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, "./...")
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %v", p.PkgPath, p.Errors[0])
		}
	}
	return all, nil
}

// ties measures the dependencies between files, and the services that functions reach.
func (m *measures) ties(dir string, all []*packages.Package) {
	files := map[string]bool{}
	for _, f := range m.Files {
		if f.Kind == product {
			files[f.Name] = true
		}
	}
	t := newTree(dir, all, files)
	for _, p := range all {
		if k := t.knot(p); len(k.Files) > 1 {
			m.Knots = append(m.Knots, k)
		}
		t.services(p, m)
	}
}

// skipped are folders whose Go files are not part of the code.
var skipped = []string{"testdata", "node_modules", "build"}

// kindOf returns the purpose of a file, by its path.
func kindOf(place string) kind {
	dir := "/" + filepath.ToSlash(filepath.Dir(place)) + "/"
	switch {
	case strings.HasSuffix(place, "_test.go"), strings.Contains(dir, "test/"), strings.Contains(dir, "/conformance/"),
		strings.HasPrefix(dir, "/testing/"):
		return testing
	case strings.HasPrefix(dir, "/tools/"), strings.HasPrefix(dir, "/measure/"):
		return tools
	}
	return product
}

// file measures a file.
func (m *measures) file(path, place string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(f) {
		return err
	}
	k := kindOf(place)
	m.Lines[k] += codeLines(text)
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	m.Files = append(m.Files, piece{place, len(lines), k})
	if k == product {
		m.Figures.add(place, lines, fset, f)
		m.Figures.addTemplates(f)
	}
	raw := rawLines(fset, f)
	for i, line := range lines {
		if columns := utf8.RuneCount(line); columns > maxColumns && !raw[i+1] {
			m.Wide = append(m.Wide, piece{fmt.Sprintf("%s:%d", place, i+1), columns, k})
		}
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			size := fset.Position(d.End()).Line - fset.Position(d.Pos()).Line + 1
			m.Funcs = append(m.Funcs, piece{place + ": " + d.Name.Name, size, k})
		}
	}
	return nil
}

// template measures the lines of an HTML template.
func (m *measures) template(path, place string) error {
	text, err := os.ReadFile(path)
	m.Figures.addTemplate(string(text))
	for i, line := range bytes.Split(text, []byte("\n")) {
		if columns := utf8.RuneCount(line); columns > maxTemplateColumns {
			m.Wide = append(m.Wide, piece{fmt.Sprintf("%s:%d", place, i+1), columns, product})
		}
	}
	return err
}

// rawLines returns the lines that contain a part of a raw string. Such lines quote other text, and cannot be broken.
func rawLines(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(s.Value, "`") {
			for line := fset.Position(s.Pos()).Line; line <= fset.Position(s.End()).Line; line++ {
				lines[line] = true
			}
		}
		return true
	})
	return lines
}

// codeLines counts the lines that have a token.
func codeLines(text []byte) (n int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	last := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		first := file.Line(pos)
		end := first + strings.Count(cmp.Or(lit, tok.String()), "\n")
		n += max(0, end-max(first-1, last))
		last = max(last, end)
	}
}
