package fetch

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestX2CanonicalLink checks which address Link headers give as canonical (X2).
func TestX2CanonicalLink(t *testing.T) {
	const base = "https://a.example/dir/page"
	for _, tt := range []struct {
		link []string
		want string
	}{
		{[]string{`<https://a.example/x>; rel="canonical"`}, "https://a.example/x"},
		{[]string{`</x>; rel=canonical`}, "https://a.example/x"},
		{[]string{`<x>;rel=canonical`}, "https://a.example/dir/x"},
		{[]string{`<x?a=1,2;3>; rel="canonical"`}, "https://a.example/dir/x?a=1,2;3"},
		{[]string{`<\x>; REL=CANONICAL`}, "https://a.example/x"},
		{[]string{`</n>; rel=next, </x>; rel="alternate canonical"`}, "https://a.example/x"},
		{[]string{`</n>; title="</y>; rel=canonical"; rel=next`, `</x>; rel=canonical; type=text/html`},
			"https://a.example/x"},
		{[]string{`</x>; title="a \", b"; rel=canonical`}, "https://a.example/x"},
		{[]string{`</x>; rel='canonical'`}, "https://a.example/x"},
		{[]string{`</x>; rel='alternate canonical'; type='text/html'`}, "https://a.example/x"},
		{[]string{` , ,</x> ; rel = canonical`}, "https://a.example/x"},
		{[]string{`</x>; rel=canonical, </x>; rel=canonical`}, "https://a.example/x"},
		{[]string{`</x>; rel=canonical, </y>; rel=canonical`}, ""},
		{[]string{`</x>; rel=next; rel=canonical`}, ""},
		{[]string{`</x>; rel=canonical; anchor="/other"`}, ""},
		{[]string{`</x>; rel=canonicalize`}, ""},
		{[]string{`</x>`}, ""},
		{[]string{`</x; rel=canonical`}, ""},
		{[]string{`/x; rel=canonical`}, ""},
		{[]string{`<javascript:alert(1)>; rel=canonical`}, ""},
		{nil, ""},
	} {
		if have := CanonicalLink(http.Header{"Link": tt.link}, base); have != tt.want {
			t.Errorf("%q: have %q, want %q", tt.link, have, tt.want)
		}
	}
}

// FuzzX2CanonicalLink checks that the result is an absolute address, whatever a header contains.
func FuzzX2CanonicalLink(f *testing.F) {
	f.Add(`</x>; rel="canonical", <y>; rel=next; title="a \" b"`)
	f.Add(`<;,=">`)
	f.Add(`<\x>; rel='canonical', </y>;rel = next;;`)
	f.Add(`</x>; title="</y>; rel=canonical"; rel=canonical; anchor=""`)
	f.Fuzz(func(t *testing.T, link string) {
		have := CanonicalLink(http.Header{"Link": {link}}, "https://a.example/")
		if have == "" {
			return
		}
		u, err := url.Parse(have)
		if err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "http") || u.User != nil {
			t.Errorf("%q gives %q (%v)", link, have, err)
		}
	})
}
