package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// newOldRig opens a store with the rows that a release with two stores of rules wrote. The file must never be written
// again. Of the pages lamp, shelf, chair and door, a change was followed; a later one of lamp was not. One message was
// sent.
func newOldRig(t testing.TB, open opener) *rig {
	t.Helper()
	r := newRigOn(t, open)
	r.now = r.now.Add(3 * time.Minute)
	b, err := os.ReadFile("testdata/rules_v1.json")
	must(t, err)
	var rows map[string]map[string]struct {
		Text   *string
		Bool   *bool
		Number *int64
		Bytes  []byte
	}
	must(t, json.Unmarshal(b, &rows))
	for name, columns := range rows {
		at := strings.SplitN(name, "/", 3)
		e := storage.Entity{Key: storage.Key{Partition: at[1], Row: at[2]}, Props: storage.Properties{}}
		for column, v := range columns {
			switch {
			case v.Text != nil:
				e.Props[column] = *v.Text
			case v.Bool != nil:
				e.Props[column] = *v.Bool
			case v.Number != nil:
				e.Props[column] = *v.Number
			default:
				e.Props[column] = v.Bytes
			}
		}
		_, err := r.store.Table(at[0]).Transact(t.Context(), storage.Op{Kind: storage.Upsert, Entity: e})
		must(t, err)
	}
	return r
}

// toldOfOld passes a day, and checks that each change of the old store is told exactly once.
func (r *rig) toldOfOld(lampsum int) {
	r.t.Helper()
	r.pass(lostAfter + time.Minute)
	r.now = r.now.Add(time.Hour)
	r.pass(lostAfter + time.Minute)
	r.now = r.now.Add(18 * time.Hour)
	r.pass(lostAfter + time.Minute)
	r.expect("ops", 3, 3) // one was sent before, and door is muted
	r.expect("sum", 1, 5)
	r.expect("lamp", 2, 2)
	r.expect("lampsum", lampsum, 2*lampsum)
	r.expect("again", 1, 2)
	r.expect("shelf", 1, 1)
	r.expect("chair", 0, 0)
	ids := map[string]bool{}
	for channel, all := range r.to.got {
		for _, m := range all {
			if ids[channel+m.ID] {
				r.t.Errorf("%s got %s twice", channel, m.ID)
			}
			ids[channel+m.ID] = true
		}
	}
	if n := r.states(); n != 0 {
		r.t.Errorf("%d states are left", n)
	}
}

// noOldRows checks that all rows of the old form are gone.
func (r *rig) noOldRows() {
	r.t.Helper()
	all, err := storagetest.Dump(r.t.Context(), r.store, Table)
	must(r.t, err)
	for name := range all {
		for _, old := range []string{"/rules/", "/pages/", "/notify/p"} {
			if strings.HasPrefix(name, Table+old) {
				r.t.Errorf("%s is left", name)
			}
		}
	}
}

// TestW26OldRules checks on every store that stored rules, what they have gathered, mutes and the links of messages
// that were sent go on working when a release has another form of them (W26).
func TestW26OldRules(t *testing.T) {
	for name, open := range map[string]opener{"mem": openMem, "embedded": openEmbedded, "azurite": openAzurite} {
		t.Run(name, func(t *testing.T) {
			r := newOldRig(t, open)
			must(t, r.Create(t.Context()))
			r.noOldRows()
			for id, want := range map[string]api.Rule{
				"rule_t1":   {RuleSpec: api.RuleSpec{Name: "All"}},
				"rule_t2":   {RuleSpec: api.RuleSpec{Name: "Sum"}, Gathered: 4},
				"lamp.t3":   {RuleSpec: api.RuleSpec{Name: "for lamp"}},
				"lamp.t4":   {RuleSpec: api.RuleSpec{Name: "for lamp"}, Gathered: 1},
				"lamp.t7":   {RuleSpec: api.RuleSpec{Name: "for lamp"}, Gathered: 1},
				"shelf.t5":  {RuleSpec: api.RuleSpec{Name: "for shelf"}, Gathered: 1},
				"chair.t6":  {RuleSpec: api.RuleSpec{Name: "for chair", Off: true}},
				"bell.torn": {Problem: "spec"},
			} {
				got, err := r.Rule(t.Context(), id)
				if err != nil || got.ID != id || got.Name != want.Name || got.Gathered != want.Gathered ||
					got.Off != want.Off || (got.Problem != "") != (want.Problem != "") {
					t.Errorf("%s: %+v %v", id, got, err)
				}
			}
			list, err := r.Rules(t.Context(), api.RuleQuery{Top: 3})
			must(t, err)
			if len(list.Rules) != 5 || list.Rules[0].ID != "rule_t1" || list.Rules[2].ID != "bell.torn" {
				t.Errorf("the list begins with %+v", list.Rules)
			}
			r.Book.o.Keys = secrets.Load(secrets.Options{Key: strings.Repeat("A", 43) + "="})
			link := muteLink{Item: "lamp", Rule: "lamp.t3", Until: r.now.Add(time.Hour)}
			of, err := r.Links.Read(t.Context(), link.sign(r.Book.o.Keys.Derive(mutePurpose)))
			if err != nil || of.Rule != "for lamp" {
				t.Errorf("the link of a message: %+v %v", of, err)
			}
			r.toldOfOld(1)
			got, err := r.SaveRule(t.Context(), "chair.t6", forPageWith("chair", "chair"))
			must(t, err)
			r.now = r.now.Add(time.Minute)
			r.change("chair")
			r.pass(time.Minute)
			r.expect("chair", 1, 1)
			_, err = r.RemoveRule(t.Context(), got.ID)
			must(t, err)
			if _, err := r.Rule(t.Context(), got.ID); !fault.Is(err, fault.NotFound) {
				t.Errorf("removed: %v", err)
			}
		})
	}
}

func forPageWith(item, channel string) api.RuleSpec {
	spec := forPage(item)
	spec.Channels = []string{channel}
	return spec
}

// killed ends a process at its nth request, before it took effect or after.
func killed(n int64, after bool) (hook storagetest.Hooks, died func() bool) {
	var calls atomic.Int64
	gone := fault.New(fault.Unavailable, "the process was killed")
	hook.OnBefore = func(context.Context, storagetest.Call) error {
		if at := calls.Add(1); at > n || at == n && !after {
			return gone
		}
		return nil
	}
	hook.OnAfter = func(_ context.Context, _ storagetest.Call, err error) error {
		if err == nil && calls.Load() >= n {
			return gone
		}
		return err
	}
	return hook, func() bool { return calls.Load() >= n }
}

// TestW26KilledWhileConverting checks that a process which is killed while it converts loses nothing, at any of its
// requests, and that nothing is told twice (W26).
func TestW26KilledWhileConverting(t *testing.T) {
	whole := newOldRig(t, openMem)
	must(t, whole.Create(t.Context()))
	want, err := storagetest.Dump(t.Context(), whole.store, Table)
	must(t, err)
	for _, after := range []bool{false, true} {
		n, died := int64(1), true
		for ; died; n++ {
			r := newOldRig(t, openMem)
			hook, dead := killed(n, after)
			err := r.over(storagetest.Hooked(r.store, hook)).Create(t.Context())
			if died = dead(); died && err == nil && n > 1 && !after {
				t.Errorf("request %d failed unseen", n)
			}
			must(t, r.over(r.store).Create(t.Context()))
			got, err := storagetest.Dump(t.Context(), r.store, Table)
			must(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("request %d, after %t: %s", n, after, diff)
			}
			r.toldOfOld(1)
		}
		if n < 25 {
			t.Errorf("after %t: only %d requests", after, n-1)
		}
	}
}

// TestW26TwoConvertAtOnce checks that a process which is late in converting changes nothing that another one, which has
// converted meanwhile, has changed since (W26).
func TestW26TwoConvertAtOnce(t *testing.T) {
	for n, late := int64(1), true; late; n++ {
		r := newOldRig(t, openMem)
		var calls atomic.Int64
		late = false
		hook := storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error {
			if calls.Add(1) != n {
				return nil
			}
			late = true
			other := r.over(r.store)
			failed := other.Create(t.Context())
			_, err := other.RemoveRule(t.Context(), "lamp.t4")
			failed = errors.Join(failed, err)
			_, err = other.SaveRule(t.Context(), "rule_t1", api.RuleSpec{Name: "Changed", Channels: []string{"ops"}})
			failed = errors.Join(failed, err)
			_, err = other.Follower.Follow(t.Context())
			if failed = errors.Join(failed, err); failed != nil {
				t.Errorf("request %d: %v", n, failed)
			}
			return nil
		}}
		must(t, r.over(storagetest.Hooked(r.store, hook)).Create(t.Context()))
		if !late {
			break
		}
		r.noOldRows()
		if _, err := r.Rule(t.Context(), "lamp.t4"); !fault.Is(err, fault.NotFound) {
			t.Fatalf("request %d: a removed rule: %v", n, err)
		}
		if got, err := r.Rule(t.Context(), "rule_t1"); err != nil || got.Name != "Changed" {
			t.Fatalf("request %d: a changed rule: %+v %v", n, got, err)
		}
		r.toldOfOld(0)
	}
}

// TestW26ManyOldRules checks that several processes convert many rules at once (W26).
func TestW26ManyOldRules(t *testing.T) {
	r := newOldRig(t, openEmbedded)
	const rules = 300
	for i := range rules {
		page := fmt.Sprintf("page%03d", i)
		_, err := r.Book.rows.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: storage.Entity{
			Key: storage.Key{Partition: oldPages, Row: page + ".t"}, Props: storage.Properties{"since": "1.1.0",
				"spec": `{"name":"R","filter":{"itemId":"` + page + `"},"channels":["ops"]}`}}})
		must(t, err)
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if err := r.over(r.store).Create(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	r.noOldRows()
	all, err := r.all(t.Context())
	must(t, err)
	if len(all) != rules+8 {
		t.Errorf("%d rules", len(all))
	}
	r.toldOfOld(1)
}
