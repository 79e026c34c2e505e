package notify

import (
	"crypto/rand"
	"encoding/json"
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

// TestW6LargeDigest checks that a digest whose addresses are too long for one row is sent: with as many of them as fit,
// or, if the changes alone are too long, with its counts (W6).
func TestW6LargeDigest(t *testing.T) {
	for _, of := range []struct{ channels, lines, alike, address, listed int }{{3, 20, 100, 2000, inDigest},
		{MaxChannels, 20, 2, 30_000, 0}} {
		r := newRig(t)
		var names []string
		for i := range of.channels {
			names = append(names, fmt.Sprint("c", i))
		}
		r.rule(api.RuleSpec{Digest: "hourly"}, names...)
		for i := range of.lines {
			g := feed.Group{ID: fmt.Sprint("g", i)}
			for j := range of.alike {
				g.Changes = append(g.Changes, feed.Change{At: r.now, Kind: feed.Content, Host: "a.example", Type: "url",
					ItemID: fmt.Sprint(i, "-", j), URL: "https://a.example/" + random(of.address),
					Passages: []feed.Passage{{Text: fmt.Sprint("Line ", i), Op: feed.Added}}})
			}
			must(t, r.feed.Publish(t.Context(), g))
		}
		r.pass(time.Minute)
		r.now = r.now.Add(2 * time.Hour)
		r.pass(time.Minute)
		r.expect("c0", 1, of.lines*of.alike)
		r.expect(names[len(names)-1], 1, of.lines*of.alike)
		if t.Failed() {
			return
		}
		m := r.to.got[address("c0")][0]
		var e api.DigestEvent
		must(t, json.Unmarshal(m.Body, &e))
		urls := 0
		for _, a := range e.Data.Alike {
			urls += len(strings.Join(a.URLs, ""))
		}
		if len(e.Data.Changes) != of.listed || urls > maxAlike || len(m.HTML) > 200<<10 {
			t.Errorf("%d changes, %d bytes of addresses, %d of HTML", len(e.Data.Changes), urls, len(m.HTML))
		}
		if of.listed == 0 && !strings.Contains(m.Mail, "40 changes, too long for a message") {
			t.Errorf("the mail says: %s", m.Mail)
		}
	}
}
