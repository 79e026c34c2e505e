package openapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// TestRoundTrip checks that the types read and write the whole document, so that the page lacks nothing.
func TestRoundTrip(t *testing.T) {
	d, err := Read(JSON)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(value(t, JSON), value(t, again)); diff != "" {
		t.Errorf("-embedded +read and written\n%s", diff)
	}
}

func value(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPage checks that the page shows every operation and type, with a command for each operation, and that every
// link has a target on the page.
func TestPage(t *testing.T) {
	page, policy := Page()
	d, err := Read(JSON)
	if err != nil {
		t.Fatal(err)
	}
	ids, links := map[string]bool{}, []string{}
	for n := range parse(t, page).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "script" || n.Data == "img" || n.Data == "link" || n.Data == "iframe" || n.Data == "form" {
			t.Errorf("the page has <%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("two elements are called %q", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Key == "href":
				links = append(links, a.Val)
			case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s %s>: the policy refuses it", n.Data, a.Key)
			}
		}
	}
	for _, link := range links {
		if target, found := strings.CutPrefix(link, "#"); !found || !ids[target] {
			t.Errorf("the link %q leads nowhere", link)
		}
	}
	operations := 0
	for _, s := range sections(d) {
		operations += len(s.Operations)
		for _, o := range s.Operations {
			if !ids[anchor(o.OperationID)] {
				t.Errorf("%s is not shown", o.OperationID)
			}
		}
	}
	for _, w := range d.Webhooks {
		if !ids[anchor(w.Value[0].Value.OperationID)] {
			t.Errorf("the webhook %s is not shown", w.Name)
		}
	}
	if n := strings.Count(string(page), ">curl "); n != operations || n < 30 {
		t.Errorf("%d commands for %d operations", n, operations)
	}
	for _, s := range d.Components.Schemas {
		if !ids[anchor("schema", s.Name)] {
			t.Errorf("%s is not shown", s.Name)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
}

// TestPageIsEscaped checks that descriptions and examples are shown as text, and never become markup.
func TestPageIsEscaped(t *testing.T) {
	d, err := Read(bytes.ReplaceAll(JSON, []byte("harbour"), []byte(`<script>\"'`)))
	if err != nil {
		t.Fatal(err)
	}
	d.Info.Description = "<script>`<b>`"
	d.Components.Schemas[0].Value.Description = "<script>"
	page, err := render(d)
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`<(script|b>)[^<]{0,40}`).FindAll(page, -1); len(m) > 0 &&
		bytes.Contains(page, []byte("<script")) {
		t.Errorf("markup: %q", m[0])
	}
	if !bytes.Contains(page, []byte("<code>&lt;b&gt;</code>")) {
		t.Error("the description is not shown as it is")
	}
}

func TestCurl(t *testing.T) {
	o := listed{Method: "PUT", Path: "/policies/{key}", Operation: Operation{
		Parameters: []Parameter{
			{Name: "key", In: "path", Required: true, Example: json.RawMessage(`"a b"`)},
			{Name: "q", In: "query", Required: true, Example: json.RawMessage(`"x&y"`)},
			{Name: "top", In: "query", Example: json.RawMessage(`3`)},
		},
		RequestBody: &RequestBody{Content: List[MediaType]{{"application/json",
			MediaType{Examples: List[Example]{{"a", Example{Value: json.RawMessage(`{"a": "it's"}`)}}}}}}},
	}}
	want := `curl -X PUT -H "x-functions-key: $KEY" -H 'Content-Type: application/json' -d '{"a":"it'\''s"}' "$TIDEMARK/policies/a%20b?q=x%26y"`
	if have := curl(o); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}

func parse(t *testing.T, page []byte) *html.Node {
	t.Helper()
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
