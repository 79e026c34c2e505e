package sitepoll_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// TestE16LongAddresses checks that the rows of a walk stay short where addresses are long, so that a transaction can
// write those of a step (E16).
func TestE16LongAddresses(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	var front []string
	for i := range 150 {
		front = append(front, fmt.Sprintf("/%d?%s", i, strings.Repeat("b", 900)))
		w.web.Pages[root+front[i][1:]] = runtest.UniqueText(i)
	}
	w.web.Pages[root] = runtest.Links(front...)
	if poll := w.poll(); poll.New != len(front)+1 {
		t.Errorf("%+v", poll)
	}
	if n := len(w.Rows(sitepoll.Table, "/walk|")); n < 5 {
		t.Errorf("%d rows of %d pages", n, len(front))
	}
}

// TestE16LinksNotFollowed checks that a poll says of which pages it does not follow the links, and that the limit of
// depth is reached (E16).
func TestE16LinksNotFollowed(t *testing.T) {
	w := newWalker(inMemory(t), func(*sitepoll.Options) {})
	tree(w.rig)
	var many []string
	for i := range 20_010 {
		many = append(many, fmt.Sprintf("/print/many?sid=%016x", i))
	}
	w.web.Pages[root+"b"] = runtest.Links(append(many, "/b/1")...)
	w.web.Pages[root+"print/x"] = strings.Repeat("<div>", 100_000) + runtest.Links("/lost")
	w.web.Pages[root+"a"] = runtest.Links("/a/1", "/a/2", "/b", "/long/"+strings.Repeat("x", 3000)) +
		`<a rel=nofollow href="/out">1</a><a rel="x nofollow" href="/out">2</a>`
	poll := w.poll()
	told := map[string]string{}
	for _, p := range poll.Problems {
		told[strings.TrimPrefix(p.URL, root)] = p.Message
	}
	if n := poll.Reasons["the links of a page that forbids following them (nofollow)"]; n != 1 {
		t.Errorf("%v", poll.Reasons)
	}
	forbidden, long := "links that forbid following them (nofollow)", "no usable address: too long: more than 2048 bytes"
	if n := poll.Reasons[forbidden]; n != 3 || poll.Examples[forbidden] != root+"secret" {
		t.Errorf("%d links, such as %s", n, poll.Examples[forbidden])
	}
	if n := poll.Reasons[long]; n != 1 || !strings.HasPrefix(poll.Examples[long], root+"long/xxx") {
		t.Errorf("%v %s", poll.Reasons, poll.Examples[long])
	}
	if poll.Found != poll.New+poll.Known+poll.Excluded+poll.Trapped+poll.Refused+poll.Later {
		t.Errorf("%+v", poll)
	}
	for page, why := range map[string]string{"b": "more than 20000", "print/x": "not followed"} {
		if !strings.Contains(told[page], why) {
			t.Errorf("%s: %q", page, told[page])
		}
	}
	if got := w.site("tree"); !strings.Contains(got.Walk.Reached(got.Follow), "3 links from the "+
		"first page is reached; to raise it (at most 20), set follow.depth in the site file") {
		t.Errorf("%+v", got.Walk)
	}
}

// TestE16MoreAddresses checks that links that the limit on addresses cut off are followed after it was raised, also of
// pages that have not changed (E16).
func TestE16MoreAddresses(t *testing.T) {
	limits := api.SiteFollow{Depth: 3, Pages: 5_000, Addresses: 3}
	w := newWalker(inMemory(t), func(o *sitepoll.Options) { o.Sites[0].Follow = &limits })
	tree(w.rig)
	w.poll()
	w.Clock.Pass(24 * time.Hour)
	if w.poll(); !strings.Contains(w.site("tree").Walk.Full, "3 addresses") {
		t.Errorf("the next poll does not say it: %+v", w.site("tree").Walk)
	}
	limits.Addresses = 1_000
	w.Clock.Pass(24 * time.Hour)
	if w.poll(); len(w.items()) != 8 {
		t.Errorf("%v", w.addresses())
	}
}

// TestE16DryRunEnds checks that a dry run fetches no more pages than its limit where a site serves none of them, finds
// a page that redirects where it answers, and can be removed (E16).
func TestE16DryRunEnds(t *testing.T) {
	r := inMemory(t)
	r.restart(func(o *sitepoll.Options) { o.Sites = nil })
	var front []string
	for i := range 200 {
		front = append(front, fmt.Sprintf("/gone/%d/x", i))
	}
	r.web.Pages[root] = runtest.Links(front...)
	tried, err := r.Try(t.Context(), "tree.example", api.SiteSettings{Follow: &api.SiteFollow{Pages: 20}})
	r.Must(err)
	for range 100 {
		for _, m := range r.Messages(sitepoll.Queue) {
			r.Must(r.Step(t.Context(), m))
		}
		r.Clock.Pass(time.Second)
	}
	if n := len(r.web.Requests()); n > 20 || r.site(tried.Slug).Now != nil {
		t.Errorf("%d requests for at most 20 pages", n)
	}
	r.Must(r.Forget(t.Context(), tried.Slug))
	if _, err := r.Get(t.Context(), tried.Slug); !fault.Is(err, fault.NotFound) {
		t.Errorf("it is still there: %v", err)
	}
}
