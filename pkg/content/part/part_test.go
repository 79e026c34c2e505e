package part_test

import (
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
	lines := part.Ignored(old, now, old.Doc.Text, now.Doc.Text)
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
