package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
)

func Example() {
	v, _ := lineage.Parse("http_snapshot_url_v1_text_v1.1")
	text, _ := v.Component("text")
	fmt.Println(v.Collector(), text, lineage.Comparable(v, lineage.Current))
	// Output: http_snapshot text_v1.1 false
}

func TestParse(t *testing.T) {
	for name, row := range map[string]struct {
		text, collector string
		parts           []lineage.Component
	}{
		"B1 current":           {"http_snapshot_url_v1_text_v1", "http_snapshot", []lineage.Component{{"url", 1, 0}, {"text", 1, 0}}},
		"B1 patch component":   {"http_snapshot_url_v2_text_v1.1", "http_snapshot", []lineage.Component{{"url", 2, 0}, {"text", 1, 1}}},
		"one component":        {"mail_text_v3", "mail", []lineage.Component{{"text", 3, 0}}},
		"digits in words":      {"s3_sync_md5_v10.20", "s3_sync", []lineage.Component{{"md5", 10, 20}}},
		"a word that begins v": {"v_vault_v1", "v", []lineage.Component{{"vault", 1, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := lineage.Parse(row.text)
			if err != nil {
				t.Fatal(err)
			}
			if v.String() != row.text || v.Collector() != row.collector {
				t.Errorf("have %q by %q, want %q by %q", v, v.Collector(), row.text, row.collector)
			}
			if diff := cmp.Diff(row.parts, v.Components()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                "",
		"no component":         "http_snapshot",
		"no collector":         "url_v1",
		"only a number":        "v1",
		"version zero":         "http_url_v0",
		"leading zero":         "http_url_v01",
		"patch zero":           "http_url_v1.0",
		"patch leading zero":   "http_url_v1.01",
		"patch empty":          "http_url_v1.",
		"two patches":          "http_url_v1.1.1",
		"sign":                 "http_url_v+1",
		"number too large":     "http_url_v1000001",
		"number overflows":     "http_url_v99999999999999999999",
		"component unnumbered": "http_url_v1_text",
		"name missing":         "http_url_v1_v2",
		"second unnumbered":    "http_url_v1_text_x1",
		"doubled component":    "http_url_v1_url_v2",
		"upper case":           "HTTP_url_v1",
		"empty word":           "http__url_v1",
		"empty later word":     "http_url_v1__v1",
		"space":                "http url_v1",
		"too long":             strings.Repeat("a", lineage.MaxLen) + "_url_v1",
	} {
		t.Run(name, func(t *testing.T) {
			v, err := lineage.Parse(text)
			if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != "normalizationVersion" {
				t.Errorf("have %q, %v; want Invalid", v, err)
			}
			if bad := lineage.Version(text); bad.Collector() != "" || bad.Components() != nil {
				t.Errorf("an invalid version has parts: %q %v", bad.Collector(), bad.Components())
			}
		})
	}
}

func TestCurrent(t *testing.T) {
	v, err := lineage.Parse(lineage.Current.String())
	if err != nil || v != lineage.Current {
		t.Fatalf("Current does not parse: %v", err)
	}
	for _, name := range []string{"url", "text"} {
		if _, found := v.Component(name); !found {
			t.Errorf("Current has no component %q, which a golden file is kept under", name)
		}
	}
	if c, found := v.Component("image"); found {
		t.Errorf("Current has an unexpected component %v", c)
	}
}

func TestComparable(t *testing.T) {
	for name, row := range map[string]struct {
		a, b lineage.Version
		want bool
	}{
		"B3 same":           {lineage.Current, lineage.Current, true},
		"B3 another major":  {"http_url_v1", "http_url_v2", false},
		"B3 another patch":  {"http_url_v1", "http_url_v1.1", false},
		"another collector": {"http_url_v1", "mail_url_v1", false},
		"another order":     {"http_url_v1_text_v1", "http_text_v1_url_v1", false},
		"none with none":    {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if have := lineage.Comparable(row.a, row.b); have != row.want {
				t.Errorf("have %v, want %v", have, row.want)
			}
		})
	}
}

// components in strictly ascending order, each rule for ordering once.
var ascending = []lineage.Component{
	{"text", 1, 0}, {"text", 1, 1}, {"text", 1, 2}, {"text", 2, 0}, {"text", 10, 0}, {"url", 1, 0}, {"url", 1, 1},
}

func TestComponentCompare(t *testing.T) {
	for i, a := range ascending {
		for j, b := range ascending {
			if have, want := a.Compare(b), sign(i-j); have != want {
				t.Errorf("%v against %v: have %d, want %d", a, b, have, want)
			}
		}
	}
}

func sign(n int) int { return min(1, max(-1, n)) }

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		collector := rapid.StringMatching(`[a-z]{1,8}(_[a-z]{1,8}){0,2}`).Draw(t, "collector")
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-u][a-z0-9]{0,6}`), 1, 4, rapid.ID).Draw(t, "names")
		text := collector
		var want []lineage.Component
		for _, name := range names {
			c := lineage.Component{Name: name, Major: rapid.IntRange(1, 999).Draw(t, "major"), Patch: rapid.IntRange(0, 99).Draw(t, "patch")}
			want, text = append(want, c), text+"_"+c.String()
		}
		v, err := lineage.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, v.Components()); diff != "" || v.Collector() != collector {
			t.Fatalf("collector %q: %s", v.Collector(), diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"http_snapshot_url_v1_text_v1", "a_b_v1.1", "v1_v1_v1", "_v1", "a_b_v00", "a_b_v1_"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := lineage.Parse(s)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%q: kind %s", s, fault.KindOf(err))
			}
			return
		}
		text := v.Collector()
		for _, c := range v.Components() {
			text += "_" + c.String()
		}
		if text != s {
			t.Fatalf("%q is put together again as %q", s, text)
		}
	})
}
