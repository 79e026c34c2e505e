package handlers

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestL10SettingsPage checks that administrators see the settings and where each comes from, and others do not.
func TestL10SettingsPage(t *testing.T) {
	g := newGuarded(t, OwnKeys)
	c := g.signIn(t, api.ScopeAdmin)
	w := ask(t, g, "GET", "/api/ui/settings", "", "Cookie", c.Name+"="+c.Value)
	for _, want := range []string{"<code>CRAWL_CONTACT</code>", "<code>a@port.example</code>", "the file",
		"the environment", ">set</td>", "tidemark settings set NAME VALUE"} {
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d without %q", w.Code, want)
		}
	}
	c = g.signIn(t, api.ScopeWrite)
	if w := ask(t, g, "GET", "/api/ui/settings", "", "Cookie", c.Name+"="+c.Value); w.Code != http.StatusForbidden {
		t.Errorf("settings for writers: %d", w.Code)
	}
}

// TestL11SettingsForm checks that an administrator changes a setting in the dashboard and takes it back, reads what was
// changed or why not, and that only settings that can be changed have a form (L11).
func TestL11SettingsForm(t *testing.T) {
	r := newRig(t)
	const page = "/api/ui/settings"
	body := shows(t, r, page, `name="name" value="LOG_LEVEL"`, `aria-label="Save LOG_LEVEL"`)
	if strings.Count(body, `name="value"`) != 1 || strings.Contains(body, `value="default"`) {
		t.Error("there are forms for settings that cannot be changed, or are not in the file")
	}
	for _, tt := range []struct{ do, value, want string }{
		{"", "debug", "<code>LOG_LEVEL</code> is now <code>debug</code>, from the file."},
		{"default", "debug", "<code>LOG_LEVEL</code> is now <code>info</code>, from the default."},
		{"", "warn", "is now <code>warn</code>"},
		{"", "", "is now <code>info</code>"},
	} {
		w := post(t, r, page, "same-origin", url.Values{"name": {"LOG_LEVEL"}, "value": {tt.value}, "do": {tt.do},
			"was": {""}})
		if to := w.Header().Get("Location"); to != page+"?changed=LOG_LEVEL" {
			t.Fatalf("%q leads to %q: %d %s", tt.value, to, w.Code, w.Body)
		}
		shows(t, r, page+"?changed=LOG_LEVEL", tt.want)
	}
	refused := map[string]string{"LOG_LEVEL": "allowed is a level", "LITELLM_MASTER_KEY": "in the environment"}
	for name, want := range refused {
		w := post(t, r, page, "same-origin", url.Values{"name": {name}, "value": {"loud"}, "was": {""}})
		if body := w.Body.String(); !strings.Contains(body, "Nothing was changed") || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", name, w.Code, body)
		}
	}
}
