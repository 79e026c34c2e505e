package verdict

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
)

// TestA14FingerprintOf checks A14: a host's page for pages that do not exist keeps its name while it looks the same.
func TestA14FingerprintOf(t *testing.T) {
	words := strings.Fields(strings.Repeat("tide wind harbour lamp rope anchor gull pier ", 8))
	shown := func(more ...string) Fingerprint {
		body := "<title>x</title><main><p>" + strings.Join(slices.Concat(words, more), " ") + "</p></main>"
		doc, err := web.Extract([]byte(body), "text/html", "https://a.example/", extract.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		a := Describe(doc, doc.ContentHash(), "/")
		a.Version = lineage.Current.String()
		return a
	}
	encode := func(a Fingerprint) string {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := shown()
	first.ID = FingerprintID(Fingerprint{}, encode(first))
	other := Fingerprint{Content: "sha256:other", Version: first.Version, ID: "other"}
	older := first
	older.Version = "http_snapshot_url_v1_text_v1"
	older.ID = FingerprintID(Fingerprint{}, encode(older))
	root := Fingerprint{ToRoot: true, ID: "root"}
	for _, tt := range []struct {
		name  string
		known Fingerprint
		now   string
		same  bool
	}{
		{"the same", first, encode(first), true},
		{"with another date", first, encode(shown("Tuesday")), true},
		{"nothing was known", Fingerprint{}, encode(first), false},
		{"Z2 the same, read under another version", older, encode(first), false},
		{"another page", other, encode(first), false},
		{"the front page", first, encode(root), false},
		{"still the front page", root, encode(root), true},
		{"no longer the front page", root, encode(first), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id := FingerprintID(tt.known, tt.now)
			if same := id == tt.known.ID; same != tt.same || id == "" {
				t.Errorf("%q after %q", id, tt.known.ID)
			}
		})
	}
	if id := FingerprintID(first, ""); id != "" {
		t.Errorf("an honest host has the fingerprint %q", id)
	}
}
