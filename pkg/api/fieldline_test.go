package api

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestG1FieldLines checks that fields are read from lines, and that a line that is no field is refused (G1).
func TestG1FieldLines(t *testing.T) {
	for line, want := range map[string]FieldSpec{
		"price":                              {From: "declared"},
		"price = declared":                   {From: "declared"},
		"mine=declared:price":                {From: "declared", Path: "price"},
		"mine=css: p.now:first-child ":       {From: "css", Path: "p.now:first-child", Type: "text"},
		"mine:money:de-CH=css:a[b=c]":        {From: "css", Path: "a[b=c]", Type: "money", Locale: "de-CH"},
		"mine:number=opengraph:product:a:b":  {From: "opengraph", Path: "product:a:b", Type: "number"},
		`mine : money = jsonpath:$["a:b"].c`: {From: "jsonpath", Path: `$["a:b"].c`, Type: "money"},
	} {
		have, err := ParseFieldLines([]string{line})
		name := "mine"
		if strings.HasPrefix(line, "price") {
			name = "price"
		}
		if diff := cmp.Diff(map[string]FieldSpec{name: want}, have); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", line, err, diff)
		}
	}
	for _, bad := range []string{"", "=css:p", ":money=css:p", `"a" b=css:p`, "a="} {
		if have, err := ParseFieldLines([]string{bad}); err == nil {
			t.Errorf("%q is read as %v", bad, have)
		}
	}
	if _, err := ParseFieldLines([]string{"price", "price:money=css:p"}); err == nil {
		t.Error("a field that is given twice is not refused")
	}
}

// FuzzFieldLine checks that a field is the same after it is written and read.
func FuzzFieldLine(f *testing.F) {
	f.Add("price", "css", ".price :not(a=b)", "money", "de-CH")
	f.Add(`a:"=b`, "declared", "", "", "")
	f.Fuzz(func(t *testing.T, name, from, path, of, locale string) {
		clean := func(text, without string) string {
			return strings.TrimSpace(strings.Map(func(r rune) rune {
				if strings.ContainsRune(without, r) || r == '\uFFFD' {
					return -1
				}
				return r
			}, text))
		}
		name, path = clean(name, ""), clean(path, "")
		spec := FieldSpec{From: clean(from, ":"), Path: path, Type: clean(of, ":="), Locale: clean(locale, "=")}
		if name == "" || spec.From == "" || spec.Type == "" {
			return
		}
		have, err := ParseFieldLines(FieldLines(map[string]FieldSpec{name: spec}))
		if diff := cmp.Diff(map[string]FieldSpec{name: spec}, have); diff != "" || err != nil {
			t.Fatalf("%q: %v\n%s", FieldLine(name, spec), err, diff)
		}
	})
}
