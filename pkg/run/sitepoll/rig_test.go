package sitepoll_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// rig is the service over a store with faults, and a web that the test controls.
type rig struct {
	*runtest.Rig
	*sitepoll.Service
	reg   *registry.Registry // over the store without faults
	web   *runtest.Web
	o     sitepoll.Options
	token int
}

// onStores runs a test in memory and on the embedded store.
func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	runtest.OnStores(t, func(t *testing.T, open runtest.Open) { test(t, newRig(t, open)) })
}

func inMemory(t *testing.T) *rig { return newRig(t, runtest.Stores["mem"]) }

const (
	aMap  = "https://a.example/sitemap.xml"
	bFeed = "https://b.example/feed.xml"
)

func newRig(t *testing.T, open runtest.Open) *rig {
	t.Helper()
	r := &rig{Rig: runtest.New(t, open, time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)), web: runtest.NewWeb()}
	r.o = sitepoll.Options{
		Rules: source.DefaultRules(), Clock: r.Clock.Now, PerDay: 500,
		Token: func() string { r.token++; return fmt.Sprint(r.token) },
		Sites: site.List{
			{Slug: "a", Domain: "a.example", Sitemaps: []string{aMap}, Exclude: []*regexp.Regexp{regexp.MustCompile("/print/")}},
			{Slug: "b", Domain: "b.example", Feeds: []string{bFeed}},
			{Slug: "limits", Domain: "limits.example", Limits: &site.Limits{MaxConcurrent: 1}},
		},
	}
	r.reg = r.Registry(r.Store)
	r.Must(r.reg.Create(t.Context()))
	r.restart(func(*sitepoll.Options) {})
	r.Must(r.Create(t.Context()))
	return r
}

// restart starts the service again with other options.
func (r *rig) restart(change func(o *sitepoll.Options)) {
	change(&r.o)
	r.Service = sitepoll.New(r.Seen, r.Registry(r.Seen), r.web, r.o)
}

// sound is the service over the store without faults.
func (r *rig) sound() *sitepoll.Service { return sitepoll.New(r.Store, r.reg, r.web, r.o) }

// settle performs steps until no poll is active.
func (r *rig) settle() {
	r.Helper()
	r.Finish(sitepoll.Queue, r, func() bool { return !r.polling() })
}

func (r *rig) polling() bool {
	r.Helper()
	all, err := r.sound().All(r.Context())
	r.Must(err)
	return slices.ContainsFunc(all, func(one sitepoll.Site) bool { return one.Now != nil })
}

// day fires the timer at six on the next day, and returns the poll of a site that followed.
func (r *rig) day(slug string) sitepoll.Poll {
	r.Helper()
	now := r.Clock.Now()
	next := time.Date(now.Year(), now.Month(), now.Day(), 6, 0, 0, 0, time.UTC).AddDate(0, 0, 1)
	r.Clock.Pass(next.Sub(now))
	return r.tick(slug)
}

// tick fires the timer now.
func (r *rig) tick(slug string) sitepoll.Poll {
	r.Helper()
	_, err := r.Tick(r.Context())
	r.Must(err)
	r.settle()
	return *r.site(slug).Last
}

func (r *rig) site(slug string) sitepoll.Site {
	r.Helper()
	one, err := r.Get(r.Context(), slug)
	r.Must(err)
	return one
}

func (r *rig) items() map[string]registry.Item { return r.Items(r.reg) }

func (r *rig) register(urls ...string) { r.Register(r.reg, urls...) }

// whole checks the invariants that hold while no poll is active.
func (r *rig) whole() {
	r.Helper()
	if left := r.Rows(sitepoll.Table, "/active|"); len(left) > 0 {
		r.Errorf("%v are left over", left)
	}
	r.Check(r.reg)
}
