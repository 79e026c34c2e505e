package wire

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestStrictJSON checks that names are verified at every level, also below types without names, and that the depth is
// bounded.
func TestStrictJSON(t *testing.T) {
	type inner struct {
		Name string `json:"name"`
	}
	type outer struct {
		inner
		List []inner          `json:"list"`
		Any  any              `json:"any"`
		Map  map[string]inner `json:"map"`
		Ptr  *inner           `json:"ptr"`
	}
	deep := func(n int) string { return `{"any":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for _, tt := range []struct{ name, body, err string }{
		{"all", `{"name":"a","list":[{"name":"a"},{"name":"b"},null],"any":{"x":[{"y":1}],"y":{"x":1}},"map":{"a":{"name":"c"}},"ptr":null}`, ""},
		{"in a list", `{"list":[{"name":"a"},{"Name":"a"}]}`, `no field "list.Name"`},
		{"twice in a list", `{"list":[{"name":"a","name":"b"}]}`, "list.name is given twice"},
		{"behind a pointer", `{"ptr":{"NAME":"a"}}`, `no field "ptr.NAME"`},
		{"in a map", `{"map":{"a":{"naMe":"c"}}}`, `no field "map.a.naMe"`},
		{"twice in a map", `{"map":{"a":{},"a":{}}}`, "map.a is given twice"},
		{"twice where any name is right", `{"any":{"x":{"y":1,"z":2,"y":3}}}`, "any.x.y is given twice"},
		{"as deep as may be", deep(maxDepth - 1), ""},
		{"too deep", deep(maxDepth), "levels"},
		{"deeper than may be decoded", deep(20_000), "not the JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := DecodeJSON(httptest.NewRequest("POST", "/", strings.NewReader(tt.body)), &outer{})
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("have %v, want …%s…", err, tt.err)
			}
		})
	}
}
