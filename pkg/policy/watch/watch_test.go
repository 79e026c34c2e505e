package watch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

func TestW10RulesAreChecked(t *testing.T) {
	for name, tt := range map[string]struct {
		spec watch.Spec
		says string // empty: valid
	}{
		"nothing": {watch.Spec{}, ""},
		"all": {watch.Spec{Include: []string{"main .price, #stock > b"}, Exclude: []string{".ad"},
			Ignore: []string{`^Updated \d+`}, Trigger: "(?i)in stock"}, ""},
		"combinators":        {watch.Spec{Include: []string{"h2 ~ p + ul>li:nth-child(2n+1):not(.old)", `a[href$=">,~ .pdf"]`, `.a\:b\,c`}}, ""},
		"empty":              {watch.Spec{Include: []string{" "}}, "watch.include: has an empty rule"},
		"no selector":        {watch.Spec{Include: []string{"div >> p"}}, `watch.include: "div >> p" is not a CSS selector`},
		"ends in the middle": {watch.Spec{Exclude: []string{"div >"}}, `watch.exclude: "div >" is not a CSS selector`},
		"slow pseudo-class": {watch.Spec{Include: []string{"div:contains(p)"}},
			"the pseudo-class :contains is not supported; supported are :column :containsown"},
		"slow in another": {watch.Spec{Include: []string{"div:not(:contains(p))"}},
			"the pseudo-class :contains is not supported"},
		"deep in each other": {watch.Spec{Include: []string{"a:not(b:not(c:not(d:not(e:not(f)))))"}},
			"more than 4 selectors stand in each other"},
		"long": {watch.Spec{Include: []string{strings.Repeat("x", 501)}},
			"an entry of 501 characters; at most 500"},
		"a long chain": {watch.Spec{Include: []string{strings.Repeat("a ", 17)}}, "1 to 16 parts"},
		"many parts":   {watch.Spec{Include: slow(14)}, "more than 200 parts together"},
		"many in others": {watch.Spec{Include: many(":is("+strings.Repeat("a,", 20)+"a)", 10)},
			"more than 200 parts together"},
		"many":                {watch.Spec{Ignore: make([]string, 51)}, "watch.ignore has 51 entries; at most 50"},
		"no expression":       {watch.Spec{Ignore: []string{"a("}}, `watch.ignore: "a(" is not a regular expression (RE2): error parsing regexp`},
		"looks around":        {watch.Spec{Trigger: "(?!a)"}, "watch.trigger: "},
		"large":               {watch.Spec{Ignore: []string{`(\pL{50}x){20}`}}, "it is too large"},
		"large together":      {watch.Spec{Ignore: []string{`a{900}`, `b{900}`, `c{900}`, `d{900}`}}, "with the others it is too large"},
		"matches every line":  {watch.Spec{Ignore: []string{`.*`}}, "it matches every line"},
		"trigger of anything": {watch.Spec{Trigger: `x*`}, "it matches every line"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := watch.Compile(tt.spec)
			switch {
			case tt.says == "" && err != nil:
				t.Error(err)
			case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says) || !fault.Is(err, fault.Invalid)):
				t.Errorf("%v, want %q", err, tt.says)
			case err != nil && !strings.HasPrefix(fault.FieldOf(err), "watch."):
				t.Errorf("field %q", fault.FieldOf(err))
			}
		})
	}
}

func slow(n int) []string { return many(strings.TrimSpace(strings.Repeat("a ", 16)), n) }

func many(text string, n int) (out []string) {
	for range n {
		out = append(out, text)
	}
	return out
}

// TestW10SelectorsMatchAsOthersSay checks that the walk finds what cascadia finds, on random trees and selectors
// (W10).
func TestW10SelectorsMatchAsOthersSay(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[dice.IntN(len(from))] }
	var tree func(depth int) string
	tree = func(depth int) string {
		var b strings.Builder
		for range dice.IntN(5) {
			tag := pick("div", "span", "b", "i")
			fmt.Fprintf(&b, `<%s class="%s" title="%s">`, tag, pick("x", "y", "x y", ""), pick("a", "b"))
			if depth > 0 {
				b.WriteString(tree(depth - 1))
			}
			fmt.Fprintf(&b, "t</%s>", tag)
		}
		return b.String()
	}
	part := func() string {
		return pick("div", "span", "b", ".x", ".y", "*", "div.x", `[title="a"]`, "i:nth-child(2)", "b:not(.x)",
			":first-of-type", "span:last-child", ":nth-last-of-type(odd)")
	}
	found := 0
	for range 3000 {
		text := part()
		for range dice.IntN(4) {
			text += pick(" ", " > ", ">", " + ", "~", "  ~ ") + part()
		}
		if dice.IntN(4) == 0 {
			text += ", " + part()
		}
		root, err := html.Parse(strings.NewReader("<body>" + tree(4)))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := watch.Compile(watch.Spec{Include: []string{text}})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		have, err := rules.Select(root)
		if err != nil {
			t.Fatal(err)
		}
		is := map[*html.Node]bool{}
		for _, n := range cascadia.QueryAll(root, cascadia.MustCompile(text)) {
			is[n] = true
		}
		var want []*html.Node
		for n := range root.Descendants() {
			top := is[n]
			for p := n.Parent; p != nil; p = p.Parent {
				top = top && !is[p]
			}
			if top {
				want = append(want, n)
			}
		}
		if len(have) != len(want) {
			t.Fatalf("%s: %d elements, want %d", text, len(have), len(want))
		}
		for i := range want {
			if have[i] != want[i] {
				t.Fatalf("%s: other elements", text)
			}
		}
		found += len(want)
	}
	if found < 1000 {
		t.Errorf("only %d elements were found", found)
	}
}

// TestW10HostilePageIsBounded checks that the examination of siblings is bounded, and that descendants are visited
// once (W10).
func TestW10HostilePageIsBounded(t *testing.T) {
	page := func(body string) *html.Node {
		root, err := html.Parse(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return root
	}
	wide := "<body>" + strings.Repeat("<p></p>", 100_000)
	for _, text := range []string{"p:nth-child(3n)", "p:first-of-type", "p:last-child"} {
		rules, err := watch.Compile(watch.Spec{Include: []string{text}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rules.Select(page(wide)); !errors.Is(err, watch.ErrLarge) {
			t.Errorf("%s: %v", text, err)
		}
	}
	rules, err := watch.Compile(watch.Spec{Include: []string{"p ~ p ~ p ~ p ~ p ~ b",
		strings.TrimSpace(strings.Repeat("div ", 15)) + " b"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{wide, "<body>" + strings.Repeat("<div>", 400) + strings.Repeat("<i></i>", 50_000)} {
		if found, err := rules.Select(page(body)); err != nil || len(found) != 0 {
			t.Errorf("%d elements, %v", len(found), err)
		}
	}
}

func TestW10Lines(t *testing.T) {
	rules, err := watch.Compile(watch.Spec{Ignore: []string{`^Updated \d+`, `visitors`}, Trigger: `(?i)in stock`})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"Updated 12 minutes ago": `^Updated \d+`, "  Updated 3": `^Updated \d+`, "Last Updated 3": "",
		"1,204 visitors today": "visitors", "": "",
	} {
		if have := rules.Ignored(line); have != want {
			t.Errorf("%q: %q, want %q", line, have, want)
		}
	}
	if !rules.Triggered("a\nNow In Stock!") || rules.Triggered("sold out") {
		t.Error("the trigger says otherwise")
	}
}

func TestW16Lost(t *testing.T) {
	for _, tt := range []struct {
		elements, letters, before int
		says                      string
	}{
		{1, 100, 100, ""}, {1, 10, 100, ""}, {1, 9, 100, "has 9 letters, and had 100: less than a tenth"},
		{0, 0, 100, "no longer on the page"}, {0, 0, 0, "no longer on the page"},
		{1, 0, 0, ""}, {2, 0, 5, "no text any more"},
		{1, 1, 9, ""},
	} {
		if have := watch.Lost("the row", tt.elements, tt.letters, tt.before); (have == "") != (tt.says == "") ||
			!strings.Contains(have, tt.says) {
			t.Errorf("%+v: %q", tt, have)
		}
	}
}

// W24: TestW24PathsAreChecked checks that a rule that begins with $ is a JSONPath, and that what is wrong with it
// names the field and the position.
func TestW24PathsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"$.items[*].price": "", " $..price": "",
		"$.items[?@.a >]": "watch.exclude: \"$.items[?@.a >]\" " +
			"is not a JSONPath (RFC 9535): unexpected ']' at position 15",
		"$.a" + strings.Repeat("[0]", 200): "watch.exclude: has an entry of 603 characters; at most 500 are allowed",
	} {
		_, err := watch.Compile(watch.Spec{Include: []string{".price"}, Exclude: []string{text}})
		if have := fmt.Sprint(err); want == "" && err != nil || want != "" && (have != want ||
			fault.FieldOf(err) != "watch.exclude") {
			t.Errorf("%.30s: %v", text, err)
		}
	}
}

// FuzzRules checks that any rules are either refused or can be applied.
func FuzzRules(f *testing.F) {
	for _, s := range []string{"a > b", `a[b="c,d"]`, ":not(:not(x))", "a:nth-child(2n+1)", `\`, `a[`, "^a.*$", "(?i)x",
		"a,,b", `"`} {
		f.Add(s, "<p class=a>b<p>c")
	}
	f.Fuzz(func(t *testing.T, rule, page string) {
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			return
		}
		some := []string{rule}
		for _, spec := range []watch.Spec{{Include: some}, {Exclude: some}, {Ignore: some}, {Trigger: rule}} {
			rules, err := watch.Compile(spec)
			if err != nil {
				if !fault.Is(err, fault.Invalid) {
					t.Fatalf("%q: %v", rule, err)
				}
				continue
			}
			if _, err := rules.Select(root); err != nil && !errors.Is(err, watch.ErrLarge) {
				t.Fatal(err)
			}
			rules.Ignored(page)
			rules.Triggered(page)
		}
		if made, err := watch.Suggest("", rule, page); err == nil {
			if _, err := watch.Compile(watch.Spec{Ignore: []string{made.Rule}}); err != nil {
				t.Fatalf("%q and %q make %q: %v", rule, page, made.Rule, err)
			}
		}
	})
}

// TestW30Ambiguous checks that a part to watch that is named as another is refused, and one to leave out is not left
// out (W30).
func TestW30Ambiguous(t *testing.T) {
	for _, tt := range []struct {
		spec watch.Spec
		says string
		rows int
	}{
		{watch.Spec{Include: []string{`tr:named("a")`, `tr:named("b")`}}, "two or more rows are named “a”", 0},
		{watch.Spec{Include: []string{`tr`}, Exclude: []string{`tr:named("a")`}}, "", 3},
		{watch.Spec{Include: []string{`tr`}, Exclude: []string{`tr:named("b")`}}, "", 2},
	} {
		root, err := html.Parse(strings.NewReader("<table><tr><td>a<td>1<tr><td>a<td>2<tr><td>b<td>3</table>"))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := watch.Compile(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		found, err := rules.Select(root)
		if len(found) != tt.rows || (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v: %d rows, %v", tt.spec, len(found), err)
		}
	}
}
