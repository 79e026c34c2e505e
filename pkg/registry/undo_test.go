package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// undoable is a registry with one item, whose changes can be taken back.
type undoable struct {
	*Registry
	t     *testing.T
	id    source.ID
	log   *undo.Log
	under storage.Store
	now   time.Time
	hook  storagetest.Hooks // of the store
}

func openUndoable(t *testing.T) *undoable {
	t.Helper()
	u := &undoable{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return u.now }
	u.under = mem.New(clock)
	hooked := storagetest.Hooked(u.under, storagetest.Hooks{
		OnBefore: func(ctx context.Context, c storagetest.Call) error { return u.hook.Before(ctx, c) },
		OnAfter:  func(ctx context.Context, c storagetest.Call, err error) error { return u.hook.After(ctx, c, err) },
	})
	u.log = undo.New(hooked, clock)
	u.Registry = New(hooked, Options{Clock: clock, Undo: u.log, Sleep: func(context.Context, time.Duration) error {
		return nil
	}})
	must(t, errors.Join(u.Create(t.Context()), u.under.Table(snapshot.RunsTable).Create(t.Context())))
	src, err := source.DefaultRules().ParseURL("https://port.example/page")
	must(t, err)
	u.id = u.Items.Register(t.Context(), []source.Source{src}, RegisterOptions{})[0].Item.ID
	return u
}

// leaves returns the settings of the item by their paths.
func (u *undoable) leaves() map[string]string {
	u.t.Helper()
	it, err := u.Items.Find(u.t.Context(), u.id)
	must(u.t, err)
	text, err := json.Marshal(settingsIn(&it))
	must(u.t, err)
	var doc map[string]any
	must(u.t, json.Unmarshal(text, &doc))
	out := map[string]string{}
	var walk func(path string, of map[string]any)
	walk = func(path string, of map[string]any) {
		for name, value := range of {
			if inner, ok := value.(map[string]any); ok {
				walk(path+"."+name, inner)
			} else {
				out[path+"."+name] = fmt.Sprint(value)
			}
		}
	}
	walk("", doc)
	return out
}

// somePatch returns a change that is valid whatever the settings are.
func somePatch(r *rand.Rand) (s Settings) {
	s.Undo = true
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	switch r.IntN(7) {
	case 0:
		s.Paused = new(r.IntN(2) == 0)
		return s
	case 1:
		s.Tags = [][]string{{}, {"a"}, {"a", "b"}}[r.IntN(3)]
		return s
	}
	text := one(`{"priority":3}`, `{"priority":null}`, `{"watch":{"include":["main"]}}`, `{"watch":{"include":null}}`,
		`{"watch":{"trigger":"sale"}}`, `{"watch":{"ignore":["^a","^b"],"trigger":null}}`, `{"watch":null}`,
		`{"interval":{"min":"2h"}}`, `{"interval":{"max":"3d"}}`, `{"interval":null}`, `{"schedule":{"text":"weekdays at 9am"}}`,
		`{"watch":{"fields":{"price":{"from":"css","path":".price","type":"money"}}}}`,
		`{"watch":{"fields":{"stock":{"from":"css","path":".stock","type":"text"}}}}`,
		`{"watch":{"fields":{"price":null}},"priority":1}`, `{"activeHours":{"from":"08:00","to":"18:00"},"priority":8}`)
	s.Patch, _ = api.ParsePatch([]byte(text))
	return s
}

// TestUndoPutsBackExactlyItsChange checks, with random changes and undos, that an undo either puts back exactly what
// its change has changed, or is refused and changes nothing; and that it is refused exactly if something of it was
// changed meanwhile, or there is nothing to put back.
func TestUndoPutsBackExactlyItsChange(t *testing.T) {
	refused, done := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		u := openUndoable(t)
		type action struct {
			id      string
			was, is map[string]string
		}
		var actions []action
		for range 25 {
			u.now = u.now.Add(time.Minute)
			before := u.leaves()
			if len(actions) == 0 || r.IntN(3) > 0 {
				it, err := u.Items.Set(t.Context(), u.id, somePatch(r))
				must(t, err)
				if it.Undo != nil {
					actions = append(actions, action{it.Undo.ID, before, u.leaves()})
				}
				continue
			}
			i := r.IntN(len(actions))
			a := actions[i]
			actions = slices.Delete(actions, i, i+1)
			want, conflict, nothing := maps.Clone(before), false, true
			for path := range union(a.was, a.is) {
				if a.was[path] == a.is[path] {
					continue
				}
				conflict = conflict || before[path] != a.was[path] && before[path] != a.is[path]
				nothing = nothing && before[path] == a.was[path]
				if want[path] = a.was[path]; want[path] == "" {
					delete(want, path)
				}
			}
			rec, err := u.log.Find(t.Context(), a.id)
			must(t, err)
			_, err = u.Items.Set(t.Context(), u.id, Settings{Back: &rec})
			unfit := want[".interval.min"]+want[".interval.max"] != "" && want[".schedule.text"] != ""
			if wanted := conflict || nothing || unfit; fault.Is(err, fault.Conflict) != wanted || !wanted && err != nil {
				t.Fatalf("seed %d: %v; changed meanwhile: %v, nothing: %v, before %v, of %v to %v", seed, err, conflict,
					nothing, before, a.was, a.is)
			}
			if err != nil {
				want, refused = before, refused+1
			} else {
				done++
			}
			if diff := cmp.Diff(want, u.leaves()); diff != "" {
				t.Fatalf("seed %d: after the undo of %v to %v (%v): %s", seed, a.was, a.is, err, diff)
			}
		}
	}
	if refused < 20 || done < 20 {
		t.Errorf("%d undos were refused and %d done: the test proves little", refused, done)
	}
}

func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

var errBroken = errors.New("broken")

// TestUndoSurvivesFaults checks, for each request to storage that a change and its undo make, that the failure of this
// request, before or after it takes effect, leaves the item as it was before the change or as after it; and that a
// record of the change then takes back what is there, or says that there is nothing to take back.
func TestUndoSurvivesFaults(t *testing.T) {
	for _, of := range []struct {
		name   string
		change func(u *undoable) error
		back   func(u *undoable, r *undo.Record) error
	}{
		{"settings", func(u *undoable) error {
			p, _ := api.ParsePatch([]byte(`{"priority":3,"watch":{"trigger":"sale"}}`))
			_, err := u.Items.Set(t.Context(), u.id, Settings{Patch: p, Undo: true})
			return err
		}, func(u *undoable, r *undo.Record) error {
			_, err := u.Items.Set(t.Context(), u.id, Settings{Back: r})
			return err
		}},
		{"removal", func(u *undoable) error {
			_, err := u.Items.Remove(t.Context(), u.id)
			return err
		}, func(u *undoable, r *undo.Record) error {
			_, err := u.Items.Restore(t.Context(), u.id, r)
			return err
		}},
	} {
		for _, late := range []bool{false, true} {
			hits := 0
			for nth := 1; ; nth++ {
				u := openUndoable(t)
				state := func() string {
					it, err := u.Items.Find(t.Context(), u.id)
					must(t, err)
					return fmt.Sprint(it.RemoveRequested, it.RemoveAfter, u.leaves())
				}
				before := state()
				count, hit := 0, false
				fails := func(at bool) error {
					if at != late || hit {
						return nil
					}
					if count++; count == nth {
						hit = true
						return fault.New(fault.Unavailable, "%w", errBroken)
					}
					return nil
				}
				u.hook = storagetest.Hooks{OnBefore: func(context.Context, storagetest.Call) error { return fails(false) },
					OnAfter: func(_ context.Context, _ storagetest.Call, err error) error { return errors.Join(err, fails(true)) }}
				_ = of.change(u) // it may fail or not
				failedFirst := hit
				records := u.records()
				back := func() (err error) {
					for i := range records {
						err = of.back(u, &records[i])
					}
					return err
				}
				err := back()
				if !failedFirst && hit { // the undo was hit: it is repeated
					err = back()
				}
				u.hook = storagetest.Hooks{}
				if fault.Except(err, fault.Conflict) != nil || state() != before {
					t.Errorf("%s, request %d, late %v: %v; before %s, after %s", of.name, nth, late, err, before, state())
				}
				if !hit {
					break
				}
				hits++
			}
			if hits < 5 {
				t.Errorf("%s: only %d requests were hit", of.name, hits)
			}
		}
	}
}

// records returns the records that are there. They are read past the hook.
func (u *undoable) records() (out []undo.Record) {
	u.t.Helper()
	hook := u.hook
	u.hook = storagetest.Hooks{}
	defer func() { u.hook = hook }()
	for e, err := range u.under.Table(snapshot.RunsTable).Query(u.t.Context(), storage.Query{Partition: "undo"}) {
		must(u.t, err)
		r, err := u.log.Find(u.t.Context(), e.Row)
		must(u.t, err)
		out = append(out, r)
	}
	return out
}

// TestUndoCostsOneWrite checks that a change of settings that can be taken back costs one write more than one that
// cannot, and that a change which changes nothing costs none.
func TestUndoCostsOneWrite(t *testing.T) {
	u := openUndoable(t)
	writes := func(p string, undoable bool) (n int) {
		u.hook = storagetest.Hooks{OnBefore: func(_ context.Context, c storagetest.Call) error {
			if c.Op == "table.Transact" {
				n++
			}
			return nil
		}}
		patch, err := api.ParsePatch([]byte(p))
		must(t, err)
		_, err = u.Items.Set(t.Context(), u.id, Settings{Patch: patch, Undo: undoable})
		must(t, err)
		return n
	}
	without, with, none := writes(`{"priority":3}`, false), writes(`{"priority":4}`, true), writes(`{"priority":4}`, true)
	if with != without+1 || none != 0 {
		t.Errorf("%d writes without, %d with, %d without a change", without, with, none)
	}
}

// TestUndoSweep checks that the sweep removes the records that are over, and no others.
func TestUndoSweep(t *testing.T) {
	u := openUndoable(t)
	p, _ := api.ParsePatch([]byte(`{"priority":3}`))
	_, err := u.Items.Set(t.Context(), u.id, Settings{Patch: p, Undo: true})
	must(t, err)
	_, err = u.Items.Remove(t.Context(), u.id)
	must(t, err)
	for _, step := range []struct {
		after   time.Duration
		removed int
		left    int
	}{{undo.Removed - time.Second, 0, 2}, {2 * time.Second, 1, 1}, {undo.Long, 1, 0}} {
		u.now = u.now.Add(step.after)
		removed, err := u.log.Sweep(t.Context())
		must(t, err)
		left := 0
		for range u.under.Table(snapshot.RunsTable).Query(t.Context(), storage.Query{Partition: "undo"}) {
			left++
		}
		if removed != step.removed || left != step.left {
			t.Errorf("after %v: %d removed, %d left; want %+v", step.after, removed, left, step)
		}
	}
}
