package source_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// TestX4Forms checks in which form an address is requested (X4).
func TestX4Forms(t *testing.T) {
	const base = "https://port.example"
	for raw, want := range map[string]source.Form{
		"/a":                    {},
		"/a#b":                  {},
		"/a/":                   {Requested: "/a/"},
		"/?":                    {},
		"/a?b=2&a=1":            {Requested: "/a?b=2&a=1"},
		"/a?a=1&b=2":            {},
		"/a?a=1&utm_source=x":   {Tracked: "/a?a=1&utm_source=x"},
		"/a/?utm_source=x":      {Requested: "/a/", Tracked: "/a/?utm_source=x"},
		"/a?UTM_Source=x&gclid": {Tracked: "/a?UTM_Source=x&gclid"},
		"/a?password=x&b=2&a=1": {Requested: "/a?b=2&a=1"},
		"/%7ea":                 {Requested: "/%7ea"},
		"/a[0]":                 {Requested: "/a[0]"},
		"/a%zz":                 {},
		"/a/" + strings.Repeat("x", source.MaxNormalized) + "/../../": {Requested: "/a/"},
	} {
		s, err := source.DefaultRules().ParseURL(base + raw)
		if err != nil {
			if len(raw) < 100 {
				t.Errorf("%s: %v", raw, err)
			}
			continue
		}
		have := source.DefaultRules().FormOf(s, base+raw)
		if strings.TrimPrefix(have.Requested, base) != want.Requested ||
			strings.TrimPrefix(have.Tracked, base) != want.Tracked {
			if len(raw) < 100 {
				t.Errorf("%s: %+v, want %+v", raw, have, want)
			}
		}
	}
	s, _ := source.DefaultRules().ParseURL(base + "/a")
	forms := source.Forms{}
	forms.Note(s, base+"/a/", source.DefaultRules())
	forms.Note(s, base+"/a", source.DefaultRules())
	if forms[s.ID()].Requested != base+"/a/" {
		t.Errorf("the first form does not count: %+v", forms)
	}
}

// TestX4FormsAreTheSource checks that each form of an address is the same source, can be requested, and that the
// requested one has no tracker (X4).
func TestX4FormsAreTheSource(t *testing.T) {
	r := source.DefaultRules()
	pieces := []string{"a", "/", "//", "?", "&", "=", "%7e", "%2f", "%", "utm_source=x", "gclid", "[0]", "é", "#", ".",
		"..", ";",
		"b=2", "a=1", "+", " "}
	rapid.Check(t, func(t *rapid.T) {
		raw := "http://port.example/" + strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		s, err := r.ParseURL(raw)
		if err != nil {
			return
		}
		form := r.FormOf(s, raw)
		for _, one := range []string{form.Requested, form.Tracked} {
			if one == "" {
				continue
			}
			if same, err := r.ParseURL(one); err != nil || same != s {
				t.Fatalf("%q: the form %q is %+v, %v", raw, one, same, err)
			}
			requestable(t, one)
		}
		again := r.FormOf(s, form.Requested)
		if form.Requested != "" && (again.Tracked != "" || again.Requested != form.Requested) {
			t.Fatalf("%q: the form of %q is %+v", raw, form.Requested, again)
		}
	})
}
