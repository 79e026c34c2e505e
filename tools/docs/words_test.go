package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

// plainWords are words that declarations used in a private sense. docs/glossary.md has the usual term for each.
var plainWords = strings.Fields("place places mark marks turn turns blame blames blamed take takes settle settled " +
	"said enter enters entered leave look looked rests outdate")

// usualSense are names in which such a word has its ordinary meaning, or that are stored or go over the wire.
var usualSense = map[string]string{
	"MarkRead": "mark as read", "markRead": "mark as read", "Marked": "stored", "isMark": "a Unicode mark",
	"MarksAll": "mark as seen", "marks": "reading marks", "marksOf": "reading marks", "mark": "a reading mark",
	"TakeBack": "undo",
	"Look":     "wire", "LookError": "wire", "NextLookAt": "wire", "Looked": "wire", "RestsUntil": "wire",
	"looksLikeHTML": "verb",
}

// TestDocsWordsOfDeclarations checks that no declaration of the tree has a word that docs/glossary.md replaces.
func TestDocsWordsOfDeclarations(t *testing.T) {
	glossary := treetest.Read(t, "docs/glossary.md")
	for _, word := range plainWords {
		if !strings.Contains(glossary, word) {
			t.Errorf("docs/glossary.md does not say what %s has become", word)
		}
	}
	eachSource(t, func(file, path string) {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "testing/") {
			return
		}
		for _, name := range declaredBy(t, path) {
			if word := (retired{names: strings.Join(plainWords, " ")}); word.isIn(name) && usualSense[name] == "" {
				t.Errorf("%s: %s; see docs/glossary.md", file, name)
			}
		}
	})
}

// declaredBy lists the declarations of a file outside functions: names, methods and fields.
func declaredBy(t *testing.T, path string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if !slices.Contains(names, id.Name) {
				names = append(names, id.Name)
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name)
		case *ast.GenDecl:
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					add(n.Name)
				case *ast.ValueSpec:
					add(n.Names...)
				case *ast.Field:
					add(n.Names...)
				case *ast.FuncLit, *ast.FuncType:
					return false
				}
				return true
			})
		}
	}
	return names
}
