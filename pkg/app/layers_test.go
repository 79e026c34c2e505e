package app

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

// layers lists every package of the project, lowest first (DESIGN §1). A package imports only
// packages of the groups above its own in this list, or earlier ones of a group whose order is
// given by its lines.
var layers = [][]string{
	// pure: no context, clock, network or log
	{"pkg/fault"},
	{"pkg/api", "pkg/source", "pkg/lineage", "pkg/schedule", "pkg/robots", "pkg/warc", "pkg/mbox"},
	// beside them: what the process tells of itself
	{"pkg/telemetry"},
	{"pkg/extract"},
	{"pkg/extract/mail", "pkg/extract/ooxml", "pkg/extract/pdf", "pkg/extract/sheet", "pkg/discover"},
	{"pkg/chunk", "pkg/site"},
	// ports, and the suites that their adapters pass
	{"pkg/storage", "pkg/search", "pkg/llm"},
	{"pkg/storage/storagetest", "pkg/search/searchtest", "pkg/search/searchtest/aisearch", "pkg/llm/llmtest"},
	// adapters: only app and the programs import them
	{"pkg/storage/mem", "pkg/storage/azure", "pkg/storage/sqlitestore", "pkg/search/sqlitesearch", "pkg/search/azureaisearch", "pkg/llm/openai"},
	// state
	{"pkg/registry", "pkg/snapshot", "pkg/transfer", "pkg/embed", "pkg/activity"},
	// stages
	{"pkg/document", "pkg/file/credential"},
	{"pkg/fetch", "pkg/index"},
	{"pkg/file"},
	{"pkg/crawl", "pkg/rebuild", "pkg/entries"},
	{"pkg/enrich", "pkg/backfill", "pkg/sentinel", "pkg/metered"},
	{"pkg/mailimport"},
	// top
	{"handlers/ui", "pkg/openapi"},
	{"pkg/openapi/openapitest"},
	{"pkg/openapi/describe", "handlers"},
	{"pkg/app", "pkg/funchost", "pkg/azurite"},
	{"pkg/serve", "pkg/funchost/conformance", "pkg/azurite/azuritetest"},
	{"pkg/warc/warctest", "pkg/mbox/mboxtest"},
	{"cmd/handler", "cmd/tidemark", "cmd/demosite", "cmd/demo", "cmd/bench", "cmd/package", "cmd/score"},
}

// pure packages import nothing that reaches outside.
var pure = []string{"pkg/fault", "pkg/mbox", "pkg/source", "pkg/lineage", "pkg/schedule", "pkg/robots", "pkg/extract", "pkg/extract/mail", "pkg/extract/ooxml", "pkg/extract/sheet", "pkg/chunk", "pkg/discover", "pkg/site"}

var impure = []string{"context", "log", "log/slog", "net", "net/http", "os", "math/rand", "math/rand/v2"}

func TestLayers(t *testing.T) {
	level := map[string]int{}
	for i, group := range layers {
		for _, p := range group {
			level[p] = i
		}
	}
	seen := map[string]bool{}
	for file, imports := range sources(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		seen[pkg] = true
		if _, ok := level[pkg]; !ok {
			t.Errorf("%s is missing from the list of layers", pkg)
			continue
		}
		for _, path := range imports {
			checkImport(t, level, pkg, file, path)
		}
	}
	for p := range level {
		if !seen[p] {
			t.Errorf("%s is in the list of layers but does not exist", p)
		}
	}
}

func checkImport(t *testing.T, level map[string]int, pkg, file, path string) {
	if slices.Contains(pure, pkg) && slices.Contains(impure, path) {
		t.Errorf("%s: a pure package imports %s", file, path)
	}
	dep, ours := strings.CutPrefix(path, module)
	if !ours {
		return
	}
	if l, ok := level[dep]; !ok || l >= level[pkg] {
		t.Errorf("%s: %s may not import %s", file, pkg, dep)
	}
	adapter := slices.Contains(layers[7], dep)
	if adapter && pkg != "pkg/app" && !strings.HasPrefix(pkg, "cmd/") {
		t.Errorf("%s: only app and the programs import the adapter %s", file, dep)
	}
}

// sources parses the imports of every file that is not a test.
func sources(t *testing.T) map[string][]string {
	root, out := filepath.Join("..", ".."), map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), ".") {
			return skipDir(err)
		}
		if d.IsDir() && (d.Name() == "apiclient" || d.Name() == "bench" || d.Name() == "browser" || d.Name() == "otel") && filepath.Dir(path) == root {
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
