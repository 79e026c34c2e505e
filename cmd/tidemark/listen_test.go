package main

import (
	"bytes"

	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/mem"
	"log/slog"
	"time"
)

// L4: where the app listens, and whether others reach it there.
func TestL4Listen(t *testing.T) {
	for text, want := range map[string]struct {
		address string
		beyond  bool
		url     string
	}{
		"":               {"127.0.0.1:7071", false, "http://localhost:7071"},
		"0.0.0.0":        {"0.0.0.0:7071", true, "http://localhost:7071"},
		"0.0.0.0:80":     {"0.0.0.0:80", true, "http://localhost:80"},
		":8080":          {":8080", true, "http://localhost:8080"},
		"::":             {"[::]:7071", true, "http://localhost:7071"},
		"[::]:8080":      {"[::]:8080", true, "http://localhost:8080"},
		"[::]":           {"[::]:7071", true, "http://localhost:7071"},
		"fd00::2":        {"[fd00::2]:7071", true, "http://[fd00::2]:7071"},
		"10.0.0.7":       {"10.0.0.7:7071", true, "http://10.0.0.7:7071"},
		"127.0.0.1:8080": {"127.0.0.1:8080", false, "http://localhost:8080"},
		"127.9.9.9":      {"127.9.9.9:7071", false, "http://localhost:7071"},
		"[::1]:8080":     {"[::1]:8080", false, "http://localhost:8080"},
		"localhost":      {"localhost:7071", false, "http://localhost:7071"},
		"tide.example":   {"tide.example:7071", true, "http://tide.example:7071"},
	} {
		o := startOptions{port: 7071}
		err := o.listen(&program{getenv: settings{"LISTEN": text}.get})
		if err != nil || o.address() != want.address || o.beyond != want.beyond || o.url() != want.url {
			t.Errorf("%q: %s, beyond %v, %s, %v", text, o.address(), o.beyond, o.url(), err)
		}
	}
}

type settings map[string]string

func (s settings) get(name string) string { return s[name] }

// L4: what cannot be meant is refused by name, before anything starts.
func TestL4BadListen(t *testing.T) {
	for want, set := range map[string]settings{
		"the port of LISTEN": {"LISTEN": "0.0.0.0:99999"}, "LISTEN is": {"LISTEN": "http://a.example/"},
		"TRUSTED_PROXIES":                {"TRUSTED_PROXIES": "10.0.0.0/8, proxy.example"},
		"TLS_CERT_FILE and TLS_KEY_FILE": {"TLS_CERT_FILE": "cert.pem"},
		"TLS_CERT_FILE, TLS_KEY_FILE":    {"TLS_CERT_FILE": "/nowhere/cert.pem", "TLS_KEY_FILE": "/nowhere/key.pem"},
	} {
		o := startOptions{port: 7071}
		if err := o.listen(&program{getenv: set.get}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", set, err, want)
		}
	}
	o := startOptions{port: 7071}
	if err := o.listen(&program{getenv: settings{"TRUSTED_PROXIES": "10.0.0.0/8,::1"}.get}); err != nil || !o.beyond ||
		len(o.proxies) != 2 {
		t.Errorf("proxies: %v, %+v", err, o.listening)
	}
}

// L4: without a key anywhere, others are not let in; one of the environment is enough.
func TestL4NoKeyNoStart(t *testing.T) {
	for name, tt := range map[string]struct {
		set     settings
		beyond  bool
		refused bool
	}{
		"this machine":        {settings{}, false, false},
		"others":              {settings{}, true, true},
		"demanded":            {settings{"API_KEYS_REQUIRED": "true"}, false, true},
		"with one in the env": {settings{"API_KEYS": "ci read " + strings.Repeat("k", 30)}, true, false},
	} {
		cfg, err := app.Load(tt.set.get)
		if err != nil {
			t.Fatal(err)
		}
		l := &local{config: cfg, app: startOptions{port: 7071, listening: listening{beyond: tt.beyond}},
			emulation: emulation{p: &program{}, log: &logs{Logger: slog.New(slog.DiscardHandler)}}}
		var store storage.Store = mem.New(time.Now)
		if err := l.checkKeys(t.Context(), store); (err != nil) != tt.refused ||
			err != nil && !strings.Contains(err.Error(), "tidemark keys add NAME --scope admin") {
			t.Errorf("%s: %v", name, err)
		}
		env, err := l.admitting()
		if demanded := strings.Contains(strings.Join(env, " "), "API_KEYS_REQUIRED=true"); err != nil ||
			demanded != l.needsKeys() {
			t.Errorf("%s: the app is told %v, %v", name, env, err)
		}
	}
}

// L4: the commands make, list and remove keys in the store of a data folder, and say that they do.
func TestL4KeysWithoutAServer(t *testing.T) {
	data := t.TempDir()
	run := func(args ...string) (string, string, int) {
		var out, said bytes.Buffer
		p := &program{out: &out, err: &said, getenv: settings{}.get, now: time.Now}
		code := p.run(t.Context(), append(append([]string{"keys"}, args...), "--data", data))
		return out.String(), said.String(), code
	}
	out, said, code := run("add", "anna", "--scope", "read")
	if code != 0 || !strings.Contains(out, "tm_") || !strings.Contains(said, "no server is asked") {
		t.Errorf("added: %d %s%s", code, out, said)
	}
	if out, _, _ := run("list"); !strings.Contains(out, "anna  read   added") {
		t.Errorf("listed: %s", out)
	}
	if out, _, _ := run("list", "--json"); !strings.Contains(out, `{"keys":[{"name":"anna","scope":"read"`) {
		t.Errorf("listed as JSON: %s", out)
	}
	if _, said, code := run("add", "Anna", "--scope", "read"); code != 1 || !strings.Contains(said, "a-z") {
		t.Errorf("a bad name: %d %s", code, said)
	}
	if _, said, code := run("add", "berta"); code != 2 || !strings.Contains(said, "scope") {
		t.Errorf("no scope: %d %s", code, said)
	}
	if out, _, code := run("remove", "anna"); code != 0 || !strings.Contains(out, "removed") {
		t.Errorf("removed: %d %s", code, out)
	}
	release, err := holdFolder(data, appLock)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, said, code := run("list"); code != 1 || !strings.Contains(said, "in use by another Tidemark") {
		t.Errorf("while it runs: %d %s", code, said)
	}
}
