package discover

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// pagesOf lists all pages of a template, the way a run that finds something on each goes through them.
func pagesOf(t *testing.T, template, from, to string) []string {
	t.Helper()
	p := mustPages(t, template, from, to)
	list := []string{}
	for i := 0; i < p.Len(); i = p.After(i, false) {
		list = append(list, p.At(i))
	}
	return list
}

func mustPages(t *testing.T, template, from, to string) Pages {
	t.Helper()
	parsed, err := ParseTemplate(template)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ParseDates(from, to)
	if err != nil {
		t.Fatal(err)
	}
	p, err := parsed.Pages(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestE8ArchiveTemplates(t *testing.T) {
	for _, row := range []struct {
		name, template, from, to string
		want                     []string
	}{
		{"months, over a new year", "https://a.example/{yyyy}/{mm}/", "2023-11-15", "2024-02-01",
			[]string{"https://a.example/2023/11/", "https://a.example/2023/12/", "https://a.example/2024/01/",
				"https://a.example/2024/02/"}},
		{"days, over a leap day", "https://a.example/{yyyy}{mm}{dd}.html", "2024-02-28", "2024-03-01",
			[]string{"https://a.example/20240228.html", "https://a.example/20240229.html", "https://a.example/20240301.html"}},
		{"short forms", "https://a.example/{yy}/{m}/{d}", "2009-01-09", "2009-01-10",
			[]string{"https://a.example/09/1/9", "https://a.example/09/1/10"}},
		{"years", "https://a.example/?year={yyyy}", "2023-12-31", "2024-01-01",
			[]string{"https://a.example/?year=2023", "https://a.example/?year=2024"}},
		{"a month beside the end of a longer one", "https://a.example/{yyyy}-{mm}", "2024-01-31", "2024-03-31",
			[]string{"https://a.example/2024-01", "https://a.example/2024-02", "https://a.example/2024-03"}},
		{"one place twice", "https://a.example/{yyyy}/{yyyy}-{mm}", "2024-01-01", "2024-01-31",
			[]string{"https://a.example/2024/2024-01"}},
		{"a range, dates do not matter", "https://a.example/p{n:9-11}", "", "",
			[]string{"https://a.example/p9", "https://a.example/p10", "https://a.example/p11"}},
		{"a padded range", "https://a.example/p{n:009-010}", "", "",
			[]string{"https://a.example/p009", "https://a.example/p010"}},
		{"numbers for each date", "https://a.example/{yyyy}?p={n:0-1}", "2023-01-01", "2024-12-31",
			[]string{"https://a.example/2023?p=0", "https://a.example/2023?p=1", "https://a.example/2024?p=0",
				"https://a.example/2024?p=1"}},
		{"none", "https://a.example/all", "", "", []string{"https://a.example/all"}},
		{"in the form that is requested", "HTTPS://A.example:443/ä/{n:1-1}#x", "", "",
			[]string{"https://a.example/%C3%A4/1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, pagesOf(t, row.template, row.from, row.to)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestE8OpenNumbers(t *testing.T) {
	p := mustPages(t, "https://a.example/{yyyy}?page={n}", "2023-01-01", "2024-12-31")
	if p.Len() != 2*maxOpen {
		t.Fatalf("%d pages, want %d for each of two years", p.Len(), maxOpen)
	}
	full := map[string]bool{"https://a.example/2023?page=1": true, "https://a.example/2023?page=2": true,
		"https://a.example/2024?page=1": true}
	var asked []string
	for i := 0; i < p.Len(); i = p.After(i, !full[p.At(i)]) {
		asked = append(asked, p.At(i))
	}
	want := []string{
		"https://a.example/2023?page=1", "https://a.example/2023?page=2", "https://a.example/2023?page=3",
		"https://a.example/2024?page=1", "https://a.example/2024?page=2",
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

func TestE8RefusedTemplates(t *testing.T) {
	for _, row := range []struct{ template, says string }{
		{"", "before the path"},
		{"ftp://a.example/{n}", "neither http nor https"},
		{"{yyyy}", "before the path"},
		{"https://{n}.example/", "before the path"},
		{"https://a.example:{n:1-9}/", "before the path"},
		{"https://a.example/{", "without its }"},
		{"https://a.example/}", "without its {"},
		{"https://a.example/{}", "is unknown"},
		{"https://a.example/{YYYY}", "is unknown"},
		{"https://a.example/{page}", "is unknown"},
		{"https://a.example/{dd}", "without its month"},
		{"https://a.example/{yyyy}/{d}", "without its month"},
		{"https://a.example/{mm}", "without its year"},
		{"https://a.example/{n}/{n:1-2}", "there is one number"},
		{"https://a.example/{n:}", "not a range"},
		{"https://a.example/{n:3}", "not a range"},
		{"https://a.example/{n:3-2}", "not a range"},
		{"https://a.example/{n:-1-2}", "not a range"},
		{"https://a.example/{n:1-100001}", "not a range"},
		{"https://a.example/{n:1-99999999999999999999}", "not a range"},
		{"https://a.example/" + strings.Repeat("a", source.MaxRaw), "long"},
	} {
		_, err := ParseTemplate(row.template)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%.60q: error %v, want one that says %q", row.template, err, row.says)
		}
	}
}

func TestE8RefusedDatesOfTemplates(t *testing.T) {
	for _, row := range []struct{ name, template, from, to, blames string }{
		{"no dates", "https://a.example/{yyyy}", "", "", "dateFrom"},
		{"no begin", "https://a.example/{yyyy}", "", "2024-01-01", "dateFrom"},
		{"no end", "https://a.example/{yyyy}", "2024-01-01", "", "dateTo"},
		{"too many days", "https://a.example/{yyyy}{mm}{dd}", "0001-01-01", "9999-12-31", "dateFrom"},
		{"too many pages", "https://a.example/{yyyy}/{n}", "1900-01-01", "2000-12-31", "dateFrom"},
	} {
		t.Run(row.name, func(t *testing.T) {
			parsed, err := ParseTemplate(row.template)
			if err != nil {
				t.Fatal(err)
			}
			d, err := ParseDates(row.from, row.to)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parsed.Pages(d); !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != row.blames {
				t.Errorf("error %v, want one that blames %s", err, row.blames)
			}
		})
	}
}

// FuzzTemplate checks that an accepted template stays within bounds and gives well-formed addresses.
func FuzzTemplate(f *testing.F) {
	f.Add("https://a.example/{yyyy}/{mm}/{dd}/{n:01-20}", int64(1700000000), int64(1700600000))
	f.Add("http://b.example/?p={n}", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, text string, from, to int64) {
		parsed, err := ParseTemplate(text)
		if err != nil {
			return
		}
		pages, err := parsed.Pages(Dates{unix(from), unix(to)})
		if err != nil {
			return
		}
		if n := pages.Len(); n < 1 || n > maxPages {
			t.Fatalf("%d pages", n)
		}
		for _, i := range []int{0, pages.Len() / 2, pages.Len() - 1} {
			address := pages.At(i)
			if form, err := source.FetchForm(address); err != nil || form != address {
				t.Errorf("%q becomes %q, %v", address, form, err)
			}
			if next := pages.After(i, true); next <= i || next > pages.Len() {
				t.Errorf("after %d comes %d of %d", i, next, pages.Len())
			}
		}
	})
}
