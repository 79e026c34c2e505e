package robots

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// verdicts is a robots.txt and what the crawler "tidemark" may and may not fetch under it. Lists
// are separated by spaces; an entry is a path, or a whole URL.
type verdicts struct {
	name    string
	file    string
	allowed string
	denied  string
}

// TestAllowed checks the semantics of RFC 9309 §2.2 and of the reference implementation (A11).
func TestAllowed(t *testing.T) {
	for _, group := range [][]verdicts{groupCases, patternCases, escapeCases, lineCases, urlCases} {
		for _, tc := range group {
			t.Run(tc.name, func(t *testing.T) {
				rules := Parse([]byte(tc.file))
				check(t, rules, tc.allowed, true)
				check(t, rules, tc.denied, false)
			})
		}
	}
}

func check(t *testing.T, rules Rules, urls string, want bool) {
	t.Helper()
	for _, u := range strings.Fields(urls) {
		if strings.HasPrefix(u, "/") && !strings.HasPrefix(u, "//") {
			u = "https://site.example" + u
		}
		if have := rules.Allowed("Tidemark", u); have != want {
			t.Errorf("Allowed(%q) = %v, want %v", u, have, want)
		}
	}
}

var groupCases = []verdicts{
	{"an empty file allows everything", "", "/ /a", ""},
	{"a file of comments allows everything", "# nothing\n# here", "/a", ""},
	{"rules for all", "User-agent: *\nDisallow: /a", "/ /b", "/a /a/b /ab /a?x"},
	{"an empty disallow allows everything", "User-agent: *\nDisallow:", "/ /a", ""},
	{"an empty allow decides nothing", "User-agent: *\nAllow:\nDisallow: /a", "/b", "/a"},
	{"rules by name", "User-agent: Tidemark\nDisallow: /a", "/b", "/a"},
	{"a name in another case is the same name", "User-agent: tIdEmArK\nDisallow: /a", "/b", "/a"},
	{"a name ends at its version", "User-agent: Tidemark/2.1 (x)\nDisallow: /a", "/b", "/a"},
	{"a longer name is another crawler", "User-agent: Tidemarker\nDisallow: /", "/a", ""},
	{"a shorter name is another crawler", "User-agent: Tide\nDisallow: /", "/a", ""},
	{"a name with a dash is another crawler", "User-agent: Tidemark-News\nDisallow: /", "/a", ""},
	{"other crawlers' rules are not ours", "User-agent: other\nDisallow: /", "/ /a", ""},
	{"our group replaces that for all", "User-agent: *\nDisallow: /\n\nUser-agent: Tidemark\nDisallow: /a", "/b", "/a"},
	{"our group replaces that for all, above it", "User-agent: Tidemark\nDisallow: /a\nUser-agent: *\nDisallow: /", "/b",
		"/a"},
	{"our empty group frees us from that for all", "User-agent: *\nDisallow: /\n\nUser-agent: Tidemark\n", "/a", ""},
	{"our group with an empty rule frees us", "User-agent: *\nDisallow: /\nUser-agent: Tidemark\nDisallow:", "/a", ""},
	{"groups of one name are joined", "User-agent: Tidemark\nDisallow: /a\n\nUser-agent: x\nDisallow: /b\n\n" +
		"User-agent: Tidemark\nDisallow: /c", "/b", "/a /c"},
	{"groups for all are joined", "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: *\nDisallow: /c",
		"/b", "/a /c"},
	{"several names share the rules below", "User-agent: x\nUser-agent: Tidemark\nUser-agent: y\nDisallow: /a", "/b",
		"/a"},
	{"a group may name us and all", "User-agent: *\nUser-agent: Tidemark\nDisallow: /a", "/b", "/a"},
	{"a blank line does not end a group", "User-agent: Tidemark\n\n\nDisallow: /a", "/b", "/a"},
	{"a sitemap line does not end a list of names",
		"User-agent: Tidemark\nSitemap: https://x.example/s\nUser-agent: y\nDisallow: /a", "/b", "/a"},
	{"a crawl-delay line does not end a list of names",
		"User-agent: Tidemark\nCrawl-delay: 1\nUser-agent: y\nDisallow: /a", "/b", "/a"},
	{"an unknown line does not end a list of names", "User-agent: Tidemark\nNoindex: /z\nUser-agent: y\nDisallow: /a",
		"/b /z", "/a"},
	{"rules above any name are nobody's", "Disallow: /\nUser-agent: x\nDisallow: /a", "/ /a", ""},
	{"an allow above any name is nobody's", "Allow: /a\nUser-agent: *\nDisallow: /", "", "/a"},
	{"a star with words behind it is for all", "User-agent: * and friends\nDisallow: /a", "/b", "/a"},
	{"a star with letters behind it is a name", "User-agent: *bot\nDisallow: /a", "/a", ""},
	{"an empty name is nobody", "User-agent:\nDisallow: /a", "/a", ""},
}

var patternCases = []verdicts{
	{"allow wins when longer", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b /a/b/c", "/a /a/c"},
	{"disallow wins when longer", "User-agent: *\nAllow: /a\nDisallow: /a/b", "/a /a/c", "/a/b"},
	{"order does not matter", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b", "/a"},
	{"allow wins a tie", "User-agent: *\nDisallow: /a\nAllow: /a", "/a /a/b", ""},
	{"length counts wildcards", "User-agent: *\nAllow: /page\nDisallow: /*.htm", "/page", "/page.htm"},
	{"a wildcard rule ties by length", "User-agent: *\nAllow: /pag\nDisallow: /*.h", "/pag.h", "/x.h"},
	{"the longest of all groups decides", "User-agent: *\nDisallow: /a/b\nUser-agent: x\nDisallow: /q\nUser-agent: *\n" +
		"Allow: /a/b/c", "/a/b/c", "/a/b /a/b/d"},
	{"paths keep their case", "User-agent: *\nDisallow: /A", "/a", "/A"},
	{"a rule covers what begins with it", "User-agent: *\nDisallow: /fish", "/Fish /catfish /?id=fish /desert/fish",
		"/fish /fish.html /fish/salmon /fishheads /fish?id=1"},
	{"a final slash means the folder", "User-agent: *\nDisallow: /fish/", "/fish /fish.html",
		"/fish/ /fish/salmon /fish/?id=1"},
	{"a final star changes nothing", "User-agent: *\nDisallow: /fish*", "/catfish", "/fish /fishheads/x"},
	{"a star stands for anything", "User-agent: *\nDisallow: /*.php", "/ /x.PHP /windows.phx",
		"/a.php /a/b.php /a.php?x /a.php/ /.php"},
	{"a star stands for nothing too", "User-agent: *\nDisallow: /a*b", "/a /a/c /ba", "/ab /acb /a/c/b"},
	{"stars in a row are one", "User-agent: *\nDisallow: /a***b", "/a", "/ab /axb"},
	{"a dollar ends the path", "User-agent: *\nDisallow: /a$", "/ab /a/ /a?x", "/a"},
	{"a star and a dollar", "User-agent: *\nDisallow: /*.php$", "/a.php?x /a.php/ /a.php5", "/a.php /b/a.php /a.php.php"},
	{"the end may repeat what came before", "User-agent: *\nDisallow: /*ab$", "/abc", "/ab /abab /aab"},
	{"the end does not share bytes with the middle", "User-agent: *\nDisallow: /*aa*aa$", "/aaa", "/aaaa /aaxaa"},
	{"the root alone", "User-agent: *\nDisallow: /$", "/a", "/ https://site.example"},
	{"all but the root", "User-agent: *\nDisallow: /\nAllow: /$", "/", "/a"},
	{"a dollar in the middle is a dollar", "User-agent: *\nDisallow: /a$b", "/a /ab", "/a$b /a$bc"},
	{"a dollar alone matches nothing", "User-agent: *\nDisallow: $", "/ /a", ""},
	{"a star alone is everything", "User-agent: *\nDisallow: *", "", "/ /a"},
	{"a star and dollar alone is everything", "User-agent: *\nDisallow: *$", "", "/ /a"},
	{"a rule without a slash matches nothing", "User-agent: *\nDisallow: a", "/ /a", ""},
	{"a rule that is a URL matches nothing", "User-agent: *\nDisallow: https://site.example/a", "/a", ""},
	{"a rule may begin with a star", "User-agent: *\nDisallow: *a", "/b", "/a /ba"},
	{"queries are part of the path", "User-agent: *\nDisallow: /*?", "/a /a/b", "/? /a?x /a/b?x=1"},
	{"a query rule", "User-agent: *\nDisallow: /*?*sort=", "/a?page=1 /a/sort=", "/a?sort=1 /a?page=1&sort=2"},
	{"index.html opens its folder", "User-agent: *\nAllow: /a/index.html\nDisallow: /", "/a/ /a/index.html", "/a/b /a /"},
	{"index.htm opens the root", "User-agent: *\nAllow: /index.htm\nDisallow: /", "/ /index.htm /index.html", "/a"},
	{"disallowed index.html leaves its folder", "User-agent: *\nDisallow: /a/index.html", "/a/", "/a/index.html"},
	{"robots.txt itself is always allowed", "User-agent: *\nDisallow: /", "/robots.txt",
		"/robots.txtx /robots.txt?a /a/robots.txt"},
}

var escapeCases = []verdicts{
	{"escapes match in any case", "User-agent: *\nDisallow: /%c3%a4\nDisallow: /b%3Db", "/%C3%A5 /b=b",
		"/%C3%A4 /%c3%a4x /%C3%a4 /b%3db"},
	{"raw bytes match their escapes", "User-agent: *\nDisallow: /ä", "/a", "/ä /%C3%A4 /%c3%a4"},
	{"escapes match raw bytes", "User-agent: *\nDisallow: /%E3%83%84", "/a", "/ツ /%E3%83%84"},
	{"escapes next to raw bytes keep their digits", "User-agent: *\nDisallow: /ä%20%2f1", "/ä", "/ä%20%2F1"},
	{"unreserved characters match their escapes", "User-agent: *\nDisallow: /%7Ejoe\nDisallow: /%62%61%7A", "/joe",
		"/~joe /%7ejoe /baz /b%61z"},
	{"reserved characters do not match their escapes", "User-agent: *\nDisallow: /a%2Fb\nDisallow: /c/d", "/a/b /c%2Fd",
		"/a%2fb /c/d"},
	{"a space matches its escape", "User-agent: *\nDisallow: /a b", "/a", "/a%20b"},
	{"quotes and braces match their escapes", "User-agent: *\nDisallow: /{\"a\"}", "/a", `/%7B%22a%22%7D /{"a"}`},
	{"an escaped star is a star", "User-agent: *\nDisallow: /a%2Ab", "/axb", "/a*b /a%2Ab"},
	{"an escaped dollar is a dollar", "User-agent: *\nDisallow: /a%24", "/a", "/a$ /a%24 /a$b"},
	{"a stray percent sign is a percent sign", "User-agent: *\nDisallow: /100%", "/100", "/100% /100%25 /100%zz"},
	{"a stray percent sign in a URL forbids nothing", "User-agent: *\nDisallow: /x", "/%zz /% /a%2", "/x%zz"},
	{"bytes that are not UTF-8", "User-agent: *\nDisallow: /\xff", "/a", "/%FF /%ff"},
}

var lineCases = []verdicts{
	{"lines end with CR LF", "User-agent: *\r\nDisallow: /a\r\n", "/b", "/a"},
	{"lines end with CR", "User-agent: *\rDisallow: /a\rDisallow: /c", "/b", "/a /c"},
	{"the last line needs no end", "User-agent: *\nDisallow: /a", "/b", "/a"},
	{"a byte order mark", "\xEF\xBB\xBFUser-agent: *\nDisallow: /a", "/b", "/a"},
	{"half a byte order mark", "\xEF\xBBUser-agent: *\nDisallow: /a", "/b", "/a"},
	{"a broken byte order mark costs its line", "\xEF\x11\xBFUser-agent: x\nUser-agent: *\nDisallow: /a", "/b", "/a"},
	{"comments behind rules", "User-agent: * # us\nDisallow: /a # no\nDisallow: /b#c", "/c", "/a /b"},
	{"spaces around everything", "  User-agent \t:  *  \n\tDisallow\t:\t/a\t\n", "/b", "/a"},
	{"keys in any case", "USER-AGENT: *\ndisallow: /a\nALLOW: /a/b", "/a/b", "/a"},
	{"a missing colon", "User-agent *\nDisallow /a", "/b", "/a"},
	{"words without a colon mean nothing", "User-agent: *\nDisallow /a /b", "/a /b", ""},
	{"spelling: disalow", "User-agent: *\nDisalow: /a\nDissallow: /b\nDisallaw: /c", "/d", "/a /b /c"},
	{"spelling: useragent", "Useragent: *\nDisallow: /a", "/b", "/a"},
	{"spelling: user agent", "User agent: *\nDisallow: /a", "/b", "/a"},
	{"a page instead of rules allows everything", "<!doctype html>\n<title>Not found</title>\n<p>Disallow: /", "/ /a", ""},
	{"bytes instead of rules allow everything", "\x00\x01\x02\xff\xfe: :\n::::\n", "/a", ""},
	{"a NUL inside a line stays there", "User-agent: *\nDisallow: /a\x00b", "/a", "/a%00b"},
	{"a line too long is cut, not dropped", "User-agent: *\nDisallow: /a" + strings.Repeat("*", 20_000) +
		"b\nDisallow: /c", "/b", "/a /ac /c"},
}

var urlCases = []verdicts{
	{"a URL without a path is the root", "User-agent: *\nDisallow: /$", "https://site.example/a",
		"https://site.example http://site.example# //site.example"},
	{"a query without a path", "User-agent: *\nDisallow: /?x", "https://site.example?y",
		"https://site.example?x https://site.example?x=1#f"},
	{"fragments do not count", "User-agent: *\nDisallow: /*b", "/a#b https://site.example/a#/b", "/b#a"},
	{"a URL in the query", "User-agent: *\nDisallow: /go?u=http://x", "/go?u=https://x", "/go?u=http://x.example/a"},
	{"a URL in the path", "User-agent: *\nDisallow: /web/http://x", "/web/x", "/web/http://x.example/a"},
	{"user names and ports do not count", "User-agent: *\nDisallow: /a", "https://u:p@site.example:8443/b",
		"https://u:p@site.example:8443/a"},
	{"a host is not a path", "User-agent: *\nDisallow: /site", "https://site.example/", "/site"},
	{"a URL too long is refused", "", "", "/" + strings.Repeat("x", maxURL)},
}

func TestAllowedHasEnoughCases(t *testing.T) {
	n := 0
	for _, group := range [][]verdicts{groupCases, patternCases, escapeCases, lineCases, urlCases} {
		for _, tc := range group {
			n += len(strings.Fields(tc.allowed)) + len(strings.Fields(tc.denied))
		}
	}
	if n < 145 { // as many as the reference implementation's own tests
		t.Errorf("have %d verdicts, want at least 145", n)
	}
}

func TestZeroRulesAllow(t *testing.T) {
	if !(Rules{}).Allowed("x", "/a") {
		t.Error("the zero Rules forbid")
	}
	if (Parse([]byte("User-agent: x\nDisallow: /"))).Allowed("X/1.0", "/a") {
		t.Error("a version behind the token hides it")
	}
}

func TestBodyIsCutAtALineEnd(t *testing.T) {
	head := "User-agent: *\nDisallow: /a\n"
	filler := strings.Repeat("#", maxBody-len(head)-len("\nDisallow: /"))
	rules := Parse([]byte(head + filler + "\nDisallow: /b\nDisallow: /c\n"))
	check(t, rules, "/b /c", true)
	check(t, rules, "/a", false)
	if got := len(cut([]byte(strings.Repeat("x", maxBody+1)))); got != maxBody {
		t.Errorf("a body of one line is cut to %d bytes, want %d", got, maxBody)
	}
}

func TestCrawlDelay(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		want       time.Duration
		found      bool
	}{
		{"none", "User-agent: *\nDisallow: /a", 0, false},
		{"for all", "User-agent: *\nCrawl-delay: 5", 5 * time.Second, true},
		{"for us", "User-agent: *\nCrawl-delay: 5\nUser-agent: tidemark\nCrawl-delay: 2", 2 * time.Second, true},
		{"for another", "User-agent: x\nCrawl-delay: 5", 0, false},
		{"that for all is not ours when we are named",
			"User-agent: *\nCrawl-delay: 5\nDisallow: /x\nUser-agent: tidemark\nDisallow: /a", 0, false},
		{"shared by several names", "User-agent: x\nUser-agent: tidemark\nCrawl-delay: 3", 3 * time.Second, true},
		{"a delay closes its own list of names", "User-agent: tidemark\nCrawl-delay: 1\nUser-agent: x\nCrawl-delay: 50",
			time.Second, true},
		{"rules close a list of names", "User-agent: tidemark\nDisallow: /a\nUser-agent: x\nCrawl-delay: 50", 0, false},
		{"below the rules", "User-agent: *\nDisallow: /a\nCrawl-delay: 4", 4 * time.Second, true},
		{"a fraction", "User-agent: *\nCrawl-delay: 0.25", 250 * time.Millisecond, true},
		{"nought", "User-agent: *\nCrawl-delay: 0", 0, true},
		{"a unit behind it", "User-agent: *\nCrawl-delay: 7 seconds", 7 * time.Second, true},
		{"the longest holds", "User-agent: *\nCrawl-delay: 7\nCrawl-delay: 9\nCrawl-delay: 8", 9 * time.Second, true},
		{"the cap", "User-agent: *\nCrawl-delay: 86400", maxCrawlDelay, true},
		{"a number beyond all bounds", "User-agent: *\nCrawl-delay: 1e400", 0, false},
		{"infinity", "User-agent: *\nCrawl-delay: inf", maxCrawlDelay, true},
		{"not a number", "User-agent: *\nCrawl-delay: NaN", 0, false},
		{"negative", "User-agent: *\nCrawl-delay: -1", 0, false},
		{"words", "User-agent: *\nCrawl-delay: slow", 0, false},
		{"above any name", "Crawl-delay: 5\nUser-agent: *\nDisallow: /a", 0, false},
		{"in any case", "User-agent: *\ncRAWL-dELAY: 5", 5 * time.Second, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, found := Parse([]byte(tc.file)).CrawlDelay("Tidemark/1.0")
			if got != tc.want || found != tc.found {
				t.Errorf("have %v, %v, want %v, %v", got, found, tc.want, tc.found)
			}
		})
	}
}

func TestSitemaps(t *testing.T) {
	long := "https://x.example/" + strings.Repeat("x", maxSitemapURL)
	rules := Parse([]byte("Sitemap: https://x.example/a.xml\nUser-agent: x\nDisallow: /\n" +
		"sitemap: https://x.example/b.xml # second\nSite-map: https://x.example/ä\n" +
		"Sitemap:\nSitemap: https://x.example/a.xml\nSitemap: " + long))
	want := []string{"https://x.example/a.xml", "https://x.example/b.xml", "https://x.example/%C3%A4"}
	if diff := cmp.Diff(want, rules.Sitemaps()); diff != "" {
		t.Error(diff)
	}
	rules.Sitemaps()[0] = "changed"
	if rules.Sitemaps()[0] != want[0] {
		t.Error("a caller can change the rules")
	}
}

func TestSitemapsAreBounded(t *testing.T) {
	var file strings.Builder
	for i := range MaxSitemaps + 50 {
		file.WriteString("Sitemap: /" + strings.Repeat("s", i+1) + "\n")
	}
	if got := len(Parse([]byte(file.String())).Sitemaps()); got != MaxSitemaps {
		t.Errorf("have %d sitemaps, want at most %d", got, MaxSitemaps)
	}
}
