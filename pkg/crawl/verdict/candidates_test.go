package verdict

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TestA16Claims checks A16: hosts that differ only in www. or the scheme are one host. Any other claim across hosts
// is ignored, and recorded once. A permanent redirect may lead anywhere.
func TestA16Claims(t *testing.T) {
	for _, tt := range []struct {
		name, source, canonical string
		chain                   []string
		want, foreign           string
	}{
		{"none", "http://h.example/p", "", nil, "", ""},
		{"itself", "http://h.example/p", "http://h.example/p", nil, "", ""},
		{"same host", "http://h.example/p", "http://h.example/q", nil, "http://h.example/q: rel=canonical", ""},
		{"other scheme", "http://h.example/p", "https://h.example/p", nil, "https://h.example/p: rel=canonical", ""},
		{"with www", "https://h.example/p", "http://www.h.example/p", nil, "http://www.h.example/p: rel=canonical", ""},
		{"without www", "https://www.h.example/p", "https://h.example/p", nil, "https://h.example/p: rel=canonical",
			""},
		{"other host", "https://h.example/p", "https://evil.example/p", nil, "", "on another host"},
		{"subdomain", "https://h.example/p", "https://m.h.example/p", nil, "", "on another host"},
		{"other port", "https://h.example/p", "https://h.example:8443/p", nil, "", "on another host"},
		{"permanent redirect anywhere", "http://h.example/p", "",
			[]string{"301 http://h.example/x", "308 https://k.example/y"}, "https://k.example/y: permanent redirect",
			""},
		{"redirect of spelling", "http://h.example/p", "", []string{"301 http://h.example/p/"}, "", ""},
		{"redirect away and back", "http://h.example/p", "",
			[]string{"301 http://h.example/x", "301 http://h.example/p/"}, "", ""},
		{"redirect for now", "http://h.example/p", "", []string{"301 http://h.example/x", "302 http://h.example/y"},
			"", ""},
		{"redirect for now by 307", "http://h.example/p", "", []string{"307 http://h.example/y"}, "", ""},
		{"redirect that is not shown", "http://h.example/p", "",
			[]string{"301 " + PublicURL("http://h.example/"+strings.Repeat("x", maxHop))}, "", ""},
		{"where it was moved, the canonical is at home", "http://h.example/p", "https://k.example/z",
			[]string{"301 https://k.example/y"},
			"https://k.example/y: permanent redirect, https://k.example/z: rel=canonical", ""},
		{"and so is one of the old host", "http://h.example/p", "https://h.example/z",
			[]string{"301 https://k.example/y"},
			"https://k.example/y: permanent redirect, https://h.example/z: rel=canonical", ""},
		{"but not for a while", "http://h.example/p", "https://k.example/z", []string{"302 https://k.example/y"}, "",
			"on another host"},
		{"both name the same", "http://h.example/p", "https://k.example/y", []string{"301 https://k.example/y"},
			"https://k.example/y: permanent redirect", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src, err := source.DefaultRules().ParseURL(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			it := registry.Item{
				Identity: registry.Identity{Type: src.Type, NormalizedSource: src.Normalized, SourceHost: src.Host},
				Seen:     registry.Seen{HTTPCanonicalURL: tt.canonical, HTTPRedirectChain: tt.chain},
			}
			claims, foreign := CandidatesOf(&it, source.DefaultRules())
			var have []string
			for _, c := range claims {
				have = append(have, c.Normalized+": "+c.Why)
			}
			if got := strings.Join(have, ", "); got != tt.want || !strings.Contains(foreign, tt.foreign) ||
				tt.foreign == "" && foreign != "" {
				t.Errorf("claims %q, foreign %q", got, foreign)
			}
		})
	}
}

// TestA16FilesClaimNothing checks A16: a file is never an alias of the page that it names.
func TestA16FilesClaimNothing(t *testing.T) {
	it := registry.Item{
		Identity: registry.Identity{Type: source.File, NormalizedSource: "file:///a.html"},
		Seen:     registry.Seen{HTTPCanonicalURL: "https://h.example/a"},
	}
	if claims, foreign := CandidatesOf(&it, source.DefaultRules()); claims != nil || foreign != "" {
		t.Errorf("claims %v, foreign %q", claims, foreign)
	}
	if better, worse := VariantsOf(&it, source.DefaultRules()); better != nil || worse != nil {
		t.Errorf("twins %v, %v", better, worse)
	}
}

const (
	apexS, wwwS = "https://h.example/p", "https://www.h.example/p"
	apex, www   = "http://h.example/p", "http://www.h.example/p"
)

func TestVariantsOf(t *testing.T) {
	for _, tt := range []struct{ of, better, worse string }{
		{apexS, "", apex + " " + wwwS},
		{wwwS, apexS, www},
		{apex, apexS, www},
		{www, wwwS + " " + apex, ""},
		{"http://h.example/p?a=www.h.example", "https://h.example/p?a=www.h.example",
			"http://www.h.example/p?a=www.h.example"},
		{"http://www.h.example:8080/", "http://h.example:8080/", ""},
		{"https://h.example:8443/", "", "https://www.h.example:8443/"},
		{"http://127.0.0.1/", "https://127.0.0.1/", ""},
		{"http://127.0.0.1:8080/", "", ""},
		{"http://[::1]/", "", ""},
		{"http://localhost/", "https://localhost/", ""},
	} {
		s, err := source.DefaultRules().ParseURL(tt.of)
		if err != nil {
			t.Fatal(err)
		}
		better, worse := VariantsOf(
			&registry.Item{Identity: registry.Identity{Type: s.Type, NormalizedSource: s.Normalized, SourceHost: s.Host}},
			source.DefaultRules(),
		)
		have := [2]string{urls(better), urls(worse)}
		if diff := cmp.Diff([2]string{tt.better, tt.worse}, have); diff != "" {
			t.Errorf("%s: %s", tt.of, diff)
		}
	}
}

func urls(claims []Candidate) string {
	var out []string
	for _, c := range claims {
		out = append(out, c.Normalized)
	}
	return strings.Join(out, " ")
}
