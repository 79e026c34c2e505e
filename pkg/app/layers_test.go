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

// layers lists every package of the project, lowest first. A package imports only
// packages of the groups above its own in this list.
var layers = [][]string{
	{"."}, // files that the program carries
	// vocabulary and rules, most of them pure
	{"pkg/base/fault", "pkg/ops/health", "pkg/base/percent", "pkg/base/words"},
	{
		"pkg/api", "pkg/identity/source", "pkg/identity/lineage", "pkg/policy/schedule", "pkg/policy/robots",
		"pkg/policy/change", "pkg/content/warc", "pkg/content/mbox", "pkg/policy/digest",
		"pkg/policy/watch",
	},
	{"pkg/policy/host", "pkg/policy/options"},
	// beside them: waiting, and what the process tells of itself
	{"pkg/base/pause", "pkg/ops/telemetry", "pkg/ops/memory"},
	{"pkg/content/extract"},
	{
		"pkg/content/extract/mail", "pkg/content/extract/ooxml", "pkg/content/extract/pdf",
		"pkg/content/extract/sheet", "pkg/content/discover",
	},
	{"pkg/content/chunk", "pkg/policy/site", "pkg/content/textdiff", "pkg/content/part"},
	// ports, and the suites that their adapters pass
	{"pkg/storage", "pkg/search", "pkg/search/stem", "pkg/search/postings", "pkg/llm"},
	{"pkg/search/passage"},
	{
		"pkg/storage/row", "pkg/storage/storagetest", "pkg/search/searchtest", "pkg/search/searchtest/aisearch",
		"pkg/llm/llmtest",
	},
	// adapters: only app and the programs import them
	adapters,
	// state
	{"pkg/run", "pkg/feed"},
	{"pkg/registry", "pkg/storage/snapshot", "pkg/storage/transfer", "pkg/search/embed", "pkg/ops/activity",
		"pkg/ops/keys"},
	// stages
	{"pkg/content/document", "pkg/fetch/file/credential"},
	{"pkg/fetch", "pkg/search/index", "pkg/run/migrate"},
	{"pkg/fetch/file", "pkg/notify/send"},
	{"pkg/notify"},
	{"pkg/crawl", "pkg/run/rebuild", "pkg/run/bulk", "pkg/entries"},
	{"pkg/run/enrich", "pkg/run/backfill", "pkg/run/sitepoll", "pkg/run/runtest", "pkg/ops/instrumented"},
	{"pkg/run/mailimport"},
	{"pkg/run/listimport"},
	// top
	{"handlers/ui", "pkg/api/openapi", "pkg/api/agent"},
	{"pkg/api/openapi/openapitest"},
	{"pkg/api/openapi/describe", "handlers"},
	{"pkg/app", "pkg/local/funchost", "pkg/local/azurite"},
	{"pkg/app/serve", "pkg/local/funchost/conformance", "pkg/local/azurite/azuritetest"},
	{"pkg/content/warc/warctest", "pkg/content/mbox/mboxtest"},
	{
		"cmd/tidemark", "tools/demosite", "tools/demo", "cmd/bench", "tools/package", "cmd/score",
		"tools/shape", "tools/mutants", "tools/release",
	},
}

var adapters = []string{
	"pkg/storage/mem", "pkg/storage/azure", "pkg/storage/sqlitestore",
	"pkg/search/sqlitesearch", "pkg/search/azureaisearch", "pkg/llm/openai",
}

// pure packages import nothing that reaches outside.
var pure = []string{
	"pkg/base/fault", "pkg/base/percent", "pkg/content/mbox", "pkg/identity/source", "pkg/identity/lineage",
	"pkg/policy/schedule", "pkg/policy/host", "pkg/policy/robots", "pkg/content/extract",
	"pkg/content/extract/mail", "pkg/content/extract/ooxml", "pkg/content/extract/sheet", "pkg/content/chunk",
	"pkg/content/discover", "pkg/policy/site", "pkg/policy/change", "pkg/policy/digest", "pkg/policy/options",
	"pkg/policy/watch", "pkg/content/part",
}

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
	support := strings.HasSuffix(pkg, "test") // only tests import it
	if slices.Contains(adapters, dep) && pkg != "pkg/app" && !strings.HasPrefix(pkg, "cmd/") && !support {
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
