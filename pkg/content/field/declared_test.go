package field

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract/data"
)

// TestG1Asked checks that settings give fields in the order of their names, and that a wrong one is named (G1).
func TestG1Asked(t *testing.T) {
	have, err := Asked(map[string]api.FieldSpec{
		"stock": {From: "declared", Path: "availability"}, "price": {From: "declared"},
		"cost": {From: "json-ld", Path: " offers.price ", Type: "money", Locale: "de"}})
	want := []Spec{{"cost", Money, JSONLD, "offers.price", "de"}, {"price", "", Declared, "", ""},
		{"stock", "", Declared, "availability", ""}}
	if diff := cmp.Diff(want, have); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for setting, f := range map[string]api.FieldSpec{
		"from":    {From: "xpath", Path: "p", Type: "text"},
		"type":    {From: "css", Path: "p"},
		"path":    {From: "css", Path: "p >", Type: "text"},
		"path ":   {From: "css", Path: "$.a", Type: "text"},
		"path  ":  {From: "declared", Path: "weight"},
		"path   ": {From: "json-ld", Path: "Product", Type: "text"},
		"path\t":  {From: "css", Type: "text"},
		"path\n":  {From: "css", Type: "text", Path: "p\nb"},
		"type ":   {From: "declared", Path: "price", Type: "text"},
		"locale":  {From: "declared", Path: "price", Locale: "no tag"},
	} {
		_, err := Asked(map[string]api.FieldSpec{"mine": f})
		setting = "watch.fields.mine." + strings.TrimSpace(setting)
		if fault.FieldOf(err) != setting || !fault.Is(err, fault.Invalid) || !strings.HasPrefix(err.Error(), setting) {
			t.Errorf("%+v: have %v of %s, want %s", f, err, fault.FieldOf(err), setting)
		}
	}
	if _, err := Asked(map[string]api.FieldSpec{"a/b": {From: "declared", Path: "price"}}); err == nil {
		t.Error("a name that cannot be in an address is not refused")
	}
}

// TestG1Declared checks the states of a field that is read as the page declares it (G1, G3).
func TestG1Declared(t *testing.T) {
	lamp := ld(product("Lamp", "5", `"version":"2",`))
	several := ld(`[` + product("Lamp", "5", "") + `,` + product("Chair", "9", "") + `]`)
	article := ld(`{"@type":"Article","name":"x"}`)
	for _, tc := range []struct {
		page, at string
		want     State
		text     string
	}{
		{lamp, "price", Found, "5 EUR"}, {lamp, "currency", Found, "EUR"}, {lamp, "salePrice", Disappeared, ""},
		{lamp, "availability", Disappeared, ""}, {lamp, "variants", Disappeared, ""},
		{lamp, "author", Gone, "the page declares no article"}, {article, "author", Disappeared, ""},
		{article, "price", Gone, "the page declares no product"}, {several, "price", Unread, "several items"},
		{several, "availability", Unread, "several items"},
		{ld(product("Lamp", "x", "")), "currency", Unread, "not an amount"},
		{`<meta name=author content="A. Alpha">`, "author", Found, "A. Alpha"},
		{`<meta name=author content="A. Alpha">`, "modified", Disappeared, ""},
	} {
		r := pageOf(t, tc.page).Read(Spec{Name: "mine", Source: Declared, At: tc.at})
		said := r.Value.String() + r.Evidence.Reason
		if r.Name != "mine" || r.State != tc.want || !strings.Contains(said, tc.text) {
			t.Errorf("%s of %.60s: have %+v, want %s %s", tc.at, tc.page, r, tc.want, tc.text)
		}
	}
	if r := pageOf(t, lamp).Read(Spec{Name: "price", Source: Declared}); r.Value.String() != "5 EUR" {
		t.Errorf("by its own name: have %+v", r)
	}
	root, _ := data.Tree(`{"price":5}`, false)
	if r := NewJSON(root, here).Read(Spec{Name: "price", Source: Declared}); r.State != Gone {
		t.Errorf("of JSON: have %+v", r)
	}
}

// TestG1PathsWithoutType checks of which item a path without a type is (G1).
func TestG1PathsWithoutType(t *testing.T) {
	both := ld(`[` + product("Lamp", "5", "") + `,{"@type":"Article","datePublished":"2026-11-27"},
		{"@type":"WebPage","lastReviewed":"2026-11-28"}]`)
	for _, tc := range []struct {
		page, at string
		of       Type
		want     State
		text     string
	}{
		{both, "offers.price", Money, Found, "5 EUR"}, {both, "name", Text, Found, "Lamp"},
		{both, "datePublished", Date, Found, "2026-11-27"}, {both, "lastReviewed", Date, Found, "2026-11-28"},
		{both, "sku", Text, Disappeared, ""}, {ld(`{"@type":"WebPage"}`), "offers.price", Money, Gone, "no product"},
		{ld(`[` + product("Lamp", "5", "") + `,` + product("Chair", "9", "") + `]`), "offers.price", Money, Unread, "several"},
		{both, "Recipe.name", Text, Gone, "no Recipe"},
	} {
		r := pageOf(t, tc.page).Read(Spec{Name: "mine", Type: tc.of, Source: JSONLD, At: tc.at})
		if said := r.Value.String() + r.Evidence.Reason; r.State != tc.want || !strings.Contains(said, tc.text) {
			t.Errorf("%s of %.60s: have %+v, want %s %s", tc.at, tc.page, r, tc.want, tc.text)
		}
	}
}
