package site

import (
	"regexp"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// TestE16Globs checks which normalized addresses globs match (E16).
func TestE16Globs(t *testing.T) {
	for _, tt := range []struct {
		glob, address string
		want          bool
	}{
		{"/docs/", "https://a.example/docs", true},
		{"/docs/", "https://a.example/docs/a/b", true},
		{"/docs/", "https://a.example/docs?page=2", true},
		{"/docs/", "https://a.example/docstrings", false},
		{"/docs/**", "https://a.example/docs/a/b", true},
		{"/docs/*", "https://a.example/docs/a", true},
		{"/docs/*", "https://a.example/docs/a/b", false},
		{"/**.html", "http://a.example:8080/x/y.html", true},
		{"/**.html", "https://a.example/x/y.htm", false},
		{"/a.b", "https://a.example/aXb", false},
		{"https://a.example/**", "https://a.example/x", true},
		{"https://a.example/**", "https://b.example/x", false},
		{"/*?print=*", "https://a.example/x?print=1", true},
	} {
		expression, err := Glob(tt.glob)
		if err != nil {
			t.Errorf("%s: %v", tt.glob, err)
		} else if got := regexp.MustCompile(expression).MatchString(tt.address); got != tt.want {
			t.Errorf("%s matches %s: %v (%s)", tt.glob, tt.address, got, expression)
		}
	}
	for _, bad := range []string{"", "docs/*", "ftp://a/", string(make([]byte, 500))} {
		if _, err := Glob(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

// FuzzE16Glob checks that any glob is refused, or becomes an expression that a site file takes.
func FuzzE16Glob(f *testing.F) {
	for _, seed := range []string{"/docs/**", "/*/x'*", "https://a.example/", "/", "/***", "/[a-z](x)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		made, err := Glob(text)
		if err != nil {
			return
		}
		if _, err := expression(made); err != nil {
			t.Errorf("%q becomes %q: %v", text, made, err)
		}
	})
}
