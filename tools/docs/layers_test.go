package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/tidemark/tidemark/"

// layers are the folders of the project, lowest first: `ls pkg` shows the same architecture. A package imports only
// packages of its own folder and of lower layers.
var layers = [][]string{
	{"."}, // files that are embedded in the program
	{"pkg/base", "pkg/api"},
	{"pkg/form"},
	{"pkg/identity", "pkg/llm", "pkg/policy"},
	{"pkg/content", "pkg/fetch", "pkg/storage"},
	{"pkg/feed", "pkg/local", "pkg/ops", "pkg/search"},
	{"pkg/registry"},
	{"pkg/crawl", "pkg/entries"},
	{"pkg/run"},
	{"pkg/notify"},
	{"handlers"},
	{"pkg/app"},
	{"cmd", "tools", "measure"},
}

// adapters are imported by app and the programs only. Everything else depends on their ports.
var adapters = []string{
	"pkg/storage/storagetest/mem", "pkg/storage/azure", "pkg/storage/sqlitestore",
	"pkg/search/sqlitesearch", "pkg/search/azureaisearch", "pkg/llm/openai",
}

// pure packages import nothing that performs I/O, and neither do the packages below them.
var pure = []string{
	"pkg/base/wallclock", "pkg/base/fault", "pkg/base/percent", "pkg/form", "pkg/content/mbox", "pkg/identity",
	"pkg/policy",
	"pkg/content/extract", "pkg/content/chunk", "pkg/content/discover", "pkg/content/site", "pkg/content/part",
	"pkg/content/pick", "pkg/content/field", "pkg/content/fact", "pkg/content/linememory",
	"pkg/entries/entry", "pkg/search/sqlitesearch/ranking", "pkg/search/sqlitesearch/tokens",
}

// reaching lists the exceptions below pure packages: they perform I/O.
var reaching = []string{"pkg/content/extract/pdf"}

var impure = []string{"context", "log", "log/slog", "net", "net/http", "os", "math/rand", "math/rand/v2"}

func TestLayers(t *testing.T) {
	level := map[string]int{}
	for i, folders := range layers {
		for _, folder := range folders {
			level[folder] = i
		}
	}
	seen := map[string]bool{}
	for file, imports := range sources(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		folder := folderOf(pkg)
		seen[folder] = true
		if _, ok := level[folder]; !ok {
			t.Errorf("%s: its folder is missing from the list of layers", file)
			continue
		}
		for _, path := range imports {
			checkImport(t, level, pkg, file, path)
		}
	}
	for folder := range level {
		if !seen[folder] {
			t.Errorf("%s is in the list of layers but does not exist", folder)
		}
	}
}

// folderOf is the listed folder that contains a package.
func folderOf(pkg string) string {
	top, below, _ := strings.Cut(pkg, "/")
	if top != "pkg" {
		return top
	}
	name, _, _ := strings.Cut(below, "/")
	return "pkg/" + name
}

func checkImport(t *testing.T, level map[string]int, pkg, file, path string) {
	if below(pure, pkg) && !slices.Contains(reaching, pkg) && slices.Contains(impure, path) {
		t.Errorf("%s: a pure package imports %s", file, path)
	}
	dep, ours := strings.CutPrefix(path, module)
	if !ours {
		return
	}
	from, to := folderOf(pkg), folderOf(dep)
	l, ok := level[to]
	if from != to && (!ok || l >= level[from]) {
		t.Errorf("%s: %s may not import %s", file, pkg, dep)
	}
	support := strings.HasSuffix(pkg, "test") // only tests import it
	if slices.Contains(adapters, dep) && !slices.Contains([]string{"pkg/app", "cmd", "measure"}, from) && !support &&
		!strings.HasPrefix(pkg, dep+"/") {
		t.Errorf("%s: only app and the programs import the adapter %s", file, dep)
	}
}

// below reports whether a package is in a list, or in a folder below a listed one.
func below(those []string, pkg string) bool {
	return slices.ContainsFunc(those, func(p string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") })
}

// sources parses the imports of every file that is not a test.
func sources(t *testing.T) map[string][]string {
	root, out := filepath.Join("..", ".."), map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), ".") {
			return skipDir(err)
		}
		if d.IsDir() && (d.Name() == "testing" || d.Name() == "otel" || d.Name() == "docs") && filepath.Dir(path) == root {
			return filepath.SkipDir // modules of their own
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		imports := []string{}
		for _, s := range f.Imports {
			p, _ := strconv.Unquote(s.Path.Value)
			imports = append(imports, p)
		}
		out[rel] = imports
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func skipDir(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}
