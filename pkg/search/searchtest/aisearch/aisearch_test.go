package aisearch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// words is a definition with one analyzed field.
const words = `{"name":"words","fields":[
	{"name":"id","type":"Edm.String","key":true,"filterable":true,"sortable":true,"retrievable":true},
	{"name":"host","type":"Edm.String","filterable":true,"retrievable":true},
	{"name":"text","type":"Edm.String","searchable":true,"retrievable":true,"analyzer":"en.lucene"}]}`

// client sends requests like a well-behaved client, unless configured differently.
type client struct {
	*testing.T
	server *Server
	header map[string]string
	query  string
}

func newClient(t *testing.T) *client {
	c := &client{T: t, server: New(t), query: "api-version=" + APIVersion, header: map[string]string{
		"api-key": Key, "Content-Type": "application/json",
	}}
	c.expect("PUT", "", words, 201)
	return c
}

// expect sends a request to an index and checks the status.
func (c *client) expect(method, path, body string, want int) (answer map[string]any) {
	c.Helper()
	req, err := http.NewRequest(method, c.server.URL+"/indexes('words')"+path+"?"+c.query, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	if _, given := c.header["Accept"]; !given {
		req.Header.Set("Accept", "application/json;odata.metadata="+map[bool]string{true: "minimal",
			false: "none"}[path == ""])
	}
	if _, given := c.header["Prefer"]; !given && method == "PUT" {
		req.Header.Set("Prefer", "return=representation")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer resp.Body.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(resp.Body); err != nil {
		c.Fatal(err)
	}
	_ = json.Unmarshal(out.Bytes(), &answer)
	if resp.StatusCode != want {
		c.Errorf("%s %.200s: have %d %.300s, want %d", method, body, resp.StatusCode, out.String(), want)
	}
	return answer
}

func (c *client) index(actions string, want int) map[string]any {
	c.Helper()
	return c.expect("POST", "/docs/search.index", `{"value":[`+actions+`]}`, want)
}

// search returns the keys found, in order.
func (c *client) search(query string) (keys []string) {
	c.Helper()
	answer := c.expect("POST", "/docs/search.post.search", `{"queryType":"full",`+query+`}`, 200)
	for _, d := range answer["value"].([]any) {
		keys = append(keys, d.(map[string]any)["id"].(string))
	}
	return keys
}

func upload(id, text string) string {
	return fmt.Sprintf(`{"@search.action":"upload","id":%q,"host":"h","text":%q}`, id, text)
}

// statuses returns the statuses of the documents in an answer.
func statuses(answer map[string]any) (codes []int) {
	for _, r := range answer["value"].([]any) {
		codes = append(codes, int(r.(map[string]any)["statusCode"].(float64)))
	}
	return codes
}

func TestAdmission(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(*client)
		want int
	}{
		{"good", func(*client) {}, 200},
		{"token", func(c *client) { delete(c.header, "api-key"); c.header["Authorization"] = "Bearer x" }, 200},
		{"no key", func(c *client) { delete(c.header, "api-key") }, 403},
		{"wrong key", func(c *client) { c.header["api-key"] = "key" }, 403},
		{"wrong version", func(c *client) { c.query = "api-version=2020-06-30" }, 400},
		{"no version", func(c *client) { c.query = "" }, 400},
		{"unknown parameter", func(c *client) { c.query += "&x=1" }, 400},
		{"metadata", func(c *client) { c.header["Accept"] = "application/json" }, 400},
		{"no JSON", func(c *client) { c.header["Content-Type"] = "text/plain" }, 415},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newClient(t)
			tc.edit(c)
			c.index(upload("a", "one"), tc.want)
		})
	}
}

func TestDocuments(t *testing.T) {
	c := newClient(t)
	if have := statuses(c.index(upload("a", "one")+","+upload("b", "two"), 200)); !cmp.Equal(have, []int{201, 201}) {
		t.Errorf("new documents: %v", have)
	}
	if have := statuses(c.index(upload("a", "three"), 200)); !cmp.Equal(have, []int{200}) {
		t.Errorf("a document that was there: %v", have)
	}
	if have := statuses(c.index(`{"@search.action":"delete","id":"never"}`, 200)); !cmp.Equal(have, []int{200}) {
		t.Errorf("deletion of what is not there: %v", have)
	}
	merges := `{"@search.action":"merge","id":"never","text":"x"},{"@search.action":"merge","id":"a","host":"i"}`
	if have := statuses(c.index(merges, 207)); !cmp.Equal(have, []int{404, 200}) {
		t.Errorf("merges: %v", have)
	}
	if have := statuses(c.index(`{"@search.action":"upload","id":"long","host":"`+strings.Repeat("x", 33_000)+`"}`,
		207)); !cmp.Equal(have, []int{400}) {
		t.Errorf("a term that is too long: %v", have)
	}
	want := []map[string]any{{"id": "a", "host": "i", "text": "three"}, {"id": "b", "host": "h", "text": "two"}}
	if diff := cmp.Diff(want, c.server.Documents("words")); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	for _, bad := range []string{
		"", upload("_a", "x"), upload("a/b", "x"), upload("", "x"), upload(strings.Repeat("a", 1025), "x"),
		`{"@search.action":"upload","id":"a","color":"red"}`, `{"@search.action":"upload","id":"a","text":1}`,
		`{"@search.action":"delete","id":"a","text":"x"}`, `{"@search.action":"remove","id":"a"}`, `{"id":"a"}`, `{`,
		strings.TrimSuffix(strings.Repeat(upload("a", "x")+",", 1001), ","), upload("a", "x") + "," + upload("a", "y"),
	} {
		c.index(bad, 400)
	}
	c.index(upload("a", strings.Repeat("x", 16<<20)), 413)
}

// TestVisibility checks that a written document is stored at once, and found after a refresh.
func TestVisibility(t *testing.T) {
	c := newClient(t)
	c.index(upload("a", "one"), 200)
	if have := c.search(`"search":"one"`); have != nil || len(c.server.Documents("words")) != 1 {
		t.Errorf("before: %v", have)
	}
	c.server.Refresh()
	if have := c.search(`"search":"one"`); !cmp.Equal(have, []string{"a"}) {
		t.Errorf("after: %v", have)
	}
}

func TestSearch(t *testing.T) {
	c := newClient(t)
	c.index(upload("a", "The tides rise")+","+upload("b", "A tide of tickets")+","+upload("c", "rise or fall"), 200)
	c.server.Refresh()
	for query, want := range map[string][]string{
		`"search":"tide","orderby":"id"`:                                                   {"a", "b"},
		`"search":"\"tide\" AND \"rise\""`:                                                 {"a"},
		`"search":"(tide OR fall) AND rise","orderby":"id desc"`:                           {"c", "a"},
		`"search":"text:\"tide of tickets\""`:                                              {"b"},
		`"search":"tick*"`:                                                                 {"b"},
		`"search":"the"`:                                                                   nil,
		`"search":"tide AND the","orderby":"id"`:                                           {"a", "b"},
		`"search":"*","filter":"id gt 'a' and not (id eq 'c')"`:                            {"b"},
		`"search":"*","filter":"search.in(id, 'a|c', '|') and host eq 'h'","orderby":"id"`: {"a", "c"},
		`"search":"*","filter":"host eq 'it''s' or id eq 'a'"`:                             {"a"},
		`"search":"*","orderby":"id","top":1,"skip":1`:                                     {"b"},
	} {
		if diff := cmp.Diff(want, c.search(query)); diff != "" {
			t.Errorf("%s: -want +have\n%s", query, diff)
		}
	}
	for _, bad := range []string{
		`"search":"a b"`, `"search":"a AND b OR c"`, `"search":"a AND"`, `"search":"(a"`, `"search":"\"a"`,
		`"search":"o'brien?"`, `"search":"*a"`, `"search":"NOT"`,
		`"search":"host:a"`, `"search":"*","filter":"text eq 'x'"`, `"search":"*","filter":"host eq 'it's'"`,
		`"search":"*","filter":"host eq h"`,
		`"search":"*","orderby":"text"`, `"search":"*","select":"color"`, `"search":"*","color":1`,
		`"search":"*","skip":100001`, `"search":"*","searchFields":"host"`,
		`"search":"*","vectorQueries":[{"kind":"vector","vector":[1],"fields":"text","k":1}]`,
		`"search":"a","highlight":"host"`,
	} {
		c.expect("POST", "/docs/search.post.search", `{"queryType":"full",`+bad+`}`, 400)
	}
}

func TestHighlights(t *testing.T) {
	c := newClient(t)
	c.index(upload("a", "Nothing. The tides rise! A tide."), 200)
	c.server.Refresh()
	answer := c.expect("POST", "/docs/search.post.search",
		`{"queryType":"full","search":"tide","highlight":"text-1","highlightPreTag":"<b>","highlightPostTag":"</b>"}`, 200)
	have := answer["value"].([]any)[0].(map[string]any)["@search.highlights"]
	if diff := cmp.Diff(map[string]any{"text": []any{" The <b>tides</b> rise!"}}, have); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
}

func TestDefinitions(t *testing.T) {
	c := newClient(t)
	c.expect("PUT", "", words, 200)
	more := strings.Replace(words, `"fields":[`,
		`"fields":[{"name":"title","type":"Edm.String","searchable":true,"analyzer":"de.lucene"},`, 1)
	c.expect("PUT", "", more, 200)
	for _, bad := range []string{
		words, // without the field that was added
		strings.Replace(more, `"key":true,`, "", 1),
		strings.Replace(more, `de.lucene`, "fr.lucene", 1),
		strings.Replace(more, `de.lucene`, "xx.lucene", 1),
		strings.Replace(more, `"name":"words"`, `"name":"other"`, 1),
		strings.Replace(more, `"fields"`, `"color":"red","fields"`, 1),
		strings.Replace(more, `"fields"`, `"defaultScoringProfile":"none","fields"`, 1),
	} {
		c.expect("PUT", "", bad, 400)
	}
	for name, odd := range map[string]string{"Accept": "application/json;odata.metadata=none",
		"Prefer": "return=minimal"} {
		c.header[name] = odd
		c.expect("PUT", "", more, 400)
		delete(c.header, name)
	}
	c.expect("PUT", "", strings.Replace(more, `"fields"`, `"@odata.context":"x","fields"`, 1), 400)
	c.header["If-None-Match"] = "*"
	c.expect("PUT", "", more, 412)
	delete(c.header, "If-None-Match")
	c.header["If-Match"] = `"another"`
	c.expect("PUT", "", more, 412)
}

func TestFaults(t *testing.T) {
	c := newClient(t)
	c.server.Fail(Fault{Op: "search", Status: 503, Times: 1})
	c.server.Fail(Fault{Op: "index", Status: 429, RetryAfter: "7", Times: 1})
	c.server.Fail(Fault{Op: "index", Status: 503, After: true, Times: 1})
	c.server.Fail(Fault{Op: "index", Item: 422, Times: 1})
	c.index(upload("a", "one"), 429)
	c.index(upload("b", "one"), 503)
	if have := statuses(c.index(upload("c", "one")+","+upload("d", "one"), 207)); !cmp.Equal(have, []int{422, 201}) {
		t.Errorf("have %v", have)
	}
	var keys []any
	for _, d := range c.server.Documents("words") {
		keys = append(keys, d["id"])
	}
	if diff := cmp.Diff([]any{"b", "d"}, keys); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	c.expect("POST", "/docs/search.post.search", `{"queryType":"full","search":"*"}`, 503)
	c.search(`"search":"*"`)
}
