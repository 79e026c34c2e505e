package crawl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/run/rebuild"
)

// TestX2HostSaysSo checks that pages which all name the home page stay in the index, and that the page of the host
// says so (X2). Once they name it no longer, it says nothing.
func TestX2HostSaysSo(t *testing.T) {
	r := newRig(t)
	r.site.put("/", prose("home", 0, 60))
	host := r.first("/").SourceHost
	var paths []string
	for i := range 3 {
		paths = append(paths, fmt.Sprintf("/%d", i))
		r.site.put(paths[i], namingOther("/", 100*(i+1)))
		r.first(paths[i])
	}
	notices := func() string {
		view, err := r.reg.Hosts.View(t.Context(), host)
		must(t, err)
		return strings.Join(view.Notices, "\n")
	}
	if have := notices(); !strings.HasPrefix(have, "3 pages name "+r.site.URL+"/ as their canonical address") {
		t.Errorf("the host says %q", have)
	}
	if r.shown() != "/ /0 /1 /2" {
		t.Errorf("shown %s", r.shown())
	}
	r.site.put("/0", prose("other", 100, 60))
	r.look("/0")
	if have := notices(); have != "" {
		t.Errorf("the host says %q", have)
	}
}

// TestX2RebuildDecidesNothing checks that a rebuild, which reads no answer of the site, neither makes a page an alias
// nor ends one (X2).
func TestX2RebuildDecidesNothing(t *testing.T) {
	r := newRig(t)
	r.site.put("/b", canonicalV1)
	r.site.put("/a", canonicalV1)
	r.first("/b")
	r.first("/a")
	r.site.put("/a", naming("/b", "v1"))
	r.look("/a") // has to be confirmed
	for range 2 {
		r.rebuild(rebuild.Scope{})
	}
	if r.shown() != "/a /b" {
		t.Errorf("shown %s", r.shown())
	}
	if it := r.look("/a"); r.aliasOf(it) != "/b" {
		t.Errorf("%s (%s)", it.Status, it.CanonicalNote)
	}
}
