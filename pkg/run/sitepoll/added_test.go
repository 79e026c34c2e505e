package sitepoll_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// TestU6AddedSites checks that an added site is polled at once and by every process, whatever the site file says,
// until it is removed, and that its pages stay (U6).
func TestU6AddedSites(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.web.Pages["https://new.example/sitemap.xml"] = runtest.URLSet(append(
			runtest.Pages("https://new.example/news/", 3), runtest.Pages("https://new.example/shop/", 2)...)...)
		added, err := r.Add(t.Context(), " new.example/news/ ", api.SiteSettings{})
		if err != nil || added.Now == nil || !added.Added || added.Slug != "new-example" {
			t.Fatalf("%+v, %v", added, err)
		}
		r.restart(func(*sitepoll.Options) {})
		r.settle()
		if c := r.site("new-example").Coverage; c.New != 3 || c.Excluded != 2 {
			t.Errorf("found %+v of %+v", c, r.site("new-example").Last)
		}
		if all, err := r.Known.All(t.Context()); err != nil || all.Find("new-example") == nil || all.Find("a") == nil {
			t.Errorf("%v, %v", all, err)
		}
		for address, kind := range map[string]fault.Kind{"https://new.example/": fault.Conflict, "a b": fault.Invalid,
			"": fault.Invalid} {
			if _, err := r.Add(t.Context(), address, api.SiteSettings{}); !fault.Is(err, kind) {
				t.Errorf("%q is added: %v", address, err)
			}
		}
		r.Must(r.Forget(t.Context(), "new-example"))
		for slug, kind := range map[string]fault.Kind{"a": fault.Conflict, "new-example": fault.NotFound,
			"../x": fault.NotFound} {
			if err := r.Forget(t.Context(), slug); !fault.Is(err, kind) {
				t.Errorf("%s is removed: %v", slug, err)
			}
		}
		if _, err := r.Get(t.Context(), "new-example"); !fault.Is(err, fault.NotFound) {
			t.Errorf("it is there still: %v", err)
		}
	})
}

// TestV2ChangedSite checks that a patch changes what it names of an added site and keeps the rest, that two at once
// both hold, and that the site is read anew, but only if something has changed (V2).
func TestV2ChangedSite(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.web.Pages["https://new.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://new.example/news/", 3)...)
		added, err := r.Add(t.Context(), "new.example", api.SiteSettings{})
		r.Must(err)
		r.settle()
		var both sync.WaitGroup
		for _, p := range []api.Patch{{"exclude": []string{"/news/2**"}}, {"follow": map[string]any{"depth": 4}}} {
			both.Go(func() {
				if _, err := r.Change(t.Context(), added.Slug, p); err != nil && !fault.Is(err, fault.Conflict) {
					t.Error(err)
				}
			})
		}
		both.Wait()
		one := r.site(added.Slug)
		want := api.SiteSettings{Exclude: []string{"/news/2**"},
			Follow: &api.SiteFollow{Depth: 4, Pages: 5000, Addresses: 100_000}}
		same(t, want, one.Set)
		if one.Now == nil {
			t.Error("it is not read anew")
		}
		r.settle()
		again, err := r.Change(t.Context(), added.Slug, api.Patch{"follow": map[string]any{"depth": 4}})
		if err != nil || again.Now != nil {
			t.Errorf("nothing changes: %+v, %v", again.Now, err)
		}
		last, err := r.Change(t.Context(), added.Slug, api.Patch{"exclude": nil, "follow": nil})
		r.Must(err)
		same(t, api.SiteSettings{}, last.Set)
		for slug, kind := range map[string]fault.Kind{"a": fault.Conflict, "nobody": fault.NotFound, "../x": fault.NotFound} {
			if _, err := r.Change(t.Context(), slug, api.Patch{"feeds": nil}); !fault.Is(err, kind) {
				t.Errorf("%s is changed: %v", slug, err)
			}
		}
		if _, err := r.Change(t.Context(), added.Slug, api.Patch{"include": []string{"x"}}); fault.FieldOf(err) != "include" {
			t.Errorf("no pattern: %v", err)
		}
	})
}

// TestU6AddedSiteCutOff checks that an added site whose first poll failed to begin is polled within the hour, and
// that the site file's definition applies when it names the site too (U6).
func TestU6AddedSiteCutOff(t *testing.T) {
	r := inMemory(t)
	r.web.Pages["https://new.example/sitemap.xml"] = runtest.URLSet(runtest.Pages("https://new.example/", 2)...)
	_, err := r.Add(t.Context(), "new.example", api.SiteSettings{})
	r.Must(err)
	r.restart(func(o *sitepoll.Options) { o.PerDay = 0 })
	r.settle()
	if _, err := r.Add(t.Context(), "other.example", api.SiteSettings{}); !fault.Is(err, fault.Blocked) {
		t.Errorf("added while polls are switched off: %v", err)
	}
	r.restart(func(o *sitepoll.Options) { o.PerDay = 10 })
	r.day("new-example")
	if c := r.site("new-example").Coverage; c.New != 2 {
		t.Errorf("%+v", c)
	}
	r.restart(func(o *sitepoll.Options) {
		o.Sites = site.List{{Slug: "new-example", Domain: "elsewhere.example"}}
	})
	if s := r.site("new-example"); s.Added || !strings.HasPrefix(s.Domain, "elsewhere") {
		t.Errorf("%+v", s)
	}
}

// TestX18SitesThatAreNeverFetched checks that a site is refused whose pages would never be fetched (X18).
func TestX18SitesThatAreNeverFetched(t *testing.T) {
	r := newRig(t, runtest.Stores["mem"])
	r.restart(func(o *sitepoll.Options) {
		o.Admit = func(address string) error {
			if strings.HasPrefix(address, "http://10.0.0.1/") {
				return fault.New(fault.Blocked, "10.0.0.1 is not a public address")
			}
			return nil
		}
	})
	_, err := r.Add(t.Context(), "http://10.0.0.1/", api.SiteSettings{})
	if fault.FieldOf(err) != "url" || !strings.Contains(err.Error(), "not a public address") {
		t.Errorf("added: %v", err)
	}
	if all, err := r.Known.All(t.Context()); err != nil || all.Find("10-0-0-1") != nil {
		t.Errorf("%v, %v", all, err)
	}
}
