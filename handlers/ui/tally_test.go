package ui

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// gated reports each request for a count, and answers it when the test permits.
type gated struct{ asked, let chan struct{} }

// RoundTrip implements [http.RoundTripper].
func (g *gated) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/SearchStatus") {
		g.asked <- struct{}{}
		<-g.let
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
}

// TestU1CountIsShownAgain checks that a slow count is shown again while the next one is made, and that only one is
// made at a time. A page waits for the next count after a minute, after a person's action, and when counting is
// quick.
func TestU1CountIsShownAgain(t *testing.T) {
	g := &gated{asked: make(chan struct{}, 10), let: make(chan struct{}, 10)}
	now := time.Now()
	tally := newTally(api.NewClient("http://in.process", "", &http.Client{Transport: g}),
		func() time.Time { return now })
	tally.at, tally.took, tally.last = now, 2*costly, counts{Needs: 7}
	page := func() {
		t.Helper()
		if c, err := tally.Counts(t.Context()); err != nil || c.Needs != 7 {
			t.Fatalf("waits for a count that is there: %+v, %v", c, err)
		}
	}
	page()
	if tally.busy != nil {
		t.Error("counts again at once")
	}
	now = now.Add(2*rest*costly + 1)
	for range 3 {
		page()
	}
	<-g.asked
	g.let <- struct{}{}
	for counting := true; counting; time.Sleep(time.Millisecond) {
		tally.mu.Lock()
		counting = tally.busy != nil
		tally.mu.Unlock()
	}
	if n := len(g.asked); n != 0 {
		t.Errorf("%d more counts at once", n)
	}
	for name, change := range map[string]func(){
		"a minute later":          func() { tally.at, tally.took = now.Add(-2*recent), 2*costly },
		"somebody did something":  func() { tally.took = 2 * costly; tally.forget() },
		"the last one was quick":  func() { tally.at, tally.took = now, costly },
		"there has been none yet": func() { tally.at, tally.took, tally.last = time.Time{}, 0, counts{} },
	} {
		change()
		tally.last.Needs = 7
		g.let <- struct{}{}
		if c, err := tally.Counts(t.Context()); err != nil || c.Needs != 0 || len(g.asked) != 1 {
			t.Errorf("%s: %+v, %v, %d counts", name, c, err, len(g.asked))
		}
		<-g.asked
	}
}
