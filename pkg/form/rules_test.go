package form

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestV1RuleByInputs checks that a form of a rule reads what it shows: a share in percent, kinds as choices, a choice
// that is not made, and a switch (V1).
func TestV1RuleByInputs(t *testing.T) {
	var rule api.RuleSpec
	must(t, json.Unmarshal([]byte(`{"name":"A","channels":["ops"],"off":true,"filter":{"kind":"gone,back","minShare":0.25},
		"message":{"text":"a\nb"},"quietHours":{"from":"22:00","to":"07:00"}}`), &rule))
	shown, empty := Inputs(rule), Inputs(api.RuleSpec{})
	for path, want := range map[string]string{"filter.minShare": "25", "filter.kind": "gone back", "off": "true",
		"digest": "none", "filter.silenced": "false", "message.text": "a\nb", "quietHours.from": "22:00"} {
		if have := strings.Join(shown[path], " "); have != want {
			t.Errorf("%s is shown as %q", path, have)
		}
	}
	p, errs := Of[api.RuleSpec]().Changes(shown, empty)
	var have api.RuleSpec
	must(t, p.Apply(&have))
	if diff := cmp.Diff(rule, have); diff != "" || len(errs) > 0 {
		t.Errorf("%v %s", errs, diff)
	}
	for _, bad := range []string{"NaN", "101", "much"} {
		if _, errs := Of[api.RuleSpec]().Changes(url.Values{"filter.minShare": {bad}}, empty); len(errs) != 1 {
			t.Errorf("a share of %s: %v", bad, errs)
		}
	}
}

// TestV3WordsOfRules checks the words for what a rule selects and when it sends (V3).
func TestV3WordsOfRules(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "at once", `{"digest":"none"}`: "at once", `{"digest":"hourly","timezone":"Asia/Tokyo"}`: "hourly, Asia/Tokyo",
		`{"digest":"daily","at":"07:30","quietHours":{"from":"22:00","to":"07:00","timezone":"UTC"}}`: "daily at 07:30, " +
			"quiet 22:00 to 07:00, UTC",
	} {
		var rule api.RuleSpec
		must(t, json.Unmarshal([]byte(text), &rule))
		if have := Sent(rule); have != want {
			t.Errorf("%s is sent %q", text, have)
		}
	}
	f := api.ChangeFilter{Host: "a.example", Kind: "gone,watchBroken", MinShare: 0.2, Silenced: "true"}
	const want = "host a.example; kinds of change gone, watch broken; minimum share of the text 20%; ignored changes " +
		"included"
	if have := Line(f); have != want {
		t.Error(have)
	}
}

// TestV3WrongTypes checks, of each leaf of each request, that a value of a wrong type is refused with the path of the
// leaf and with what JSON calls its type, and without a name of Go (V3).
func TestV3WrongTypes(t *testing.T) {
	seen := 0
	for _, e := range api.Routes() {
		for _, request := range e.Requests {
			leaves(request, "", func(path string, leaf reflect.Type) {
				var wrong any = []any{[]any{}}
				if leaf.Kind() == reflect.Interface || leaf.Kind() == reflect.Slice && leaf.Elem().Kind() == reflect.Uint8 {
					return
				}
				if leaf.Kind() == reflect.Slice || leaf.Kind() == reflect.Map {
					wrong = true
				}
				names := strings.Split(path, ".")
				for i := len(names) - 1; i >= 0; i-- {
					wrong = map[string]any{names[i]: wrong}
				}
				text, _ := json.Marshal(wrong)
				seen++
				err := json.Unmarshal(text, reflect.New(request).Interface())
				at, why, ok := Mistyped(err, request)
				if !ok || at != path || !strings.HasPrefix(why, "must be ") || strings.Contains(why, "api.") {
					t.Errorf("%s %s: %q %q, of %v", request, text, at, why, err)
				}
			})
		}
	}
	if seen < 200 {
		t.Errorf("%d leaves", seen)
	}
}

// leaves calls see with each leaf of a request.
func leaves(t reflect.Type, path string, see func(path string, leaf reflect.Type)) {
	for name, inner := range Names(t) {
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		if inner.Kind() == reflect.Struct && inner.PkgPath() == apiPath {
			leaves(inner, at, see)
		} else if inner.Kind() != reflect.Struct {
			see(at, inner)
		}
	}
}
