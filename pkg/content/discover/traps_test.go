package discover

import (
	"encoding/json"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

var present = at("2026-11-21T00:00:00Z")

// tally checks addresses in normalized form and counts the results. It stores and restores the state now and then, as
// a run does between its steps.
func tally(t *testing.T, addresses []string) map[string]int {
	t.Helper()
	traps, counts := newTraps(present), map[string]int{}
	for i, address := range addresses {
		s, err := source.DefaultRules().ParseURL(address)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		counts[traps.Judge(s.Normalized)]++
		if i%997 == 0 {
			traps = stored(t, traps)
		}
	}
	return counts
}

// stored returns the restored state.
func stored(t *testing.T, traps *Traps) *Traps {
	t.Helper()
	data, err := json.Marshal(traps)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > maxTrapsBytes {
		t.Fatalf("state of %d bytes", len(data))
	}
	next, err := OpenTraps(data, present)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// product lists a format for each combination of values.
func product(format string, lists ...[]any) (out []string) {
	rows := [][]any{nil}
	for _, list := range lists {
		var next [][]any
		for _, row := range rows {
			for _, v := range list {
				next = append(next, append(row[:len(row):len(row)], v))
			}
		}
		rows = next
	}
	for _, row := range rows {
		out = append(out, fmt.Sprintf(format, row...))
	}
	return out
}

func count(lo, hi int) (list []any) {
	for i := lo; i <= hi; i++ {
		list = append(list, i)
	}
	return list
}

func words(text string) (list []any) {
	for w := range strings.FieldsSeq(text) {
		list = append(list, w)
	}
	return list
}

// goTree is a deep tree with many files of one name: that of the Go distribution, if it is here.
func goTree(t *testing.T) (list []string) {
	err := fs.WalkDir(os.DirFS(build.Default.GOROOT), "src", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.ContainsAny(path, "%?#") {
			list = append(list, "https://tree.example/"+path)
		}
		return err
	})
	if err != nil {
		t.Logf("no Go tree: %v", err)
	}
	return list
}

// TestE8OrdinarySites checks that all addresses of finite sites pass as pages, including large sites.
func TestE8OrdinarySites(t *testing.T) {
	years, months, days := count(2004, 2026), count(1, 12), count(1, 28)
	manual := words("sql-select sql-insert sql-update sql-delete sql-createtable sql-altertable sql-begin " +
		"functions-string functions-json " +
		"datatype-numeric datatype-datetime ddl-partitioning indexes-types mvcc-intro runtime-config-resource " +
		"pgstatstatements app-psql app-pgdump " +
		"libpq-connect plpgsql-control-structures spi-spi-execute release-16-1 bookindex index tutorial-join queries-with " +
		"ecpg-informix-compat")
	for name, addresses := range map[string][]string{
		"the PostgreSQL manual": product("https://www.postgresql.org/docs/%v/%v.html",
			append(words("9.4 9.5 9.6 current devel"), count(10, 18)...), manual),
		"the manuals of Debian": product("https://www.debian.org/doc/manuals/%v/ch%02d.%v.html",
			words("debian-reference maint-guide developers-reference debian-faq securing-debian-manual debmake-doc"),
			count(1, 15), words("en de fr ja es it pt zh-cn ru pl")),
		"releases of Debian": product("https://www.debian.org/releases/%v/%v/release-notes/ch-%v.%v.html",
			words("bullseye bookworm trixie"), words("amd64 arm64 i386 mips64el"),
			words("about whats-new installing upgrading information"), words("en de fr ja")),
		"the tree of Go": goTree(t),
		"a blog by days and titles": product("https://blog.example/%d/%02d/%02d/a-title-%v/", years, months, days,
			words("one")),
		"a blog's archives": append(product("https://blog.example/%d/%02d/", years, months),
			product("https://blog.example/%d/%02d/%02d/", years, months, days)...),
		"a gazette by year and issue": product("https://narodne-novine.example/eli/sluzbeni/%d/%d/%d", years, count(1, 14),
			count(1, 40)),
		"posts by id": product("https://forum.example/viewtopic.php?f=%d&t=%d&start=%d", count(1, 3),
			count(1, 400), []any{0, 25, 50}),
		"threads by three ids": product("https://forum.example/index.php?board=%[1]d&topic=%[2]d&msg=%[2]d%[1]d",
			count(1, 20), count(1000, 1500)),
		"a shop by ids": product("https://shop.example/product/%d/%v-%[1]d.html?ref=list", count(1, 3_000),
			words("lamp boat")),
		"a shop's part numbers":    product("https://shop.example/part/%d-%02d", count(2000, 2600), count(1, 14)),
		"categories, page by page": product("https://shop.example/category/%d/%d", count(2000, 2200), count(1, 30)),
		"lists, page by page": product("https://shop.example/list?cat=%d&order=%v&page=%d", count(1, 30),
			words("new cheap"), count(1, 60)),
		"a wiki": product("https://wiki.example/index.php?title=Page_%d&action=%v", count(1, 3000),
			words("view history")),
		"news by eight-digit ids": product("https://news.example/uk/%d", count(20_451_000, 20_453_000)),
		"a map's tiles": product("https://map.example/tiles/%d/%d/%d.png", count(1, 8), count(1, 30),
			count(1, 30)),
		"all that a sitemap may name": product("https://big.example/p/%d", count(1, 50_000)),
		"folders of one name": {"https://code.example/lib/lib/lib/readme",
			"https://maven.example/junit/junit/4.12/junit-4.12.jar", "https://a.example/0/0/0/0/0/0.png"},
		"a short sid": {"https://a.example/article?sid=1234", "https://a.example/?s=search+words",
			"https://a.example/?s=international-conference"},
		"a thousand users": product("https://users.example/~user%d/%v", count(1, 1000),
			words("index.html cv.html")),
		"a search in six fields": product("https://a.example/find?a=%d&b=%d&c=%d", count(1, 5), count(1, 5),
			count(1, 10)),
		"notices by type, year and month": product("https://port.example/notices?type=%v&year=%d&month=%d&area=%v",
			words("laws rules tenders"), count(2000, 2026), count(1, 12), words("north south")),
	} {
		t.Run(name, func(t *testing.T) {
			counts := tally(t, addresses)
			if counts[""] != len(addresses) {
				t.Errorf("of %d addresses %v", len(addresses), counts)
			}
		})
	}
}

// TestE8Traps checks that each endless space is recognized after a number of addresses.
func TestE8Traps(t *testing.T) {
	for _, row := range []struct {
		name      string
		addresses []string
		pages     int // that are let through
		reason    string
	}{
		{"a long path", []string{"https://a.example/" + strings.Repeat("a", longestPath+1)}, 0, trapLong},
		{"a long query", []string{"https://a.example/?q=" + strings.Repeat("a", longestQuery)}, 0, trapLong},
		{"a deep path", []string{"https://a.example" + strings.Repeat("/1/2/3/4/5", 5)[:50], "https://a.example/" +
			strings.Join(strings.Split("abcdefghijklmnopqrstuvwxy", ""), "/")}, 0, ""},
		{"a folder in itself", []string{"https://a.example/en/en/en/en/page"}, 0, trapRepeated},
		{"folders in circles", []string{"https://a.example/x/news/2024/news/2024/news/2024/y",
			"https://a.example/a/b/c/d/a/b/c/d/a/b/c/d"}, 0, trapRepeated},
		{"sessions", []string{
			"https://a.example/page;jsessionid=0A1B2C3D", "https://a.example/(S(abcdefghij0123456789abcd))/page",
			"https://a.example/?sid=8f14e45fceea167a5a36dedd4bea2543", "https://a.example/?s=0123456789abcdef0123",
		}, 0, trapSession},
		{"a calendar ahead, in its path", product("https://a.example/events/%d/%02d/%02d", count(2020, 2100), count(5, 5),
			count(1, 20)), 8 * 20, trapCalendar},
		{"a calendar ahead, by dates", product("https://a.example/events/%d-%02d-%02d/", count(2020, 2100), count(1, 12),
			count(1, 5)), 8 * 60, trapCalendar},
		{"a calendar ahead, in its query", product("https://a.example/cal?month=%d&year=%d&view=week", count(1, 12),
			count(2020, 2100)), 8 * 12, trapCalendar},
		{"a calendar ahead, by a date in its query", product("https://a.example/cal?on=%d-%02d-01", count(2027, 2100),
			count(1, 12)), 12, trapCalendar},
		{"a calendar for ever back", product("https://a.example/cal/%d/%02d/%02d", count(1950, 2020), count(1, 12),
			count(1, 28)), mostCalendar, trapCalendar},
		{"filters in every set", product("https://a.example/shop?%v=1&%v=1", words("a b c d e f g h i"),
			words("j k l q r s t u v")), mostFilters, trapFilters},
		{"filters in every combination", product("https://a.example/shop?color=%d&size=%d&brand=%d&sort=%d", count(1, 6),
			count(1, 6), count(1, 6), count(1, 6)), 0, trapFilters},
		{"pages without end", product("https://a.example/random/%d", count(1, mostBelow+100)), mostBelow, trapMany},
	} {
		t.Run(row.name, func(t *testing.T) {
			counts := tally(t, row.addresses)
			switch {
			case row.reason == "" && counts[""] > 0, row.reason != "" && counts[row.reason] == 0:
				t.Errorf("of %d addresses %v", len(row.addresses), counts)
			case row.pages > 0 && counts[""] != row.pages, counts[""] > 0 && row.pages == 0 && row.reason != trapFilters:
				t.Errorf("of %d addresses %v, want %d pages", len(row.addresses), counts, row.pages)
			}
		})
	}
}

// TestE8SessionsOfLinks checks that links lead to the page of an address without the visitor's session, and that what
// may select a page stays (E8).
func TestE8SessionsOfLinks(t *testing.T) {
	const digest = "8f14e45fceea167a5a36dedd4bea2543"
	for address, want := range map[string]string{
		"https://a.example/page;jsessionid=0A1B2C3D.node1?b=2":    "https://a.example/page?b=2",
		"https://a.example/a;v=1;JSESSIONID=0A1B/b":               "https://a.example/a;v=1/b",
		"https://a.example/(S(abcdefghij0123456789abcd))/page":    "https://a.example/page",
		"https://a.example/view.php?t=5&sid=" + digest:            "https://a.example/view.php?t=5",
		"https://a.example/?sid=" + digest:                        "https://a.example/",
		"https://a.example/?s=0123456789abcdef0123":               "https://a.example/?s=0123456789abcdef0123",
		"https://a.example/list?sid=1204&session=paris-2024-day1": "https://a.example/list?sid=1204&session=paris-2024-day1",
	} {
		page, err := ReadPage([]byte(`<!doctype html><a href="`+address+`">x</a>`), "text/html", "https://a.example/")
		if err != nil || len(page.Links) != 1 || page.Links[0].URL != want {
			t.Errorf("%s: %v (%v), want %s", address, page.Links, err, want)
		}
	}
}

func TestE11StateOfTraps(t *testing.T) {
	traps := newTraps(present)
	for _, address := range product("https://a.example/%d/shop?color=%d&size=%d&brand=%d&e=1&f=%[1]d&g=%[2]d",
		count(1, 200), count(1, 6), count(1, 6), count(1, 3)) {
		traps.Judge(address)
	}
	for i := range 500 {
		for j := range 10 {
			traps.Judge(fmt.Sprintf("https://a.example/%d/shop?p%d=1", i, j))
		}
	}
	stored(t, traps) // within its bound
	for _, bad := range []string{"", "[]", `{"v":2}`, `{"v":1,"groups":{"a":null}}`, `{"v":1,"groups":{"a":{"n":-1}}}`,
		`{"v":1,"groups":{"a":{"x":[1,2,3,4,5,6,7]}}}`} {
		if err := new(Traps).UnmarshalJSON([]byte(bad)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}

// FuzzTraps checks that the same sequence gives the same results, however often the state was stored in between, and
// that the state keeps its bound.
func FuzzTraps(f *testing.F) {
	f.Add("https://a.example/2031/05/17\nhttps://a.example/?a=1&b=2&c=3\nhttps://a.example/x/x/x/x", uint8(1))
	f.Add("https://a.example/?year=2031&month=1\nnot an address\n\n?\n/\n;sid=", uint8(2))
	f.Fuzz(func(t *testing.T, list string, every uint8) {
		one, other := newTraps(present), newTraps(present)
		for i, address := range strings.Split(list, "\n") {
			for range 1 + int(every)%4 {
				have, again := one.Judge(address), other.Judge(address)
				if have != again || len(have) > 60 {
					t.Fatalf("%q: %q, and %q after storing", address, have, again)
				}
			}
			if i%(1+int(every)) == 0 {
				other = stored(t, other)
			}
		}
	})
}

func BenchmarkTraps(b *testing.B) {
	addresses := product("https://a.example/%d/shop?color=%d&size=%d&brand=%d", count(1, 20), count(1, 6), count(1, 6),
		count(1, 3))
	for b.Loop() {
		traps := newTraps(present)
		for _, address := range addresses {
			traps.Judge(address)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(addresses)), "ns/address")
}
