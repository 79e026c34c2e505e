package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// W22: TestW22WhatAnExclusionHid checks that what an exclusion hid is listed beside a change that is told, and that no
// word that is told is listed as one that does not count.
func TestW22WhatAnExclusionHid(t *testing.T) {
	seen := func(op feed.Op, n string) feed.Ignored {
		return feed.Ignored{Hunk: "Seen " + n + " times.", Op: op, Rule: "exclude: .seen"}
	}
	lamp := func(price, n string) string {
		return "<main><h1>Lamp</h1><p>It costs <b class=price>" + price + "</b> EUR.<p>It hangs at the door." +
			"<p class=seen>Seen " + n + " times.</main>"
	}
	for name, tt := range map[string]struct {
		spec  watch.Spec
		price string // the new one
		told  bool   // whether the watched part has changed
		want  []feed.Ignored
	}{
		"excluded, beside a change": {watch.Spec{Exclude: []string{".seen"}}, "84", true,
			[]feed.Ignored{seen(feed.Removed, "12"), seen(feed.Added, "13")}},
		"excluded alone": {watch.Spec{Exclude: []string{".seen"}}, "79", false,
			[]feed.Ignored{seen(feed.Removed, "12"), seen(feed.Added, "13")}},
		"outside of what is watched": {watch.Spec{Include: []string{".price"}}, "84", true, nil},
	} {
		r := part.NewReader(tt.spec)
		page := func(body string) (string, *part.Part) {
			doc, err := web.Extract([]byte(body), "text/html", "https://port.example/", extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			p := r.Read(doc, []byte(body), "text/html", "https://port.example/")
			return doc.Text, &p
		}
		was, old := page(lamp("79", "12"))
		is, now := page(lamp(tt.price, "13"))
		if tt.told != (old.State != now.State) {
			t.Fatalf("%s: changed: %v", name, !tt.told)
		}
		o := Outcome{News: News{Kind: change.Content, Part: tt.told}}
		_, d, _ := Differing(was, extract.Document{}, old, Reading{Page: is, Part: now}, o)
		if diff := cmp.Diff(tt.want, d.ignored); diff != "" {
			t.Errorf("%s (-want +have)\n%s", name, diff)
		}
	}
}
