package source_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// sound checks all properties that must hold for any input from a stranger. It reports whether raw was accepted.
func sound(t fataler, r source.Rules, raw string) bool {
	t.Helper()
	s, err := r.ParseURL(raw)
	if err != nil {
		if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != "url" {
			t.Fatalf("%q: refused as %s of %q", raw, fault.KindOf(err), fault.FieldOf(err))
		}
		return false
	}
	for what, again := range map[string]string{"Normalized": s.Normalized, "Display": s.Display} {
		if have, err := r.ParseURL(again); err != nil || have != s {
			t.Fatalf("%q: %s %q parses to %+v, %v; want %+v", raw, what, again, have, err, s)
		}
	}
	soundNormalized(t, s)
	soundForm(t, r, raw, s)
	return true
}

func soundNormalized(t fataler, s source.Source) {
	t.Helper()
	if len(s.Normalized) > source.MaxNormalized || strings.Trim(s.Normalized, printable) != "" {
		t.Fatalf("%q is too long or not printable ASCII", s.Normalized)
	}
	requestable(t, s.Normalized)
	u, err := url.Parse(s.Normalized)
	if err != nil || u.Host != s.Host || u.Scheme != s.Scheme || u.User != nil || u.Fragment != "" {
		t.Fatalf("%q does not hold %q and %q: %v", s.Normalized, s.Scheme, s.Host, err)
	}
	for _, by := range []source.Strategy{source.ByHost, source.ByScheme} {
		if key := s.Partition(by); len(key) > 260 || key == "" || strings.ContainsAny(key, `/\#?%|`) {
			t.Fatalf("%q: partition %q is no key", s.Normalized, key)
		}
	}
	if kind, hash, err := source.ParseID(string(s.ID())); err != nil || kind != s.Type || hash != s.Hash() {
		t.Fatalf("%q: id %q does not parse: %v", s.Normalized, s.ID(), err)
	}
}

// soundForm checks that the fetch form names the same source, unless it is too long to parse.
func soundForm(t fataler, r source.Rules, raw string, s source.Source) {
	t.Helper()
	form, err := source.FetchForm(raw)
	if err != nil {
		if len(raw) < source.MaxRaw/3 {
			t.Fatalf("%q: no fetch form: %v", raw, err)
		}
		return
	}
	if have, err := r.ParseURL(form); err != nil || have != s {
		t.Fatalf("%q: fetch form %q parses to %+v, %v; want %+v", raw, form, have, err, s)
	}
	if again, err := source.FetchForm(form); err != nil || again != form {
		t.Fatalf("%q: fetch form %q becomes %q, %v", raw, form, again, err)
	}
	if u, err := url.Parse(form); err != nil || u.User != nil || strings.Contains(form, "#") {
		t.Fatalf("%q: fetch form %q: %v", raw, form, err)
	}
}

const printable = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// anyURL draws URLs that are mostly accepted and full of what makes trouble.
func anyURL() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		port := rapid.SampledFrom([]string{"", "", ":80", ":443", ":8080"}).Draw(t, "port")
		return rapid.SampledFrom([]string{"http", "https", "HTTP", "hTTps"}).Draw(t, "scheme") + "://" +
			rapid.SampledFrom([]string{"", "", "", "u@", "u:p@"}).Draw(t, "user") + anyHost().Draw(t, "host") + port +
			anyPath().Draw(t, "path") + join(rapid.SliceOfN(anyParam(), 0, 6).Draw(t, "query")) +
			rapid.SampledFrom([]string{"", "", "#", "#f?g=h"}).Draw(t, "fragment")
	})
}

func join(params []string) string {
	if len(params) == 0 {
		return ""
	}
	return "?" + strings.Join(params, "&")
}

func anyHost() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z0-9]{1,6}(-[a-z0-9]{1,4})?(\.[a-zA-Z]{2,6}){1,2}\.?`),
		rapid.SampledFrom([]string{"bücher.example", "日本。jp", "127.1", "0x7F.1", "[::1]",
			"f.azurewebsites.net", "a.blob.core.windows.net"}),
	)
}

// piece draws short texts made of trouble.
func piece() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "B", "7", "~", ".", "..", "%", "%2", "%2e", "%2E", "%2f", "%2F", "%25", "%41", "%c3%bc", "%C3", "%00", "%7C",
			"ü", "日", "\u202e", "\u00a0", "😀", "\xff", "|", "[", "]", "{", "`", "^", "\"", "'", "%27", "(", "*", "+", "%20",
			" ", ";", ":", "@", "$", ",", "!", "\\", "\t",
		}), 0, 5).Draw(t, "piece"), "")
	})
}

func anyPath() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		path := ""
		for _, segment := range rapid.SliceOfN(piece(), 0, 5).Draw(t, "segments") {
			path += "/" + segment
		}
		return path + rapid.SampledFrom([]string{"", "/", "//"}).Draw(t, "end")
	})
}

func anyParam() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		name := rapid.OneOf(piece(), rapid.SampledFrom([]string{
			"a", "b", "A", "a[]", "utm_x", "gclid", "sig", "sv", "se", "Signature", "Expires", "Key-Pair-Id", "X-Amz-Date",
			"api_key", "code", "t",
		})).Draw(t, "name")
		return name + rapid.SampledFrom([]string{"", "=", "=1", "=2", "=eyJa.eyJb.c", "=" + strings.Repeat("x", 56)}).Draw(t,
			"value")
	})
}

func TestWhateverIsAcceptedIsSound(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		if sound(t, source.DefaultRules(), anyURL().Draw(t, "url")) {
			accepted++
		}
	})
	if accepted == 0 {
		t.Error("the generator draws nothing that is accepted")
	}
}

func same(t *rapid.T, a, b string) {
	t.Helper()
	r := source.DefaultRules()
	x, errA := r.ParseURL(a)
	y, errB := r.ParseURL(b)
	if x != y || (errA == nil) != (errB == nil) {
		t.Fatalf("%q gives %+v, %v\n%q gives %+v, %v", a, x, errA, b, y, errB)
	}
}

func TestOrderOfDistinctParamsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-zA-Z]{1,3}`), 1, 6, rapid.ID).Draw(t, "names")
		params := make([]string, len(names))
		for i, name := range names {
			params[i] = name + "=" + piece().Draw(t, "value")
		}
		base := "https://example.com" + anyPath().Draw(t, "path")
		// The fragment prevents trimming of a blank at the end of the last value.
		same(t, base+join(params)+"#", base+join(rapid.Permutation(params).Draw(t, "order"))+"#")
	})
}

func TestRepeatedParamsKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,3}`), 2, 40).Draw(t, "values")
		list := "a=" + strings.Join(values, "&a=")
		if s := parsed(t, "https://example.com/?b&"+list); s.Normalized != "https://example.com/?"+list+"&b" {
			t.Fatalf("%s became %q", list, s.Normalized)
		}
	})
}

func parsed(t *rapid.T, raw string) source.Source {
	t.Helper()
	s, err := source.DefaultRules().ParseURL(raw)
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return s
}

func TestTrackersDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := "https://example.com" + anyPath().Draw(t, "path")
		params := rapid.SliceOfN(anyParam(), 0, 4).Draw(t, "params")
		tracker := rapid.SampledFrom([]string{"utm_source", "utm_", "UTM_x", "%75tm%5Fy", "gclid", "GcliD", "fbclid",
			"msclkid"}).Draw(t, "tracker")
		at := rapid.IntRange(0, len(params)).Draw(t, "at")
		tracked := slices.Insert(slices.Clone(params), at, tracker+"="+rapid.StringMatching(`[a-z0-9]{0,5}`).Draw(t, "value"))
		same(t, base+join(params)+"#", base+join(tracked)+"#")
	})
}

func TestSpellingOfSchemeHostAndPortDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scheme := rapid.SampledFrom([]string{"http", "https"}).Draw(t, "scheme")
		port := map[string]string{"http": ":80", "https": ":443"}[scheme]
		host := rapid.StringMatching(`[a-z]{1,8}(\.[a-z]{2,5}){1,2}`).Draw(t, "host")
		rest := "/" + strings.TrimLeft(anyPath().Draw(t, "path"), `/\`) + "#"
		same(t, scheme+"://"+host+rest, strings.ToUpper(scheme)+"://"+host+port+rest)
		same(t, scheme+"://"+host+rest, scheme+"://"+strings.ToUpper(host)+rest)
		same(t, scheme+"://"+host+rest, scheme+"://user:pw@"+host+rest+"fragment")
	})
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/a/../b/?b=2&a=1&utm_source=x#f", "http://u:p@[::1]:80//%2e%%32e/?sig=1&sv=2",
		"https://日本。jp/%C3%BC?ü",
		"http://0x7f.1\\a", "http:a", "https://h/?&=&a==", "https://a.blob.core.windows.net/c?sig", "http://xn--bcher-kva/",
		"http://h/\xff",
	} {
		f.Add(seed)
	}
	r := source.DefaultRules()
	f.Fuzz(func(t *testing.T, raw string) { sound(t, r, raw) })
}

func FuzzResolve(f *testing.F) {
	for _, seed := range [][2]string{
		{"https://example.com/a/b/?q#f", "../c"}, {"http://h:8080", "//x\\y"}, {"http://h/a", "?"},
		{"http://u@h/a", "http:b"}, {"file:///a", "b"}, {"https://h/a/b", `..\b\%2e%2e\x`}, {"https://h/a", "///x/y"},
		{"https://h/a", "h\tttps:/x"}, {"https://h/a", "//u:p@x:443/?a[]=1&&b#c"},
	} {
		f.Add(seed[0], seed[1])
	}
	r := source.DefaultRules()
	f.Fuzz(func(t *testing.T, base, ref string) {
		s, err := r.Resolve(base, ref)
		form, errForm := source.ResolveFetchForm(base, ref)
		if err != nil || errForm != nil {
			return
		}
		if have, err := r.ParseURL(form); err != nil || have != s {
			t.Fatalf("%q on %q: %q parses to %+v, %v; want %+v", ref, base, form, have, err, s)
		}
		sound(t, r, form)
	})
}
