package handlers

import (
	"net/http"
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
