package main

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/storage"
)

// writeSettings writes the settings file of a data folder.
func writeSettings(t *testing.T, data, text string) string {
	t.Helper()
	file := filepath.Join(data, app.ConfigFile)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestL10SettingsCommand checks what is shown of settings, and that a change is checked before it is written.
func TestL10SettingsCommand(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new")
	env := map[string]string{"TIDEMARK_DATA": data, "CRAWL_CONTACT": "me@example.com", "TIDEMARK_KEY": "hunter2"}
	said := well(t, env, "settings", "set", "PORT", "8080")
	if !strings.Contains(said, "PORT is now 8080, in "+data) || !strings.Contains(said, "at the next start") {
		t.Errorf("said %q", said)
	}
	if said := well(t, env, "settings", "set", "LOG_LEVEL", "debug"); !strings.Contains(said, "within a minute") {
		t.Errorf("said %q", said)
	}
	well(t, env, "settings", "set", "CREDENTIAL_WIKI", "bearer https://wiki.example hunter2")
	shown := well(t, env, "settings")
	for _, want := range []string{"NAME ", "PORT ", " 8080 ", " file ", "me@example.com ", " environment ",
		"a port of 1 to 65535", data} {
		if !strings.Contains(shown, want) || strings.Contains(shown, "hunter2") {
			t.Errorf("%q is not shown, or a secret is, in\n%s", want, shown)
		}
	}
	if one := well(t, env, "settings", "PORT"); !strings.HasPrefix(one, "PORT=8080 (file)\n  tidemark start: port of") {
		t.Errorf("shown %q", one)
	}
	var list api.ServerSettings
	if err := json.Unmarshal([]byte(well(t, env, "settings", "--json", "CREDENTIAL_WIKI")), &list); err != nil ||
		len(list.Settings) != 1 || list.Settings[0].Value != "set" || !list.Settings[0].Secret {
		t.Errorf("%v %+v", err, list)
	}
	file := filepath.Join(data, app.ConfigFile)
	before, _ := os.ReadFile(file)
	refusedWith(t, env, "did you mean CRAWL_M", "settings", "CRAWL_DELAY")
	refusedWith(t, env, "is set in the environment", "settings", "set", "CRAWL_CONTACT", "x")
	refusedWith(t, env, `nothing was changed: --port (PORT) is "x"`, "settings", "set", "PORT", "x")
	refusedWith(t, env, "nothing was changed: AUTH_HEADER is", "settings", "set", "AUTH_HEADER", "Remote-User")
	refusedWith(t, env, "nothing was changed: STORAGE", "settings", "set", "STORAGE", "disk")
	refusedWith(t, env, `changed: LOG_FORMAT="xml": allowed is text or json`, "settings", "set", "LOG_FORMAT", "xml")
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Errorf("written: %q", after)
	}
	writeSettings(t, data, "PORT: x\nCRAWL_GONE_AFTER: y\n") // one after the other can be mended
	code, _, left := runIn(t, env, "settings", "set", "PORT", "1")
	if code != 0 || !strings.Contains(left, "still wrong: CRAWL_GONE") {
		t.Errorf("%d %q", code, left)
	}
}

// TestL10EveryCommandReadsTheFile checks that commands with a data folder refuse a bad file, read a good one, and that
// those which need none go on.
func TestL10EveryCommandReadsTheFile(t *testing.T) {
	data, to := foldertest.WithItem(t, time.Now()), filepath.Join(t.TempDir(), "to")
	env := map[string]string{"STORAGE": "embedded"}
	writeSettings(t, data, "CRAWL_DELAY: 1\n")
	for _, args := range [][]string{{"start", "--no-input"}, {"backup", to}, {"export", to}, {"keys", "list"},
		{"settings"}, {"restore", to}, {"import-state", to}, {"azurite"}} {
		refusedWith(t, env, app.ConfigFile+":1: there is no setting", append(args, "--data", data)...)
	}
	refusedWith(t, map[string]string{"TIDEMARK_DATA": data}, "there is no setting", "status")
	well(t, map[string]string{"TIDEMARK_DATA": data}, "version")
	code, out, _ := runIn(t, env, "doctor", "--data="+data, "--json")
	if want := filepath.Join(data, app.ConfigFile) + ":1: there is"; code != 1 || !strings.Contains(out, want) {
		t.Errorf("%d %s", code, out)
	}
	elsewhere := writeSettings(t, t.TempDir(), "PORT: hunter2\nLISTEN: http://x/\nCRAWL_GONE_AFTER: y\nSTORAGE: disk\n"+
		"AZURITE_PORT_BASE: 0\nTRUSTED_PROXIES: a b\nTLS_CERT_FILE: c\nLOG_FORMAT: xml\nCRAWL_DELAY: 1\nPROT: 1\n")
	env = map[string]string{"TIDEMARK_CONFIG": elsewhere}
	code, _, said := runIn(t, env, "start", "--no-input", "--data", t.TempDir())
	for _, name := range []string{"(PORT) is", "LISTEN is", "CRAWL_GONE_AFTER=", "STORAGE is", "(AZURITE_PORT_BASE) is",
		`TRUSTED_PROXIES: "a"`, `TRUSTED_PROXIES: "b"`, "TLS_KEY_FILE", "LOG_FORMAT=", ":9: there is no", ":10: there is no"} {
		if code != 1 || strings.Count(said, name) != 1 {
			t.Errorf("%d: %s is not reported once in %q", code, name, said)
		}
	}
	env = map[string]string{"TIDEMARK_CONFIG": writeSettings(t, t.TempDir(), "PORT: 'x\n"), "CRAWL_GONE_AFTER": "y"}
	refusedWith(t, env, "yaml: line 2: found", "start", "--no-input", "--data", t.TempDir())
	refusedWith(t, env, "CRAWL_GONE_AFTER=", "start", "--no-input", "--data", t.TempDir())
	env = map[string]string{"TIDEMARK_CONFIG": filepath.Join(t.TempDir(), "none.yaml")}
	refusedWith(t, env, "cannot be read", "status")
	well(t, env, "settings", "set", "PORT", "1")
	well(t, env, "settings")
}

// TestZ5StoresKeepTheirSettings checks that every command refuses settings with which the items of a store would not be
// found, with what to do, and that doctor finds an address that an earlier version has stored twice.
func TestZ5StoresKeepTheirSettings(t *testing.T) {
	data := foldertest.WithItem(t, time.Now())
	env := foldertest.Embedded(data)
	file := filepath.Join(t.TempDir(), "a.backup")
	record(t, data)
	well(t, env, "backup", file)
	for name, value := range map[string]string{"REGISTRY_PARTITION_STRATEGY": "scheme",
		"REGISTRY_TABLE_NAME": "Sources2"} {
		env := map[string]string{"STORAGE": "embedded", "TIDEMARK_DATA": data, name: value}
		refused := name + " is " + value + ", but the items of this store were made with"
		refusedWith(t, env, refused, "start", "--no-input")
		refusedWith(t, foldertest.Embedded(data), refused, "settings", "set", name, value)
		refusedWith(t, env, "Set "+name+"=", "export", t.TempDir())
		refusedWith(t, env, "nothing was changed", "restore", "--data", filepath.Join(t.TempDir(), "r"), file)
		code, out, _ := runIn(t, env, "doctor", "--deep", "--json")
		if code != 1 || !strings.Contains(out, "Set "+name+"=") {
			t.Errorf("%d %s", code, out)
		}
	}
	twice(t, data)
	code, out, _ := runIn(t, env, "doctor", "--deep", "--json")
	if want := `"check":"items","result":"problem","says":"https://a.example/ is there twice`; code != 1 ||
		!strings.Contains(out, want) {
		t.Errorf("%d, want %s in\n%s", code, want, out)
	}
}

// onStoreOf calls do with the store of a data folder.
func onStoreOf(t *testing.T, data string, do func(storage.Store) error) {
	t.Helper()
	env := foldertest.Embedded(data)
	store, err := app.OpenStore(func(n string) string { return env[n] }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := do(store); err != nil {
		t.Fatal(err)
	}
}

// record lets a data folder say the usual settings.
func record(t *testing.T, data string) {
	t.Helper()
	usual := migrate.Layout{Table: registry.DefaultTable, Strategy: source.ByHost}
	onStoreOf(t, data, func(s storage.Store) error { return migrate.RecordForm(t.Context(), s, usual) })
}

// twice registers the page of a data folder by the other strategy, too.
func twice(t *testing.T, data string) {
	t.Helper()
	onStoreOf(t, data, func(s storage.Store) error {
		src, err := source.DefaultRules().ParseURL("https://a.example/")
		if err != nil {
			return err
		}
		reg := registry.New(s, registry.Options{Strategy: source.ByScheme})
		return reg.Items.Register(t.Context(), []source.Source{src}, registry.RegisterOptions{})[0].Err
	})
}
