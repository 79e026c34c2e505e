package robots

import (
	"strings"
	"testing"

	"github.com/jimsmart/grobotstxt"
	"github.com/tidemark/tidemark/pkg/base/percent"
	"pgregory.net/rapid"
)

// genFile draws a robots.txt from few letters, so that rules often match paths.
func genFile(t *rapid.T) string {
	key := rapid.SampledFrom([]string{"User-agent: ", "Allow: ", "Disallow: ", "Crawl-delay: ", "disalow:", "", "# "})
	agent := rapid.SampledFrom([]string{"*", "tidemark", "x", "Tidemark/1", "* x", "tidemarker"})
	pattern := rapid.StringMatching(`/?[ab/*]{0,6}(%C3%A4|%2F|\$|ä|index\.html?)?[ab*$]{0,3}`)
	end := rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\n\n", " # c\n"})
	var file strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, "lines") {
		k := key.Draw(t, "key")
		value := pattern.Draw(t, "pattern")
		if k == "User-agent: " {
			value = agent.Draw(t, "agent")
		}
		file.WriteString(k + value + end.Draw(t, "end"))
	}
	return file.String()
}

// TestVerdictsEqualTheReference checks that every verdict equals the reference implementation's, without escapes and
// special characters.
func TestVerdictsEqualTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := genFile(t)
		path := "/" + rapid.StringMatching(`[ab/]{0,8}(%C3%A4|%2F|index\.html)?[ab]{0,3}(\?[ab])?`).Draw(t, "path")
		have := Parse([]byte(file)).Allowed("tidemark", "https://s.example"+path)
		want := grobotstxt.AgentAllowed(neutral([]byte(file)), "tidemark", "https://s.example"+path)
		if have != want {
			t.Fatalf("file %q path %q: have %v, want %v", file, path, have, want)
		}
	})
}

// TestMatchesEqualsTheReference checks that a pattern matches exactly what the reference's matcher matches.
func TestMatchesEqualsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`/?[ab*]{0,10}\$?`).Draw(t, "pattern")
		path := rapid.StringMatching(`/[ab]{0,12}`).Draw(t, "path")
		if have, want := compile(pattern, true).matches(path), grobotstxt.Matches(path, pattern); have != want {
			t.Fatalf("pattern %q path %q: have %v, want %v", pattern, path, have, want)
		}
	})
}

func TestCanonicalIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s"))
		once := canonicalPath(s)
		if again := canonicalPath(once); again != once {
			t.Fatalf("%q becomes %q, then %q", s, once, again)
		}
	})
}

// TestVerdictDoesNotDependOnEscaping checks that the verdict is the same however a URL is escaped.
func TestVerdictDoesNotDependOnEscaping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := Parse([]byte(genFile(t)))
		path := "/" + rapid.StringMatching(`[ab]{0,6}ä?[ab]{0,3}`).Draw(t, "path")
		var escaped strings.Builder
		for i := range len(path) {
			if path[i] != '/' && rapid.Bool().Draw(t, "escape") {
				percent.Write(&escaped, path[i])
			} else {
				escaped.WriteByte(path[i])
			}
		}
		if rules.Allowed("tidemark", path) != rules.Allowed("tidemark", escaped.String()) {
			t.Fatalf("%q and %q differ", path, escaped.String())
		}
	})
}

// TestUnknownLinesChangeNothing checks that unknown lines never change a verdict (RFC 9309 §2.2.4).
func TestUnknownLinesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := genFile(t)
		noisy := strings.ReplaceAll(file, "\n", "\nHost: s.example\nClean-param: a /b\nCrawl-delay: 3\n")
		path := "/" + rapid.StringMatching(`[ab/]{0,8}`).Draw(t, "path")
		if Parse([]byte(file)).Allowed("tidemark", path) != Parse([]byte(noisy)).Allowed("tidemark", path) {
			t.Fatalf("file %q path %q", file, path)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, group := range [][]verdicts{groupCases, patternCases, escapeCases, lineCases} {
		for _, tc := range group {
			f.Add([]byte(tc.file), "/"+tc.denied)
		}
	}
	f.Add([]byte("\u200b\ufeffUser-agent:\u00a0*\nDisallow:\u00a0/private"), "/private")
	f.Add([]byte("<title>x</title><PRE>User-agent: '*'<br>Disallow: \"/private\"</pre></html>"), "/private")
	f.Add([]byte("\xff\xfeU\x00s\x00e\x00r\x00"), "/")
	f.Fuzz(func(t *testing.T, body []byte, url string) {
		rules := Parse(body)
		text := len(body) > 1 && len(body) < maxBody-6 && body[0] >= ' ' && body[0] < 0x80 && body[1] != 0
		marked := Parse(append([]byte("\ufeff\u200b"), body...))
		if text && marked.Allowed("tidemark", url) != rules.Allowed("tidemark", url) {
			t.Error("characters without width change the rules")
		}
		rules.Allowed("tidemark", url)
		if wait, ok := rules.CrawlDelay("tidemark"); wait < 0 || wait > maxCrawlDelay || !ok && wait != 0 {
			t.Errorf("delay %v, %v", wait, ok)
		}
		if !rules.Allowed("tidemark", "/robots.txt") {
			t.Error("robots.txt itself is forbidden")
		}
		if len(rules.Sitemaps()) > MaxSitemaps {
			t.Errorf("%d sitemaps", len(rules.Sitemaps()))
		}
	})
}
