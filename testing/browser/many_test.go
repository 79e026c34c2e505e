package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestU10NoneFewAndMany checks that pages are accessible, and small, with nothing, with three things and with
// thousands (U10, U8).
func TestU10NoneFewAndMany(t *testing.T) {
	t.Parallel()
	s := newStage(t, "POLITENESS_MAX_DELAY_MS=0", "POLITENESS_MIN_DELAY_MS=0")
	script := axe(t)
	// Enough that every list has several pages. The time of pages among 100,000 items is measured by measure/bench.
	many := 1000
	if *wideToo {
		many = 3000
	}
	lists := map[string]string{"changes": "", "attention": "/attention", "machine": "/machine", "items": "/items",
		"search": "/search?q=harbour", "hosts": "/hosts", "entries": "/entries", "tags": "/tags", "index": "/index",
		"notifications": "/notifications", "backfill": "/backfill"}
	look := func(n int) {
		for name, path := range lists {
			s.open(path)
			what := fmt.Sprintf("%s of %d things", name, n)
			s.steady(what)
			s.accessible(script, what)
			s.lookAs(looks[2])
			s.fits(what)
			s.thumbs(what)
			s.lookAs(looks[0])
			if size, _ := s.fetched(path); size > 60<<10 {
				t.Errorf("%s: %d bytes", what, size)
			}
		}
	}
	add := func(from, to int) {
		var all []string
		for i := from; i < to; i++ {
			all = append(all, fmt.Sprintf("%s/index.html?page=%d&note=%s", s.site, i, strings.Repeat("long", i%40)))
		}
		for batch := range slices.Chunk(all, 1000) {
			_, err := s.client.AddURLs(t.Context(), batch, api.AddOptions{})
			must(t, err)
		}
		s.eventually(fmt.Sprint(to, " pages were read"), func() bool {
			st, err := api.GetStatus.Call(t.Context(), s.client, api.StatusQuery{Host: ""})
			return err == nil && st.Backlog() == 0 && st.Total() == to
		})
	}
	look(0)
	add(0, 3)
	look(3)
	for n := 3; n < many; n += 500 { // in parts, because the total time does not matter here
		add(n, min(n+500, many))
	}
	look(many)
	s.open("/items")
	var was, is float64
	s.do(chromedp.Evaluate(`scrollTo(0, 900); scrollY`, &was), chromedp.Evaluate(`scrollY`, &was))
	s.press(".pages li:nth-child(30) a")
	s.reads("main", "Check now")
	s.ask(`setTimeout(() => history.back()) > 0`, nil)
	s.eventually("the list is where it was left", func() bool {
		s.ask(`scrollY`, &is)
		return was > 100 && is == was
	})
	if len(s.said) > 0 {
		t.Errorf("the console says %q", s.said)
	}
}
