package crawl

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/options"
)

// disturbed are the kinds of checks that faults are injected into.
var disturbed = []struct {
	name    string
	prepare func(r *rig) // runs before the disturbed check
	force   bool
}{
	{"first fetch", func(r *rig) { r.site.put("/p", text("v1").etag("1")) }, false},
	{"change", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.site.put("/p", text("v2").etag("2"))
	}, false},
	{"back to what it was", func(r *rig) {
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.site.put("/p", text("v2"))
		r.next("/p")
		r.site.put("/p", text("v1"))
	}, false},
	{"Q10 what moves at each check", func(r *rig) {
		r.hourly("/p", 4)
		r.site.put("/p", berths(4, "20", "17"))
	}, false},
	{"Q10 a page of an earlier version, on which a number moves", func(r *rig) {
		r.hourly("/p", 6)
		r.withoutMemory("/p")
		r.site.put("/p", berths(9, "20", "17"))
	}, false},
	{"W25 new entries of a list", func(r *rig) {
		r.site.put("/p", jobs("", "1", "2"))
		r.first("/p")
		r.set("/p", aList())
		r.next("/p")
		r.site.put("/p", jobs("", "4", "3", "2", "1"))
	}, false},
	{"W16 a part becomes empty", func(r *rig) { r.emptied("", options.IndexPage) }, false},
	{"W16 an empty part is filled", func(r *rig) { r.emptied("<li>10:00 free", options.IndexWatched, "") }, false},
	{"W16 a part that broke is filled", func(r *rig) { r.emptied("<li>10:00 free", options.IndexPage, rebuilt) }, false},
	{"R3 a page is rendered", func(r *rig) {
		r.site.put("/p", shellPage("1"))
		r.Worker.o.Browser = &stagehand{text: spring}
	}, false},
	{"R3 the data of a rendered page change", func(r *rig) {
		r.site.put("/p", shellPage("1"))
		b := &stagehand{text: spring}
		r.Worker.o.Browser = b
		r.first("/p")
		b.text = neap
	}, false},
	{"R3 a new baseline", func(r *rig) {
		r.site.put("/p", shellPage("1"))
		r.Worker.o.Browser = &stagehand{text: spring}
		r.first("/p")
		r.setRender("/p", options.RenderNever)
	}, false},
	{"H9 a collapse begins", func(r *rig) { r.collapsed(0) }, false},
	{"H9 a collapse goes on", func(r *rig) { r.collapsed(1) }, false},
	{"H9 a collapse is accepted", func(r *rig) { r.collapsed(2) }, false},
	{"H9 a collapse is over", func(r *rig) {
		r.collapsed(2)
		r.site.put("/p", prose("full", 5, 100))
	}, false},
	{"H9 a collapse under a raised version", func(r *rig) {
		r.collapsed(0)
		r.raise("/p")
	}, false},
	{"content of another page", func(r *rig) {
		r.site.put("/q", text("v2"))
		r.first("/q")
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.site.put("/p", page{body: text("v2").body + "<!-- not the same bytes -->"})
	}, false},
	{"foreign canonical", func(r *rig) {
		canonical := func(v string) page {
			return page{body: strings.Replace(text(v).body, "<title>", `<link rel=canonical href="/q"><title>`, 1)}
		}
		r.site.put("/q", canonical("v0"))
		r.first("/q")
		r.site.put("/p", canonical("v1"))
	}, false},
	{"retention", func(r *rig) {
		r.Worker.o.Retention.Count = 1
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.site.put("/p", text("v2").etag("2"))
		r.next("/p")
	}, false},
	{"retention by bytes", func(r *rig) {
		r.Worker.o.Retention.Bytes = 1
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.site.put("/p", text("v2").etag("2"))
		r.next("/p")
	}, false},
	{"304", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
	}, false},
	{"noise", func(r *rig) {
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.site.put("/p", page{body: text("v1").body + "<!-- 12 ms -->"})
	}, false},
	{"noindex", func(r *rig) {
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.site.put("/p", text("v2").set("X-Robots-Tag", "noindex"))
	}, false},
	{"images", func(r *rig) {
		r.site.put("/p", pictures(crane, ferry))
		r.first("/p")
		r.site.put("/p", pictures(crane))
	}, false},
	{"noimageindex of a 304", func(r *rig) {
		r.site.put("/p", pictures(crane).etag("1"))
		r.first("/p")
		r.site.put("/p", pictures(crane).etag("1").set("X-Robots-Tag", "noimageindex"))
	}, false},
	{"robots.txt", func(r *rig) {
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.site.put("/robots.txt", disallowP)
	}, false},
	{"gone", func(r *rig) {
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.site.put("/p", status(410))
		r.next("/p")
		r.next("/p")
	}, false},
	{"soft 404", func(r *rig) {
		r.Worker.o.Soft404, r.site.lost = true, sorry
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.site.put("/p", sorry)
		r.next("/p")
		r.next("/p")
	}, false},
	{"a week after soft 404", func(r *rig) {
		r.Worker.o.Soft404, r.site.lost = true, sorry
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.clock.pass(8 * day)
		r.site.put("/p", text("v2"))
	}, false},
	{"soft 404 learned late", func(r *rig) {
		r.Worker.o.Soft404 = true
		r.site.put("/p", sorry.etag("1"))
		r.first("/p")
		r.learns(sorry)
		r.next("/p")
		r.next("/p")
	}, false},
	{"X4 the form that was given", func(r *rig) {
		r.site.put("/p/", text("v1"))
		r.registerForm("/p/")
	}, false},
	{"X4 the identity in place of the form that was given", func(r *rig) {
		r.site.put("/p", text("v1"))
		r.registerForm("/p/")
	}, false},
	{"X4 no form has the page", func(r *rig) { r.registerForm("/p/") }, false},
	{"X4 a form that has the page no more", func(r *rig) {
		r.site.put("/p/", text("v1").etag("1"))
		r.registerForm("/p/")
		r.mustWork()
		r.site.put("/p/", status(404))
		r.site.put("/p", text("v2").etag("2"))
	}, false},
	{"X4 a form in place of one that failed", func(r *rig) {
		r.registerForm("/p")
		r.mustWork()
		r.site.put("/p/", text("v1"))
		r.clock.pass(time.Second)
		r.registerForm("/p/")
	}, false},
	{"other bytes, the same text", func(r *rig) {
		r.Worker.o.Retention.SameText = 1
		r.site.put("/p", noisy("v1", 0))
		r.first("/p")
		r.site.put("/p", noisy("v1", 1))
		r.next("/p")
		r.site.put("/p", noisy("v1", 2))
	}, false},
	{"other bytes that declare another price", func(r *rig) {
		r.Worker.o.Retention.SameText, r.Worker.o.Retention.Count = 1, 2
		for i, p := range []page{priced("79", 0), priced("84", 1), priced("84", 2), priced("89", 3)} {
			r.site.put("/p", p)
			if i == 0 {
				r.first("/p")
			} else if i < 3 {
				r.next("/p")
			}
		}
	}, false},
	{"other bytes that were served before", func(r *rig) {
		r.Worker.o.Retention.SameText = 1
		r.site.put("/p", noisy("v1", 0))
		r.first("/p")
		for _, n := range []int{1, 2} {
			r.site.put("/p", noisy("v1", n))
			r.next("/p")
		}
		r.site.put("/p", noisy("v1", 1))
	}, false},
	{"soft 404 changes", func(r *rig) {
		r.Worker.o.Soft404 = true
		r.site.put("/p", text("v1"))
		r.first("/p")
		r.sweepAfter(8 * day)
		r.site.lost = sorry
		r.site.put("/p", text("v2"))
	}, false},
	{"force", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
	}, true},
	{"debt", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.index.down = errIndexDown
		r.first("/p")
		r.index.down = nil
	}, false},
	{"Z2 a raised version", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.raise("/p")
	}, false},
	{"Z2 a raised version and a change", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.raise("/p")
		r.site.put("/p", text("v2").etag("2"))
	}, false},
	{"Z2 a raised version and a debt", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.index.down = errIndexDown
		r.first("/p")
		r.index.down = nil
		r.raise("/p")
	}, false},
	{"Z2 a raised version by force", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.raise("/p")
	}, true},
	{"A16 an alias at first sight", func(r *rig) {
		r.site.put("/q", text("v1"))
		r.first("/q")
		r.site.put("/p", naming("/q", "v1"))
	}, false},
	{"A16 an alias later", func(r *rig) {
		r.site.put("/q", text("v1").etag("1"))
		r.site.put("/p", text("v1"))
		r.first("/q")
		r.first("/p")
		r.site.put("/p", naming("/q", "v1"))
	}, false},
	{"A16 still an alias", func(r *rig) {
		r.site.put("/q", text("v1").etag("1"))
		r.first("/q")
		r.site.put("/p", naming("/q", "v1").etag("2"))
		r.first("/p")
	}, false},
	{"A16 an alias no more", func(r *rig) {
		r.site.put("/q", text("v1"))
		r.first("/q")
		r.site.put("/p", naming("/q", "v1").etag("1"))
		r.first("/p")
		r.site.put("/q", status(410))
		for range 3 {
			r.look("/q")
		}
	}, false},
	{"S1 a page whose worker died", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.site.put("/p", text("v2").etag("2"))
		r.due("/p")
		r.die()
		r.jobs() // lost
	}, true},
	{"S1 a suspect", func(r *rig) {
		r.site.put("/p", text("v1").etag("1"))
		r.first("/p")
		r.site.put("/p", text("v2").etag("2"))
		r.due("/p")
		r.die()
		r.die()
		r.jobs() // lost
	}, true},
	{"redirect to another host", func(r *rig) {
		other := newSite(r.t)
		other.put("/q", text("v1"))
		r.site.put("/p", to(302, strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+"/q"))
	}, false},
}
