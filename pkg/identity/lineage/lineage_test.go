package lineage_test

import (
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/identity/lineage"
)

func Example() {
	v := lineage.Version("http_snapshot_url_v1_text_v1.1")
	fmt.Println(v.Component("text"), lineage.Comparable(v, lineage.Current))
	// Output: text_v1.1 false
}

// TestComponent checks that each part of a version has its own number, and a patch where there is one (B1).
func TestComponent(t *testing.T) {
	for name, row := range map[string]struct {
		version   lineage.Version
		component string
		want      string
	}{
		"B1 first":            {"http_snapshot_url_v1_text_v2", "url", "url_v1"},
		"B1 last":             {"http_snapshot_url_v1_text_v2", "text", "text_v2"},
		"B1 patch":            {"http_snapshot_url_v2_text_v1.1", "text", "text_v1.1"},
		"none of that name":   {"http_snapshot_url_v1", "text", ""},
		"part of another":     {"mail_longtext_v3", "text", ""},
		"the collector":       {"http_snapshot_url_v1", "http", ""},
		"without a number":    {"http_url", "url", ""},
		"before a word":       {"url_vault_url_v3", "url", "url_v3"},
		"of no version":       {"", "url", ""},
		"digits in the words": {"s3_sync_md5_v10.20", "md5", "md5_v10.20"},
	} {
		t.Run(name, func(t *testing.T) {
			if have := row.version.Component(row.component); have != row.want {
				t.Errorf("have %q, want %q", have, row.want)
			}
		})
	}
}

var form = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*(_[a-z0-9]+_v[1-9][0-9]{0,6}(\.[1-9][0-9]{0,6})?)+$`)

func TestCurrent(t *testing.T) {
	if !form.MatchString(string(lineage.Current)) || len(lineage.Current) > 100 {
		t.Errorf("%s does not have the form of a version", lineage.Current)
	}
	for _, name := range []string{"url", "text"} {
		if lineage.Current.Component(name) == "" {
			t.Errorf("Current has no component %q, which a golden file is kept under", name)
		}
	}
	if c := lineage.Current.Component("image"); c != "" {
		t.Errorf("Current has an unexpected component %s", c)
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

// TestZ1OtherSettingsAreAnotherVersion checks that other settings give another version of the component that they
// change, and that the same settings give the same version everywhere.
func TestZ1OtherSettingsAreAnotherVersion(t *testing.T) {
	usual := lineage.Version("http_snapshot_url_v2_text_v4")
	if one := usual.Under("url", "ref,utm_"); one != "http_snapshot_url_v2.574792_text_v4" {
		t.Errorf("%s: stored versions of these settings are others", one)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		one, two := usual.Under("url", a), usual.Under("url", b)
		if lineage.Comparable(one, usual) || !form.MatchString(string(one)) || one.Component("text") != "text_v4" {
			t.Fatalf("%s from %s", one, usual)
		}
		if a == b && one != two || one.Under("url", b) != two {
			t.Fatalf("%q gives %s, %q gives %s", a, one, b, two)
		}
	})
}
