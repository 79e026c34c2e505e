package notify

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func forPage(item string) api.RuleSpec {
	return api.RuleSpec{Name: "for " + item, Filter: api.RuleFilter{ItemID: item}}
}

// TestW19RuleForAPage checks on every store that a rule for one page reports the changes of that page alone, at once or
// in a digest, and that the rules of other pages are not read.
func TestW19RuleForAPage(t *testing.T) {
	for name, open := range map[string]opener{"mem": openMem, "embedded": openEmbedded, "azurite": openAzurite} {
		t.Run(name, func(t *testing.T) {
			r := newRigOn(t, open)
			r.rule(forPage("lamp"), "one")
			other := r.rule(forPage("lamp2"), "two")
			hourly := forPage("lamp")
			hourly.Digest = "hourly"
			gathers := r.rule(hourly, "three")
			other2 := r.over(r.store)
			r.now = r.now.Add(time.Minute)
			r.change("lamp")
			r.change("shelf")
			if _, err := other2.Follower.Follow(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, read := other2.compiled.Get(other.ID); read {
				t.Error("the rule of another page was read")
			}
			r.work()
			r.expect("one", 1, 1)
			got, err := r.Rule(t.Context(), gathers.ID)
			must(t, err)
			if got.Gathered != 1 {
				t.Errorf("gathered: %+v", got)
			}
			r.now = r.now.Add(time.Minute)
			r.change("lamp")
			r.pass(time.Minute)
			r.now = r.now.Add(time.Hour)
			r.pass(2 * time.Minute)
			r.expect("one", 2, 2)
			r.expect("two", 0, 0)
			r.expect("three", 1, 2)
			r.now = r.now.Add(time.Hour)
			r.pass(time.Minute)
			if n := r.states(); n != 0 {
				t.Errorf("%d states are left", n)
			}
		})
	}
}

// states counts the rows with states of rules for one page.
func (r *rig) states() (n int) {
	for _, err := range r.Book.rows.Query(r.t.Context(), storage.Query{Partition: partition, RowFrom: pageStateAs,
		RowTo: pageStateAs + "~"}) {
		must(r.t, err)
		n++
	}
	return n
}

// TestW19PageRuleOffAndRemoved checks that a rule that is switched off, or removed, forgets what it has gathered, and
// that a rule that is switched on reports changes from then on.
func TestW19PageRuleOffAndRemoved(t *testing.T) {
	for _, item := range []string{"", "lamp"} {
		r := newRig(t)
		spec := api.RuleSpec{Name: "r", Digest: "hourly", Filter: api.RuleFilter{ItemID: item}}
		kept := r.rule(spec, "one")
		gone := r.rule(spec, "two")
		r.change("lamp")
		r.follow()
		off := kept.RuleSpec
		off.Off = true
		save := func(spec api.RuleSpec) {
			t.Helper()
			r.follow()
			if _, err := r.SaveRule(t.Context(), kept.ID, spec); err != nil {
				t.Fatal(err)
			}
			r.follow()
		}
		save(off)
		if _, err := r.RemoveRule(t.Context(), gone.ID); err != nil {
			t.Fatal(err)
		}
		r.now = r.now.Add(time.Minute)
		r.change("lamp")
		save(kept.RuleSpec)
		r.now = r.now.Add(2 * time.Hour)
		r.pass(time.Minute)
		r.expect("one", 0, 0)
		r.change("lamp")
		r.pass(time.Minute)
		r.now = r.now.Add(2 * time.Hour)
		r.pass(time.Minute)
		r.expect("one", 1, 1)
		r.expect("two", 0, 0)
	}
}

// TestW19ManyTargets checks that one change may lead to more messages than fit into a transaction: what does not fit is
// gathered, and each channel gets a message.
func TestW19ManyTargets(t *testing.T) {
	r := newRig(t)
	for i := range 12 {
		var channels []string
		for n := range MaxChannels {
			channels = append(channels, fmt.Sprintf("c%d.%d", i, n))
		}
		r.rule(api.RuleSpec{Name: fmt.Sprint(i)}, channels...)
	}
	r.rule(forPage("lamp"), "own")
	r.change("lamp")
	r.pass(time.Minute)
	r.expect("own", 1, 1)
	r.now = r.now.Add(time.Hour)
	r.pass(2 * time.Minute)
	for i := range 12 {
		r.expect(fmt.Sprintf("c%d.0", i), 1, 1)
	}
	var last error
	for i := range 20 {
		spec := forPage("lamp")
		for n := range MaxChannels {
			spec.Channels = append(spec.Channels, fmt.Sprintf("c%d.%d", i%12, n))
		}
		if _, last = r.SaveRule(t.Context(), "", spec); last != nil {
			break
		}
	}
	if fault.FieldOf(last) != "channels" {
		t.Errorf("rules without end for one page: %v", last)
	}
}

// TestW19PageRulesWhateverFails checks that a change of a page reaches the channels of its rules, always with the same
// id, when any request of the follower fails, before it took effect or after.
func TestW19PageRulesWhateverFails(t *testing.T) {
	for _, after := range []bool{false, true} {
		n, died := 1, true
		for ; died; n++ {
			r := newRig(t)
			r.rule(forPage("lamp"), "one")
			hourly := forPage("lamp")
			hourly.Digest = "hourly"
			r.rule(hourly, "two")
			died = false
			dies := r.over(storagetest.Hooked(r.store, dying(n, after, &died)))
			r.change("lamp")
			_, _ = dies.Follower.Follow(t.Context())
			r.now = r.now.Add(time.Minute)
			r.change("lamp")
			r.settle()
			ids := map[string]bool{}
			for _, m := range r.to.got[address("one")] {
				ids[m.ID] = true
			}
			if _, changes := r.told("two"); len(ids) != 2 || changes != 2 {
				t.Fatalf("request %d, after %t: %d messages, and %d changes in digests", n, after, len(ids), changes)
			}
		}
		if n < 6 {
			t.Errorf("after %t: only %d requests failed", after, n-1)
		}
	}
}

// TestW19RuleIsChecked checks what a rule may search for, and which rules say that they can never report anything.
func TestW19RuleIsChecked(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	for name, f := range map[string]api.RuleFilter{
		"filter.items":  {Items: "status=Error"},
		"filter.itemId": {ItemID: "a.b"},
	} {
		spec := api.RuleSpec{Name: "r", Channels: []string{"ops"}, Filter: f}
		if _, err := r.SaveRule(t.Context(), "", spec); fault.FieldOf(err) != name {
			t.Errorf("%+v: %v", f, err)
		}
	}
	kind := func(k string) api.ChangeFilter { return api.ChangeFilter{Kind: k} }
	for _, tt := range []struct {
		f     api.RuleFilter
		never bool
	}{
		{api.RuleFilter{ItemID: "url_a", ChangeFilter: kind("new")}, true},
		{api.RuleFilter{ItemID: "url_a", ChangeFilter: kind("new, content")}, false},
		{api.RuleFilter{ItemID: "url_a", ChangeFilter: api.ChangeFilter{Type: "file"}}, true},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Kind: "beside", Zone: "main"}}, true},
		{api.RuleFilter{ChangeFilter: kind("gone,images"), Added: "€"}, true},
		{api.RuleFilter{ChangeFilter: kind("gone,title"), Added: "€"}, false},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Kind: "failing", MinShare: .1}}, true},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Host: "a.example"}, Items: "host=b.example"}, true},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Host: "A.example"}, Items: "host=a.example"}, false},
	} {
		if got := never(api.RuleSpec{Filter: tt.f}); (got != "") != tt.never {
			t.Errorf("%+v: %q", tt.f, got)
		}
	}
}

// TestW19BrokenWatch checks that a broken watch, and its restoration, are reported whatever kinds and words a rule
// waits for, but only for pages that the rule is about. A rule that is younger than the break was not told of it.
func TestW19BrokenWatch(t *testing.T) {
	broken := feed.Change{Kind: feed.WatchBroken, ItemID: "lamp", Host: "a.example", Type: "url", Title: "Lamp",
		Tags: []string{"sea"}}
	for _, tt := range []struct {
		f    api.RuleFilter
		want bool
	}{
		{api.RuleFilter{}, true},
		{api.RuleFilter{Added: "€", ChangeFilter: api.ChangeFilter{Kind: "content", Zone: "main", Q: "sold out",
			MinShare: .5}}, true},
		{api.RuleFilter{ItemID: "lamp", ChangeFilter: api.ChangeFilter{Kind: "gone"}}, true},
		{api.RuleFilter{ItemID: "shelf"}, false},
		{api.RuleFilter{Items: "find=lamp&tag=sea"}, true},
		{api.RuleFilter{Items: "find=lamp&tag=land"}, false},
		{api.RuleFilter{Items: "find=shelf"}, false},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Host: "b.example"}}, false},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Tag: "land"}}, false},
		{api.RuleFilter{ChangeFilter: api.ChangeFilter{Type: "file"}}, false},
	} {
		rule, errs := compile(api.RuleSpec{Name: "r", Channels: []string{"ops"}, Filter: tt.f})
		rule.Created = time.Date(2027, 3, 4, 12, 0, 0, 0, time.UTC)
		restored, before := broken, broken
		restored.Kind, restored.Broke = feed.WatchRestored, rule.Created.Add(time.Hour)
		before.Kind, before.Broke = feed.WatchRestored, rule.Created.Add(-time.Hour)
		left := maxEffort
		for _, c := range []feed.Change{broken, restored} {
			got, err := rule.wants(context.Background(), c, &left)
			if len(errs) > 0 || err != nil || got != tt.want {
				t.Errorf("%s, %+v: %t, %v %v", c.Kind, tt.f, got, errs, err)
			}
		}
		unaware := tt.want && tt.f.Kind == "" // a rule for all kinds gets it all the same
		if got, err := rule.wants(context.Background(), before, &left); err != nil || got != unaware {
			t.Errorf("broken before the rule was made, %+v: %t, %v", tt.f, got, err)
		}
	}
}
