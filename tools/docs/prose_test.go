package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

// foreign are forms of a sentence that a writer of English avoids: "is none" for "is not one", "whoever", "has it
// done" for "does it", "of which all", and a program that calls itself "we".
var foreign = regexp.MustCompile(`\b(?:(?i:(?:is|are|was|were) none|who(?:m)?ever|of which all)|[Ww]e|us|[Oo]urs?|` +
	`(?i:has|have|had) (?:it|them|all|each|every|this|that|these|those|an?|the|its|their)(?: [a-z-]+){0,2} [a-z]+ed)\b`)

// usual are forms that look foreign and are not.
var usual = regexp.MustCompile(`(?i)\bthere (?:is|are|was|were) none\b`)

// maxForeign is how many such forms the comments of all Go files have. The number may only fall.
const maxForeign = 12

// TestPlainEnglish checks that texts for users have no foreign forms, and that comments have no more than maxForeign.
func TestPlainEnglish(t *testing.T) {
	for _, doc := range documents(t) {
		if doc != "CHANGELOG.md" && doc != "docs/decisions.md" {
			reportForeign(t, doc, proseOf(treetest.Read(t, doc)))
		}
	}
	reportForeign(t, "pkg/api/openapi/openapi.json", treetest.Read(t, "pkg/api/openapi/openapi.json"))
	n := 0
	eachSource(t, func(file, path string) {
		switch {
		case file == "tools/docs/prose_test.go":
		case strings.HasSuffix(file, ".go"):
			comments, shown := textsOf(t, path)
			n += len(foreign.FindAllString(usual.ReplaceAllString(comments, ""), -1))
			if userFacing(file) {
				reportForeign(t, file, shown)
			}
		case strings.HasPrefix(file, "handlers/ui/") && strings.HasSuffix(file, ".html"):
			reportForeign(t, file, shownBy(t, file))
		}
	})
	if n > maxForeign {
		t.Errorf("comments have %d foreign forms, more than %d", n, maxForeign)
	}
	if n < maxForeign*9/10 {
		t.Errorf("comments have %d foreign forms: lower maxForeign from %d", n, maxForeign)
	}
}

func reportForeign(t *testing.T, file, text string) {
	t.Helper()
	text = usual.ReplaceAllString(text, "")
	for _, at := range foreign.FindAllStringIndex(text, -1) {
		t.Errorf("%s: …%s…", file, strings.Join(strings.Fields(text[max(0, at[0]-40):min(len(text), at[1]+40)]), " "))
	}
}

// userFacing reports whether the texts of a file are shown to users.
func userFacing(file string) bool {
	return !strings.HasSuffix(file, "_test.go") &&
		(strings.HasPrefix(file, "handlers/") || strings.HasPrefix(file, "cmd/tidemark/"))
}

// textsOf returns the comments and the string literals of a Go file, without tags and imports.
func textsOf(t *testing.T, path string) (comments, shown string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var c, s strings.Builder
	for _, group := range f.Comments {
		c.WriteString(group.Text() + "\n")
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				s.WriteString(n.Value + "\n")
			}
		}
		return true
	})
	return c.String(), s.String()
}
