package part_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

func read(t *testing.T, r *part.Reader, page string) *part.Part {
	t.Helper()
	doc, err := web.Extract([]byte(page), "text/html", "https://port.example/", extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Read(doc, []byte(page), "text/html", "https://port.example/")
	return &p
}

// TestW10IgnoredLines checks that ignored lines of each side have the rule of that side, that other lines are
// omitted, and that a caller may stop at any line.
func TestW10IgnoredLines(t *testing.T) {
	r := part.NewReader(watch.Spec{Ignore: []string{"^Updated"}})
	old := read(t, r, "<main><p>The harbour opens at ten.<p>Updated on Monday.<p>The bar is shut.</main>")
	now := read(t, r, "<main><p>The harbour opens at nine.<p>Updated on Tuesday.<p>The bar is shut.</main>")
	want := []part.Line{
		{Text: "Updated on Monday.", Rule: "ignore: ^Updated"},
		{Text: "Updated on Tuesday.", Added: true, Rule: "ignore: ^Updated"},
	}
	lines := part.Ignored(old.Own(old.Doc.Text), now.Own(now.Doc.Text))
	if diff := cmp.Diff(want, slices.Collect(lines)); diff != "" {
		t.Errorf("(-want +have)\n%s", diff)
	}
	for line := range lines {
		if line != want[0] {
			t.Errorf("the first is %v", line)
		}
		break
	}
}

// TestH12SelectedNumbersCount checks that a counter that somebody selected is compared, and one of the whole page is
// not.
func TestH12SelectedNumbersCount(t *testing.T) {
	for name, row := range map[string]struct {
		spec watch.Spec
		same bool
	}{
		"selected": {watch.Spec{Include: []string{".c"}}, false},
		"the page": {watch.Spec{Ignore: []string{"^Updated"}}, true},
		"the rest": {watch.Spec{Exclude: []string{"nav"}}, true},
	} {
		r := part.NewReader(row.spec)
		old := read(t, r, "<main><h1>Port</h1><p>The harbour opens at ten.<p class=c>12 downloads</main>")
		now := read(t, r, "<main><h1>Port</h1><p>The harbour opens at ten.<p class=c>13 downloads</main>")
		if same := old.State == now.State; same != row.same {
			t.Errorf("%s: the same is %v", name, same)
		}
	}
}

// TestW10BadRules checks that rules that cannot be compiled are reported, and that no page has the part.
func TestW10BadRules(t *testing.T) {
	r := part.NewReader(watch.Spec{Ignore: []string{"("}})
	if _, err := r.Rules(); err == nil {
		t.Fatal("no error")
	}
	if p := read(t, r, "<main>A page.</main>"); p.Why == "" || p.Elements != 0 {
		t.Errorf("%d elements, why %q", p.Elements, p.Why)
	}
}

// W22: TestW22MarkedByParts checks that a line of the page counts if words of the watched part differ in it, also where
// that part is in the middle of the line, and does not count if only other words differ.
func TestW22MarkedByParts(t *testing.T) {
	const outside, seen = "include: only .price is watched", "exclude: .seen"
	price, rest := watch.Spec{Include: []string{".price"}}, watch.Spec{Exclude: []string{".seen"}}
	box := watch.Spec{Include: []string{".box"}, Exclude: []string{".seen"}}
	dated := watch.Spec{Include: []string{".price"}, Ignore: []string{"seen"}}
	lamp := func(price, seen string) string {
		return "<p class=box>Price: <span class=price>" + price + "</span> EUR, <span class=seen>seen " + seen +
			" times</span> since May.</p><p>The lamp hangs at the door."
	}
	lampe := func(price, seen string) string {
		return "<p>价格<b class=price>" + price + "</b>元，<b class=seen>" + seen + "人看过</b>，五月起。</p>"
	}
	for name, tt := range map[string]struct {
		spec     watch.Spec
		old, now string
		want     string
	}{
		"the price, watched":       {price, lamp("79", "12"), lamp("84", "12"), ""},
		"the rest, of a watch":     {price, lamp("79", "12"), lamp("79", "13"), outside},
		"both, of a watch":         {price, lamp("79", "12"), lamp("84", "13"), ""},
		"an excluded counter":      {rest, lamp("79", "12"), lamp("79", "13"), seen},
		"the price, of the rest":   {rest, lamp("79", "12"), lamp("84", "12"), ""},
		"a price in the counter":   {price, lamp("7", "17"), lamp("7", "18"), outside},
		"the counter's number":     {price, lamp("12", "13"), lamp("13", "14"), ""},
		"the counter of a box":     {box, lamp("79", "12"), lamp("79", "13"), "include: only .box is watched"},
		"the price of a box":       {box, lamp("79", "12"), lamp("84", "12"), ""},
		"a line that is ignored":   {dated, lamp("79", "12"), lamp("84", "12"), ""},
		"no spaces, the price":     {price, lampe("79", "12"), lampe("84", "12"), ""},
		"no spaces, the rest":      {rest, lampe("79", "12"), lampe("84", "12"), ""},
		"a number of another line": {rest, "<p>12<p class=seen>12 visitors", "<p>12<p class=seen>13 visitors", seen},
	} {
		have := rules(t, tt.spec, "<main><h1>Lamp</h1>"+tt.old+"</main>", "<main><h1>Lamp</h1>"+tt.now+"</main>")
		if tt.want == "" && len(have) > 0 || tt.want != "" && !slices.Equal(have, []string{tt.want, tt.want}) {
			t.Errorf("%s: %q, want %q", name, have, tt.want)
		}
	}
}

// rules returns the rules by which lines that differ between two pages do not count.
func rules(t *testing.T, spec watch.Spec, was, is string) (out []string) {
	t.Helper()
	r := part.NewReader(spec)
	hunks, _ := part.Compare(read(t, r, was).Page(text(t, was)), read(t, r, is).Page(text(t, is)))
	for _, h := range hunks {
		for _, row := range h.Rows {
			for _, rule := range []part.Hidden{row.Gone, row.Come} {
				if rule.Whole {
					out = append(out, rule.Rule)
				}
			}
		}
	}
	return out
}

// W22: TestW22HiddenInALine checks that what does not count is listed where it is in a line, or in a row of a table,
// that counts.
func TestW22HiddenInALine(t *testing.T) {
	for name, tt := range map[string]struct{ page, gone, come string }{
		"a line": {"<p>Price: %s EUR, <b class=seen>seen %s times</b> since May.", "seen 12 times", "seen 13 times"},
		"a row":  {"<table><tr><th>EUR<th>Seen<tr><td>%s<td class=seen>%s times</table>", "12 times", "13 times"},
		"a row of nothing else": {"<table><tr><th>A<th>EUR<tr><td>a<td>%s<tr class=seen><td>b<td>%s</table>",
			"b · 12", "b · 13"},
	} {
		page := func(price, seen string) string {
			return "<main><h1>Lamp</h1>" + fmt.Sprintf(tt.page, price, seen) + "</main>"
		}
		r := part.NewReader(watch.Spec{Exclude: []string{".seen"}})
		was, is := page("79", "12"), page("84", "13")
		have := slices.Collect(part.Ignored(read(t, r, was).Page(text(t, was)), read(t, r, is).Page(text(t, is))))
		want := []part.Line{{Text: tt.gone, Rule: "exclude: .seen"}, {Text: tt.come, Added: true, Rule: "exclude: .seen"}}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-want +have)\n%s", name, diff)
		}
	}
}

// text returns the text of a whole page.
func text(t *testing.T, page string) string {
	t.Helper()
	doc, err := web.Extract([]byte(page), "text/html", "https://port.example/", extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Text
}
