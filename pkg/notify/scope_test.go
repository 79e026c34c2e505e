package notify

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// TestW26RequestsOfARound checks that a round of the follower makes as many requests, and reads as many rows, with many
// rules for single pages as with few (W26).
func TestW26RequestsOfARound(t *testing.T) {
	var want [4]int64
	for _, rules := range []int{10, 1500} {
		r := newRig(t)
		for i := range rules {
			r.rule(forPage(fmt.Sprintf("page%04d", i)), "ops")
		}
		r.follow()
		var count storagetest.Counter
		counted := r.over(storagetest.Counted(r.store, &count))
		var got [4]int64
		for i, item := range []string{"", "page0007"} {
			if item != "" {
				r.change(item)
			}
			count.Reset()
			report, err := counted.Follower.Follow(t.Context())
			must(t, err)
			if report.Deliveries != i {
				t.Errorf("%d rules: %+v", rules, report)
			}
			got[2*i], got[2*i+1] = count.Requests.Load(), count.Rows.Load()
		}
		if want == [4]int64{} {
			want = got
		}
		if got != want || got[2] > 15 {
			t.Errorf("%d rules: requests and rows without and with a change are %d, want %d", rules, got, want)
		}
	}
}

// TestW26RuleMadeDuringARound checks that a rule which is made after a step has read the rules reports a change that
// the step sees, and one of before that is not told (W26).
func TestW26RuleMadeDuringARound(t *testing.T) {
	for _, item := range []string{"", "lamp"} {
		r := newRig(t)
		r.rule(api.RuleSpec{Name: "other"}, "other")
		r.change("lamp")
		made := false
		late := r.over(storagetest.Hooked(r.store, storagetest.Hooks{
			OnAfter: func(_ context.Context, c storagetest.Call, err error) error {
				if c.Op == "table.Query" && c.Key == rulesPartition && !made {
					made = true
					r.rule(api.RuleSpec{Filter: api.RuleFilter{ItemID: item}}, "one")
					r.now = r.now.Add(time.Second)
					r.change("lamp")
				}
				return err
			}}))
		_, err := late.Follower.Follow(t.Context())
		must(t, err)
		r.work()
		r.settle()
		r.expect("one", 1, 1)
		r.expect("other", 2, 2)
	}
}

// TestW26NoRules checks that a follower without rules passes over all changes, and that a rule which is made then
// reports the next one (W26).
func TestW26NoRules(t *testing.T) {
	for _, item := range []string{"", "lamp"} {
		r := newRig(t)
		r.publish(3, feed.New)
		if report := r.follow(); report.Examined != 0 {
			t.Errorf("without rules: %+v", report)
		}
		r.rule(api.RuleSpec{Filter: api.RuleFilter{ItemID: item}}, "one")
		r.change("lamp")
		if report := r.follow(); report.Examined != 1 || report.Deliveries != 1 {
			t.Errorf("with a rule: %+v", report)
		}
	}
}
