package form

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"pgregory.net/rapid"
)

// TestV1EverySettingIsDescribed checks that each setting of an item, a rule, a channel and a mute has a label and a
// help text, that its tags can be read, and that no two have the same flag but for time zones (V1).
func TestV1EverySettingIsDescribed(t *testing.T) {
	elsewhere := []string{"weekday", "millis", asList, asShare, asLines} // formats that the table of formats lacks
	for name, of := range map[string]*Form{"item": Of[api.ItemSettings](), "rule": Of[api.RuleSpec](),
		"channel": Of[api.ChannelSettings](), "mute": Of[api.MuteRequest](), "site": Of[api.SiteSettings](),
		"backfill": Of[api.BackfillRequest]()} {
		for _, f := range of.Fields {
			if f.Label == "" || f.Help == "" {
				t.Errorf("%s: %s has the label %q and the help %q", name, f.Path, f.Label, f.Help)
			}
			if f.Format != "" && !slices.Contains(elsewhere, f.Format) && formats[f.Format] == nil {
				t.Errorf("%s: %s has no known format: %s", name, f.Path, f.Format)
			}
		}
		for _, g := range of.Flags("files").All {
			if len(g.fields) > 1 && g.Name != "timezone" {
				t.Errorf("%s: --%s is of %d settings", name, g.Name, len(g.fields))
			}
		}
	}
	kinds, _ := Of[api.ChangeFilter]().Field("kind")
	for _, kind := range api.ChangeKinds {
		if !kinds.allows(string(kind)) {
			t.Errorf("the kind of change %s has no words", kind)
		}
	}
}

// number checks that the tags of numbers can be parsed, which the package relies on.
func TestV1TagsAreNumbers(t *testing.T) {
	seen := 0
	var walk func(t reflect.Type)
	walk = func(of reflect.Type) {
		for f := range of.Fields() {
			for _, tag := range []string{"most", "min", "max"} {
				if text := f.Tag.Get(tag); text != "" {
					seen++
					if _, err := strconv.Atoi(text); err != nil {
						t.Errorf("%s.%s: %s is %q", of, f.Name, tag, text)
					}
				}
			}
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct && inner.PkgPath() == apiPath {
				walk(inner)
			}
		}
	}
	walk(reflect.TypeFor[api.ItemSettings]())
	if seen < 8 {
		t.Errorf("only %d tags were found", seen)
	}
}

// some draws settings of which some are set.
func some(t *rapid.T, name string) (s api.Settings) {
	given := rapid.SliceOfNDistinct(rapid.SampledFrom(Of[api.Settings]().units), 0, 8, func(f Field) string {
		return f.Path
	}).Draw(t, name)
	for _, f := range given {
		v := f.of(reflect.ValueOf(&s).Elem())
		mark := name + "-" + f.Path
		switch inner := f.inner(); inner.Kind() {
		case reflect.Slice:
			v.Set(reflect.ValueOf([]string{mark}))
		case reflect.Map:
			fields := map[string]api.FieldSpec{}
			for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3).Draw(t, "keys") {
				fields[key] = api.FieldSpec{From: mark}
			}
			v.Set(reflect.ValueOf(fields))
		case reflect.String:
			v.SetString(mark)
		default:
			if v.Kind() != reflect.Pointer {
				v.Set(map[reflect.Kind]reflect.Value{reflect.Int: reflect.ValueOf(7), reflect.Bool: reflect.ValueOf(true),
					reflect.Float64: reflect.ValueOf(0.5)}[v.Kind()])
				continue
			}
			v.Set(reflect.New(inner))
		}
	}
	return s
}

// TestV1MergeProperty checks that the first who has a setting gives it, that nothing else is changed, and that what is
// merged keeps what it had (V1).
func TestV1MergeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []api.Settings{some(t, "own"), some(t, "a"), some(t, "b")}
		before, _ := json.Marshal(all)
		var merged api.Settings
		from := map[string]int{}
		for i, s := range all {
			Merge(&merged, s, func(path string, fits bool) { from[path] = i })
		}
		want := map[string]int{}
		for i := range all {
			for _, fact := range factsOf(all[i]) {
				if _, has := want[fact]; !has {
					want[fact] = i
				}
			}
		}
		if diff := gocmp.Diff(want, from); diff != "" {
			t.Fatal(diff)
		}
		for path, i := range from {
			if have, want := at(merged, path), at(all[i], path); !reflect.DeepEqual(have, want) {
				t.Fatalf("%s is %v, want %v", path, have, want)
			}
		}
		if after, _ := json.Marshal(all); string(after) != string(before) {
			t.Fatalf("what was merged is now %s, and was %s", after, before)
		}
	})
}

// factsOf returns the paths of the settings that are set, each entry of a map by itself.
func factsOf(s api.Settings) (paths []string) {
	for _, f := range Of[api.Settings]().units {
		v := f.in(reflect.ValueOf(&s).Elem())
		switch {
		case !v.IsValid() || isEmpty(v):
		case v.Kind() == reflect.Map:
			for _, key := range v.MapKeys() {
				paths = append(paths, f.Path+"."+key.String())
			}
		default:
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// at returns the value of a setting as JSON has it.
func at(s api.Settings, path string) any {
	p := api.Patch{}
	text, _ := json.Marshal(s)
	_ = json.Unmarshal(text, &p)
	value, _ := p.Get(strings.Split(path, ".")...)
	return value
}

// TestV1FullMap checks that a map that is full takes no more, and says so (V1).
func TestV1FullMap(t *testing.T) {
	w := api.Watch{Fields: map[string]api.FieldSpec{}}
	for i := range 25 {
		w.Fields[fmt.Sprintf("%02d", i)] = api.FieldSpec{From: "declared"}
	}
	var merged api.Watch
	over := 0
	Merge(&merged, w, func(_ string, fits bool) {
		if !fits {
			over++
		}
	})
	if len(merged.Fields) != 20 || over != 5 || len(w.Fields) != 25 {
		t.Errorf("%d fields, %d over", len(merged.Fields), over)
	}
}

// samples are values of settings, as people write them in a flag and in an input, and as JSON has them.
var samples = []struct{ path, flag, typed, json string }{
	{"watch.include", "a, b", "a, b", `["a, b"]`},
	{"watch.trigger", "in stock", "in stock", `"in stock"`},
	{"watch.index", "watched", "watched", `"watched"`},
	{"watch.fields", "price:money=css:.price", "price:money=css:.price",
		`{"price":{"from":"css","path":".price","type":"money"}}`},
	{"priority", "0", "0", `0`},
	{"tags", "a,b", "a, b", `["a","b"]`},
	{"postHosts", "a.example", "a.example", `["a.example"]`},
	{"files.hidden", "true", "true", `true`},
}

// TestV1FlagsAndInputs checks that a setting is the same whether a flag, an input of a form or JSON sets it, that an
// input shows it again, and that an emptied input and a flag to clear remove it (V1, V2).
func TestV1FlagsAndInputs(t *testing.T) {
	of := Of[api.ItemSettings]()
	for _, s := range samples {
		f, ok := of.Field(s.path)
		if !ok {
			t.Fatalf("no setting %s", s.path)
		}
		var want api.ItemSettings
		patch := api.Patch{}
		patch.Set(json.RawMessage(s.json), strings.Split(s.path, ".")...)
		must(t, patch.Apply(&want))

		var without []string
		if !strings.HasPrefix(s.path, "files.") {
			without = []string{"files"}
		}
		flags := of.Flags(without...)
		i := slices.IndexFunc(flags.All, func(g *Flag) bool { return g.Name == f.Flag })
		must(t, flags.All[i].Set(s.flag))
		byFlag, err := flags.Patch()
		must(t, err)
		var have api.ItemSettings
		must(t, byFlag.Apply(&have))
		if diff := gocmp.Diff(want, have); diff != "" {
			t.Errorf("%s by a flag: %s", s.path, diff)
		}

		was := Inputs(api.ItemSettings{})
		typed := url.Values{s.path: {s.typed}}
		byInput, errs := Of[api.ItemSettings]().Changes(typed, was)
		have = api.ItemSettings{}
		must(t, byInput.Apply(&have))
		if diff := gocmp.Diff(want, have); diff != "" || len(errs) > 0 {
			t.Errorf("%s by an input: %v %s", s.path, errs, diff)
		}
		shown := Inputs(have)
		if shown.Get(s.path) != s.typed {
			t.Errorf("%s is shown as %q", s.path, shown[s.path])
		}
		if same, _ := Of[api.ItemSettings]().Changes(shown, shown); len(same) > 0 {
			t.Errorf("%s: a form that nobody changed writes %v", s.path, same)
		}
		emptied, _ := Of[api.ItemSettings]().Changes(url.Values{}, url.Values{s.path: shown[s.path]})
		cleared := api.Patch{}
		must(t, of.Clear(cleared, s.path))
		for name, p := range map[string]api.Patch{"emptied": emptied, "cleared": cleared} {
			again := have
			must(t, p.Apply(&again))
			if Tidy(&again); !reflect.ValueOf(again).IsZero() {
				t.Errorf("%s %s: %v leaves %+v", s.path, name, p, again)
			}
		}
	}
}

// TestV2AFormWritesWhatChanged checks that an input which a person leaves alone is not written, also if its setting has
// changed meanwhile (V2).
func TestV2AFormWritesWhatChanged(t *testing.T) {
	opened := api.TagSettings{Watch: &api.Watch{Trigger: "x", Fields: map[string]api.FieldSpec{
		"a": {From: "css", Path: ".a", Type: "text"}, "b": {From: "declared"}}}}
	was, typed := Inputs(opened), Inputs(opened)
	typed.Set("watch.fields", "a:number=css:.a")
	p, errs := Of[api.TagSettings]().Changes(typed, was)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	now := api.TagSettings{Watch: &api.Watch{Trigger: "y", Fields: map[string]api.FieldSpec{
		"a": {From: "css", Path: ".a", Type: "text", Locale: "de"}, "b": {From: "declared"}, "c": {From: "declared"}}}}
	must(t, p.Apply(&now))
	want := api.TagSettings{Watch: &api.Watch{Trigger: "y", Fields: map[string]api.FieldSpec{
		"a": {From: "css", Path: ".a", Type: "number"}, "c": {From: "declared"}}}}
	if diff := gocmp.Diff(want, now); diff != "" {
		t.Error(diff)
	}
}

// TestV1FlagsOfObjects checks the flags that set several settings at once, and a time zone, which is of what is given
// beside it (V1).
func TestV1FlagsOfObjects(t *testing.T) {
	for _, tt := range []struct{ flags, want string }{
		{"every=1h..7d", `{"interval":{"max":"7d","min":"1h"}}`},
		{"every=1h..", `{"interval":{"max":null,"min":"1h"}}`},
		{"every=1h", `{"interval":{"max":"1h","min":"1h"}}`},
		{"schedule=0 9 * * 1-5", `{"schedule":{"cron":"0 9 * * 1-5"}}`},
		{"timezone=Asia/Tokyo schedule=hourly", `{"schedule":{"text":"hourly","timezone":"Asia/Tokyo"}}`},
		{"hours=08:00-18:00 timezone=UTC days=mon,tue",
			`{"activeHours":{"days":["mon","tue"],"from":"08:00","timezone":"UTC","to":"18:00"}}`},
		{"timezone=UTC", "--timezone is of --schedule and --hours: give one of them, too"},
		{"hours=8", "two times of day"},
		{"priority=high", "must be a whole number"},
		{"field==css:p", "is not a field"},
	} {
		flags := Of[api.TagSettings]().Flags()
		var err error
		for one := range strings.SplitSeq(tt.flags, " ") {
			name, value, isFlag := strings.Cut(one, "=")
			i := slices.IndexFunc(flags.All, func(g *Flag) bool { return g.Name == name })
			if !isFlag || i < 0 {
				continue
			}
			if name == "schedule" {
				value = strings.TrimPrefix(tt.flags[strings.Index(tt.flags, "schedule="):], "schedule=")
			}
			if err == nil {
				err = flags.All[i].Set(value)
			}
		}
		p, problem := flags.Patch()
		if err == nil {
			err = problem
		}
		have, _ := json.Marshal(p)
		if err != nil {
			have = []byte(err.Error())
		}
		if !strings.Contains(string(have), tt.want) {
			t.Errorf("%s: %s", tt.flags, have)
		}
	}
	err := Of[api.TagSettings]().Clear(api.Patch{}, "colour")
	if err == nil || !strings.Contains(err.Error(), "trigger") {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestV3Words checks that intervals and hours are said as people say them (V3).
func TestV3Words(t *testing.T) {
	for want, i := range map[string]api.Interval{
		"every 1 to 7 days": {Min: "1d", Max: "7d"}, "every day": {Min: "1d", Max: "24h"},
		"every 15 minutes": {Min: "15m", Max: "15m"}, "every 1 hour to 2 days": {Min: "1h", Max: "2d"},
		"at least every 7 days": {Max: "7d"}, "at most every hour": {Min: "1h"}, "": {},
	} {
		if have := Every(&i); have != want {
			t.Errorf("%+v is %q, want %q", i, have, want)
		}
	}
	hours := api.ActiveHours{From: "08:00", To: "18:00", Days: []string{"mon", "tue"}}
	if have := hoursText(&hours); have != "08:00 to 18:00, mon tue, UTC" {
		t.Error(have)
	}
}

// TestV1Checks checks that what a setting may not be is refused with its name and what is allowed (V1).
func TestV1Checks(t *testing.T) {
	for path, want := range map[string]string{
		`{"watch":{"index":"all"}}`:             `watch.index must be page or watched, not "all"`,
		`{"watch":{"list":"x"}}`:                `watch.list must be tell, add or addAll, not "x"`,
		`{"priority":10}`:                       `priority must be from 0 to 9, not 10`,
		`{"interval":{"min":"soon"}}`:           `interval.min must be a time such as 15m, 1h30m, 7d or 2w, not "soon"`,
		`{"schedule":{"timezone":"Mars/Base"}}`: `schedule.timezone must be the IANA name of a time zone`,
		`{"viewport":"9x9"}`:                    `viewport must be like 1280x1024, each side 100 to 4000 pixels, not "9x9"`,
		`{"postHosts":["https://x"]}`:           `postHosts has names of hosts such as api.example.org, not "https://x"`,
		`{"watch":{"include":[" "]}}`:           `watch.include has an empty rule: leave it out`,
	} {
		var s api.ItemSettings
		must(t, json.Unmarshal([]byte(path), &s))
		errs := Check(s)
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), want) || !strings.HasPrefix(want, fault.FieldOf(errs[0])) {
			t.Errorf("%s: %v", path, errs)
		}
	}
}

func BenchmarkMerge(b *testing.B) {
	own := api.Settings{TagSettings: api.TagSettings{Watch: &api.Watch{Ignore: []string{"x"}}}}
	tag := api.Settings{TagSettings: api.TagSettings{Interval: &api.Interval{Min: "1h"}, Watch: &api.Watch{Trigger: "x"}}}
	for b.Loop() {
		var merged api.Settings
		Merge(&merged, own, func(string, bool) {})
		Merge(&merged, tag, func(string, bool) {})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestV1Switches checks that an object that is there or not is a switch in flags and forms, beside its parts (V1).
func TestV1Switches(t *testing.T) {
	for want, given := range map[string][]string{
		`{"follow":{}}`: {"follow=true"}, `{"follow":{"depth":4}}`: {"follow=true", "depth=4"}, `{"follow":null}`: {"follow=false"},
		`{"follow":{"depth":5,"hosts":["a","b"]}}`: {"depth=5", "also-host=a", "also-host=b", "follow=true"},
	} {
		flags := Of[api.SiteSettings]().Flags()
		for _, one := range given {
			name, value, _ := strings.Cut(one, "=")
			i := slices.IndexFunc(flags.All, func(f *Flag) bool { return f.Name == name })
			if err := flags.All[i].Set(value); err != nil {
				t.Fatal(err)
			}
		}
		p, err := flags.Patch()
		if have, _ := json.Marshal(p); err != nil || string(have) != want {
			t.Errorf("%v: %s, %v; want %s", given, have, err, want)
		}
	}
	is := api.SiteSettings{Follow: &api.SiteFollow{Depth: 4}}
	was := Inputs(is)
	for want, typed := range map[string]map[string]string{
		`{}`: {}, `{"follow":null}`: {"follow": ""}, `{"follow":{"depth":null}}`: {"follow.depth": ""},
		`{"feeds":["x","y"],"follow":{"pages":7}}`: {"follow.pages": "7", "feeds": "x\r\ny"},
	} {
		values := Inputs(is)
		for path, text := range typed {
			values.Set(path, text)
		}
		p, errs := Of[api.SiteSettings]().Changes(values, was)
		if have, _ := json.Marshal(p); len(errs) > 0 || string(have) != want {
			t.Errorf("%v: %s, %v; want %s", typed, have, errs, want)
		}
	}
	if have := Line(is); have != "follow links yes; links from the first page, at most 4" {
		t.Error(have)
	}
}

// TestV1TimesAndChoicesOfFlags checks what people may write of a pause and of a choice, and that a flag says what is
// wrong with its value (V1).
func TestV1TimesAndChoicesOfFlags(t *testing.T) {
	for given, want := range map[string]string{
		"delay=5s": `{"delayMs":5000}`, "delay=250": `{"delayMs":250}`, "mode=links": `{"mode":"LINKS"}`,
		"delay=2h":      "--delay must be from 0 to 3600000, not 7200000",
		"concurrency=0": "--concurrency must be from 1 to 16, not 0",
		"mode=all":      `--mode must be SITEMAP, ARCHIVE, PAGINATION, CONTAINER or LINKS, not "all"`,
		"delay=x":       `must be a time such as 500ms or 5s, not "x"`,
	} {
		flags := Of[api.BackfillRequest]().Flags()
		name, value, _ := strings.Cut(given, "=")
		i := slices.IndexFunc(flags.All, func(f *Flag) bool { return f.Name == name })
		err := flags.All[i].Set(value)
		p, problem := flags.Patch()
		if err == nil {
			err = cmp.Or(problem, flags.Check(p))
		}
		have, _ := json.Marshal(p)
		if err != nil {
			have = []byte(err.Error())
		}
		if string(have) != want {
			t.Errorf("%s: %s, want %s", given, have, want)
		}
	}
	have, own := api.SearchRequest{}, api.SearchRequest{Top: 3}
	Default(&have)
	Default(&own)
	if have.Top != 10 || have.Q != "" || own.Top != 3 {
		t.Errorf("%+v, %+v", have, own)
	}
}
