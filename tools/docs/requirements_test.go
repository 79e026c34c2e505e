package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
)

const specification = "docs/specification.md"

// requirement is one section of the specification: its id, its sentence, and the tests that prove it.
type requirement struct{ id, what, tests string }

var (
	requirementHeading = regexp.MustCompile(`^### ([A-Z]\d+)\. [A-Z].*[^.]$`)
	// named is a test in backquotes, qualified by its package's path.
	named = regexp.MustCompile("`((?:pkg|cmd|tools|measure|handlers|infra|testing)[a-z0-9/]*)\\." +
		"((?:Test|Fuzz|Example)[A-Za-z0-9_]*)`")
	// alike is a code span that was probably meant as a test.
	alike = regexp.MustCompile("`[^` ]*(?:Test|Fuzz|Example)[^`]*`")
)

func requirements(t *testing.T) []requirement {
	t.Helper()
	doc, _, _ := strings.Cut(treetest.Read(t, specification), "\n"+statementsHeading+"\n")
	var found []requirement
	for _, section := range strings.Split(doc, "\n### ")[1:] {
		heading, body, _ := strings.Cut("### "+section, "\n")
		m := requirementHeading.FindStringSubmatch(heading)
		if m == nil {
			t.Errorf("%s: %q is no heading of a requirement", specification, heading)
			continue
		}
		body, _, _ = strings.Cut(body, "\n## ")
		what, tests, _ := strings.Cut(body, "\nTests: ")
		found = append(found, requirement{id: m[1], what: oneLine(what), tests: oneLine(tests)})
	}
	return found
}

// oneLine joins the lines of a paragraph.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// requirementIDs lists all ids: each system of letters with its number of requirements.
func requirementIDs() []string {
	open := []string{ // not met yet
		"W13", "W14", "W15", "N5", "N8", "N9",
		"X13", "X14", "X15",
	}
	var ids []string
	for _, group := range []struct {
		letter string
		n      int
	}{{"A", 26}, {"B", 6}, {"C", 7}, {"D", 10}, {"E", 18}, {"F", 4}, {"G", 5}, {"H", 14}, {"N", 11}, {"Q", 18},
		{"J", 10}, {"K", 15}, {"L", 11}, {"P", 1}, {"R", 5}, {"S", 17}, {"T", 5}, {"U", 14}, {"V", 4}, {"W", 37}, {"X", 18},
		{"Y", 13}, {"Z", 5}} {
		for i := range group.n {
			if id := fmt.Sprintf("%s%d", group.letter, i+1); !slices.Contains(open, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// TestRequirements checks that the specification has every requirement once, in order, in one sentence, and that
// existing tests prove each.
func TestRequirements(t *testing.T) {
	var have []string
	packages := map[string][]string{}
	for _, r := range requirements(t) {
		have = append(have, r.id)
		if !strings.HasSuffix(r.what, ".") {
			t.Errorf("%s: %q is no sentence", r.id, r.what)
		}
		tests := named.FindAllStringSubmatch(r.tests, -1)
		if len(tests) == 0 {
			t.Errorf("%s: no test", r.id)
		}
		if n := len(alike.FindAllString(r.tests, -1)); n != len(tests) {
			t.Errorf("%s: %d names of tests, of which %d can be read; want `path/of/package.TestName`", r.id, n, len(tests))
		}
		for _, m := range tests {
			if packages[m[1]] == nil {
				packages[m[1]] = testsOf(t, m[1])
			}
			if !slices.Contains(packages[m[1]], m[2]) {
				t.Errorf("%s: %s has no %s", r.id, m[1], m[2])
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
	for _, file := range treetest.Parse(t, pkg, true) {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// TestF1Layout checks that the folders and files that the user requested at the top level exist.
func TestF1Layout(t *testing.T) {
	for _, name := range []string{
		"functions", "handlers", "pkg", "host.json", "local.settings.json.example", "infra", "Makefile", "go.mod", "go.sum",
	} {
		if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestF2Libraries checks that the libraries that the user requested are direct dependencies.
func TestF2Libraries(t *testing.T) {
	mod := treetest.Read(t, "go.mod")
	for _, path := range []string{
		"github.com/Azure/azure-sdk-for-go/sdk/data/aztables", "github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue",
		"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob", "github.com/cespare/xxhash/v2",
		"github.com/PuerkitoBio/goquery",
	} {
		if !regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(path) + ` v[0-9.]+$`).MatchString(mod) {
			t.Errorf("go.mod does not require %s directly", path)
		}
	}
}

// documents lists the documents for people, by path from the top of the repository.
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

// TestDocumentLinks checks that every link from one file of the repository to another has a target.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, doc := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(treetest.Read(t, doc), -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s: link to %s: %v", doc, m[1], err)
			}
		}
	}
}

// TestF4Commands checks that every make command in the documents is a target.
func TestF4Commands(t *testing.T) {
	makefile := treetest.Read(t, "Makefile")
	command := regexp.MustCompile("(?m)(?:^    (?:[A-Z_]+=\\S+ )*|`(?:[A-Z_]+=\\S+ )*)make ([a-z-]+)")
	found := map[string]bool{}
	for _, doc := range documents(t) {
		for _, m := range command.FindAllStringSubmatch(treetest.Read(t, doc), -1) {
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

// goTest is a command that runs tests of packages by their names.
var goTest = regexp.MustCompile("go test (\\./\\S+) -run '?([^ '`\n]+)'?")

// TestCommandsFindTests checks that every go test command in the documents has a test to run.
func TestCommandsFindTests(t *testing.T) {
	found := 0
	for _, doc := range documents(t) {
		text := strings.ReplaceAll(treetest.Read(t, doc), "\n", " ")
		for _, m := range goTest.FindAllStringSubmatch(text, -1) {
			pattern, err := regexp.Compile(m[2])
			if found++; err != nil || !slices.ContainsFunc(testsOf(t, m[1]), pattern.MatchString) {
				t.Errorf("%s: %s finds no test", doc, m[0])
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d commands were found", found)
	}
}

// TestDependenciesAreExplained: every direct dependency has a row in docs/decisions.md, with the
// version in use.
func TestDependenciesAreExplained(t *testing.T) {
	doc := treetest.Read(t, "docs/decisions.md")
	direct, _, _ := strings.Cut(treetest.Read(t, "go.mod"), "// indirect")
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

// TestEveryPackageSaysWhatItPromises: docs/architecture.md lists no packages, because go doc does.
func TestEveryPackageSaysWhatItPromises(t *testing.T) {
	says := map[string]bool{}
	for file := range sources(t) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", file), nil, parser.PackageClauseOnly|
			parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.Dir(file)
		says[pkg] = says[pkg] || len(f.Doc.Text()) > len("Package x is x.")
	}
	for pkg, ok := range says {
		if !ok {
			t.Errorf("%s has no comment", pkg)
		}
	}
}

// TestB6VersionsAreInTheChangelog: who upgrades reads there what a raised version means.
func TestB6VersionsAreInTheChangelog(t *testing.T) {
	changes := treetest.Read(t, "CHANGELOG.md")
	for _, component := range regexp.MustCompile(`[a-z]+_v\d+`).FindAllString(lineage.Current.String(), -1) {
		if !strings.HasSuffix(component, "_v1") && !strings.Contains(changes, "`"+component+"`") {
			t.Errorf("CHANGELOG.md does not mention %s", component)
		}
	}
}
