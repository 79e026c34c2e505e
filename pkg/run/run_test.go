package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// count is a run that counts to five.
type count struct {
	ID        string
	N         int       `col:"n"`
	Over      bool      `col:"over"`
	Step      int64     `col:"step"`
	UpdatedAt time.Time `col:"updatedAt"`
	NotBefore time.Time `col:"notBefore"`
	Damaged   []string  `col:"damaged,must"`
	etag      storage.ETag
}

const queue = "count-steps"

type rig struct {
	*runtest.Rig
	runs run.Runs[count]
	wait time.Duration // after each step
	long time.Duration // of a call
}

func newRig(t *testing.T, open runtest.Open) *rig {
	r := &rig{Rig: runtest.New(t, open, runtest.Noon)}
	r.runs = run.Runs[count]{
		Kind: "count", Table: r.Seen.Table("Counts"), Partition: "p", MaxActive: 2, Stalled: time.Minute,
		Messages: run.Messages{Queue: r.Seen.Queue(queue), RunName: "run", NumName: "turn"},
		CheckID: func(id string) error {
			return storage.CheckKey(storage.Key{Partition: "p", Row: id})
		},
		Row: row.Of[count](), Clock: r.Clock.Now, Log: slog.New(slog.DiscardHandler),
		Fields: func(c *count) run.Fields {
			return run.Fields{ID: &c.ID, Over: c.Over, Step: &c.Step, UpdatedAt: &c.UpdatedAt, NotBefore: &c.NotBefore,
				ETag: &c.etag}
		},
	}
	r.Must(r.runs.Create(t.Context(), r.Store.Queue("others")))
	return r
}

func (r *rig) begin(id string) *count {
	r.Helper()
	c := &count{ID: id, UpdatedAt: r.Clock.Now()}
	r.Must(r.runs.Begin(r.Context(), c))
	r.runs.Enqueue(r.Context(), c, 0)
	return c
}

func (r *rig) Step(ctx context.Context, body []byte) error {
	return r.runs.Step(ctx, body, r.long, func(_ context.Context, c *count) (run.Next, error) {
		c.N++
		c.Over = c.N == 5
		return run.Next{Wait: r.wait}, nil
	})
}

func (r *rig) RequeueStalled(ctx context.Context) (int, error) { return r.runs.RequeueStalled(ctx) }

func (r *rig) get(id string) count {
	r.Helper()
	c, err := r.runs.Get(r.Context(), id)
	r.Must(err)
	return c
}

func onStores(t *testing.T, test func(t *testing.T, r *rig)) {
	runtest.OnStores(t, func(t *testing.T, open runtest.Open) { test(t, newRig(t, open)) })
}

// A step follows for each message, and none after the end.
func TestSteps(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.begin("a")
		for n := 1; n <= 5; n++ {
			bodies := r.Messages(queue)
			if len(bodies) != 1 {
				t.Fatalf("step %d: %d messages", n, len(bodies))
			}
			for range 2 { // the second finds the step done
				r.Must(r.Step(t.Context(), bodies[0]))
			}
			if c := r.get("a"); c.N != n || c.Over != (n == 5) {
				t.Errorf("step %d: %+v", n, c)
			}
		}
		if left := r.Rows("Counts", run.ActivePrefix); len(left)+len(r.Messages(queue)) != 0 {
			t.Errorf("left over: %v", left)
		}
	})
}

// A call may do several steps, and all of them then are one by number.
func TestStepsOfOneCall(t *testing.T) {
	r := newRig(t, runtest.Stores["mem"])
	r.long = time.Hour
	r.begin("a")
	r.Must(r.Step(t.Context(), r.Messages(queue)[0]))
	if c := r.get("a"); !c.Over || c.Step != 1 {
		t.Errorf("%+v", c)
	}
	r.wait = time.Second // ends a call
	c := r.begin("b")
	r.Must(r.Step(t.Context(), r.Messages(queue)[0]))
	if *c = r.get("b"); c.N != 1 || c.Step != 1 || !c.NotBefore.Equal(r.Clock.Now().Add(time.Second)) {
		t.Errorf("%+v", c)
	}
	early, _ := json.Marshal(map[string]any{"run": "b", "turn": 1})
	r.Must(r.Step(t.Context(), early))
	if c := r.get("b"); c.N != 1 {
		t.Errorf("too early: %+v", c)
	}
	r.Clock.Pass(time.Second)
	if n := len(r.Messages(queue)); n != 2 {
		t.Errorf("%d messages, want the one that was sent and the one that came too early", n)
	}
}

func TestMessages(t *testing.T) {
	r := newRig(t, runtest.Stores["mem"])
	r.begin("a")
	var have map[string]any
	r.Must(json.Unmarshal(r.Messages(queue)[0], &have))
	if diff := cmp.Diff(map[string]any{"run": "a", "turn": 0.0}, have); diff != "" {
		t.Error(diff)
	}
	r.Must(r.runs.Messages.Send(t.Context(), run.Message{Run: "a", Source: "s", Step: 1 << 40}, 0))
	if m, err := r.runs.Messages.Parse(r.Messages(queue)[0]); err != nil ||
		m != (run.Message{Run: "a", Source: "s", Step: 1 << 40}) {
		t.Errorf("%+v, %v", m, err)
	}
	for _, junk := range []string{``, `{}`, `[]`, `{"run":""}`, `{"run":1}`, `{"run":"a","turn":"x"}`, `{"run":"a/b"}`,
		`{"run":"none","turn":0}`} {
		if err := r.Step(t.Context(), []byte(junk)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v, want Invalid", junk, err)
		}
	}
}

// The watchdog sends the message of a run that has stalled, once for each time that it stalls.
func TestRequeueStalled(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.begin("a")
		r.Messages(queue) // lost
		for _, tt := range []struct {
			wait time.Duration
			want int
		}{{59 * time.Second, 0}, {time.Second, 1}} {
			r.Clock.Pass(tt.wait)
			if sent, err := r.RequeueStalled(t.Context()); sent != tt.want || err != nil {
				t.Errorf("%d sent after another %s (%v)", sent, tt.wait, err)
			}
		}
		r.wait = time.Hour
		r.Must(r.Step(t.Context(), r.Messages(queue)[0]))
		r.Clock.Pass(time.Hour)
		if sent, err := r.RequeueStalled(t.Context()); sent != 0 || err != nil {
			t.Errorf("%d sent for a run that was told to wait (%v)", sent, err)
		}
	})
}

// Each watchdog has its share of the time, and none keeps another from its turn.
func TestWatch(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	broken, calls := errors.New("broken"), 0
	part := func(want time.Duration) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			calls++
			if d, ok := ctx.Deadline(); !ok || time.Until(d).Round(time.Minute) != want {
				t.Errorf("call %d: %s, want %s", calls, time.Until(d), want)
			}
			return 0, broken
		}
	}
	if err := run.Watch(ctx, part(20*time.Minute), part(30*time.Minute), part(time.Hour)); !errors.Is(err, broken) ||
		calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestRoomAndChange(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.begin("a")
		r.Must(r.runs.CheckRoom(t.Context()))
		r.begin("b")
		if err := r.runs.CheckRoom(t.Context()); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(),
			"2 counts") {
			t.Error(err)
		}
		if err := r.runs.Begin(t.Context(), &count{ID: "b"}); !fault.Lost(err) {
			t.Errorf("begun twice: %v", err)
		}
		tries := 0
		c, err := r.runs.Change(t.Context(), "a", func(c *count) ([]storage.Op, error) {
			if tries++; tries == 1 { // another process is quicker
				other := *c
				other.N = 3
				r.Must(r.runs.Save(t.Context(), &other))
			}
			c.N++
			return nil, nil
		})
		if err != nil || c.N != 4 || tries != 2 || r.get("a").N != 4 {
			t.Errorf("%+v after %d tries (%v)", c, tries, err)
		}
		if _, err := r.runs.Change(t.Context(), "none", nil); !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	})
}

func TestRetireAndDrop(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		for _, id := range []string{"a1", "a2", "a3", "b1"} {
			r.begin(id)
		}
		drop := func(ctx context.Context, c *count) error {
			if c.ID == "a2" {
				return fault.New(fault.Conflict, "another process removes it")
			}
			return run.Drop(ctx, r.runs.Table, r.runs.Prefix(c.ID))
		}
		removed, err := r.runs.Retire(t.Context(), r.runs.Prefix("a"), 3, func(c *count) bool {
			return c.N == 0 &&
				c.ID[0] == 'a' && len(c.ID) == 2
		}, drop)
		if have := r.Rows("Counts", "/p/a2"); err != nil || removed != 2 || len(have) != 1 ||
			len(r.Rows("Counts", "/p/b1")) != 1 {
			t.Errorf("%d removed, %v left (%v)", removed, have, err)
		}
	})
}

func TestDamagedRow(t *testing.T) {
	r := newRig(t, runtest.Stores["mem"])
	c := r.begin("a")
	op := r.runs.Op(c)
	op.Entity.Props["damaged"] = "{"
	_, err := r.runs.Table.Transact(t.Context(), op)
	r.Must(err)
	if _, err := r.runs.Get(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "count a is damaged") {
		t.Error(err)
	}
}

// Whatever operation fails, before or after it took effect, the run comes to its end, and has counted each step once.
func TestFaults(t *testing.T) {
	runtest.OnStores(t, func(t *testing.T, open runtest.Open) {
		runtest.EachFault(t, 15, 1, func(t *testing.T, f *runtest.Fault) {
			r := newRig(t, open)
			r.begin("a")
			r.Hook.Set(f)
			r.Finish(queue, r, func() bool { c, err := r.runs.Get(t.Context(), "a"); return err == nil && c.Over })
			r.Hook.Set(nil)
			if left := r.Rows("Counts", run.ActivePrefix); r.get("a").N != 5 || len(left) != 0 {
				t.Errorf("%+v, left over: %v", r.get("a"), left)
			}
		})
	})
}

// Messages that are lost, doubled and late, and workers at the same step at once, count nothing twice.
func TestStorm(t *testing.T) {
	for seed := range uint64(20) {
		r, storm := newRig(t, runtest.Stores["mem"]), runtest.NewStorm(seed)
		r.begin("a")
		r.Hook.Set(storm)
		for range 100 {
			storm.Deliver(r.Messages(queue), r.Step)
			r.Clock.Pass(30 * time.Second)
			_, _ = r.RequeueStalled(t.Context())
		}
		r.Hook.Set(nil)
		if c := r.get("a"); c.N != 5 || c.Step != 5 || !c.Over {
			t.Errorf("seed %d: %+v", seed, c)
		}
	}
}

// K12: a step that another process has done meanwhile is that one's, without an error, and the run is given as it is.
func TestK12StepOfAnotherProcess(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		r.begin("a")
		body := r.Messages(queue)[0]
		one, err := r.runs.Open(t.Context(), body)
		r.Must(err)
		err = r.runs.Advance(t.Context(), one, 0, func(_ context.Context, c *count) (run.Next, error) {
			r.Must(r.Step(t.Context(), body))
			c.N += 3
			return run.Next{}, nil
		})
		if err != nil || one.N != 1 || one.Step != 1 {
			t.Errorf("have %+v, %v", one, err)
		}
		if n := len(r.Messages(queue)); n != 1 || r.get("a").N != 1 {
			t.Errorf("%d messages, %+v", n, r.get("a"))
		}
	})
}
