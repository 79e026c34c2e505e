package notify

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// newPromptRig returns a rig whose process follows the feed as soon as it has written to it, and counts the requests
// that it makes for that.
func newPromptRig(t *testing.T) (r *rig, requests map[string]int) {
	r, requests = newRig(t), map[string]int{}
	count := storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
		requests[c.Op]++
		return nil
	}}
	follower := r.over(storagetest.Hooked(r.store, count)).Follower
	r.feed.OnPublish(follower.Soon)
	return r, requests
}

// TestK14MessagesLeaveSoon checks that a change which a rule without a digest wants costs one message of the queue and
// reaches the receiver without the timer. A change that no such rule wants costs neither a message nor a write.
func TestK14MessagesLeaveSoon(t *testing.T) {
	r, requests := newPromptRig(t)
	r.rule(api.RuleSpec{Filter: api.RuleFilter{ChangeFilter: api.ChangeFilter{Kind: "gone"}}}, "ops")
	r.rule(api.RuleSpec{Digest: "hourly"}, "digest")
	r.rule(api.RuleSpec{Filter: api.RuleFilter{ItemID: "url_page"}}, "page")
	r.rule(api.RuleSpec{Filter: api.RuleFilter{Added: "quay (?i:is shut)"}}, "words")
	for _, row := range []struct {
		name     string
		kind     feed.Kind
		item     string
		text     string
		channels string
	}{
		{name: "no rule but one with a digest", kind: feed.Content, item: "url_other"},
		{"a rule for all pages", feed.Gone, "url_other", "", "ops"},
		{"a rule for the page", feed.Content, "url_page", "", "page"},
		{"a rule for words", feed.Content, "url_other", "The quay is shut.", "words"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r.t = t
			clear(requests)
			clear(r.to.got)
			g := r.changes(1, row.kind)
			g.Changes[0].ItemID = row.item
			if row.text != "" {
				g.Changes[0].Passages[0].Text = row.text
			}
			must(t, r.feed.Publish(t.Context(), g))
			writes := 0
			if r.work(); row.channels != "" {
				writes = 1
				if n := len(r.to.got[address(row.channels)]); n != 1 {
					t.Errorf("%d messages of %s", n, row.channels)
				}
			}
			if len(r.to.got) != writes || requests["queue.Send"] != writes || requests["table.Transact"] != writes {
				t.Errorf("%d receivers, requests %v", len(r.to.got), requests)
			}
		})
	}
}

// TestK14BurstsAreGathered checks that a burst leads to as many messages as it would by the timer, and that the changes
// which a rule gathers cost no step.
func TestK14BurstsAreGathered(t *testing.T) {
	r, requests := newPromptRig(t)
	r.rule(api.RuleSpec{}, "ops")
	for range burst + 1 {
		r.publish(1, feed.Content)
	}
	r.work()
	if n, _ := r.told("ops"); n != burst {
		t.Errorf("%d messages at once", n)
	}
	clear(requests)
	for range 20 {
		r.publish(1, feed.Content)
	}
	if requests["table.Transact"] > 0 {
		t.Errorf("gathered changes cost %v", requests)
	}
	r.pass(calm + time.Minute)
	if messages, changes := r.told("ops"); messages != burst+1 || changes != burst+21 {
		t.Errorf("%d messages of %d changes", messages, changes)
	}
	r.pass(calm)
	r.publish(1, feed.Content)
	r.work()
	if messages, _ := r.told("ops"); messages != burst+2 {
		t.Errorf("%d messages after the burst", messages)
	}
}

// TestK14TwoAtOnce checks that processes which write to the feed at the same time report each change once.
func TestK14TwoAtOnce(t *testing.T) {
	r := newRig(t)
	for i := range 6 {
		r.rule(api.RuleSpec{Filter: api.RuleFilter{ItemID: fmt.Sprint("url_", i)}}, fmt.Sprint("ops", i))
	}
	var group sync.WaitGroup
	for process := range 3 {
		n := r.over(r.store)
		n.Follower.feed.OnPublish(n.Follower.Soon)
		for i := range 2 {
			g := r.changes(1, feed.Content)
			g.Changes[0].ItemID = fmt.Sprint("url_", 2*process+i)
			group.Go(func() { must(t, n.Follower.feed.Publish(t.Context(), g)) })
		}
	}
	group.Wait()
	r.pass(lostAfter + time.Minute)
	for i := range 6 {
		if n := len(r.to.got[address(fmt.Sprint("ops", i))]); n != 1 {
			t.Errorf("%d messages of the page %d", n, i)
		}
	}
}

// TestK14MessagesWaitForTheirChannel checks that a message waits a short time for a channel that has its number of
// messages in flight, and does not go back to the queue.
func TestK14MessagesWaitForTheirChannel(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.publish(1, feed.Content)
	r.follow()
	for range perChannel {
		r.admit("ops")
	}
	time.AfterFunc(3*busyPause, func() { r.giveBack("ops") })
	if report, err := r.Deliver(t.Context(), r.deliveries(Waiting)[0].ID); report != Sent || err != nil {
		t.Errorf("%q, %v", report, err)
	}
}
