package credential_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
)

// holder keeps a credential where formatting verbs cannot call its methods.
type holder struct{ hidden credential.Credential }

// shown returns the output of the common ways to print and encode v.
func shown(v any) string {
	var out bytes.Buffer
	for _, verb := range "vsqxXdtbcopeEfFgGUT" {
		for _, flag := range []string{"", "+", "#", " ", "0"} {
			fmt.Fprintf(&out, "%"+flag+string(verb), v)
		}
	}
	fmt.Fprint(&out, v)
	_ = json.NewEncoder(&out).Encode(v)
	_ = xml.NewEncoder(&out).Encode(v)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", v)
	return out.String()
}

// leaks reports whether text contains the secret, in plain text or in hex as %x writes it.
func leaks(text, secret string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, strings.ToLower(secret)) || strings.Contains(text, fmt.Sprintf("%x", secret))
}

func TestA24NeverShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Upper-case base32 is unchanged by every encoding, and no other text looks like it.
		secret := rapid.StringMatching(`[A-Z2-7]{16,40}`).Draw(t, "secret")
		form := rapid.SampledFrom([]string{
			"bearer https://e.com %s", "basic https://e.com me:%s", "header https://e.com X-Key: %s",
			"sas https://e.com sv=1&sig=%s", "connection https://e.com SharedAccessSignature=sv=1&sig=%s",
			// these are refused
			"bearer %s", "%s https://e.com x", "key https://e.com !%s", "identity https://e.com x%s",
			"bearer https://%s@e.com x",
			"basic https://e.com %s", "header https://e.com %s", "sas https://e.com/?%s x", "header https://e.com A: 1\n%s",
			"bearer https://e.com %s x", "bearer ht tps://%s x", "connection https://e.com %s", "bearer https://e.com:%s/ x",
			"header https://e.com Host: %s", "sas https://e.com/a/../%s sv=1&sig=1",
		}).Draw(t, "form")
		get := func(string) string { return fmt.Sprintf(form, secret) }
		c, err := credential.Find(get, "X")
		for _, v := range []any{c, &c, err, holder{c}, &holder{c}, []credential.Credential{c}, map[string]any{"c": c}} {
			if text := shown(v); leaks(text, secret) {
				t.Fatalf("%T of %q leaks:\n%s", v, form, text)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"bearer https://e.com tok", "basic https://e.com a:b", "header https://e.com A: b\nC: d",
		"sas https://e.com/c sv=1&sig=1",
		"key http://127.0.0.1:10000/a " + accountKey, "connection https://e.com AccountKey=" + accountKey,
		"identity https://e.com",
		"@Microsoft.KeyVault(x)", "bearer https://[::1]:443 x", "bearer https://e.com:/ x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		c, err := credential.Parse(value)
		if err != nil {
			return
		}
		// Kind, WHERE and secret give the same credential again.
		again, err := credential.Parse(string(c.Kind()) + " " + strings.SplitN(c.String(), " for ", 2)[1] + " " + c.Reveal())
		if err != nil || again.String() != c.String() || again.Reveal() != c.Reveal() {
			t.Fatalf("%q reads as %v, then as %v, %v", value, c, again, err)
		}
	})
}
