package jsonld

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func objectsOf(t testing.TB, script string) []Object { return dataOf(t, script).Objects }

func dataOf(t testing.TB, script string) Data {
	t.Helper()
	root, err := html.Parse(strings.NewReader(`<script type="application/ld+json">` + script + `</script>`))
	if err != nil {
		t.Fatal(err)
	}
	return Of(root)
}

// TestG4NearlyJSON checks that what is nearly JSON is read as its author meant it (G4).
func TestG4NearlyJSON(t *testing.T) {
	for name, script := range map[string]string{
		"a comma at the end": `{"@type":"Product","name":"Lamp","offers":[{"price":79.90,},],},`,
		"a line break":       "{\"@type\":\"Product\",\"name\":\"La\nmp\",\"offers\":[{\"price\":79.90}]}",
		"CDATA":              "//<![CDATA[\n{\"@type\":\"Product\",\"name\":\"Lamp\",\"offers\":[{\"price\":79.90}]}\n//]]>",
		"a comment":          `<!-- {"@type":"Product",/* x */"name":"Lamp","offers":[{"price":79.90}]} -->`,
		"a remark":           `<!-- by a plugin --> {"name":"Lamp","offers":[{"price":79.90}]} <!-- end -->`,
		"quotes":             `{"@type":"Product","name":"The "best" Lamp","offers":[{"price":79.90}]}`,
		"a comma missing":    "{\"@type\":\"Product\",\"name\":\"Lamp\"\n \"offers\":[{\"price\":79.90}]}",
		"unknown escapes":    `{"@type":"Product","name":"La\'mp\x","offers":[{"price":79.90}]}`,
		"a byte order mark":  "\ufeff" + `{"@type":"Product","name":"Lamp","offers":[{"price":79.90}]};`,
		"escaped as text":    strings.ReplaceAll(`{"@type":"Product","name":"Lamp","offers":[{"price":79.90}]}`, `"`, "&quot;"),
		"an escaped marker":  "// <![CDATA[\n" + `{"@type":"Product","name":"Lamp","offers":[{"price":79.90}]}` + "\n// ]]&gt;",
		"no value":           `{"@type":"Product","sku": ,"gtin": ,"name":"Lamp","offers":[{"price":79.90}],"mpn": }`,
		"words of programs":  `{"sku":undefined,"a":NaN,"b":None,"c":True,"name":"Lamp","offers":[{"price":79.90}]}`,
		"a bracket too many": `{"@type":"Product","name":"Lamp","offers":[{"price":79.90}]}}`,
		"two roots":          `{"@type":"Product","name":"Lamp","offers":[{"price":79.90}]}{"@type":"WebSite"}`,
	} {
		all := objectsOf(t, script)
		if len(all) == 0 {
			t.Errorf("%s: nothing is read", name)
			continue
		}
		offers, _ := all[0]["offers"].([]any)
		if len(offers) != 1 || fmt.Sprint(offers[0].(Object)["price"]) != "79.90" ||
			!strings.Contains(fmt.Sprint(all[0]["name"]), "La") {
			t.Errorf("%s: have %v", name, all[0])
		}
	}
	if have := objectsOf(t, `{"name":"The "best" Lamp"}`); have[0]["name"] != `The "best" Lamp` {
		t.Errorf("quotes: have %v", have)
	}
}

// TestG4UnreadJSON checks that JSON-LD which cannot be read is counted with its reason, and what was read before stays
// (G4).
func TestG4UnreadJSON(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", maxBytes/2) + `"}</script><script type="application/ld+json">`
	for name, tc := range map[string]struct {
		script  string
		objects int
		want    Unread
	}{
		"nothing":    {" <!-- x --> ", 0, Unread{}},
		"JSON":       {`{"a":[1]}`, 1, Unread{}},
		"two roots":  {`{"a":1} ; {"b":2}`, 2, Unread{}},
		"a bracket":  {`{"a":1}}`, 1, Unread{}},
		"no bracket": {`{"a":{"b":1}`, 0, Unread{1, "it ends too early", `{"a":{"b":1}`}},
		"a comma": {`{"price":12,90}`, 0,
			Unread{1, "invalid character '9' looking for beginning of object key string", `{"price":12,90}`}},
		"words": {"not JSON at all", 0,
			Unread{1, "invalid character 'o' in literal null (expecting 'u')", "not JSON at all"}},
		"the second": {`{"a":1}{'b':2}`, 1,
			Unread{1, "invalid character '\\'' looking for beginning of object key string", `{'b':2}`}},
		"two": {`{"a":}x</script><script type="application/ld+json">{`, 1,
			Unread{2, "invalid character 'x' looking for beginning of value", "x"}},
		"too long": {long + long + `{"b":1}`, 1, Unread{2, "only 262,144 bytes of JSON-LD are read", ""}},
		"too many": {strings.Repeat("{}", maxObjects+1), maxObjects, Unread{1, "only 500 objects are read", ""}},
		"enough":   {strings.Repeat("{}", maxObjects), maxObjects, Unread{}},
	} {
		have := dataOf(t, tc.script)
		if len(have.Objects) != tc.objects || have.Unread != tc.want {
			t.Errorf("%s: have %d objects, %+v", name, len(have.Objects), have.Unread)
		}
	}
}

// TestG4JSONIsUnchanged checks that JSON is read as package json reads it (G4).
func TestG4JSONIsUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{}
		for _, key := range rapid.SliceOfN(rapid.String(), 0, 5).Draw(t, "keys") {
			value[key] = rapid.OneOf(rapid.String().AsAny(), rapid.SliceOfN(rapid.String(), 0, 3).AsAny(), rapid.Bool().AsAny(),
				rapid.Just[any](nil), rapid.Int().AsAny()).Draw(t, "value")
		}
		text, err := json.Marshal(value)
		if rapid.Bool().Draw(t, "indented") {
			text, err = json.MarshalIndent(value, "", "  ")
		}
		if err != nil {
			t.Fatal(err)
		}
		var want, have any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(lenient(string(text))), &have); err != nil || fmt.Sprint(have) != fmt.Sprint(want) {
			t.Fatalf("%s: have %v, %v", text, have, err)
		}
	})
}

// FuzzOf checks that no script makes the reader panic, and that it reads no more than the bounds allow.
func FuzzOf(f *testing.F) {
	f.Add(`{"@graph":[{"@id":"a","name":"x "y" z",},],}`)
	f.Add("//<![CDATA[\n[[[{}]]]//]]>")
	f.Fuzz(func(t *testing.T, script string) {
		have := dataOf(t, script)
		if len(have.Objects) > maxObjects {
			t.Errorf("%d objects", len(have.Objects))
		}
		if u := have.Unread; u.Blocks > 0 && u.Why == "" || len(u.Why) > 200 || len(u.Excerpt) > 200 {
			t.Errorf("have %+v", u)
		}
		if once := lenient(script); json.Valid([]byte(script)) && !json.Valid([]byte(once)) {
			t.Errorf("JSON becomes %q", once)
		}
	})
}
