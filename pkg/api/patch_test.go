package api_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestV2MergePatch checks the examples of RFC 7396, appendix A, whose document and patch are objects (V2).
func TestV2MergePatch(t *testing.T) {
	for _, tt := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		patch, err := api.ParsePatch([]byte(tt[1]))
		if err != nil {
			t.Fatal(err)
		}
		var have, want map[string]any
		_ = json.Unmarshal([]byte(tt[0]), &have)
		_ = json.Unmarshal([]byte(tt[2]), &want)
		if err := patch.Apply(&have); err != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%s by %s: %v, %v", tt[0], tt[1], have, err)
		}
	}
}

// TestV2PatchProperty checks that two patches that name different settings give the same in either order, that a patch
// is applied twice as once, and that what it does not name stays (V2).
func TestV2PatchProperty(t *testing.T) {
	names := []string{"include", "exclude", "trigger", "index"}
	rapid.Check(t, func(t *rapid.T) {
		w := api.Watch{Include: []string{"a"}, Trigger: "t", Fields: map[string]api.FieldSpec{"x": {From: "css"}}}
		first, second := api.Patch{}, api.Patch{}
		for i, name := range names {
			value := rapid.SampledFrom([]any{nil, "one", "two"}).Draw(t, name)
			if text, isText := value.(string); isText && i < 2 {
				value = []string{text}
			}
			if rapid.Bool().Draw(t, "of the first") {
				first.Set(value, name)
			} else {
				second.Set(value, name)
			}
		}
		apply := func(w api.Watch, all ...api.Patch) api.Watch {
			for _, p := range all {
				if err := p.Apply(&w); err != nil {
					t.Fatal(err)
				}
			}
			return w
		}
		one, other := apply(w, first, second), apply(w, second, first)
		if !reflect.DeepEqual(one, other) || !reflect.DeepEqual(one, apply(one, first)) {
			t.Fatalf("%v and %v: %+v and %+v", first, second, one, other)
		}
		if !reflect.DeepEqual(one.Fields, w.Fields) {
			t.Fatalf("the fields are %v", one.Fields)
		}
	})
}

// TestV2PatchesAreNotShared checks that a patch that was copied is not changed with its copy, nor the value that it
// was applied to (V2).
func TestV2PatchesAreNotShared(t *testing.T) {
	p := api.Patch{"watch": map[string]any{"trigger": "x"}}
	p.Without().Set("y", "watch", "trigger")
	if value, _ := p.Get("watch", "trigger"); value != "x" {
		t.Errorf("the patch has %v", value)
	}
	was := api.TagSettings{Watch: &api.Watch{Include: []string{"a"}}}
	is := was
	if err := (api.Patch{"watch": api.Patch{"include": []string{"b"}}}).Apply(&is); err != nil {
		t.Fatal(err)
	}
	if was.Watch.Include[0] != "a" || is.Watch.Include[0] != "b" {
		t.Errorf("was %v, is %v", was.Watch, is.Watch)
	}
}

// FuzzV2Patch checks that any JSON object is a patch that can be applied or is refused.
func FuzzV2Patch(f *testing.F) {
	f.Add([]byte(`{"watch":{"fields":{"a.b":{"from":null}}},"priority":1e3}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := api.ParsePatch(text)
		if err != nil {
			return
		}
		s := api.ItemSettings{Tags: []string{"a"}, Settings: api.Settings{TagSettings: api.TagSettings{
			Watch: &api.Watch{Trigger: "t"}}}}
		if p.Apply(&s) != nil && (s.Watch == nil || s.Watch.Trigger != "t") {
			t.Errorf("a patch that is refused has changed the value to %+v", s)
		}
	})
}
