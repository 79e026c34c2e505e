package source_test

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// wptCase is a case of testdata/wpt/urltestdata.json. Href is the result that the standard requires.
type wptCase struct {
	Input   string
	Base    *string
	Href    string
	Failure bool
}

// wptCases returns the cases that give an http or https URL, and the cases that must fail.
func wptCases(t *testing.T) (good, bad []wptCase) {
	t.Helper()
	var entries []json.RawMessage
	if err := json.Unmarshal([]byte(read(t, "testdata/wpt/urltestdata.json")), &entries); err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		var c wptCase
		if json.Unmarshal(entry, &c) != nil {
			continue // a comment is a string
		}
		if c.Failure {
			bad = append(bad, c)
		} else if strings.HasPrefix(c.Href, "http:") || strings.HasPrefix(c.Href, "https:") {
			good = append(good, c)
		}
	}
	if len(good) < 200 || len(bad) < 200 {
		t.Fatalf("only %d good and %d bad cases were read", len(good), len(bad))
	}
	return good, bad
}

func (c wptCase) parse() (source.Source, error) {
	if c.Base == nil {
		return source.DefaultRules().ParseURL(c.Input)
	}
	return source.DefaultRules().Resolve(*c.Base, c.Input)
}

// excused matches hosts that the standard allows and net/http cannot request.
var excused = regexp.MustCompile("[\"`{}]")

func TestWPTSuccesses(t *testing.T) {
	good, _ := wptCases(t)
	named := map[string]wptCase{}
	for _, c := range good {
		s, err := c.parse()
		u, _ := url.Parse(c.Href)
		if err != nil {
			if u != nil && !excused.MatchString(u.Host) {
				t.Errorf("%q on %v is refused: %v", c.Input, c.Base, err)
			}
			continue
		}
		if want := stated(c.Href); s.Normalized != want {
			t.Errorf("%q, which is %q: have %q, want %q", c.Input, c.Href, s.Normalized, want)
		}
		if other, found := named[s.Normalized]; found && stated(other.Href) != stated(c.Href) {
			t.Errorf("%q and %q are both %q", other.Href, c.Href, s.Normalized)
		}
		named[s.Normalized] = c
		sound(t, source.DefaultRules(), c.Href)
	}
}

func TestWPTFailures(t *testing.T) {
	_, bad := wptCases(t)
	for _, c := range bad {
		if s, err := c.parse(); err == nil {
			t.Errorf("%q on %v: have %q, want it refused", c.Input, c.Base, s.Normalized)
		}
	}
}

// The rules of the package comment once more, written in another way and for the href of the
// standard.
var (
	hrefParts = regexp.MustCompile(`^(https?://)(?:[^/@]*@)?([^/]*)(/[^?#]*)(?:\?([^#]*))?`)
	anEscape  = regexp.MustCompile(`%[0-9A-Fa-f]{2}|.`)
	tracker   = regexp.MustCompile(`(?i)^(utm_.*|gclid|fbclid|msclkid)$`)
)

func stated(href string) string {
	m := hrefParts.FindStringSubmatch(href)
	page := m[1] + m[2] + cmp.Or(strings.TrimRight(statedEscapes(m[3], ""), "/"), "/")
	var pairs []string
	for _, pair := range strings.Split(statedEscapes(m[4], "?"), "&") {
		if name, _ := url.QueryUnescape(nameOf(pair)); pair != "" && !tracker.MatchString(name) {
			pairs = append(pairs, pair)
		}
	}
	slices.SortStableFunc(pairs, func(a, b string) int { return strings.Compare(nameOf(a), nameOf(b)) })
	if len(pairs) == 0 {
		return page
	}
	return page + "?" + strings.Join(pairs, "&")
}

func nameOf(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	return name
}

// statedEscapes looks at one escape or character at a time.
func statedEscapes(s, alsoPlain string) string {
	const unreserved = `^[A-Za-z0-9._~-]$`
	plain := regexp.MustCompile(`^[A-Za-z0-9._~/!$&'()*+,;=:@` + alsoPlain + `-]$`)
	return anEscape.ReplaceAllStringFunc(s, func(unit string) string {
		if len(unit) == 3 {
			if c, _ := url.PathUnescape(unit); regexp.MustCompile(unreserved).MatchString(c) {
				return c
			}
			return strings.ToUpper(unit)
		}
		if plain.MatchString(unit) {
			return unit
		}
		return strings.ToUpper("%" + string("0123456789abcdef"[unit[0]>>4]) + string("0123456789abcdef"[unit[0]&15]))
	})
}
