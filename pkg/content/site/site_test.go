package site

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

func TestE9Example(t *testing.T) {
	data, err := os.ReadFile("../../../backfill-sites.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sites, err := Parse("backfill-sites.example.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	have := []view{}
	for _, s := range sites.All() {
		have = append(have, viewOf(s))
	}
	want := []view{{
		Slug: "port-authority", Domain: "port.example",
		Sitemaps: []string{"https://port.example/sitemap.xml"}, Feeds: []string{"https://port.example/news.atom"},
		Archives: []string{"https://port.example/notices/{yyyy}/{mm}/"},
		Listings: []string{"https://port.example/news?page={n} | main a.title | "},
		Include:  []string{`^https://port\.example/(news|notices)/`}, Exclude: []string{"/print/"},
		Limits: &Limits{MinDelay: 5 * time.Second, MaxDelay: 10 * time.Second, MaxConcurrent: 1},
	}, {
		Slug: "harbor-library", Domain: "library.example", Alternates: true,
		Sitemaps:   []string{"https://cdn.example/library/sitemap-index.xml"},
		Listings:   []string{"https://library.example/reports | table.reports a | a.older"},
		Containers: []string{"https://library.blob.core.windows.net/reports"},
	}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if s := sites.All().Find("harbor-library"); s != sites.All()[1] || sites.All().Find("other") != nil {
		t.Errorf("found %v", s)
	}
}

// view is a site in texts.
type view struct {
	Slug, Domain                         string
	Sitemaps, Feeds, Containers          []string
	Archives, Listings, Include, Exclude []string
	Alternates                           bool
	Limits                               *Limits
}

func viewOf(s *Site) view {
	v := view{Slug: s.Slug, Domain: s.Domain, Sitemaps: s.Sitemaps, Feeds: s.Feeds, Containers: s.Containers,
		Alternates: s.Alternates, Limits: s.Limits}
	for _, t := range s.Archives {
		v.Archives = append(v.Archives, t.String())
	}
	for _, l := range s.Listings {
		v.Listings = append(v.Listings, l.URL.String()+" | "+l.Links+" | "+l.Next)
	}
	for _, p := range s.Include {
		v.Include = append(v.Include, p.String())
	}
	for _, p := range s.Exclude {
		v.Exclude = append(v.Exclude, p.String())
	}
	return v
}

// minimal is a site with further lines.
func minimal(lines ...string) string {
	return "sites:\n- slug: a\n  domain: a.example\n" + strings.Join(lines, "\n")
}

func TestE9Accepted(t *testing.T) {
	for _, row := range []struct {
		name, file string
		check      func(s *Sites) bool
	}{
		{"nothing", "", func(s *Sites) bool { return len(s.All()) == 0 }},
		{"comments only", "# none yet\n", func(s *Sites) bool { return len(s.All()) == 0 }},
		{"no sites", "sites: []", func(s *Sites) bool { return len(s.All()) == 0 }},
		{"lists whose entries are commented out", minimal("  sitemaps:", "  #- https://a.example/", "  include:"),
			func(s *Sites) bool { return len(s.All()) == 1 }},
		{"JSON, which is YAML", `{"sites": [{"slug": "a", "domain": "a.example"}]}`,
			func(s *Sites) bool { return s.All().Find("a") != nil }},
		{"a port, for local runs", "sites: [{slug: a, domain: 'localhost:8080'}]",
			func(s *Sites) bool { return s.All()[0].Domain == "localhost:8080" }},
		{"an address", "sites: [{slug: a, domain: 127.0.0.1}]",
			func(s *Sites) bool { return s.All()[0].Domain == "127.0.0.1" }},
		{"another alphabet, capitals", "sites: [{slug: a, domain: Häfen.Example}]",
			func(s *Sites) bool { return s.All()[0].Domain == "xn--hfen-loa.example" }},
		{"addresses as they are requested", minimal("  feeds: ['HTTPS://A.example/f?b=2&a=1#x']"),
			func(s *Sites) bool { return s.All()[0].Feeds[0] == "https://a.example/f?b=2&a=1" }},
		{"all fields in one site, a list by number and by links",
			minimal(`  sitemaps: [https://a.example/sitemap.xml]`, `  feeds: [https://a.example/news.atom]`,
				`  archives: ["https://a.example/notices/{yyyy}/{mm}/"]`,
				`  listings: [{url: "https://a.example/news?page={n}", links: "main a.title", next: "a[rel=next]"}]`,
				`  include: ["^https://a\\.example/notices/"]`, `  exclude: ["/print/"]`,
				`  limits: {minDelayMs: 5000, maxDelayMs: 10000, maxConcurrent: 1}`), func(s *Sites) bool {
				return s.All()[0].Listings[0].URL.Open() && s.All()[0].Listings[0].Next == "a[rel=next]"
			}},
		{"no delay, several at once", minimal("  limits: {minDelayMs: 0, maxDelayMs: 0, maxConcurrent: 16}"),
			func(s *Sites) bool { return *s.All()[0].Limits == Limits{MinDelay: 0, MaxDelay: 0, MaxConcurrent: 16} }},
		{"one at a time unless it says more", minimal("  limits: {minDelayMs: 1, maxDelayMs: 300000}"), func(s *Sites) bool {
			return *s.All()[0].Limits == Limits{MinDelay: time.Millisecond, MaxDelay: 5 * time.Minute, MaxConcurrent: 1}
		}},
		{"quotas of its own, one of them none", minimal("  limits: {minDelayMs: 1, maxDelayMs: 1, requestsPerDay: 500, " +
			"bytesPerDay: 0, maxItems: 1000000000}"), func(s *Sites) bool {
			l := *s.All()[0].Limits
			return l.RequestsPerDay.Or(7) == 500 && l.BytesPerDay.Or(7) == 0 && l.MaxItems == Quota{MaxRequests, true}
		}},
		{"no quotas of its own", minimal("  limits: {minDelayMs: 1, maxDelayMs: 1}"), func(s *Sites) bool {
			l := *s.All()[0].Limits
			return l.RequestsPerDay.Or(7) == 7 && l.BytesPerDay.Or(8) == 8 && l.MaxItems.Or(9) == 9
		}},
		{"two sites of a domain at one pace", minimal("  limits: {minDelayMs: 1, maxDelayMs: 1}",
			"- {slug: b, domain: a.example, limits: {minDelayMs: 1, maxDelayMs: 1}}"),
			func(s *Sites) bool { return len(s.All()) == 2 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			sites, err := Parse("sites.yaml", []byte(row.file))
			if err != nil {
				t.Fatal(err)
			}
			if !row.check(sites) {
				t.Errorf("have %+v", sites.All())
			}
		})
	}
}

// refused are files with mistakes, and the expected messages.
var refused = []struct{ name, file, want string }{
	{"not YAML", "sites:\n- slug: [a\n", "sites.yaml:2: not YAML: did not find expected ',' or ']'"},
	{"no YAML, by its scanner", "sites:\n\t- slug: a\n",
		"sites.yaml:2: not YAML: found character that cannot start any token"},
	{"not fields", "- a", "sites.yaml:1: the file: is a list; write fields"},
	{"no sites", "{}", "sites.yaml:1: sites: is missing"},
	{"sites without a value", "sites:", "sites.yaml:1: sites: has no value"},
	{"a second document", "sites: []\n---\nsites: []\n",
		"sites.yaml:2: a second document; write all sites into the first"},
	{"an unknown field", minimal("  sitemap: x"),
		"sites.yaml:4: sites[0].sitemap: unknown; allowed are alternates, archives, containers, domain, exclude, feeds, " +
			"follow, include, limits, listings, sitemaps, slug, start, www"},
	{"a field twice", minimal("  slug: b"), "sites.yaml:4: sites[0].slug: given again, first in line 2; write it once"},
	{"a missing field", "sites:\n- slug: a", "sites.yaml:2: sites[0].domain: is missing"},
	{"a slug with other characters", "sites: [{slug: Port_1, domain: a.example}]",
		`sites.yaml:1: sites[0].slug: is "Port_1"; write 1 to 64 characters of a-z, 0-9 and -`},
	{"a slug that is a number", "sites: [{slug: 2024, domain: a.example}]",
		"sites.yaml:1: sites[0].slug: 2024 is not a text; put it in quotes"},
	{"a slug twice", minimal("- {slug: a, domain: b.example}"),
		`sites.yaml:4: slug: "a" is the slug of the site in line 2; slugs are unique`},
	{"a domain with a path", "sites: [{slug: a, domain: a.example/b}]",
		`sites.yaml:1: sites[0].domain: is "a.example/b"; write one host such as port.example, with a port only if it is ` +
			`neither 80 nor 443`},
	{"a domain with its scheme", "sites: [{slug: a, domain: 'https://a.example'}]",
		`sites.yaml:1: sites[0].domain: is "https://a.example"; write one host such as port.example, with a port only if ` +
			`it is neither 80 nor 443`},
	{"a domain with the scheme's port", "sites: [{slug: a, domain: 'a.example:443'}]",
		`sites.yaml:1: sites[0].domain: is "a.example:443"; write one host such as port.example, with a port only if it ` +
			`is neither 80 nor 443`},
	{"two domains", "sites: [{slug: a, domain: 'a.example, b.example'}]",
		`sites.yaml:1: sites[0].domain: is "a.example, b.example"; write one host such as port.example, with a port only ` +
			`if it is neither 80 nor 443`},
	{"a text in place of a list", minimal("  feeds: https://a.example/f"),
		`sites.yaml:4: sites[0].feeds: is "https://a.example/f"; write a list, with a - before each entry`},
	{"a relative address", minimal("  feeds:", "  - https://a.example/f", "  - /g"),
		`sites.yaml:6: sites[0].feeds[1]: is "/g"; write an address such as https://port.example/sitemap.xml (url: no ` +
			`scheme: it must begin with http:// or https://)`},
	{"an address with a password", minimal("  sitemaps: ['https://me:secret@a.example/']"),
		"sites.yaml:4: sites[0].sitemaps[0]: holds a user name or password; site files name public addresses only"},
	{"an address twice", minimal("  feeds: [https://a.example/f, https://a.example/f]"),
		"sites.yaml:4: sites[0].feeds[1]: the same as line 4"},
	{"an archive with a mistake", minimal("  archives: ['https://a.example/{mm}']"),
		"sites.yaml:4: sites[0].archives[0]: a month without its year: add {yyyy} or {yy}"},
	{"an archive elsewhere", minimal("  archives: ['https://b.example/{yyyy}']"),
		"sites.yaml:2: sites[0]: https://b.example/{yyyy} is on b.example; archives and listings are pages of the " +
			"domain, a.example"},
	{"a listing elsewhere", minimal("  listings: [{url: 'https://b.example/'}]"),
		"sites.yaml:2: sites[0]: https://b.example/ is on b.example; archives and listings are pages of the domain, " +
			"a.example"},
	{"a listing without an address", minimal("  listings: [{links: a}]"),
		"sites.yaml:4: sites[0].listings[0].url: is missing"},
	{"a bad selector", minimal("  listings:", "  - url: https://a.example/", "    links: 'a['"),
		`sites.yaml:6: sites[0].listings[0].links: "a[" is not a CSS selector: expected identifier, found EOF instead`},
	{"an account in place of a container", minimal("  containers: ['https://a.blob.core.windows.net/']"),
		`sites.yaml:4: sites[0].containers[0]: is "https://a.blob.core.windows.net/"; write the address of a container ` +
			`such as https://account.blob.core.windows.net/reports, without a query`},
	{"a bad pattern", minimal("  include: ['(']"),
		"sites.yaml:4: sites[0].include[0]: error parsing regexp: missing closing ): `(`; write a regular expression of " +
			"RE2 (github.com/google/re2/wiki/Syntax)"},
	{"a pattern that RE2 has not", minimal("  exclude: ['(?=a)']"),
		"sites.yaml:4: sites[0].exclude[0]: error parsing regexp: invalid or unsupported Perl syntax: `(?=`; write a " +
			"regular expression of RE2 (github.com/google/re2/wiki/Syntax)"},
	{"a pattern without end", minimal("  exclude: ['" + strings.Repeat("a", 1001) + "']"),
		"sites.yaml:4: sites[0].exclude[0]: 1001 bytes; at most 1000 are allowed"},
	{"an empty pattern", minimal("  exclude: ['']"), "sites.yaml:4: sites[0].exclude[0]: is empty"},
	{"limits without one", minimal("  limits: {minDelayMs: 1}"), "sites.yaml:4: sites[0].limits.maxDelayMs: is missing"},
	{"a limit that is a text", minimal("  limits: {minDelayMs: 1s, maxDelayMs: 2}"),
		`sites.yaml:4: sites[0].limits.minDelayMs: is "1s"; write a whole number from 0 to 300000`},
	{"a limit out of range", minimal("  limits: {minDelayMs: 1, maxDelayMs: 2, maxConcurrent: 17}"),
		`sites.yaml:4: sites[0].limits.maxConcurrent: is "17"; write a whole number from 1 to 16`},
	{"a quota out of range", minimal("  limits: {minDelayMs: 1, maxDelayMs: 2, maxItems: -1}"),
		`sites.yaml:4: sites[0].limits.maxItems: is "-1"; write a whole number from 0 to 1000000000`},
	{"delays the wrong way round", minimal("  limits: {minDelayMs: 2, maxDelayMs: 1}"),
		"sites.yaml:4: sites[0].limits.maxDelayMs: is below minDelayMs; write at least 2"},
	{"one domain at two paces", minimal("  limits: {minDelayMs: 1, maxDelayMs: 1}",
		"- {slug: b, domain: a.example, limits: {minDelayMs: 1, maxDelayMs: 2}}"),
		"sites.yaml:5: limits: another site of a.example has other limits; a domain has one pace: write the same, or in " +
			"one place"},
	{"not true or false", minimal("  alternates: yes please"),
		`sites.yaml:4: sites[0].alternates: is "yes please"; write true or false`},
	{"an alias", "x: &x [a]\nsites:\n- {slug: a, domain: a.example, feeds: *x}",
		"sites.yaml:1: x: unknown; allowed are sites\nsites.yaml:3: sites[0].feeds: is an alias (*x), which is not read; " +
			"write a list, with a - before each entry"},
	{"several at once, by line", "sites:\n- slug: A\n  domain: /\n- slug: b\n",
		"sites.yaml:2: sites[0].slug: is \"A\"; write 1 to 64 characters of a-z, 0-9 and -\n" +
			"sites.yaml:3: sites[0].domain: is \"/\"; write one host such as port.example, with a port only if it is neither " +
			"80 nor 443\n" +
			"sites.yaml:4: sites[1].domain: is missing"},
}

func TestE9Refused(t *testing.T) {
	for _, row := range refused {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse("sites.yaml", []byte(row.file))
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(row.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestE9Bounds checks that files that exceed a bound are refused, and quickly.
func TestE9Bounds(t *testing.T) {
	bomb := "a: &a [x]\n"
	for c := 'b'; c <= 'z'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "]\n"
	}
	for _, row := range []struct{ name, file, says string }{
		{"bytes", strings.Repeat("#", maxBytes+1), "sites.yaml: 1048577 bytes; at most 1048576 are allowed"},
		{"aliases that unfold", bomb + "sites: *z\n", "is an alias (*z)"},
		{"sites", "sites: [" + strings.Repeat("{},", MaxSites+1) + "]", "1001 entries; at most 1000"},
		{"entries", minimal("  feeds: [" + strings.Repeat("x,", maxEntries+1) + "]"), "1001 entries; at most 1000"},
		{"mistakes", "sites: [" + strings.Repeat("{},", 100) + "]", "sites.yaml: and 150 more"},
		{"depth", "sites: " + strings.Repeat("[", 20_000), "not YAML"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse("sites.yaml", []byte(row.file))
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %.300v, want one that says %q", err, row.says)
			}
		})
	}
}

func TestE3LimitsOfHosts(t *testing.T) {
	sites, err := Parse("", []byte("sites:\n- {slug: a, domain: 'A.example:8080', limits: {minDelayMs: 1, maxDelayMs: "+
		"2, maxConcurrent: 3}}\n- {slug: b, domain: b.example}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := sites.Limits("a.example:8080"); !ok ||
		l != (Limits{MinDelay: time.Millisecond, MaxDelay: 2 * time.Millisecond, MaxConcurrent: 3}) {
		t.Errorf("limits %v, %v", l, ok)
	}
	for _, host := range []string{"a.example", "b.example", "c.example", ""} {
		if l, ok := sites.Limits(host); ok {
			t.Errorf("%s has limits %v", host, l)
		}
	}
	if _, ok := new(Sites).Limits("a.example"); ok {
		t.Error("no sites have limits")
	}
}

func TestE9Judge(t *testing.T) {
	sites, err := Parse("", []byte(minimal("  include: [/notices/, /news/]",
		"  exclude: [/print/]")+"\n- {slug: b, domain: a.example}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ slug, address, want string }{
		{"a", "https://a.example/notices/1", ""},
		{"a", "http://A.example:80/news/1/", ""},
		{"a", "https://a.example/notices/1/print/x", "exclude: /print/"},
		{"a", "https://a.example/about", "no include pattern matches"},
		{"a", "https://www.a.example/notices/1",
			"other host: www.a.example; add it as a site, or set www: true, to have its pages"},
		{"a", "https://a.example:8443/notices/1", "other host: a.example:8443"},
		{"a", "https://" + strings.Repeat("x.", 100) + "example/", "other host: " + strings.Repeat("x.", 50) + "…"},
		{"b", "https://a.example/about", ""},
	} {
		u, err := source.DefaultRules().ParseURL(row.address)
		if err != nil {
			t.Fatal(err)
		}
		if have := sites.All().Find(row.slug).Judge(u); have != row.want {
			t.Errorf("%s: %q, want %q", row.address, have, row.want)
		}
	}
	blob := source.Source{Type: source.File, Normalized: "https://account.blob.core.windows.net/reports/news/1.pdf",
		Host: "account.blob.core.windows.net"}
	if have := sites.All().Find("a").Judge(blob); have != "" {
		t.Errorf("a blob of a container: %q", have)
	}
}

// TestE9JudgeOfAll checks that a page is left out when every site with its host leaves it out.
func TestE9JudgeOfAll(t *testing.T) {
	sites, err := Parse("", []byte(minimal("  include: [/notices/]")+
		"\n- {slug: b, domain: a.example, include: [/jobs/]}"))
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{"https://a.example/notices/1": "", "https://a.example/jobs/1": "",
		"https://a.example/about": "no include pattern matches", "https://b.example/about": ""} {
		u, err := source.DefaultRules().ParseURL(address)
		if err != nil {
			t.Fatal(err)
		}
		if have := sites.Judge(u); have != want {
			t.Errorf("%s: %q, want %q", address, have, want)
		}
	}
}

// FuzzParse checks that a file is refused, or that everything in it can be run.
func FuzzParse(f *testing.F) {
	data, err := os.ReadFile("../../../backfill-sites.example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("sites: [{slug: a, domain: *a}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sites, err := Parse("f", data)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || err.Error() == "" {
				t.Errorf("error %v", err)
			}
			return
		}
		for _, s := range sites.All() {
			checkSite(t, sites, s)
		}
	})
}

// checkSite holds for every site that was accepted.
func checkSite(t *testing.T, sites *Sites, s *Site) {
	t.Helper()
	if sites.All().Find(s.Slug) != s || !slugForm.MatchString(s.Slug) || hostOf("https://"+s.Domain+"/") != s.Domain {
		t.Errorf("slug %q, domain %q", s.Slug, s.Domain)
	}
	for _, address := range append(append(s.Sitemaps, s.Feeds...), s.Containers...) {
		if form, err := source.FetchForm(address); err != nil || form != address {
			t.Errorf("%q becomes %q, %v", address, form, err)
		}
	}
	for _, l := range s.Listings {
		if l.URL.Host() != s.Domain || discover.CheckSelector(l.Links) != nil || discover.CheckSelector(l.Next) != nil {
			t.Errorf("listing %+v", l)
		}
	}
	if l := s.Limits; l != nil && (l.MinDelay < 0 || l.MaxDelay < l.MinDelay || l.MaxConcurrent < 1) {
		t.Errorf("limits %+v", *l)
	}
}

// E9: a site's documents may refer to documents on its own host and on the host that the document is on.
func TestE9Near(t *testing.T) {
	s := &Site{Domain: "a.example"}
	for _, row := range []struct {
		address, document string
		want              bool
	}{
		{"https://a.example/2.xml", "https://a.example/1.xml", true},
		{"http://A.example/2.xml", "https://cdn.example/1.xml", true},
		{"https://cdn.example/2.xml", "https://CDN.example/1.xml", true},
		{"https://stranger.example/2.xml", "https://a.example/1.xml", false},
		{"https://a.example.stranger.example/2.xml", "https://a.example/1.xml", false},
		{"https://a.example:8443/2.xml", "https://a.example/1.xml", false},
		{"https://a.example@stranger.example/2.xml", "https://a.example/1.xml", false},
		{"https://a.example/%zz", "https://a.example/1.xml", false},
		{"https://a.example/2.xml", "https://a.example/%zz", false},
	} {
		if have := s.Near(row.address, row.document); have != row.want {
			t.Errorf("%s named by %s: %v, want %v", row.address, row.document, have, row.want)
		}
	}
}

// TestX5NoOtherName checks X5: an address and a name without a dot have no other name, and only documents that were
// guessed at the site's domain lead to it.
func TestX5NoOtherName(t *testing.T) {
	for _, tt := range []struct{ domain, document, want string }{
		{"port.example", "https://port.example/robots.txt", "https://www.port.example/robots.txt"},
		{"www.port.example", "http://www.port.example/sitemap.xml", "http://port.example/robots.txt"},
		{"port.example", "https://www.port.example/robots.txt", ""},
		{"port.example", "https://port.example/news.xml", ""},
		{"127.0.0.1:8080", "http://127.0.0.1:8080/robots.txt", ""},
		{"localhost:8080", "http://localhost:8080/sitemap.xml", ""},
	} {
		if have := (&Site{Domain: tt.domain, WWW: true}).Robots(tt.document); have != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.document, tt.domain, have, tt.want)
		}
	}
	if have := (&Site{Domain: "port.example"}).Robots("https://port.example/robots.txt"); have != "" {
		t.Errorf("a site with one name: %q", have)
	}
}

// TestOtherHostSaysWhatToDo checks that a page of the same site under its other name, with or without www., is
// excluded with what to do about it.
func TestOtherHostSaysWhatToDo(t *testing.T) {
	const todo = "; add it as a site, or set www: true, to have its pages"
	for _, tt := range []struct{ domain, page, want string }{
		{"port.example", "https://www.port.example/a", "other host: www.port.example" + todo},
		{"www.port.example", "https://port.example/a", "other host: port.example" + todo},
		{"port.example", "https://blog.port.example/a", "other host: blog.port.example"},
		{"port.example", "https://port.example/a", ""},
	} {
		u, err := source.DefaultRules().ParseURL(tt.page)
		if err != nil {
			t.Fatal(err)
		}
		if have := (&Site{Domain: tt.domain}).Judge(u); have != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.page, tt.domain, have, tt.want)
		}
		want := tt.want
		if strings.HasSuffix(want, todo) {
			want = ""
		}
		if have := (&Site{Domain: tt.domain, WWW: true}).Judge(u); have != want {
			t.Errorf("%s of %s with both names: %q, want %q", tt.page, tt.domain, have, want)
		}
	}
}
