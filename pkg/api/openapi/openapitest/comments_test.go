package openapitest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// comments are the comments on a package's types and their fields.
type comments struct {
	types  map[string]string            // by the type's name
	fields map[string]map[string]string // by the type's name, then the field's
	consts map[string]string            // values of constants, by the names of the constants
	names  map[string]string            // names of all fields in JSON, by their names in Go
}

// readComments reads the sources in a folder, except its tests.
func readComments(dir string) (*comments, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	c := &comments{map[string]string{}, map[string]map[string]string{}, map[string]string{}, map[string]string{}}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.GenDecl); ok {
				c.read(decl)
			}
		}
	}
	return c, nil
}

func (c *comments) read(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			c.types[s.Name.Name] = decl.Doc.Text() + c.types[s.Name.Name]
			if t, ok := s.Type.(*ast.StructType); ok {
				c.readFields(s.Name.Name, t)
			}
		case *ast.ValueSpec:
			c.readConsts(s)
		}
	}
}

// readFields joins the comment above a field and the one behind it.
func (c *comments) readFields(of string, t *ast.StructType) {
	out := map[string]string{}
	for _, f := range t.Fields.List {
		for _, name := range f.Names {
			out[name.Name] = strings.TrimSpace(f.Doc.Text() + " " + f.Comment.Text())
			if f.Tag != nil {
				tag, _ := strconv.Unquote(f.Tag.Value)
				if in, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); in != "-" {
					c.names[name.Name] = in
				}
			}
		}
	}
	c.fields[of] = out
}

// readConsts reads the values of constants, and the comments on those with a type of their own.
func (c *comments) readConsts(s *ast.ValueSpec) {
	for i, value := range s.Values {
		lit, ok := value.(*ast.BasicLit)
		if !ok {
			continue
		}
		text := lit.Value
		if plain, err := strconv.Unquote(text); err == nil {
			text = plain
		}
		c.consts[s.Names[i].Name] = text
		if t, ok := s.Type.(*ast.Ident); ok {
			c.types[t.Name] += "\n`" + text + "`: " + strings.TrimSpace(s.Comment.Text()) + "\n"
		}
	}
}

var (
	exported  = regexp.MustCompile(`\[[A-Z][A-Za-z0-9]*\]|\b[A-Z][A-Za-z0-9]*\b`)
	twoWords  = regexp.MustCompile(`[a-z][A-Z]`)
	reference = regexp.MustCompile(` \((spec [^)]*|[A-F][0-9]+)\)`)
	lineBreak = regexp.MustCompile(`([^\n])\n([^\n])`)
)

// prose converts a comment for readers who do not see the code: fields get their names in JSON, constants become
// their values, and references to requirements are removed.
func (c *comments) prose(text string, jsonNames map[string]string) string {
	text = lineBreak.ReplaceAllString(strings.TrimSpace(text), "$1 $2")
	text = reference.ReplaceAllString(text, "")
	return exported.ReplaceAllStringFunc(text, func(word string) string {
		word = strings.Trim(word, "[]")
		if name := jsonNames[word]; name != "" {
			return "`" + name + "`"
		}
		if name := c.names[word]; name != "" && twoWords.MatchString(word) {
			return "`" + name + "`" // a field of another type
		}
		if value := c.consts[word]; value != "" {
			return value
		}
		return word
	})
}
