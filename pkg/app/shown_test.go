package app

import (
	"strconv"
	"strings"
	"testing"
)

// TestD5ConfigShowsNoSecrets checks that for a setting that may be a secret, only its presence is shown, whatever its
// name.
func TestD5ConfigShowsNoSecrets(t *testing.T) {
	const secret = "hunter2"
	told := shownSettings(func(name string) string {
		if strings.HasPrefix(name, "CRAWL_CONTACT") {
			return "port@port.example"
		}
		if s, _ := documented(name); s.audience == shown {
			return ""
		}
		return secret
	})
	for name, value := range told {
		if strings.Contains(value, secret) {
			t.Errorf("%s is shown", name)
		}
	}
	for name, want := range map[string]string{
		"CRAWL_CONTACT": "port@port.example", "CRAWL_UNCHANGED_STEPS": "3", "LITELLM_MASTER_KEY": "(set)",
		"AzureWebJobsStorage": "(set)",
		"SEARCH_API_KEY":      "(set)", "SEARCH_ENDPOINT": "(set)", "OPENAI_BASE_URL": "(set)", "TIDEMARK_KEY": "",
		"CREDENTIAL_<NAME>": "",
	} {
		if told[name] != want {
			t.Errorf("%s: have %q, want %q", name, told[name], want)
		}
	}
}

// TestD5ConfigShowsSwitches checks that switches and numbers are shown with their values, because they are not
// secret.
func TestD5ConfigShowsSwitches(t *testing.T) {
	for _, s := range Settings {
		_, err := strconv.ParseFloat(s.Default, 64)
		if s.audience == command || err != nil && s.Default != "true" && s.Default != "false" {
			continue
		}
		shown := shownSettings(func(name string) string {
			if name == s.Name {
				return "7"
			}
			return ""
		})
		if shown[s.Name] != "7" {
			t.Errorf("%s is shown as %q", s.Name, shown[s.Name])
		}
	}
}
