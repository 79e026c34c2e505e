package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/linememory"
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
		page := func(body string) (extract.Document, *part.Part) {
			doc, err := web.Extract([]byte(body), "text/html", "https://port.example/", extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			p := r.Read(doc, []byte(body), "text/html", "https://port.example/")
			return doc, &p
		}
		was, old := page(lamp("79", "12"))
		is, now := page(lamp(tt.price, "13"))
		if tt.told != (old.State != now.State) {
			t.Fatalf("%s: changed: %v", name, !tt.told)
		}
		o := Outcome{News: News{Kind: change.Content, Part: tt.told}}
		_, d, _ := Differing(was, was, old, Reading{Page: is, Part: now}, o)
		if diff := cmp.Diff(tt.want, d.ignored); diff != "" {
			t.Errorf("%s (-want +have)\n%s", name, diff)
		}
	}
}

// TestN11DifferencesAreNamed checks that a change says of what its passages are: of the page, or of a watched part that
// has no names itself (N11).
func TestN11DifferencesAreNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		spec watch.Spec
		want string
	}{
		"the page":           {watch.Spec{}, "Winter"},
		"a part":             {watch.Spec{Include: []string{"main"}}, "Winter"},
		"a part of no names": {watch.Spec{Include: []string{".price"}}, "Winter"},
	} {
		r := part.NewReader(tt.spec)
		page := func(price string) (extract.Document, *part.Part) {
			body := []byte("<title>Fees</title><main><h1>Fees</h1><p>Fees are due in spring.</p><h2>Winter</h2><p class=price>" +
				price + " EUR</p></main>")
			doc, err := web.Extract(body, "text/html", "https://port.example/", extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			p := r.Read(doc, body, "text/html", "https://port.example/")
			return doc, &p
		}
		was, old := page("12")
		is, now := page("15")
		_, d, texts := Differing(was, was, old, Reading{Page: is, Part: now}, Outcome{News: News{Kind: change.Content,
			Part: tt.spec.Include != nil}})
		d.Choose(texts, linememory.Verdict{})
		for _, p := range d.news.Passages {
			if p.Of != tt.want || !p.Fact {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if len(d.news.Passages) != 2 {
			t.Errorf("%s: %+v", name, d.news.Passages)
		}
	}
}
