package bulk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

type rig struct {
	*runtest.Rig
	*bulk.Service
	reg *registry.Registry
	log *undo.Log
}

// newRig registers seven items of one host and five of another.
func newRig(t *testing.T, store string) *rig {
	t.Helper()
	r := &rig{Rig: runtest.New(t, runtest.Stores[store], runtest.Noon)}
	reg := r.Registry(r.Seen)
	r.reg = r.Registry(r.Store)
	r.Must(r.reg.Create(t.Context()))
	tokens := 0
	r.log = undo.New(r.Seen, r.Clock.Now)
	r.Service = bulk.New(r.Seen, reg.Items, bulk.Options{Clock: r.Clock.Now, Undo: r.log, Token: func() string {
		tokens++
		return fmt.Sprint(tokens)
	}})
	r.Must(r.Service.Create(t.Context()))
	r.Register(r.reg, runtest.Pages("https://a.example/", 7)...)
	r.Register(r.reg, runtest.Pages("https://b.example/", 5)...)
	return r
}

// do begins a run, with as many attempts as needed, and returns it when it is done.
func (r *rig) do(a bulk.Ask) (run bulk.Run) {
	r.Helper()
	begun, err := r.Start(r.Context(), a)
	if err != nil {
		begun, err = r.Start(r.Context(), a)
	}
	r.Must(err)
	r.Finish(bulk.Queue, r.Service, func() bool {
		run, err = r.Get(r.Context(), begun.ID)
		return err == nil && run.State == bulk.Done
	})
	return run
}

// states counts the items by their tags and pauses.
func (r *rig) states() string {
	var paused, tagged, leaving int
	for _, it := range r.Items(r.reg) {
		if it.Paused && it.NextCrawlAt.Equal(registry.Never) {
			paused++
		}
		if strings.Join(it.Tags, ",") == "x" {
			tagged++
		}
		if it.RemoveRequested {
			leaving++
		}
	}
	return fmt.Sprintf("%d paused, %d tagged, %d leaving", paused, tagged, leaving)
}

// TestW11BulkFaults checks that runs reach the same end when one of the store's operations fails, before or after it
// took effect (W11). It tests every fourth operation.
func TestW11BulkFaults(t *testing.T) {
	runtest.EachFault(t, 40, 4, func(t *testing.T, f *runtest.Fault) { disturb(t, "mem", f) })
}

// TestW11BulkFaultsEmbedded does the same on the embedded store, whose transactions are other code, at every
// fifteenth operation.
func TestW11BulkFaultsEmbedded(t *testing.T) {
	runtest.EachFault(t, 40, 15, func(t *testing.T, f *runtest.Fault) { disturb(t, "embedded", f) })
}

func disturb(t *testing.T, store string, f *runtest.Fault) {
	t.Helper()
	r := newRig(t, store)
	r.Hook.Set(f)
	for _, tt := range []struct {
		ask   bulk.Ask
		items int
		done  int
		state string
	}{
		{bulk.Ask{Op: bulk.Tag, Tag: "x", Filter: registry.Filter{Host: "a.example"}}, 7, 7,
			"0 paused, 7 tagged, 0 leaving"},
		{bulk.Ask{Op: bulk.Pause, Filter: registry.Filter{Tag: "x"}}, 12, 7, "7 paused, 7 tagged, 0 leaving"},
		{bulk.Ask{Op: bulk.Check, Filter: registry.Filter{Host: "b.example"}}, 5, 5, "7 paused, 7 tagged, 0 leaving"},
		{bulk.Ask{Op: bulk.Resume, Filter: registry.Filter{Paused: true}}, 12, -1, "0 paused, 7 tagged, 0 leaving"},
		{bulk.Ask{Op: bulk.Untag, Tag: "x", Filter: registry.Filter{Tag: "x"}}, 12, -1, "0 paused, 0 tagged, 0 leaving"},
		{bulk.Ask{Op: bulk.Remove, Filter: registry.Filter{Host: "b.example"}}, 5, 5, "0 paused, 0 tagged, 5 leaving"},
	} {
		run := r.do(tt.ask)
		// A repeated step does not find the items that it has already changed, when the filter asks for what it
		// changes.
		if run.Items != tt.items || run.Done != tt.done && tt.done >= 0 || run.Failed > 0 || r.states() != tt.state {
			t.Errorf("%s: %d items, %d done, %d failed; %s, want %+v", tt.ask.Op, run.Items, run.Done, run.Failed,
				r.states(), tt)
		}
	}
	r.Hook.Set(nil)
	// A run that began although its start reported an error must end as well.
	r.Finish(bulk.Queue, r.Service, func() bool { return len(r.Rows("Runs", "active|")) == 0 })
	r.Check(r.reg)
}

// TestW9TagsMoveChecks checks that the settings of a tag move the next checks of its items, and of no others (W9).
func TestW9TagsMoveChecks(t *testing.T) {
	r := newRig(t, "mem")
	for url, it := range r.Items(r.reg) {
		if strings.Contains(url, "a.example") {
			_, err := r.reg.Items.Set(t.Context(), it.ID, registry.Settings{Tags: []string{"slow"}})
			r.Must(err)
		}
	}
	batches := r.take(t)
	if batches == 0 {
		t.Fatal("nothing was checked")
	}
	_, err := r.reg.Tags.Put(t.Context(), "slow", api.Settings{TagSettings: api.TagSettings{
		Schedule: &api.Schedule{Text: "monthly"}}})
	r.Must(err)
	begun, err := r.Replan(t.Context(), "slow")
	r.Must(err)
	r.Finish(bulk.Queue, r.Service, func() bool {
		run, err := r.Get(t.Context(), begun.ID)
		return err == nil && run.State == bulk.Done
	})
	for url, it := range r.Items(r.reg) {
		monthly := it.NextCrawlAt.Day() == 1 && it.NextCrawlAt.Month() == 4
		if monthly != strings.Contains(url, "a.example") {
			t.Errorf("%s is checked at %v", url, it.NextCrawlAt)
		}
	}
	r.Check(r.reg)
}

// TestV2OneRunForATag checks that a run for a tag which goes on begins anew when the tag is changed again, however
// often, and that other tags have runs of their own (V2).
func TestV2OneRunForATag(t *testing.T) {
	r := newRig(t, "mem")
	first, err := r.Replan(t.Context(), "slow")
	r.Must(err)
	for range 2 * bulk.MaxActive {
		again, err := r.Replan(t.Context(), "slow")
		if err != nil || again.ID != first.ID {
			t.Fatalf("%s in place of %s: %v", again.ID, first.ID, err)
		}
	}
	other, err := r.Replan(t.Context(), "fast")
	if err != nil || other.ID == first.ID {
		t.Errorf("of another tag: %s, %v", other.ID, err)
	}
	r.Finish(bulk.Queue, r.Service, func() bool { return len(r.Rows("Runs", "active|")) == 0 })
	if next, err := r.Replan(t.Context(), "slow"); err != nil || next.ID == first.ID {
		t.Errorf("after the end: %s, %v", next.ID, err)
	}
}

// take checks the items that are due, like a worker that finds nothing new.
func (r *rig) take(t *testing.T) (batches int) {
	for _, body := range r.Messages(registry.JobQueue) {
		job, err := registry.ParseJob(body)
		r.Must(err)
		b, err := r.reg.Jobs.Begin(t.Context(), job)
		r.Must(err)
		var found []registry.Finding
		for _, it := range b.Items {
			done := *it
			done.Status, done.LastChecked = registry.Indexed, r.Clock.Now()
			done.CheckAt(r.Clock.Now().Add(48 * 3600e9))
			found = append(found, registry.Finding{Item: done})
		}
		r.Must(r.reg.Jobs.Commit(t.Context(), b, found, registry.HostFinding{}, true))
		batches++
	}
	return batches
}

// TestW11BulkByID checks that unknown ids are reported and the other items are changed (W11).
func TestW11BulkByID(t *testing.T) {
	r := newRig(t, "mem")
	ids := []string{"url_" + strings.Repeat("a", 26)}
	for _, it := range r.Items(r.reg) {
		ids = append(ids, string(it.ID))
	}
	run := r.do(bulk.Ask{Op: bulk.Tag, Tag: "x", IDs: ids})
	if run.Items != 13 || run.Done != 12 || run.Failed != 1 || run.Errors[0].ID != ids[0] {
		t.Errorf("%+v", run)
	}
	if run = r.do(bulk.Ask{Op: bulk.Remove, IDs: ids[:1]}); run.Failed != 0 {
		t.Errorf("to remove what is not there is no failure: %+v", run)
	}
	if _, err := r.Get(t.Context(), "active|x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("no id of a run: %v", err)
	}
}

// TestW37ChecksThatWait checks that a run counts the checks that begin at once, and by host those that wait, whatever
// fails meanwhile, and that it asks once for each host (W37).
func TestW37ChecksThatWait(t *testing.T) {
	until, asked, fails := runtest.Noon.Add(time.Hour), map[string]int{}, true
	waits := func(_ context.Context, it *registry.Item) (time.Time, string, error) {
		if asked[it.SourceHost]++; it.SourceHost == "a.example" {
			return time.Time{}, "", nil
		}
		if fails {
			fails = false
			return time.Time{}, "", fault.New(fault.Unavailable, "the store does not answer")
		}
		return until, "HTTP 429", nil
	}
	r := newRig(t, "mem")
	r.Service = bulk.New(r.Seen, r.reg.Items, bulk.Options{Clock: r.Clock.Now, Waits: waits})
	run := r.do(bulk.Ask{Op: bulk.Check})
	want := bulk.Waiting{Host: "b.example", Why: "HTTP 429", Until: until, Items: 5}
	if run.Done != 12 || run.Asked != 7 || len(run.Waits) != 1 || run.Waits[0] != want {
		t.Errorf("%d done, %d begin, wait: %+v", run.Done, run.Asked, run.Waits)
	}
	if asked["a.example"] > 2 || asked["b.example"] != 2 {
		t.Errorf("asked for hosts: %v", asked)
	}
}
