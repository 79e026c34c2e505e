package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage"
)

// counter is a step that goes through a list of numbers and changes the odd ones.
type counter struct {
	name, rules string
	size        int
	changed     map[int]bool
}

func newCounter(name, rules string, size int) *counter {
	return &counter{name, rules, size, map[int]bool{}}
}

func (c *counter) step() migrate.Step {
	return migrate.Step{Name: c.name, Rules: c.rules, Run: func(_ context.Context, cursor string,
		dry bool) (p migrate.Progress, next string, done bool, err error) {
		at, _ := strconv.Atoi(cursor)
		for end := min(at+10, c.size); at < end; at++ {
			p.Seen++
			if at%2 == 1 {
				p.Changed++
				p.Examples = append(p.Examples, fmt.Sprint(at))
				c.changed[at] = c.changed[at] || !dry
			}
		}
		return p, strconv.Itoa(at), at == c.size, nil
	}}
}

func (c *counter) changes() (n int) {
	for _, real := range c.changed {
		if real {
			n++
		}
	}
	return n
}

type rig struct {
	*runtest.Rig
	table storage.Table
	empty bool
}

func newRig(t *testing.T) *rig {
	r := &rig{Rig: runtest.New(t, runtest.Stores["mem"], runtest.Noon)}
	r.table = r.Seen.Table("Runs")
	r.Must(r.table.Create(t.Context()))
	return r
}

func (r *rig) open(steps ...*counter) *migrate.Service {
	var list []migrate.Step
	for _, c := range steps {
		list = append(list, c.step())
	}
	return migrate.New(r.table, list, migrate.Options{Empty: func(context.Context) (bool, error) { return r.empty, nil }})
}

func (r *rig) status(s *migrate.Service) migrate.Status {
	r.T.Helper()
	st, err := s.Get(r.T.Context())
	r.Must(err)
	return st
}

// TestZ1ANewVersionRunsByItself checks that a store of an earlier version is migrated by itself, once, step after
// step (Z1).
func TestZ1ANewVersionRunsByItself(t *testing.T) {
	r := newRig(t)
	items, links := newCounter("items", "url_v2 utm_", 35), newCounter("links", "v1", 3)
	s := r.open(items, links)
	r.Must(s.Ensure(t.Context()))
	if st := r.status(s); !st.Running || st.Dry || st.Reason == "" || len(st.Needs) != 2 {
		t.Fatalf("after the start: %+v", st)
	}
	pieces, err := s.Advance(t.Context())
	r.Must(err)
	st := r.status(s)
	if pieces != 5 || st.Running || len(st.Needs) != 0 || items.changes() != 17 || links.changes() != 1 ||
		st.EndedAt.IsZero() {
		t.Fatalf("%d pieces, %+v, %d and %d changed", pieces, st, items.changes(), links.changes())
	}
	if p := st.Parts[0]; p.Seen != 35 || p.Changed != 17 || len(p.Examples) != 10 || !p.Done {
		t.Errorf("first part: %+v", p)
	}
	r.Must(s.Ensure(t.Context()))
	if st := r.status(s); st.Running {
		t.Errorf("it begins again: %+v", st)
	}
	newer := newCounter("links", "v2", 3)
	s = r.open(items, newer)
	r.Must(s.Ensure(t.Context()))
	if st := r.status(s); !st.Running || len(st.Parts) != 1 || st.Parts[0].Step != "links" {
		t.Errorf("a newer version of one step: %+v", st)
	}
}

// TestZ1AnEmptyStoreIsOfThePresentRules checks that an empty store needs no migration (Z1).
func TestZ1AnEmptyStoreIsOfThePresentRules(t *testing.T) {
	r := newRig(t)
	r.empty = true
	s := r.open(newCounter("items", "url_v2 utm_", 5))
	r.Must(s.Ensure(t.Context()))
	r.empty = false
	r.Must(s.Ensure(t.Context()))
	if st := r.status(s); st.Running || len(st.Needs) != 0 {
		t.Errorf("%+v", st)
	}
}

// TestZ1KeptRulesNeedNothing checks that a step that keeps what other rules have made does not run by itself (Z1).
func TestZ1KeptRulesNeedNothing(t *testing.T) {
	r := newRig(t)
	s := r.open(newCounter("chunks", "v2:root", 5))
	r.Must(s.Ensure(t.Context()))
	if _, err := s.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	step := newCounter("chunks", "v2", 5).step()
	for _, keeps := range []bool{true, false} {
		step.Keeps = func(rules string) bool { return keeps && rules == "v2:root" }
		s = migrate.New(r.table, []migrate.Step{step}, migrate.Options{})
		r.Must(s.Ensure(t.Context()))
		if st := r.status(s); st.Running == keeps || (len(st.Needs) == 0) != keeps {
			t.Errorf("keeps %v: %+v", keeps, st)
		}
	}
}

// TestZ1OtherSettingsHaveToBeAskedFor checks that changed settings are only reported: a user must begin the migration
// to them (Z1).
func TestZ1OtherSettingsHaveToBeAskedFor(t *testing.T) {
	r := newRig(t)
	old := newCounter("items", "url_v2 utm_", 5)
	s := r.open(old)
	r.Must(s.Ensure(t.Context()))
	if _, err := s.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := newCounter("items", "url_v2 utm_,ref", 25)
	s = r.open(other)
	r.Must(s.Ensure(t.Context()))
	want := []migrate.Need{{Step: "items", From: "url_v2 utm_", To: "url_v2 utm_,ref"}}
	if st := r.status(s); st.Running || !slices.Equal(st.Needs, want) {
		t.Fatalf("%+v", st)
	}
	if _, err := s.Start(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := r.status(s); st.Running || !st.Dry || st.Parts[0].Changed != 12 || len(st.Needs) != 1 ||
		other.changes() != 0 {
		t.Fatalf("a dry run changes nothing: %+v, %d changed", st, other.changes())
	}
	if _, err := s.Start(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), true); !fault.Is(err, fault.Conflict) {
		t.Errorf("a dry run beside a real one: %v", err)
	}
	if _, err := s.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := r.status(s); st.Running || len(st.Needs) != 0 || other.changes() != 12 {
		t.Errorf("%+v, %d changed", st, other.changes())
	}
}

// TestZ1RulesChangeDuringARun checks that a run starts anew when the program's rules are no longer its target, and
// that a program with the earlier rules waits (Z1).
func TestZ1RulesChangeDuringARun(t *testing.T) {
	r := newRig(t)
	first := r.open(newCounter("items", "url_v2 a", 25))
	r.Must(first.Ensure(t.Context()))
	now := newCounter("items", "url_v2 b", 25)
	second := r.open(now)
	r.Must(second.Ensure(t.Context()))
	if _, err := first.Advance(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("another program's step: %v", err)
	}
	if _, err := second.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := r.status(second); st.Running || len(st.Needs) != 0 || now.changes() != 12 {
		t.Errorf("%+v", st)
	}
}

// TestZ1AnyOperationMayFail checks that the next call continues after any operation failed, before or after it took
// effect (Z1).
func TestZ1AnyOperationMayFail(t *testing.T) {
	runtest.EachFault(t, 5, 1, func(t *testing.T, f *runtest.Fault) {
		r := newRig(t)
		items := newCounter("items", "url_v2 a", 25)
		s := r.open(items)
		r.Hook.Set(f)
		for tries := 0; ; tries++ {
			if tries == 3 {
				t.Fatal("it does not come to an end")
			}
			_, err := s.Advance(t.Context())
			if err = errors.Join(s.Ensure(t.Context()), err); err == nil {
				_, err = s.Advance(t.Context())
			}
			if err == nil {
				break
			}
		}
		r.Hook.Set(nil)
		if st := r.status(s); st.Running || len(st.Needs) != 0 || items.changes() != 12 {
			t.Fatalf("%+v", st)
		}
	})
}

// TestZ1ExamplesAreBounded checks that the examples that a run remembers are bounded, whatever they contain.
func TestZ1ExamplesAreBounded(t *testing.T) {
	r := newRig(t)
	long := migrate.Step{Name: "items", Rules: "v2", Run: func(context.Context, string, bool) (migrate.Progress, string,
		bool, error) {
		return migrate.Progress{Examples: slices.Repeat([]string{strings.Repeat("\u00e4", 5000)}, 100)}, "", true, nil
	}}
	s := migrate.New(r.table, []migrate.Step{long}, migrate.Options{})
	r.Must(s.Ensure(t.Context()))
	if _, err := s.Advance(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := r.status(s).Parts[0]; len(p.Examples) != 10 || len(p.Examples[0]) > 300 {
		t.Errorf("%d examples of %d bytes", len(p.Examples), len(p.Examples[0]))
	}
}
