package compare

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/pick"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// W23: TestW23LargeCaptures checks that a trial reads a limited number of bytes, that it reads at least one capture,
// and that the others are known.
func TestW23LargeCaptures(t *testing.T) {
	for name, tt := range map[string]struct {
		sizes []int64
		read  int
	}{
		"none":           {nil, 0},
		"small":          {[]int64{1000, 1000, 1000}, 3},
		"up to the size": {[]int64{maxRead / 2, maxRead / 2, 1}, 2},
		"a large one":    {[]int64{2 * maxRead, 1}, 1},
	} {
		var all []snapshot.Capture
		for _, n := range tt.sizes {
			all = append(all, snapshot.Capture{Bytes: n})
		}
		if read, large := affordable(all); len(read) != tt.read || len(large) != len(all)-tt.read {
			t.Errorf("%s: reads %d, leaves %d", name, len(read), len(large))
		}
	}
}

// W23: TestW23WhatIsNotListed checks that a list says all that is missing of a page.
func TestW23WhatIsNotListed(t *testing.T) {
	if cut := cutOf("", Elements{Total: maxElementLines, Lines: []pick.Line{{}}}); cut != "" {
		t.Error(cut)
	}
	cut := cutOf("only 1 MiB is read", Elements{Total: maxElementLines + 1, Lines: []pick.Line{{More: true}}})
	want := "only 1 MiB is read; the first 300 of 301 texts are listed; of some texts, only the first 12 parts are listed"
	if cut != want {
		t.Errorf("%s\nwant %s", cut, want)
	}
}

// G5: TestG5ChosenValues checks that a value is added to the fields once, that another one gets a name of its own, and
// that an element without a value cannot be watched for one.
func TestG5ChosenValues(t *testing.T) {
	offer := func(at string) Offer { return Offer{Offer: pick.Offer{Way: pick.Way{Selector: at}}} }
	price := func(at string) *Chosen {
		return &Chosen{Offer: offer(at), Value: &field.Proposal{Spec: field.Spec{Name: "price", Type: field.Money,
			Source: field.CSS, At: at}}}
	}
	w := api.Watch{Include: []string{"h1"}}
	for _, tc := range []struct{ at, as, want string }{
		{".a", "value", "price:money=css:.a"}, {".a", "also", "price:money=css:.a"},
		{".b", "", "price:money=css:.a price-2:money=css:.b"}, {".b", "out", "price:money=css:.a price-2:money=css:.b"},
	} {
		var err error
		if w, err = withChoice(w, price(tc.at), tc.as); err != nil {
			t.Fatal(err)
		}
		if have := strings.Join(api.FieldLines(w.Fields), " "); have != tc.want {
			t.Errorf("%s %s: have %s, want %s", tc.as, tc.at, have, tc.want)
		}
	}
	if len(w.Include) != 1 || w.Include[0] != ".b" || len(w.Exclude) != 1 {
		t.Errorf("have %+v", w)
	}
	if _, err := withChoice(w, &Chosen{Offer: offer(".c")}, "value"); fault.FieldOf(err) != "as" {
		t.Error(err)
	}
}
