package site

import (
	"strings"
	"testing"
)

// TestE16LimitsThatAreRefused checks that limits of following links are refused under the name of their field, without
// a file that nobody has written (E16).
func TestE16LimitsThatAreRefused(t *testing.T) {
	for field, f := range map[string]Follow{
		"depth": {Depth: MaxDepth + 1}, "pages": {Pages: -1}, "addresses": {Addresses: MaxAddresses + 1},
		"hosts": {Hosts: []string{"docs.port.example", "https://other.example/x"}},
	} {
		e, err := EntryOf("port.example")
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Using(Sources{Follow: &f})
		if err == nil || strings.Contains(err.Error(), "line ") || strings.Contains(err.Error(), e.Slug) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestE16Root checks that the root of a site has the scheme of its first page (E16).
func TestE16Root(t *testing.T) {
	for start, want := range map[string]string{
		"": "https://a.example/", "http://a.example/x": "http://a.example/", "https://a.example/x": "https://a.example/",
	} {
		s := Site{Domain: "a.example"}
		if start != "" {
			s.Start = []string{start}
		}
		if have := s.Root(); have != want {
			t.Errorf("%q: %s", start, have)
		}
	}
}
