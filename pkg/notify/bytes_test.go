package notify

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
)

// random returns a text of that many letters, which hardly gets smaller when it is compressed.
func random(n int) string {
	var out strings.Builder
	for out.Len() < n {
		out.WriteString(rand.Text())
	}
	return out.String()[:n]
}

// publishLarge adds changes with long passages, each different.
func (r *rig) publishLarge(n int) {
	r.t.Helper()
	r.n++
	g := feed.Group{ID: fmt.Sprint("g", r.n)}
	for i := range n {
		c := feed.Change{At: r.now, Kind: feed.Content, Host: "a.example", Type: "url", ItemID: fmt.Sprint("page", i),
			URL: "https://a.example/" + random(500)}
		for range feed.MaxPassages {
			c.Passages = append(c.Passages, feed.Passage{Text: random(feed.MaxPassage), Op: feed.Added})
		}
		g.Changes = append(g.Changes, c)
	}
	must(r.t, r.feed.Publish(r.t.Context(), g))
}

// TestW6LargeDigests checks that the digests of dozens of rules, which are too large for one transaction together, are
// all sent: those of rules for all pages, and those of rules for one page (W6).
func TestW6LargeDigests(t *testing.T) {
	r := newRig(t)
	const rules = 60
	for i := range rules {
		spec := api.RuleSpec{Name: fmt.Sprint("Rule ", i), Digest: "hourly"}
		if i%6 == 0 {
			spec.Filter.ItemID = fmt.Sprint("page", i/6)
		}
		r.rule(spec, fmt.Sprint("c", i))
	}
	r.publishLarge(inDigest)
	r.pass(time.Minute)
	r.now = r.now.Add(2 * time.Hour)
	r.pass(time.Minute)
	for i := range rules {
		want := inDigest
		if i%6 == 0 {
			want = 1
		}
		r.expect(fmt.Sprint("c", i), 1, want)
	}
}
