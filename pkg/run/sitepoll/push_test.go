package sitepoll_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

const (
	pushKey = "0123456789abcdef"
	keyFile = "https://a.example/" + pushKey + ".txt"
)

type asked = api.IndexNowRequest

func submission(urls ...string) api.IndexNowRequest {
	return api.IndexNowRequest{Host: "a.example", Key: pushKey, URLList: urls}
}

// TestE14Push checks that a push registers new pages, once, and asks the site for its key once a day (E14).
func TestE14Push(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.web.Pages[keyFile] = "\ufeff" + pushKey + "\n"
		r.register("https://a.example/known")
		push := submission("https://a.example/new", "https://a.example/known", "https://A.example/new",
			"https://a.example/print/x")
		for i, want := range []api.IndexNowResult{{Received: 3, New: 1, Known: 1, Excluded: 1},
			{Received: 3, Known: 2, Excluded: 1}} {
			have, err := r.Push(t.Context(), push)
			if d := cmp.Diff(want, have); d != "" || err != nil {
				t.Errorf("push %d: %v (-want +have)\n%s", i, err, d)
			}
		}
		if it := r.items()["https://a.example/new"]; it.DiscoveryMethod != "INDEXNOW" {
			t.Errorf("discovered by %q", it.DiscoveryMethod)
		}
		same(t, []string{"GET " + keyFile}, r.web.Requests())
		r.Clock.Pass(25 * time.Hour)
		_, err := r.Push(t.Context(), push)
		r.Must(err)
		same(t, []string{"GET " + keyFile}, r.web.Requests())
		delete(r.web.Pages, keyFile)
		r.Clock.Pass(25 * time.Hour)
		if _, err := r.Push(t.Context(), push); !fault.Is(err, fault.Blocked) {
			t.Errorf("a key that the site does not show any more: %v", err)
		}
		r.whole()
	})
}

// TestE14PushRefused checks that the kinds of errors give the statuses of the protocol, and that a refused push costs
// the site nothing (E14).
func TestE14PushRefused(t *testing.T) {
	mismatch := fault.Kind("422")
	for _, row := range []struct {
		name   string
		change func(p *asked)
		want   fault.Kind
		asked  int
	}{
		{"taken", func(*asked) {}, "", 1},
		{"a key elsewhere", func(p *asked) { p.KeyLocation = "https://a.example/x/my.txt" }, "", 1},
		{"http, a key elsewhere", func(p *asked) { p.KeyLocation = "http://a.example/x/my.txt" }, "", 1},
		{"no addresses", func(p *asked) { p.URLList = nil }, fault.Invalid, 0},
		{"too many addresses", func(p *asked) { p.URLList = make([]string, sitepoll.MaxPushed+1) }, fault.Invalid, 0},
		{"no site", func(p *asked) { p.Host = "stranger.example" }, fault.Blocked, 0},
		{"no host", func(p *asked) { p.Host = "" }, fault.Blocked, 0},
		{"another host's address", func(p *asked) { p.URLList = append(p.URLList, "https://stranger.example/") }, mismatch,
			0},
		{"no address", func(p *asked) { p.URLList = append(p.URLList, "x") }, mismatch, 0},
		{"a short key", func(p *asked) { p.Key = "short" }, mismatch, 0},
		{"a key that is a path", func(p *asked) { p.Key = "../../secret" }, mismatch, 0},
		{"a key on another host", func(p *asked) { p.KeyLocation = "https://stranger.example/my.txt" }, mismatch, 0},
		{"a key of another folder", func(p *asked) { p.KeyLocation = "https://a.example/y/my.txt" }, mismatch, 0},
		{"a key that is not shown", func(p *asked) { p.Key = "fedcba9876543210" }, fault.Blocked, 1},
		{"part of the key that is shown", func(p *asked) { p.KeyLocation, p.Key = keyFile, pushKey[:8] },
			fault.Blocked, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := inMemory(t)
			r.web.Pages[keyFile], r.web.Pages["https://a.example/x/my.txt"], r.web.Pages["http://a.example/x/my.txt"] = pushKey,
				pushKey, pushKey
			p := submission("https://a.example/x/new")
			row.change(&p)
			_, err := r.Push(t.Context(), p)
			kind := fault.KindOf(err)
			if _, is := errors.AsType[*sitepoll.MismatchError](err); is {
				kind = mismatch
			}
			if kind != row.want || len(r.web.Requests()) != row.asked {
				t.Errorf("%q, want %q: %v", kind, row.want, err)
			}
			if row.want != "" && len(r.items()) > 0 {
				t.Error("what was refused was registered")
			}
		})
	}
}

// TestE14PushVerification checks that a site that does not answer, or that must not be asked now, is asked for its
// key later, and that guessing keys causes a bounded number of requests to it (E14).
func TestE14PushVerification(t *testing.T) {
	r := inMemory(t)
	for _, answer := range []error{fault.After(time.Minute, "busy"),
		&politeness.SiteError{Err: fault.New(fault.Unavailable, "no answer")}} {
		r.web.Pages[keyFile] = answer
		if _, err := r.Push(t.Context(), submission("https://a.example/new")); !fault.Is(err, fault.Throttled) ||
			fault.RetryAfter(err) == 0 {
			t.Errorf("%v: %v", answer, err)
		}
	}
	r.web.Requests() // these two
	for i := range 20 {
		p := submission("https://a.example/new")
		p.Key = fmt.Sprintf("guess%05d", i)
		_, _ = r.Push(t.Context(), p)
	}
	if n := len(r.web.Requests()); n != sitepoll.MaxVerifications-2 {
		t.Errorf("the site was asked %d times", n)
	}
	r.web.Pages[keyFile] = pushKey
	if _, err := r.Push(t.Context(), submission("https://a.example/new")); !fault.Is(err, fault.Throttled) {
		t.Error(err)
	}
	r.Clock.Pass(24 * time.Hour)
	_, err := r.Push(t.Context(), submission("https://a.example/new"))
	r.Must(err)
}

// TestE14PushBounds checks that submissions cannot cause a flood of requests: the number of pages registered and
// checks brought forward is bounded for each site and day, whatever fails in between (E14).
func TestE14PushBounds(t *testing.T) {
	r := inMemory(t)
	r.restart(func(o *sitepoll.Options) { o.PerDay = 3 })
	r.web.Pages[keyFile] = pushKey
	var urls []string
	for i := range 8 {
		urls = append(urls, fmt.Sprintf("https://a.example/%d", i))
	}
	for _, step := range []struct {
		wait time.Duration
		want api.IndexNowResult
	}{
		{0, api.IndexNowResult{Received: 8, New: 3, Left: 5}},
		{time.Hour, api.IndexNowResult{Received: 8, Known: 3, Left: 5}},
		{24 * time.Hour, api.IndexNowResult{Received: 8, New: 3, Known: 3, Left: 2}},
	} {
		r.Clock.Pass(step.wait)
		have, err := r.Push(t.Context(), submission(urls...))
		if d := cmp.Diff(step.want, have); d != "" || err != nil {
			t.Errorf("%v (-want +have)\n%s", err, d)
		}
	}
	site := r.site("a")
	if site.NewToday != 0 {
		t.Errorf("pushes count for the poll's cap: %+v", site)
	}
	many := make([]string, sitepoll.MaxPushed)
	for i := range many {
		many[i] = fmt.Sprintf("https://a.example/print/%d", i)
	}
	if have, err := r.Push(t.Context(), submission(many...)); err != nil || have.Excluded == 0 {
		t.Errorf("%+v, %v", have, err)
	}
	if _, err := r.Push(t.Context(), submission(urls...)); !fault.Is(err, fault.Throttled) ||
		!strings.Contains(err.Error(), "today") {
		t.Error(err)
	}
}
