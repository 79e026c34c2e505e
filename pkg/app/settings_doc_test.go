package app

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/storage/azure"
)

var updateDocs = flag.Bool("update", false, "rewrite what is generated in docs")

// asked records the names that code reads while it reads settings from values.
func asked(values map[string]string, read func(get func(string) string)) []string {
	var names []string
	read(func(name string) string {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return values[name]
	})
	return names
}

func loadAsks(t *testing.T) []string {
	t.Helper()
	return asked(nil, func(get func(string) string) {
		if _, err := Load(get); err != nil {
			t.Fatalf("without any setting: %v", err)
		}
	})
}

// storageAsks returns the names that the storage adapter reads for each way of naming an account.
func storageAsks(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, values := range []map[string]string{
		{"AzureWebJobsStorage": "UseDevelopmentStorage=true"},
		{"AzureWebJobsStorage__accountName": "account", "AzureWebJobsStorage__credential": "managedidentity"},
	} {
		names = append(names, asked(values, func(get func(string) string) {
			store, err := azure.Open(get, azure.Options{})
			if err != nil {
				t.Fatal(err)
			}
			_ = store.Close()
		})...)
	}
	return names
}

// commandAsks finds, in the source of the command, every call that reads one variable by name, and its default where
// the code has one: cmp.Or(getenv(NAME), DEFAULT).
func commandAsks(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	below, err := filepath.Glob(filepath.Join("..", "..", "cmd", "tidemark", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(below, ".") {
		if strings.HasSuffix(dir, "test") { // foldertest is for tests
			continue
		}
		for _, file := range treetest.Parse(t, "cmd/tidemark/"+filepath.Base(dir), false) {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				if name, asked := askedName(call); asked && found[name] == "" {
					found[name] = ""
				}
				if inner, ok := call.Args[0].(*ast.CallExpr); ok && calledName(call) == "Or" && len(call.Args) == 2 {
					if name, asked := askedName(inner); asked {
						found[name], _ = literal(call.Args[1])
					}
				}
				return true
			})
		}
	}
	return found
}

// askedName returns the name of the variable that a call reads.
func askedName(call *ast.CallExpr) (string, bool) {
	if len(call.Args) != 1 || !slices.Contains([]string{"getenv", "Getenv"}, calledName(call)) {
		return "", false
	}
	return literal(call.Args[0])
}

func calledName(call *ast.CallExpr) string {
	switch fn := call.Fun.(type) {
	case *ast.SelectorExpr:
		return fn.Sel.Name
	case *ast.Ident:
		return fn.Name
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

func documented(name string) (Setting, bool) {
	i := slices.IndexFunc(Settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return Setting{}, false
	}
	return Settings[i], true
}

// TestA25SettingsAreDocumented checks that the settings that are read and those that are listed are the same.
func TestA25SettingsAreDocumented(t *testing.T) {
	// Not settings of Tidemark: the Functions host sets the first, a terminal the second, systemd the third, a login the
	// others.
	foreign := []string{"FUNCTIONS_CUSTOMHANDLER_PORT", "TERM", "RUNTIME_DIRECTORY", "USER", "HOME", "XDG_STATE_HOME"}
	// Other names of NO_PROXY and HTTPS_PROXY.
	others := []string{"no_proxy", "https_proxy", "HTTP_PROXY", "http_proxy", handedVar}
	read := append(loadAsks(t), storageAsks(t)...)
	read = append(read, asked(nil, func(get func(string) string) { ReadSources(get, nil, t.TempDir()) })...)
	for name, def := range commandAsks(t) {
		if slices.Contains(foreign, name) {
			continue
		}
		read = append(read, name)
		if name == "BACKFILL_ENABLED" { // the command sets it if the app's folder has a site file
			continue
		}
		if s, _ := documented(name); def != "" && s.Default != def {
			t.Errorf("%s: the command's default is %q, the documented one %q", name, def, s.Default)
		}
	}
	for _, name := range read {
		if _, ok := documented(name); !ok && !slices.Contains(others, name) {
			t.Errorf("%s is read but not listed in Settings", name)
		}
	}
	for i, s := range Settings {
		isPattern := strings.Contains(s.Name, "<") // users choose the names
		if !isPattern && !slices.Contains(read, s.Name) {
			t.Errorf("%s is listed but nothing reads it", s.Name)
		}
		if s.describe() == "" || strings.ContainsAny(s.describe(), "|\n{}") {
			t.Errorf("%s: meaning %q does not fit a table", s.Name, s.describe())
		}
		if slices.IndexFunc(Settings, func(first Setting) bool { return first.Name == s.Name }) != i {
			t.Errorf("%s is listed twice", s.Name)
		}
	}
}

// TestA25SeedDefaults checks the names and defaults of spec 003 §11.
func TestA25SeedDefaults(t *testing.T) {
	for name, want := range map[string]string{
		"REGISTRY_TABLE_NAME":               "IngestItems",
		"REGISTRY_PARTITION_STRATEGY":       "host",
		"CRAWL_BASE_INTERVAL_SECONDS":       "86400",
		"CRAWL_MAX_INTERVAL_SECONDS":        "1209600",
		"CRAWL_ERROR_BACKOFF_BASE":          "600",
		"TRACKING_PARAM_PREFIXES":           "utm_, gclid, fbclid, msclkid",
		"FORCE_REINDEX_ON_CANONICAL_CHANGE": "true",
	} {
		if s, _ := documented(name); s.Default != want {
			t.Errorf("%s: have %q, want %q", name, s.Default, want)
		}
	}
}

// TestDocumentedDefaultsAreReal checks that setting a variable to its documented default changes nothing.
func TestDocumentedDefaultsAreReal(t *testing.T) {
	unset, err := Load(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Settings {
		set, err := Load(func(n string) string {
			if n == s.Name {
				return s.Default
			}
			return ""
		})
		set.PolitenessSet = false // it reports, as intended, that one of the three was set
		if err != nil {
			t.Errorf("%s: the documented default is refused: %v", s.Name, err)
		} else if !reflect.DeepEqual(unset, set) {
			t.Errorf("%s=%s is not the real default: have %+v, want %+v", s.Name, s.Default, set, unset)
		}
	}
}

// The defaults of the settings are the defaults of the packages.
func TestDefaultsAreThoseOfThePackages(t *testing.T) {
	c, err := Load(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(schedule.Defaults(), c.Schedule); diff != "" {
		t.Errorf("the schedule (-package +settings):\n%s", diff)
	}
	if c.Fetch.MaxBytes != fetch.DefaultMaxBytes || c.Fetch.Timeout != fetch.DefaultTimeout ||
		c.Fetch.MaxRedirects != fetch.DefaultMaxRedirects || c.SentinelPerDay != sitepoll.DefaultPerDay ||
		c.Rules.String() != source.DefaultRules().String() {
		t.Errorf("%+v", c)
	}
}

// TestDocumentedServer checks the one default that is a constant of the command.
func TestDocumentedServer(t *testing.T) {
	s, _ := documented("TIDEMARK_SERVER")
	want := "const DefaultServer = " + strconv.Quote(s.Default)
	if !strings.Contains(treetest.Read(t, "cmd/tidemark/command/command.go"), want) {
		t.Errorf("cmd/tidemark has no %s", want)
	}
}

// TestExampleSettings checks that the example names only settings of the app.
func TestExampleSettings(t *testing.T) {
	var file struct{ Values map[string]string }
	if err := json.Unmarshal([]byte(treetest.Read(t, "local.settings.json.example")), &file); err != nil {
		t.Fatal(err)
	}
	for name := range file.Values {
		if _, ok := documented(name); !ok && name != "FUNCTIONS_WORKER_RUNTIME" {
			t.Errorf("local.settings.json.example sets %s, which is not listed in Settings", name)
		}
	}
}

// settingsTables returns the tables of docs/settings.md: the common settings, then the others by group.
func settingsTables() string {
	var b strings.Builder
	first := settingGroup{title: "What most people need"}
	for _, name := range common {
		s, _ := documented(name)
		first.settings = append(first.settings, s)
	}
	for i, g := range append([]settingGroup{first}, new(Config).groups()...) {
		fmt.Fprintf(&b, "\n## %s\n\n| name | default | meaning |\n|---|---|---|\n", g.title)
		for _, s := range g.settings {
			if i > 0 && slices.Contains(common, s.Name) {
				continue
			}
			def := ""
			if s.Default != "" {
				def = "`" + s.Default + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, def, s.describe())
		}
	}
	return b.String() + "\n"
}

var settingsBlock = regexp.MustCompile(`(?s)(<!-- settings: .*? -->\n)(.*?)(<!-- end of settings -->)`)

// TestSettingsDocument compares the table of docs/settings.md with Settings; -update rewrites it.
func TestSettingsDocument(t *testing.T) {
	const name = "docs/settings.md"
	doc := treetest.Read(t, name)
	m := settingsBlock.FindStringSubmatchIndex(doc)
	if m == nil {
		t.Fatalf("%s has no settings block", name)
	}
	have, want := doc[m[4]:m[5]], settingsTables()
	if have == want {
		return
	}
	if !*updateDocs {
		t.Fatalf("run go test ./pkg/app -run TestSettingsDocument -update; %s (-want +have):\n%s", name, cmp.Diff(want, have))
	}
	if err := os.WriteFile(filepath.Join("..", "..", name), []byte(doc[:m[4]]+want+doc[m[5]:]), 0o644); err != nil {
		t.Fatal(err)
	}
}
