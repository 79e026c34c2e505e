package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// chosenBy is a selector that wants the elements with a class, or all but them.
type chosenBy struct {
	class  string
	narrow bool
}

func (w chosenBy) Narrow() bool { return w.narrow }

func (w chosenBy) Select(root *html.Node) ([]*html.Node, error) {
	found := cascadia.QueryAll(root, cascadia.MustCompile(w.class))
	if w.narrow {
		return found, nil
	}
	for _, n := range found {
		if n.Parent != nil {
			n.Parent.RemoveChild(n)
		}
	}
	return nil, nil
}

// W22: TestW22Marked checks that the text of wanted elements is found where it stands, whatever stands elsewhere.
func TestW22Marked(t *testing.T) {
	for page, want := range map[string]string{
		"<main><h1>Lamp</h1><p>12 <b class=m>12</b> 12":                      "Lamp\n\n12 [12] 12",
		"<main><h1>Lamp</h1><p class=m>Now <i>79</i> EUR</p><p>Now 79 EUR":   "Lamp\n\n[Now 79 EUR]\n\nNow 79 EUR",
		"<main><h1>Lamp</h1><p>价格<b class=m>79</b>元":                         "Lamp\n\n价格[79]元",
		"<main><h1>Lamp</h1><p>un<b class=m>do</b>ne, <del class=m>or</del>": "Lamp\n\nun[do]ne, ~~[or]~~",
		"<main><table><tr><th>A<th>B<tr><td>1<td class=m>1</table>":          "| A | B |\n| --- | --- |\n| 1 | [1] |",
		"<main><h1>Lamp</h1><pre>a\n<b class=m>b\n  c</b>\nd</pre>":          "Lamp\n\na\n[b]\n[  c]\nd",
		"<main><h1>Lamp</h1><p class=m>":                                     "Lamp",
	} {
		text, spans, read := Marked([]byte(page), "text/html", "https://shop.example/", chosenBy{".m", true})
		doc, err := Extract([]byte(page), "text/html", "https://shop.example/", extract.Limits{})
		if err != nil || !read || text != doc.Text {
			t.Errorf("%s: read %v, %v\n%s\n%s", page, read, err, text, doc.Text)
		}
		if have := bracketed(text, spans); have != want {
			t.Errorf("%s:\n%s\nwant\n%s", page, have, want)
		}
	}
	if _, _, read := Marked([]byte("a,b"), "text/csv", "https://shop.example/", chosenBy{".m", true}); read {
		t.Error("a text without elements has wanted ones")
	}
}

// bracketed returns a text with brackets around its spans.
func bracketed(text string, spans [][]Span) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for j := len(spans[i]) - 1; j >= 0; j-- {
			s := spans[i][j]
			line = line[:s.From] + "[" + line[s.From:s.To] + "]" + line[s.To:]
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// W22: TestW22MarkedPages checks that reading pages with signs in them gives the text that reading them without gives.
func TestW22MarkedPages(t *testing.T) {
	files, err := filepath.Glob("testdata/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	read, same := 0, 0
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := Extract(body, "text/html", "https://shop.example/", extract.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, sel := range []chosenBy{{"p", true}, {"a", true}, {"td", true}, {"main", true}, {"b, strong, em, code", true},
			{"a", false}, {"p", false}, {"span", false}} {
			text, _, ok := Marked(body, "text/html", "https://shop.example/", sel)
			if !ok {
				continue
			}
			if read++; text == doc.Text {
				same++
			} else {
				t.Logf("%s, %v: another text", file, sel)
			}
		}
	}
	t.Logf("%d of %d texts are the same", same, read)
	if same*100 < read*95 {
		t.Errorf("%d of %d texts are the same", same, read)
	}
}

// FuzzMarked checks that spans are in their lines, in order and apart, and that reading ends without an error.
func FuzzMarked(f *testing.F) {
	f.Add("<main><p>12 <b class=m>12</b> 12<pre class=m>a\n\nb</pre><img class=m alt=x>")
	f.Add("<b class=m>\ufdd0\ufdd1</b>\ufdd1\ufdd0")
	f.Fuzz(func(t *testing.T, page string) {
		for _, narrow := range []bool{true, false} {
			text, spans, read := Marked([]byte(page), "text/html", "https://shop.example/", chosenBy{".m", narrow})
			lines := strings.Split(text, "\n")
			if read && len(lines) != len(spans) {
				t.Fatalf("%d lines, %d lists of spans", len(lines), len(spans))
			}
			for i, list := range spans {
				at := 0
				for _, s := range list {
					if s.From < at || s.To <= s.From || s.To > len(lines[i]) {
						t.Fatalf("span %v of %q", s, lines[i])
					}
					at = s.To
				}
			}
		}
	})
}
