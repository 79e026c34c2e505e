package infra_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// TestF1StorageIsWhatTheAppUses checks that the account has every table, queue and container of an app with all
// features enabled, and no other (F1).
func TestF1StorageIsWhatTheAppUses(t *testing.T) {
	made := madeByTheApp(t)
	made["queue"] = append(made["queue"], poisonQueues(t)...)
	made["blob"] = append(made["blob"], "deployments") // used by the platform
	template := read(t, "storage.bicep")
	for kind, list := range map[string]string{"table": "tables", "queue": "queues", "blob": "containers"} {
		listed := matches(stripped(block(t, template, "var "+list+" = [", "\n]")), `'([\w-]+)'`)
		if kind == "blob" {
			listed = append(listed, matches(template, `(?s)resource snapshots .*?name: '(\w+)'`)...)
		}
		slices.Sort(listed)
		slices.Sort(made[kind])
		if diff := cmp.Diff(slices.Compact(made[kind]), listed); diff != "" {
			t.Errorf("%s of the app (-) and of storage.bicep (+):\n%s", list, diff)
		}
		if diff := cmp.Diff(listed, documented(t, list)); diff != "" {
			t.Errorf("%s of storage.bicep (-) and of docs/architecture.md (+):\n%s", list, diff)
		}
	}
}

// documented lists the tables, queues or containers that docs/architecture.md describes.
func documented(t *testing.T, list string) []string {
	t.Helper()
	section := block(t, read(t, "../docs/architecture.md"), "\n### "+strings.ToUpper(list[:1])+list[1:]+"\n", "\n##")
	var names []string
	for _, cell := range matches(section, "(?m)^\\| (`[^|]+`) \\|") {
		names = append(names, matches(cell, "`([^`]+)`")...)
	}
	slices.Sort(names)
	return names
}

// madeByTheApp starts an app with all features switched on over an empty store, and lists what it creates there, by
// kind.
func madeByTheApp(t *testing.T) map[string][]string {
	t.Helper()
	made, mu := map[string][]string{}, sync.Mutex{}
	store := storagetest.Hooked(mem.New(time.Now), storagetest.Hooks{OnAfter: func(_ context.Context, c storagetest.Call,
		err error) error {
		mu.Lock()
		defer mu.Unlock()
		if kind, ok := strings.CutSuffix(c.Op, ".Create"); ok {
			made[kind] = append(made[kind], c.Name)
		}
		return err
	}})
	settings := map[string]string{
		"TIDEMARK_DATA":    t.TempDir(),
		"OPENAI_BASE_URL":  "http://127.0.0.1:1", // is not asked before there is something to ask
		"EMBEDDINGS_MODEL": "model", "T1_DEFAULT_MODEL": "model", "T1_BATCH_MODEL": "model",
	}
	get := func(name string) string { return settings[name] }
	cfg, err := app.Load(get)
	if err != nil {
		t.Fatal(err)
	}
	index, err := sqlitesearch.Open(filepath.Join(t.TempDir(), "index.db"), sqlitesearch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	engine := struct{ search.Engine }{index} // does not tell what was written to it, as that of Azure
	if _, err := app.Assemble(t.Context(), cfg, get, store, engine, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return made
}

// poisonQueues are where the host puts what a queue function fails at too often.
func poisonQueues(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, path := range functionFiles(t) {
		var f struct{ Bindings []struct{ QueueName string } }
		if err := json.Unmarshal([]byte(read(t, path)), &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, b := range f.Bindings {
			if b.QueueName != "" && !strings.HasSuffix(b.QueueName, "-poison") {
				names = append(names, b.QueueName+"-poison")
			}
		}
	}
	if len(names) == 0 {
		t.Fatal("no function has a queue")
	}
	return names
}

func functionFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../functions/*/function.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

// block is what stands between two marks.
func block(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	inside, _, closed := strings.Cut(rest, to)
	if !ok || !closed {
		t.Fatalf("there is no %q … %q", from, to)
	}
	return inside
}

// stripped is text without its comments.
func stripped(text string) string { return regexp.MustCompile(`//.*`).ReplaceAllString(text, "") }

// bicepFiles are all templates.
func bicepFiles(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("*.bicep")
	if err != nil || len(names) < 2 {
		t.Fatal(names, err)
	}
	return names
}

// TestFilesThatTemplatesLoad: modules and queries are there, and no template or alert is left unused.
func TestFilesThatTemplatesLoad(t *testing.T) {
	used := map[string]bool{"main.bicep": true}
	for _, file := range bicepFiles(t) {
		for _, name := range matches(read(t, file), `(?:module \w+ |loadTextContent\()'([\w./-]+)'`) {
			used[name] = true
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	alerts, err := filepath.Glob("queries/alert-*.kql")
	if err != nil || len(alerts) == 0 {
		t.Fatal(alerts, err)
	}
	for _, name := range append(alerts, bicepFiles(t)...) {
		if !used[filepath.ToSlash(name)] {
			t.Errorf("%s is used by no template", name)
		}
	}
}

// TestNoSharedKeys: nothing here makes, asks for or hands on a key of an account.
func TestNoSharedKeys(t *testing.T) {
	for _, file := range bicepFiles(t) {
		text := stripped(read(t, file))
		for _, word := range []string{"listKeys", "listAccountSas", "AccountKey=", "SharedAccessKey",
			"allowSharedKeyAccess: true", "disableLocalAuth: false"} {
			if strings.Contains(text, word) {
				t.Errorf("%s says %s", file, word)
			}
		}
	}
	if !strings.Contains(read(t, "storage.bicep"), "allowSharedKeyAccess: false") {
		t.Error("storage.bicep does not forbid keys")
	}
}
