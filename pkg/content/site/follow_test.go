package site

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestE16LimitsThatAreRefused checks that limits of following links are refused under the name of their field, without
// a file that nobody has written (E16).
func TestE16LimitsThatAreRefused(t *testing.T) {
	for field, f := range map[string]api.SiteFollow{
		"depth": {Depth: 21}, "pages": {Pages: -1}, "addresses": {Addresses: 500_001},
		"hosts": {Hosts: []string{"docs.port.example", "https://other.example/x"}},
	} {
		e, err := EntryOf("port.example")
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Using(api.SiteSettings{Follow: &f})
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

// TestV1TheFileSaysTheSame checks that the site file and a request refuse a value with the same words (V1).
func TestV1TheFileSaysTheSame(t *testing.T) {
	for file, s := range map[string]api.SiteSettings{
		"follow: {depth: 21}":            {Follow: &api.SiteFollow{Depth: 21}},
		"follow: {pages: -1}":            {Follow: &api.SiteFollow{Pages: -1}},
		"follow: {addresses: 500001}":    {Follow: &api.SiteFollow{Addresses: 500_001}},
		"follow: {hosts: [a.example/x]}": {Follow: &api.SiteFollow{Hosts: []string{"a.example/x"}}},
		"sitemaps: ['ftp://a.example']":  {Sitemaps: []string{"ftp://a.example"}},
		"feeds: [/f]":                    {Feeds: []string{"/f"}},
	} {
		_, read := Parse("f", []byte(minimal("  "+file)))
		e, err := EntryOf("a.example")
		if err != nil {
			t.Fatal(err)
		}
		_, asked := e.Using(s)
		if read == nil || asked == nil {
			t.Fatalf("%s: %v, %v", file, read, asked)
		}
		said := strings.TrimLeft(strings.TrimPrefix(asked.Error(), fault.FieldOf(asked)), ": ")
		if !strings.HasSuffix(read.Error(), ": "+said) {
			t.Errorf("the file: %v; a request: %v", read, asked)
		}
	}
}

// TestV2SettingsOfAnEntry checks that what is set of an entry is read from its file as it was set (V2).
func TestV2SettingsOfAnEntry(t *testing.T) {
	for _, address := range []string{"port.example", "http://port.example", "port.example/docs", "port.example/o'brien"} {
		for _, set := range []api.SiteSettings{
			{},
			{Feeds: []string{"https://port.example/f"}, Listings: []string{"https://port.example/news"}},
			{Sitemaps: []string{"https://port.example/s.xml"}, Include: []string{"/docs/**", "/a.b/*.html?x=[1]", "/**/it's"},
				Exclude: []string{"/print/**", "https://port.example/x*"}},
			{Follow: &api.SiteFollow{Depth: 2, Pages: 7, Addresses: 9, Hosts: []string{"a.example"}}},
		} {
			e, err := EntryOf(address)
			if err != nil {
				t.Fatal(err)
			}
			if e, err = e.Using(set); err != nil {
				t.Fatal(err)
			}
			sites, err := Parse("f", []byte(e.File()))
			if err != nil {
				t.Fatal(err)
			}
			again, have, err := sites.All()[0].Entry()
			if diff := cmp.Diff(set, have); err != nil || diff != "" {
				t.Errorf("%s: %v\n%s", address, err, diff)
			}
			if again, err = again.Using(have); err != nil || again.File() != e.File() {
				t.Errorf("%s: %v\n%s%s", address, err, e.File(), again.File())
			}
		}
	}
}
