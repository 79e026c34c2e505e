package docs

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	slash "path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docLink is a link of a comment to a name, optionally qualified by a package or followed by a member. A word in
// lower case may not be a link.
var docLink = regexp.MustCompile(`\[\*?([A-Z]\w+|[a-z]\w*[A-Z]\w*|[A-Za-z]\w*(?:\.\w+){1,2})\](?:[^(:\w]|$)`)

// TestDocsLinks checks that links in comments lead to declared names. Names of packages outside the module are not
// checked.
func TestDocsLinks(t *testing.T) {
	tree := parseTree(t)
	n := 0
	for file, f := range tree.files {
		imports := namesOf(f)
		for _, group := range f.Comments {
			text := regexp.MustCompile(`(?m)^\t.*$`).ReplaceAllString(group.Text(), "") // without code
			for _, m := range docLink.FindAllStringSubmatch(text, -1) {
				if n++; !tree.declares(slash.Dir(file), m[1], imports) {
					t.Errorf("%s: [%s] leads nowhere", file, m[1])
				}
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d links were found", n)
	}
}

// declarations are the top-level names of a package and, for each type, its members and embedded types.
type declarations struct {
	names    map[string]bool
	members  map[string]map[string]bool
	embedded map[string][]ast.Expr
}

// sourceTree has the files of the module by their paths, and what each folder declares.
type sourceTree struct {
	files    map[string]*ast.File
	packages map[string]*declarations
}

func parseTree(t *testing.T) sourceTree {
	t.Helper()
	tree := sourceTree{map[string]*ast.File{}, map[string]*declarations{}}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		tree.files[rel] = f
		tree.add(slash.Dir(rel), f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func (s sourceTree) add(dir string, f *ast.File) {
	p := s.packages[dir]
	if p == nil {
		p = &declarations{map[string]bool{}, map[string]map[string]bool{}, map[string][]ast.Expr{}}
		s.packages[dir] = p
	}
	member := func(of, name string) {
		if p.members[of] == nil {
			p.members[of] = map[string]bool{}
		}
		p.members[of][name] = true
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				p.names[decl.Name.Name] = true
			} else {
				member(baseName(decl.Recv.List[0].Type), decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						p.names[name.Name] = true
					}
				case *ast.TypeSpec:
					p.names[spec.Name.Name] = true
					p.addType(spec, member)
				}
			}
		}
	}
}

// addType adds the fields of a struct or the methods of an interface, and the embedded types.
func (p *declarations) addType(spec *ast.TypeSpec, member func(of, name string)) {
	var fields *ast.FieldList
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		fields = typ.Fields
	case *ast.InterfaceType:
		fields = typ.Methods
	default:
		p.embedded[spec.Name.Name] = append(p.embedded[spec.Name.Name], spec.Type)
		return
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			member(spec.Name.Name, name.Name)
		}
		if len(field.Names) == 0 {
			member(spec.Name.Name, baseName(field.Type))
			p.embedded[spec.Name.Name] = append(p.embedded[spec.Name.Name], field.Type)
		}
	}
}

// baseName is the name of a type without its package, pointer and type parameters.
func baseName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// namesOf returns the packages that a file imports, by the names that it uses: folders of the module, or whole import
// paths.
func namesOf(f *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := slash.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = strings.TrimPrefix(p, module)
	}
	return imports
}

// declares reports whether the name in a link is declared, as seen from a folder. A package need not be imported if
// only one package of the module has its name.
func (s sourceTree) declares(dir, link string, imports map[string]string) bool {
	parts := strings.Split(link, ".")
	if first := parts[0]; len(parts) > 1 && first == strings.ToLower(first) && !s.packages[dir].names[first] {
		to, imported := imports[first]
		for folder := range s.packages {
			if !imported && slash.Base(folder) == first {
				to, imported = folder, true
				break
			}
		}
		if _, standard := comment.DefaultLookupPackage(first); (imported || standard) && s.packages[to] == nil {
			return true // of another module
		}
		dir, parts = to, parts[1:]
	}
	p := s.packages[dir]
	if p == nil || !p.names[parts[0]] {
		return false
	}
	return len(parts) == 1 || s.has(p, parts[0], parts[1], 0)
}

// has reports whether a type has a member, also by embedding. A type of another package, embedded or named by an
// alias, counts as having any member.
func (s sourceTree) has(p *declarations, typ, member string, depth int) bool {
	if p.members[typ][member] || depth > 5 {
		return true
	}
	for _, e := range p.embedded[typ] {
		if _, foreign := e.(*ast.SelectorExpr); foreign || s.has(p, baseName(e), member, depth+1) {
			return true
		}
	}
	return false
}
