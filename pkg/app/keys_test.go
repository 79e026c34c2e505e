package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/pkg/api"
)

// L4: the settings decide who checks keys. An unknown host is treated as one that lets anybody in.
func TestL4Access(t *testing.T) {
	for name, tt := range map[string]struct {
		set  map[string]string
		want handlers.Access
	}{
		"Azure": {map[string]string{"WEBSITE_SITE_NAME": "tide", "WEBSITE_HOSTNAME": "tide.azurewebsites.net"},
			handlers.HostKeys},
		"development in Azure": {map[string]string{"AZURE_FUNCTIONS_ENVIRONMENT": "Development",
			"WEBSITE_HOSTNAME": "tide.azurewebsites.net"}, handlers.HostKeys},
		"nothing is known": {nil, handlers.HostKeys},
		"tidemark start": {map[string]string{"AZURE_FUNCTIONS_ENVIRONMENT": "Development",
			"WEBSITE_HOSTNAME": "localhost:7071"}, handlers.Open},
		"a development host": {map[string]string{"AZURE_FUNCTIONS_ENVIRONMENT": "Development"}, handlers.Open},
		"demanded": {map[string]string{"AZURE_FUNCTIONS_ENVIRONMENT": "Development", "WEBSITE_HOSTNAME": "localhost:7071",
			"API_KEYS_REQUIRED": "true"}, handlers.OwnKeys},
	} {
		a, err := New(env(tt.set), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if have := a.access(); have != tt.want {
			t.Errorf("%s: %d, want %d", name, have, tt.want)
		}
	}
}

// L4: Azure's host would believe the name of a user of everybody, so the start is refused there.
func TestL4UserHeaderIsNotForAzure(t *testing.T) {
	set := map[string]string{"AUTH_HEADER": "Remote-User", "AUTH_HEADER_SCOPE": "write"}
	if cfg, err := Load(env(set)); err != nil || cfg.UserScope != api.ScopeWrite {
		t.Errorf("scope %q: %v", cfg.UserScope, err)
	}
	set["WEBSITE_SITE_NAME"] = "tide"
	if _, err := Load(env(set)); err == nil || !strings.Contains(err.Error(), "AUTH_HEADER=") {
		t.Errorf("in Azure: %v", err)
	}
	for _, scope := range []string{"feed", "root", ""} {
		cfg, err := Load(env(map[string]string{"AUTH_HEADER_SCOPE": scope}))
		if refused := err != nil; refused != (scope != "") || !refused && cfg.UserScope != api.ScopeRead {
			t.Errorf("scope %q: %q, %v", scope, cfg.UserScope, err)
		}
	}
}

// L4: keys that cannot be read stop the start, and the error does not contain them.
func TestL4BadKeysStopTheStart(t *testing.T) {
	secret := "s7Qw9zR2mX4vB6nT8pL1sD3fk5Hj0G"
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("anna root "+secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"API_KEYS": "anna root " + secret, "API_KEYS_FILE": file,
		"API_KEYS_REQUIRED": "perhaps"} {
		_, err := Load(env(map[string]string{name: value}))
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if shown := shownSettings(env(map[string]string{"API_KEYS": "anna read " + secret})); shown["API_KEYS"] != "(set)" {
		t.Errorf("shown: %v", shown["API_KEYS"])
	}
}
