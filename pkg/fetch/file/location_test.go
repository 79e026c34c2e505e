package file_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
)

func place(t testing.TB, raw string) file.Location {
	t.Helper()
	p, err := file.Parse(raw)
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return p
}

// TestC3Names checks the names from which the chunks of a file get theirs (spec 002 §2, §4.1).
func TestC3Names(t *testing.T) {
	for _, tc := range []struct{ root, raw, space, path string }{
		{"", "/data//docs/A b.pdf", "", "/data/docs/A b.pdf"},
		{"/data", "/data//docs/A b.pdf", "", "docs/A b.pdf"},
		{"/data/", "/data/docs/a.pdf", "", "docs/a.pdf"},
		{"/data/x/../", "/data/docs/a.pdf", "", "docs/a.pdf"},
		{"/", "/data/docs/a.pdf", "", "data/docs/a.pdf"},
		{"/data", "/database/a.pdf", "", "/database/a.pdf"},
		{"/data", "/docs/a.pdf", "", "/docs/a.pdf"},
		{"", `C:\Docs\A.PDF`, "", "c:/docs/a.pdf"},
		{"c:/docs", `C:\Docs\Sub\A.PDF`, "", "sub/a.pdf"},
		{"/data", "https://acct.blob.core.windows.net/docs/a%20b/%C3%A9.pdf?sig=x", "blob:acct:docs", "a b/é.pdf"},
		{"/data", "https://acct.blob.core.windows.net/docs/data/a.pdf", "blob:acct:docs", "data/a.pdf"},
		{"", "https://acct.blob.core.windows.net/docs/a//b.pdf", "blob:acct:docs", "a/b.pdf"},
		{"", "https://acct.blob.core.windows.net/docs", "blob:acct:docs", ""},
		{"", "https://acct.file.core.windows.net/docs/a/b.pdf", "share:acct:docs", "a/b.pdf"},
		{"", "https://acct-secondary.blob.core.windows.net/docs/a",
			"blob:acct@acct-secondary.blob.core.windows.net:docs", "a"},
		{"", "https://acct.blob.core.chinacloudapi.cn/docs/a", "blob:acct@acct.blob.core.chinacloudapi.cn:docs", "a"},
		{"", "https://acct.z1.blob.storage.azure.net/docs/a", "blob:acct@acct.z1.blob.storage.azure.net:docs", "a"},
		{"", "http://127.0.0.1:10000/devstoreaccount1/docs/a/b.pdf",
			"blob:devstoreaccount1@http+//127.0.0.1+10000/devstoreaccount1:docs", "a/b.pdf"},
	} {
		if space, path := place(t, tc.raw).Name(tc.root); space != tc.space || path != tc.path {
			t.Errorf("%s below %s: have %q, %q, want %q, %q", tc.raw, tc.root, space, path, tc.space, tc.path)
		}
	}
}

// TestX12NamesAreDistinct checks X12: two locations with other identities have other names, and those with the same
// identity have the same name.
func TestX12NamesAreDistinct(t *testing.T) {
	hosts := rapid.SampledFrom([]string{"https://acct.blob.core.windows.net", "https://acct.file.core.windows.net",
		"https://acct-secondary.blob.core.windows.net", "https://acct.z1.blob.storage.azure.net",
		"https://acct.blob.core.usgovcloudapi.net", "http://azurite:10000/acct", "https://azurite:10000/acct",
		"http://azurite/acct", "http://[::1]:1000/acct", "https://docs.blob.core.windows.net", "", "C:/acct"})
	rests := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"/docs", "/acct", "/data"}).Draw(t, "container") +
			rapid.StringMatching(`(/{1,2}(docs|acct|ab|acct:docs|repo|A)){1,3}`).Draw(t, "name")
	})
	rapid.Check(t, func(t *rapid.T) {
		rest, same := rests.Draw(t, "rest"), rapid.Bool().Draw(t, "same")
		draw := func() file.Location {
			if !same {
				rest = rests.Draw(t, "rest")
			}
			p, err := file.Parse(hosts.Draw(t, "host") + rest)
			if err != nil {
				t.Skip(err) // a path of Windows with a colon
			}
			return p
		}
		root := rapid.SampledFrom([]string{"", "/", "/data", "/docs/acct"}).Draw(t, "root")
		name := func(p file.Location) string { space, path := p.Name(root); return space + ":" + path }
		if a, b := draw(), draw(); (a.Normalized() == b.Normalized()) != (name(a) == name(b)) {
			t.Fatalf("%s is %s, %s is %s", a.Normalized(), name(a), b.Normalized(), name(b))
		}
	})
}

func TestA3Normalized(t *testing.T) {
	const blobs, shares = "https://acct.blob.core.windows.net", "https://acct.file.core.windows.net"
	for name, tc := range map[string]struct{ raw, normalized string }{
		"POSIX":                       {"/data/docs/A.pdf", "/data/docs/A.pdf"},
		"repeated and final slashes":  {"//data///docs/a.pdf//", "/data/docs/a.pdf"},
		"POSIX keeps a backslash":     {`/data/a\b`, `/data/a\b`},
		"POSIX keeps what URLs split": {"/data/a?b#c%20d", "/data/a?b#c%20d"},
		"Windows":                     {`C:\Docs\A.PDF`, "c:/docs/a.pdf"},
		"Windows, forward slashes":    {`d:/Docs//a b.txt\`, "d:/docs/a b.txt"},
		"Windows, other letters":      {`C:\ÄÖ\Ñ.txt`, "c:/äö/ñ.txt"},
		"name with a device in it":    {`C:\console\nul-1\com10.txt`, "c:/console/nul-1/com10.txt"},
		"blob":                        {blobs + "/docs/a/b.pdf", blobs + "/docs/a/b.pdf"},
		"blob with SAS":               {blobs + "/docs/a.pdf?sv=2024&se=x&sig=abc%2F", blobs + "/docs/a.pdf"},
		"any query and fragment":      {blobs + "/docs/a.pdf?x=1#top", blobs + "/docs/a.pdf"},
		"scheme, host, port":          {"HTTP://ACCT.Blob.core.windows.net:80/docs/a.pdf", blobs + "/docs/a.pdf"},
		"blob slashes":                {blobs + "//docs//a///b.pdf/", blobs + "/docs/a/b.pdf"},
		"escapes": {blobs + "/docs/%61%2fb%c3%a9 %5B1%5D+é.pdf", blobs +
			"/docs/a/b%C3%A9%20%5B1%5D+%C3%A9.pdf"},
		"escaped question mark": {blobs + "/docs/a%3Fb%23c%25", blobs + "/docs/a%3Fb%23c%25"},
		"container":             {blobs + "/docs/?sv=1&sig=2", blobs + "/docs"},
		"root container":        {blobs + "/$root/a", blobs + "/$root/a"},
		"secondary": {"https://acct-secondary.blob.core.windows.net/docs/a",
			"https://acct-secondary.blob.core.windows.net/docs/a"},
		"zone": {"https://acct.z12.blob.storage.azure.net/docs/a",
			"https://acct.z12.blob.storage.azure.net/docs/a"},
		"other cloud": {"https://acct.blob.core.chinacloudapi.cn/docs/a",
			"https://acct.blob.core.chinacloudapi.cn/docs/a"},
		"Azurite": {"http://127.0.0.1:10000/devstoreaccount1/docs//a.pdf?sig=1",
			"http://127.0.0.1:10000/devstoreaccount1/docs/a.pdf"},
		"Azurite by name": {"http://Azurite:10000/devstoreaccount1/docs/a",
			"http://azurite:10000/devstoreaccount1/docs/a"},
		"Azurite, IPv6": {"http://[::1]:80/devstoreaccount1/docs/a", "http://[::1]/devstoreaccount1/docs/a"},
		"share":         {shares + "/team/Plans//a.docx/?sv=1&sig=2", shares + "/team/Plans/a.docx"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := place(t, tc.raw).Normalized(); got != tc.normalized {
				t.Errorf("have %s, want %s", got, tc.normalized)
			}
		})
	}
}

// refusedPlaces are locations that can never work, by reason.
var refusedPlaces = map[string]string{
	"empty":                    "",
	"relative":                 "docs/a.pdf",
	"home":                     "~/a.pdf",
	"folder only":              "//",
	"dots":                     "/data/../etc/passwd",
	"one dot":                  "/data/./a",
	"dots at the end":          "/data/..",
	"NUL":                      "/data/a\x00.pdf",
	"line end":                 "/data/a\n",
	"not UTF-8":                "/data/\xff",
	"very long":                "/" + strings.Repeat("a", source.MaxRaw),
	"long":                     "/" + strings.Repeat("a", source.MaxNormalized),
	"file URL":                 "file:///data/a",
	"other scheme":             "ftp://acct.blob.core.windows.net/docs/a",
	"drive":                    `C:\`,
	"drive relative":           `C:a.txt`,
	"Windows dots":             `C:\data\..\a`,
	"Windows dots mixed":       `C:/data\../a`,
	"device path":              `\\.\PhysicalDrive0`,
	"long path prefix":         `\\?\C:\a`,
	"network path":             `\\server\share\a`,
	"stream":                   `C:\a.txt:hidden`,
	"wildcard":                 `C:\*.txt`,
	"device":                   `C:\docs\NUL`,
	"device with ending":       `C:\docs\con.txt`,
	"device with blanks":       `C:\docs\aux .txt`,
	"device with superscript":  `C:\COM¹`,
	"device as folder":         `C:\lpt1\a`,
	"final dot":                `C:\docs.\a`,
	"final blank":              `C:\docs \a`,
	"page":                     "https://example.com/a.pdf",
	"host that ends alike":     "https://acct.blob.core.windows.net.evil.org/docs/a",
	"host that begins alike":   "https://evil.org/acct.blob.core.windows.net/docs/a",
	"queue":                    "https://acct.queue.core.windows.net/docs/a",
	"account of dots":          "https://a.b.c.blob.core.windows.net/docs/a",
	"other port":               "https://acct.blob.core.windows.net:8080/docs/a",
	"userinfo":                 "https://me:pw@acct.blob.core.windows.net/docs/a",
	"no container":             "https://acct.blob.core.windows.net/",
	"short container":          "https://acct.blob.core.windows.net/ab/a",
	"container of two hyphens": "https://acct.blob.core.windows.net/a--b/a",
	"container in upper case":  "https://acct.blob.core.windows.net/Docs/a",
	"blob dots":                "https://acct.blob.core.windows.net/docs/../keys/a",
	"blob escaped dots":        "https://acct.blob.core.windows.net/docs/%2e%2E/keys/a",
	"blob escaped slash":       "https://acct.blob.core.windows.net/docs/..%2Fkeys/a",
	"blob backslash":           `https://acct.blob.core.windows.net/docs/a\..\..\keys/a`,
	"blob escaped backslash":   "https://acct.blob.core.windows.net/docs/a%5C..%5c..%5Ckeys",
	"blob NUL":                 "https://acct.blob.core.windows.net/docs/%00",
	"blob not UTF-8":           "https://acct.blob.core.windows.net/docs/%ff",
	"broken escape":            "https://acct.blob.core.windows.net/docs/%zz",
	"long blob":                "https://acct.blob.core.windows.net/docs/" + strings.Repeat("a", 1025),
	"snapshot":                 "https://acct.blob.core.windows.net/docs/a?snapshot=2024-01-01",
	"version":                  "https://acct.blob.core.windows.net/docs/a?versionId=1",
	"operation":                "https://acct.blob.core.windows.net/docs?restype=container&comp=list",
	"share snapshot":           "https://acct.file.core.windows.net/team/a?sharesnapshot=2024",
	"share alone":              "https://acct.file.core.windows.net/team/",
	"Azurite without account":  "http://127.0.0.1:10000/",
	"no host":                  "https:///docs/a",
}

func TestA3RefusedPlaces(t *testing.T) {
	for name, raw := range refusedPlaces {
		t.Run(name, func(t *testing.T) {
			p, err := file.Parse(raw)
			if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != "path" {
				t.Errorf("have %v, %v; want invalid path", p, err)
			}
			if p != (file.Location{}) {
				t.Errorf("a refused place is not zero: %v", p)
			}
		})
	}
}

func TestA3RefusalsKeepSecrets(t *testing.T) {
	for _, raw := range []string{
		"https://acct.blob.core.windows.net/docs/%zz?sig=SECRET", "https://me:SECRET@acct.blob.core.windows.net/docs/a",
		"https://example.com/?sig=SECRET", "http://[::1/SECRET?sig=SECRET",
		"https://acct.blob.core.windows.net/docs/a?snapshot=1&sig=SECRET",
	} {
		if _, err := file.Parse(raw); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: have %v", raw, err)
		}
	}
}

func TestA5SourceOfAPlace(t *testing.T) {
	for _, tc := range []struct {
		raw  string
		want source.Source
	}{
		{"/data/é.pdf", source.Source{Normalized: "/data/é.pdf", Display: "/data/é.pdf", Host: "file:local", Scheme: "file"}},
		{`c:\Data\a.pdf`, source.Source{Normalized: "c:/data/a.pdf", Display: "C:/Data/a.pdf", Host: "file:local",
			Scheme: "file"}},
		{"https://acct.z1.blob.storage.azure.net/docs/é//a", source.Source{
			Normalized: "https://acct.z1.blob.storage.azure.net/docs/%C3%A9/a",
			Display:    "https://acct.z1.blob.storage.azure.net/docs/é//a",
			Host:       "blob:acct:docs", Scheme: "blob"}},
		{"http://127.0.0.1:10000/devstoreaccount1/docs/a", source.Source{
			Normalized: "http://127.0.0.1:10000/devstoreaccount1/docs/a",
			Display:    "http://127.0.0.1:10000/devstoreaccount1/docs/a",
			Host:       "blob:devstoreaccount1:docs", Scheme: "blob"}},
		{"https://acct-secondary.file.core.windows.net/team/a b", source.Source{
			Normalized: "https://acct-secondary.file.core.windows.net/team/a%20b",
			Display:    "https://acct-secondary.file.core.windows.net/team/a%20b",
			Host:       "share:acct:team", Scheme: "share"}},
	} {
		tc.want.Type = source.File
		got := place(t, tc.raw).Source()
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.raw, diff)
		}
		if !strings.HasPrefix(string(got.ID()), "file_") {
			t.Errorf("have id %s", got.ID())
		}
		if err := storage.CheckKey(storage.Key{Partition: got.Host, Row: got.Hash()}); err != nil {
			t.Error(err)
		}
	}
}

// anyPlace draws texts, many of which are locations or nearly so.
var anyPlace = rapid.Custom(func(t *rapid.T) string {
	head := rapid.SampledFrom([]string{
		"/", "//data/", `C:\`, "x:/", `\\`, "https://acct.blob.core.windows.net/docs/",
		"HTTPS://ACCT.file.core.windows.net//team/",
		"http://127.0.0.1:10000/devstoreaccount1/docs/", "https://acct.blob.core.windows.net", "http://localhost/acct/docs",
		"",
	}).Draw(t, "head")
	part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"a", "B.txt", "..", ".", "//", `\`, "%2e%2e", "%2F", "%5C", "%zz", "%", "é", "İ", "\u212a", "CLOC\u212a$", "nul",
		"a.", " ", "?sig=1", "#", ":", "$root", "\x00", "\xff",
	}))
	return head + strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"),
		rapid.SampledFrom([]string{"", "/", `\`}).Draw(t, "between"))
})

// checkPlace checks the properties of every location.
func checkPlace(t interface{ Fatalf(string, ...any) }, raw string) {
	p, err := file.Parse(raw)
	if err != nil {
		if !fault.Is(err, fault.Invalid) {
			t.Fatalf("%q: %v", raw, err)
		}
		return
	}
	if again, err := file.Parse(p.String()); err != nil || again != p {
		t.Fatalf("%q reads as %q, and that as %q, %v", raw, p, again, err)
	}
	n := p.Normalized()
	if again, err := file.Parse(n); err != nil || again.Normalized() != n {
		t.Fatalf("%q is normalized to %q, and that to %q, %v", raw, n, again.Normalized(), err)
	}
	s := p.Source()
	if shown, err := file.Parse(s.Display); err != nil || shown != p {
		t.Fatalf("%q is shown as %q, which reads as %q, %v", raw, s.Display, shown, err)
	}
	if err := storage.CheckKey(storage.Key{Partition: s.Host, Row: s.Hash()}); err != nil ||
		len(n) > source.MaxNormalized {
		t.Fatalf("%q: %q, %v", raw, s.Host, err)
	}
	if strings.Contains(n, "//") && !strings.HasPrefix(n, "http") ||
		strings.Contains(strings.TrimPrefix(strings.TrimPrefix(n, "http://"), "https://"), "//") ||
		strings.HasSuffix(n, "/") || strings.Contains(n+"/", "/../") ||
		p.Kind() != file.Local && strings.ContainsAny(n, "?#") {
		t.Fatalf("%q is normalized to %q", raw, n)
	}
}

func TestA3PropertyOfPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkPlace(t, anyPlace.Draw(t, "raw")) })
}

func FuzzParse(f *testing.F) {
	for _, raw := range refusedPlaces {
		f.Add(raw)
	}
	for _, raw := range []string{
		"/data/a b", `C:\Docs\a`, "https://acct.blob.core.windows.net/docs//a//b?sv=1&sig=2",
		"http://[::1]:10000/acct/docs/a%2Fb",
		"https://acct.file.core.windows.net/team/%E2%82%AC", "http://azurite/devstoreaccount1/$web/index.html",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) { checkPlace(t, raw) })
}

// TestA4Sources checks the sources that a text may name. The address of a blob is also that of a page.
func TestA4Sources(t *testing.T) {
	for raw, want := range map[string][]string{
		"https://port.example/tides":                   {"url"},
		"/srv/tides.pdf":                               {"file"},
		"https://acct.blob.core.windows.net/docs/a.md": {"url", "file"},
		"tides": nil,
	} {
		got, err := file.Sources(raw, source.DefaultRules())
		var types []string
		for _, s := range got {
			types = append(types, string(s.Type))
		}
		if !slices.Equal(types, want) || (err == nil) != (want != nil) {
			t.Errorf("%s: have %q (%v), want %q", raw, types, err, want)
		}
	}
}
