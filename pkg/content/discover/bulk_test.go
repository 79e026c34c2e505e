package discover

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// page returns a page with a text and some links.
func pageOf(text string) []byte {
	return []byte("<html><head><title>Harbour</title></head><body><a href=/x>" + text + "</a><p>" + text + "</p></body>")
}

// readAll has a Bulk judge addresses in turn, and read those that it wants. It returns the numbers by verdict.
func readAll(t *testing.T, b *Bulk, urls []string, text func(i int) string) (by [3]int) {
	t.Helper()
	for i, url := range urls {
		v, _ := b.Judge(url)
		if by[v]++; v != wanted {
			continue
		}
		b.Want(url)
		page, err := ReadPage(pageOf(text(i)), "text/html", url)
		if err != nil {
			t.Fatal(err)
		}
		b.Read(url, &page.Sketch)
	}
	return by
}

// TestE16Alike checks that groups of nearly equal pages are left out after the first dozen, and that pages with texts
// of their own are not, whatever their addresses (E16).
func TestE16Alike(t *testing.T) {
	const boiler = "All our things are sent within a day to every country and can be returned for a month "
	urls := func(form string) (out []string) {
		for i := range 200 {
			out = append(out, fmt.Sprintf(form, i))
		}
		return out
	}
	own := func(i int) string {
		var b strings.Builder
		for j := range 12 {
			fmt.Fprintf(&b, "%c%c%c ", 'a'+i%26, 'a'+(i/26+j)%26, 'a'+(i*7+j*11)%26)
		}
		return b.String()
	}
	day := func(i int) string { return fmt.Sprint("Events of day ", i, " of the harbour: none, see next month") }
	for name, tt := range map[string]struct {
		form    string
		text    func(i int) string
		wanted  int
		trapped bool
	}{
		"days of a calendar":  {"https://a.example/cal/2026/1/%d", day, firstOfBulk, true},
		"filters of one list": {"https://a.example/list?size=%d", func(int) string { return boiler }, firstOfBulk, true},
		"empty pages":         {"https://a.example/e/%d", func(int) string { return "" }, firstOfBulk, true},
		"articles by numbers": {"https://a.example/news/%d", own, 200, false},
		"things":              {"https://a.example/thing/%d.html", func(i int) string { return boiler + own(i) }, 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := &Bulk{}
			by := readAll(t, b, urls(tt.form), tt.text)
			if by[wanted] != tt.wanted || by[Held] != 0 || by[unwanted] != 200-tt.wanted {
				t.Errorf("by verdict: %v", by)
			}
			state, err := json.Marshal(b)
			var again Bulk
			if err != nil || json.Unmarshal(state, &again) != nil {
				t.Fatal(err)
			}
			if v, _ := again.Judge(urls(tt.form)[0]); (v == unwanted) != tt.trapped {
				t.Errorf("read again, the state says %v", v)
			}
		})
	}
}

// TestE16SetsOfFilters checks that a list with filters is left out after its first pages in whatever sets its
// parameters come, and that pages of the same path with parameters of their own are not (E16).
func TestE16SetsOfFilters(t *testing.T) {
	var b Bulk
	var urls []string
	for i := range 10 {
		for j := range i {
			for v := range 4 {
				urls = append(urls, fmt.Sprintf("https://a.example/shop?%c=%d&%c=%d", 'a'+j, v, 'a'+i, v))
			}
		}
	}
	same := func(int) string { return "All our things are sent within a day to every country" }
	if by := readAll(t, &b, urls, same); by[wanted] > 2*firstOfPath || by[wanted]+by[unwanted] != len(urls) {
		t.Errorf("of %d lists, by verdict: %v", len(urls), by)
	}
	var things []string
	for i := range 50 {
		things = append(things, fmt.Sprintf("https://a.example/shop?thing=%d", i))
	}
	own := func(i int) string { return strings.Repeat(fmt.Sprintf("thing%c%c ", 'a'+i%26, 'a'+i/26), 9) }
	if by := readAll(t, &b, things, own); by[wanted] != len(things) {
		t.Errorf("of %d things, by verdict: %v", len(things), by)
	}
}

// TestE16Held checks that only the first addresses of a group are wanted until they are read, and that the state stays
// within its bounds (E16).
func TestE16Held(t *testing.T) {
	b := &Bulk{}
	for i := range 30 {
		url := fmt.Sprintf("https://a.example/x/%d", i)
		v, _ := b.Judge(url)
		if (v == Held) != (i >= firstOfBulk) {
			t.Errorf("%d: %v", i, v)
		}
		if v == wanted {
			b.Want(url)
		}
	}
	for i := range 2 * maxBulks {
		for j := range 20 {
			url := fmt.Sprintf("https://a.example/%c%c%c/%d", 'a'+i%26, 'a'+i/26%26, 'a'+i/676, j)
			b.Want(url)
			page, _ := ReadPage(pageOf(strings.Repeat(fmt.Sprintf("w%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+j), 9)), "", url)
			b.Read(url, &page.Sketch)
		}
	}
	if state, _ := json.Marshal(b); len(state) > 120<<10 || len(b.Groups) > maxBulks {
		t.Errorf("%d bytes, %d groups", len(state), len(b.Groups))
	}
}

// FuzzE16Page checks that any body is read or refused, and gives the same result again (E16).
func FuzzE16Page(f *testing.F) {
	f.Add([]byte(`<base href="//x"><a href=y rel=nofollow>z</a><meta name=robots content=none>`), "text/html")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		one, err := ReadPage(body, contentType, "https://a.example/x")
		if err != nil {
			return
		}
		two, err := ReadPage(body, contentType, "https://a.example/x")
		if err != nil || !one.Sketch.alike(two.Sketch, true) || len(one.Links) != len(two.Links) {
			t.Errorf("%v; %d and %d links", err, len(one.Links), len(two.Links))
		}
	})
}

// TestE16ManyGroups checks that an endless space is recognized although many other groups were met before it and
// after, and that the state stays bounded (E16).
func TestE16ManyGroups(t *testing.T) {
	var b Bulk
	same := func(int) string { return "Nothing is planned for this day" }
	small := func(from int) (out []string) {
		for i := range 2 * maxBulks {
			out = append(out, fmt.Sprintf("https://a.example/%s/x", strings.Repeat("a", from+i)))
		}
		return out
	}
	readAll(t, &b, small(1), same)
	var days []string
	for i := range 100 {
		days = append(days, fmt.Sprintf("https://a.example/cal/%d", i))
	}
	if by := readAll(t, &b, days, same); by[wanted] != firstOfBulk || by[unwanted] != 100-firstOfBulk {
		t.Errorf("%v", by)
	}
	readAll(t, &b, small(1000), same)
	if v, why := b.Judge("https://a.example/cal/101"); v != unwanted || why == "" {
		t.Errorf("the space is forgotten: %v", v)
	}
	if n := len(b.Groups); n > maxBulks {
		t.Errorf("%d groups", n)
	}
}
