package app

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// requirementRow is one line of docs/requirements.md.
type requirementRow struct{ id, proof string }

var (
	rowLine = regexp.MustCompile(`(?m)^\| ([A-F]\d+) \| [^|]+ \| ([^|]+) \|$`)
	anyRow  = regexp.MustCompile(`(?m)^\| [A-F]\d+ `)
	// named is a test by its package's path, in backquotes.
	named = regexp.MustCompile("`((?:pkg|cmd|handlers|infra)[a-z0-9/]*)\\.((?:Test|Fuzz|Example)[A-Za-z0-9_]*)`")
	// alike is what was probably meant as one.
	alike = regexp.MustCompile("`[^` ]*(?:Test|Fuzz|Example)[^`]*`")
)

func requirementRows(t *testing.T) []requirementRow {
	t.Helper()
	doc := readDoc(t, "docs/requirements.md")
	var rows []requirementRow
	for _, m := range rowLine.FindAllStringSubmatch(doc, -1) {
		rows = append(rows, requirementRow{m[1], m[2]})
	}
	if n := len(anyRow.FindAllString(doc, -1)); n != len(rows) {
		t.Errorf("docs/requirements.md has %d rows, of which %d can be read", n, len(rows))
	}
	return rows
}

// requirementIDs are the ids that there are: the letter's system and how many it asks for.
func requirementIDs() []string {
	var ids []string
	for _, group := range []struct {
		letter string
		n      int
	}{{"A", 25}, {"B", 6}, {"C", 6}, {"D", 10}, {"E", 15}, {"F", 4}} {
		for i := range group.n {
			ids = append(ids, fmt.Sprintf("%s%d", group.letter, i+1))
		}
	}
	return ids
}

// TestRequirements: docs/requirements.md names every requirement once, in order, and each is
// either proved by tests that exist or said to be missing.
func TestRequirements(t *testing.T) {
	var have []string
	for _, row := range requirementRows(t) {
		have = append(have, row.id)
		tests := named.FindAllStringSubmatch(row.proof, -1)
		if len(tests) == 0 && !strings.Contains(row.proof, "not yet") {
			t.Errorf("%s: neither a test nor \"not yet\"", row.id)
		}
		if n := len(alike.FindAllString(row.proof, -1)); n != len(tests) {
			t.Errorf("%s: %d names of tests, of which %d can be read; want `path/of/package.TestName`", row.id, n, len(tests))
		}
		for _, m := range tests {
			if !slices.Contains(testsOf(t, m[1]), m[2]) {
				t.Errorf("%s: %s has no %s", row.id, m[1], m[2])
			}
		}
	}
	if want := requirementIDs(); !slices.Equal(have, want) {
		t.Errorf("ids: have %v\nwant %v", have, want)
	}
}

// testsOf lists the tests, fuzz targets and examples of a package.
func testsOf(t *testing.T, pkg string) []string {
	t.Helper()
	var names []string
	for _, file := range parseDir(t, filepath.Join("..", "..", filepath.FromSlash(pkg)), true) {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// TestF1Layout: what the user asked to find at the top is there.
func TestF1Layout(t *testing.T) {
	for _, name := range []string{
		"functions", "handlers", "pkg", "host.json", "local.settings.json.example", "infra", "Makefile", "go.mod", "go.sum",
	} {
		if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestF2Libraries: the libraries that the user asked for are direct dependencies.
func TestF2Libraries(t *testing.T) {
	mod := readDoc(t, "go.mod")
	for _, path := range []string{
		"github.com/Azure/azure-sdk-for-go/sdk/data/aztables", "github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue",
		"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob", "github.com/cespare/xxhash/v2", "github.com/PuerkitoBio/goquery",
	} {
		if !regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(path) + ` v[0-9.]+$`).MatchString(mod) {
			t.Errorf("go.mod does not require %s directly", path)
		}
	}
}

// documents lists what is written for people, by path from the top.
func documents(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("docs: %d documents, %v", len(names), err)
	}
	for i, name := range names {
		names[i] = "docs/" + filepath.Base(name)
	}
	return append(names, "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
}

// TestDocumentLinks: every link from one of our files to another leads somewhere.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, doc := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(readDoc(t, doc), -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s: link to %s: %v", doc, m[1], err)
			}
		}
	}
}

// TestF4Commands: every make command that the documents name is a target.
func TestF4Commands(t *testing.T) {
	makefile := readDoc(t, "Makefile")
	command := regexp.MustCompile("(?m)(?:^    (?:[A-Z_]+=\\S+ )*|`(?:[A-Z_]+=\\S+ )*)make ([a-z-]+)")
	found := map[string]bool{}
	for _, doc := range documents(t) {
		for _, m := range command.FindAllStringSubmatch(readDoc(t, doc), -1) {
			found[m[1]] = true
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s: make %s is no target", doc, m[1])
			}
		}
	}
	if !found["run"] || !found["test"] {
		t.Errorf("the documents name %v, want run and test among them", found)
	}
}

// TestDependenciesAreExplained: every direct dependency has a row in docs/decisions.md, with the
// version in use.
func TestDependenciesAreExplained(t *testing.T) {
	doc := readDoc(t, "docs/decisions.md")
	direct, _, _ := strings.Cut(readDoc(t, "go.mod"), "// indirect")
	lines := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`).FindAllStringSubmatch(direct, -1)
	if len(lines) < 10 {
		t.Fatalf("go.mod has %d direct dependencies: it is not read as it should be", len(lines))
	}
	for _, m := range lines {
		name := strings.TrimPrefix(m[1], "github.com/")
		if rest, ok := strings.CutPrefix(name, "Azure/azure-sdk-for-go/sdk/"); ok {
			name = "Azure/…/" + rest[strings.LastIndexByte(rest, '/')+1:]
		}
		if !strings.Contains(doc, "\n| "+name+" | "+m[2]+",") {
			t.Errorf("docs/decisions.md has no row for %s %s", name, m[2])
		}
	}
}

// TestArchitectureNamesEveryPackage: the tour leaves nothing out.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	doc := readDoc(t, "docs/architecture.md")
	for _, pkg := range slices.Concat(layers...) {
		if !strings.Contains(doc, "`"+pkg+"`") {
			t.Errorf("docs/architecture.md does not name %s", pkg)
		}
	}
}
