package docs

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

var (
	// pathLike is a code span that names a file or a folder of the repository, and nameLike one that names a
	// declaration of a package.
	pathLike = regexp.MustCompile("^`((?:pkg|handlers|cmd|tools|infra|functions|testing|otel|docs)(?:/[\\w.-]+)*)/?`$")
	nameLike = regexp.MustCompile("^`((?:pkg|handlers|cmd|tools|testing)[a-z0-9/]*)\\." +
		"([A-Z]\\w*(?:\\.\\w+)?)(?:\\(\\))?`$")
	// mdLink is a Markdown link with its target; mdHeading is a heading.
	mdLink    = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notSlug   = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestDocsNameWhatThereIs checks that files, folders and declarations that a document mentions exist. The changelog
// is excluded, because it describes earlier versions.
func TestDocsNameWhatThereIs(t *testing.T) {
	found, names := 0, map[string][]string{}
	for _, doc := range documents(t) {
		if doc == "CHANGELOG.md" {
			continue
		}
		for _, span := range codeSpan.FindAllString(oneLine(treetest.Read(t, doc)), -1) {
			if m := nameLike.FindStringSubmatch(span); m != nil {
				found++
				if names[m[1]] == nil {
					names[m[1]] = declared(t, m[1])
				}
				if !slices.Contains(names[m[1]], m[2]) {
					t.Errorf("%s names %s, which is not declared", doc, span)
				}
			} else if m := pathLike.FindStringSubmatch(span); m != nil {
				found++
				if _, err := os.Stat(filepath.Join("..", "..", m[1])); err != nil {
					t.Errorf("%s names %s: %v", doc, span, err)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d names: they are not found as they should be", found)
	}
}

// declared lists the top-level names of a package, and methods as Type.Method.
func declared(t *testing.T, pkg string) []string {
	t.Helper()
	var names []string
	for _, tests := range []bool{false, true} {
		for _, file := range treetest.Parse(t, pkg, tests) {
			names = append(names, declaredIn(file)...)
		}
	}
	return names
}

func declaredIn(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestDocsLinkToHeadings checks that links into documents lead to headings.
func TestDocsLinkToHeadings(t *testing.T) {
	for _, doc := range documents(t) {
		for _, m := range mdLink.FindAllStringSubmatch(treetest.Read(t, doc), -1) {
			target := doc
			if m[1] != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(doc), m[1]))
			}
			if m[2] != "" && strings.HasSuffix(target, ".md") && !slices.Contains(anchors(treetest.Read(t, target)), m[2]) {
				t.Errorf("%s: %s has no heading #%s", doc, target, m[2])
			}
		}
	}
}

// anchors returns the anchors of a document's headings.
func anchors(doc string) (names []string) {
	for _, m := range mdHeading.FindAllStringSubmatch(doc, -1) {
		names = append(names, strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return names
}

// TestDocsPathOfAURL checks that each stage of the path in docs/architecture.md names a file that declares its
// functions.
func TestDocsPathOfAURL(t *testing.T) {
	_, section, _ := strings.Cut(treetest.Read(t, "docs/architecture.md"), "\n## The path of a URL\n")
	section, _, _ = strings.Cut(section, "\n## ")
	stage := regexp.MustCompile("(?m)^\\| (\\d+) \\|.*\\| `([\\w/]+\\.go)` \\| (`.*`) \\|$")
	stages := stage.FindAllStringSubmatch(section, -1)
	if len(stages) < 10 {
		t.Fatalf("%d stages can be read", len(stages))
	}
	for _, m := range stages {
		file := treetest.Parse(t, path.Dir(m[2]), false)[m[2]]
		if file == nil {
			t.Errorf("stage %s: there is no %s", m[1], m[2])
			continue
		}
		for _, fn := range codeSpan.FindAllString(m[3], -1) {
			if !slices.Contains(declaredIn(file), strings.Trim(fn, "`")) {
				t.Errorf("stage %s: %s does not declare %s", m[1], m[2], fn)
			}
		}
	}
}

// TestDocsLines: no line of a document is longer than 120 characters but tables, links, names of
// tests and what a program prints.
func TestDocsLines(t *testing.T) {
	for _, doc := range documents(t) {
		code := false
		for i, line := range strings.Split(treetest.Read(t, doc), "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			whole := code || named.MatchString(line) || slices.ContainsFunc([]string{"    ", "|", "![", "([", "<!--"},
				func(begin string) bool { return strings.HasPrefix(line, begin) })
			if n := len([]rune(line)); n > 120 && !whole {
				t.Errorf("%s:%d has %d characters", doc, i+1, n)
			}
		}
	}
}
