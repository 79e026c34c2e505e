package notify

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

// TestW19DigestBehindIdleStates checks that a digest is sent even if more states are removed before it than fit into a
// transaction with messages.
func TestW19DigestBehindIdleStates(t *testing.T) {
	r := newRig(t)
	for i := range 12 {
		r.rule(forPage(fmt.Sprintf("a%02d", i)), "single")
	}
	hourly := forPage("z")
	hourly.Digest = "hourly"
	r.rule(hourly, "last")
	for i := range 12 {
		r.change(fmt.Sprintf("a%02d", i))
	}
	r.change("z")
	r.follow()
	r.now = r.now.Add(2 * time.Hour)
	r.pass(time.Minute)
	r.expect("last", 1, 1)
	if n := r.states(); n != 0 {
		t.Errorf("%d states are left", n)
	}
}

// TestW19DueIsInTheState checks that a step reads only those rules for one page whose states are due.
func TestW19DueIsInTheState(t *testing.T) {
	r := newRig(t)
	daily := forPage("a")
	daily.Digest, daily.At = "daily", "07:00"
	late := r.rule(daily, "daily")
	hourly := forPage("b")
	hourly.Digest = "hourly"
	r.rule(hourly, "hourly")
	r.change("a")
	r.change("b")
	r.follow()
	r.now = r.now.Add(2 * time.Hour)
	other := r.over(r.store)
	if _, err := other.Follower.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, known := other.compiled.Get(late.ID); known {
		t.Error("a rule was read whose digest is not due")
	}
	r.work()
	r.expect("hourly", 1, 1)
	r.now = r.now.Add(24 * time.Hour)
	r.pass(time.Minute)
	r.expect("daily", 1, 1)
}

// TestW18MuteOfManyChanges checks that no digest is sent for a page that is muted by now, also of more changes than the
// digest lists.
func TestW18MuteOfManyChanges(t *testing.T) {
	for _, item := range []string{"", "lamp"} {
		r := newRig(t)
		r.rule(api.RuleSpec{Name: "r", Digest: "hourly", Filter: api.RuleFilter{ItemID: item}}, "one")
		for range 24 {
			r.now = r.now.Add(time.Second)
			r.change("lamp")
		}
		r.follow()
		r.now = r.now.Add(time.Second)
		r.mute("lamp", "", "always")
		r.now = r.now.Add(time.Hour)
		r.pass(2 * time.Minute)
		r.expect("one", 0, 0)
	}
}

// TestW19OlderFeedRestored checks that rules for one page go on after an older feed was restored, in which the changes
// after which they began do not exist.
func TestW19OlderFeedRestored(t *testing.T) {
	r := newRig(t)
	far := feed.Position{Segment: 1 << 20}
	r.rule(forPage("lamp"), "one")
	r.change("lamp")
	r.pass(time.Minute)
	r.expect("one", 1, 1)
	all, _, err := r.ofPages(t.Context(), "", 1)
	must(t, err)
	for _, change := range []storage.Entity{
		{Key: keyOf("lamp", all[0].ID), Props: storage.Properties{"since": far.String()}},
		{Key: stateKey(""), Props: storage.Properties{"place": far.String()}},
	} {
		change.ETag = storage.AnyETag
		_, err := r.Book.rows.Transact(t.Context(), storage.Op{Kind: storage.Merge, Entity: change})
		must(t, err)
	}
	for range 3 {
		_, err := r.Follower.step(t.Context(), &Report{})
		must(t, err)
	}
	if more, err := r.Follower.step(t.Context(), &Report{}); more || err != nil {
		t.Fatalf("it never ends: %v", err)
	}
	r.now = r.now.Add(time.Minute)
	r.change("lamp")
	r.pass(time.Minute)
	r.expect("one", 2, 2)
}
