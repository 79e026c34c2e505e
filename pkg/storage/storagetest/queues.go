package storagetest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

func (s suite) queues(t *testing.T) {
	run(t, map[string]func(*testing.T){
		"bodies come back":                  s.bodies,
		"bounds":                            s.queueBounds,
		"never created is unavailable":      s.queueNeverCreated,
		"hidden until visibility ends":      s.visibility,
		"delay":                             s.delay,
		"extend replaces the receipt":       s.extend,
		"a lost delivery is not ours":       s.lostDelivery,
		"delete after expiry, before other": s.lateDelete,
		"receive takes up to max":           s.receiveMax,
		"receivers never share a message":   s.receivers,
		"length counts hidden ones":         s.length,
		"only visible messages wait":        s.waits,
		"an ended context":                  s.queueEnded,
	})
}

// fixture is a queue, with a function that waits.
type fixture struct {
	storage.Queue
	ctx   context.Context
	sleep func(time.Duration)
}

func (s suite) queue(t *testing.T) fixture {
	t.Helper()
	st := s.open(t)
	f := fixture{Queue: st.Queue(unique("q")), ctx: t.Context(), sleep: time.Sleep}
	if c, ok := st.(Sleeper); ok {
		f.sleep = c.Sleep
	}
	if err := f.Create(f.ctx); err != nil {
		t.Fatal(err)
	}
	if err := f.Create(f.ctx); err != nil {
		t.Fatalf("created twice: %v", err)
	}
	return f
}

func (f fixture) send(t *testing.T, body string) {
	t.Helper()
	if err := f.Send(f.ctx, []byte(body), 0); err != nil {
		t.Fatal(err)
	}
}

// one receives exactly one message.
func (f fixture) one(t *testing.T, visibility time.Duration) storage.Message {
	t.Helper()
	got := must2(f.Receive(f.ctx, 32, visibility))(t)
	if len(got) != 1 {
		t.Fatalf("received %d messages, want 1", len(got))
	}
	return got[0]
}

func (f fixture) none(t *testing.T) {
	t.Helper()
	if got := must2(f.Receive(f.ctx, 32, time.Second))(t); len(got) != 0 {
		t.Fatalf("received %d messages, want none", len(got))
	}
}

func (s suite) bodies(t *testing.T) {
	q := s.queue(t)
	for _, body := range [][]byte{
		[]byte(`{"partitionKey":"example.org"}`), []byte("é 漢字 🙂"), {0}, {0xff, 0xfe, 0x00}, []byte("<xml>&amp;\r\n</xml>"),
		[]byte("aGVsbG8="), []byte(" "), bytes.Repeat([]byte{0xa5}, storage.MaxMessageBytes),
	} {
		if err := q.Send(q.ctx, body, 0); err != nil {
			t.Fatal(err)
		}
		m := q.one(t, time.Minute)
		diff(t, "body", body, m.Body)
		if m.Malformed || m.Dequeued != 1 || m.ID == "" || m.Receipt == "" {
			t.Fatalf("have %+v, want a first, well-formed delivery", m)
		}
		if d := m.NextVisible.Sub(m.Inserted); d < 59*time.Second || d > 2*time.Minute {
			t.Errorf("next visible %v after it was inserted, want a minute", d)
		}
		if m.Expires.Year() < 9999 {
			t.Errorf("expires %v, want never", m.Expires)
		}
		if err := q.Delete(q.ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	q.none(t)
}

func (s suite) queueBounds(t *testing.T) {
	q := s.queue(t)
	wantKind(t, q.Send(q.ctx, nil, 0), fault.Invalid)
	wantKind(t, q.Send(q.ctx, make([]byte, storage.MaxMessageBytes+1), 0), fault.Invalid)
	wantKind(t, q.Send(q.ctx, []byte("x"), -time.Second), fault.Invalid)
	wantKind(t, q.Send(q.ctx, []byte("x"), storage.MaxDelay+1), fault.Invalid)
	for _, c := range []struct {
		max int
		v   time.Duration
	}{{0, time.Second}, {33, time.Second}, {1, 0}, {1, time.Second - 1}, {1, storage.MaxDelay + 1}} {
		_, err := q.Receive(q.ctx, c.max, c.v)
		wantKind(t, err, fault.Invalid)
	}
	q.send(t, "x")
	m := q.one(t, storage.MaxDelay)
	_, err := q.Extend(q.ctx, m, storage.MaxDelay+1)
	wantKind(t, err, fault.Invalid)
	_, err = q.Extend(q.ctx, m, -1)
	wantKind(t, err, fault.Invalid)
	m = must2(q.Extend(q.ctx, m, storage.MaxDelay))(t)
	if err := q.Delete(q.ctx, m); err != nil {
		t.Fatal(err)
	}
	if err := q.Send(q.ctx, []byte("later"), storage.MaxDelay); err != nil {
		t.Fatal(err)
	}
	q.none(t)
}

func (s suite) queueNeverCreated(t *testing.T) {
	q := s.open(t).Queue(unique("q"))
	wantKind(t, q.Send(t.Context(), []byte("x"), 0), fault.Unavailable)
	_, err := q.Receive(t.Context(), 1, time.Second)
	wantKind(t, err, fault.Unavailable)
	_, err = q.Length(t.Context())
	wantKind(t, err, fault.Unavailable)
}

// visibility delivers a message twice and checks the number of deliveries.
func (s suite) visibility(t *testing.T) {
	q := s.queue(t)
	q.send(t, "x")
	first := q.one(t, time.Second)
	q.none(t)
	q.sleep(1200 * time.Millisecond)
	second := q.one(t, time.Minute)
	if second.ID != first.ID || second.Dequeued != 2 || second.Receipt == first.Receipt {
		t.Fatalf("have %+v after %+v, want the same message, delivered twice, with a new receipt", second, first)
	}
}

func (s suite) delay(t *testing.T) {
	q := s.queue(t)
	// Half a second is rounded up to a whole second.
	if err := q.Send(q.ctx, []byte("x"), 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	q.none(t)
	q.sleep(1200 * time.Millisecond)
	diff(t, "deliveries", 1, q.one(t, time.Minute).Dequeued)
}

func (s suite) extend(t *testing.T) {
	q := s.queue(t)
	q.send(t, "x")
	first := q.one(t, time.Second)
	longer := must2(q.Extend(q.ctx, first, time.Minute))(t)
	if longer.Receipt == first.Receipt || longer.ID != first.ID || string(longer.Body) != "x" ||
		!longer.NextVisible.After(first.NextVisible) {
		t.Fatalf("have %+v after %+v, want the same message with a new receipt and a later time", longer, first)
	}
	wantKind(t, q.Delete(q.ctx, first), fault.NotFound)
	_, err := q.Extend(q.ctx, first, time.Minute)
	wantKind(t, err, fault.NotFound)
	q.sleep(1200 * time.Millisecond)
	q.none(t)
	shown := must2(q.Extend(q.ctx, longer, 0))(t)
	again := q.one(t, time.Minute)
	if again.Dequeued != 2 || string(again.Body) != "x" {
		t.Fatalf("have %+v, want the second delivery", again)
	}
	wantKind(t, q.Delete(q.ctx, shown), fault.NotFound)
	if err := q.Delete(q.ctx, again); err != nil {
		t.Fatal(err)
	}
	wantKind(t, q.Delete(q.ctx, again), fault.NotFound)
}

// lostDelivery checks the calls of a worker that was too slow, so that another worker has received the message again.
func (s suite) lostDelivery(t *testing.T) {
	q := s.queue(t)
	q.send(t, "x")
	slow := q.one(t, time.Second)
	q.sleep(1200 * time.Millisecond)
	quick := q.one(t, time.Minute)
	wantKind(t, q.Delete(q.ctx, slow), fault.NotFound)
	_, err := q.Extend(q.ctx, slow, time.Second)
	wantKind(t, err, fault.NotFound)
	if err := q.Delete(q.ctx, quick); err != nil {
		t.Fatal(err)
	}
	wantKind(t, q.Delete(q.ctx, quick), fault.NotFound)
}

func (s suite) lateDelete(t *testing.T) {
	q := s.queue(t)
	q.send(t, "x")
	m := q.one(t, time.Second)
	q.sleep(1200 * time.Millisecond)
	if err := q.Delete(q.ctx, m); err != nil {
		t.Fatal(err)
	}
	q.none(t)
}

func (s suite) receiveMax(t *testing.T) {
	q := s.queue(t)
	want := map[string]bool{}
	for i := range 40 {
		want[fmt.Sprint(i)] = true
		q.send(t, fmt.Sprint(i))
	}
	for _, n := range []int{1, 32, 7} {
		got := must2(q.Receive(q.ctx, n, time.Minute))(t)
		if len(got) != n {
			t.Fatalf("received %d messages, want %d", len(got), n)
		}
		for _, m := range got {
			if !want[string(m.Body)] {
				t.Fatalf("message %s came twice", m.Body)
			}
			delete(want, string(m.Body))
		}
	}
	q.none(t)
}

func (s suite) receivers(t *testing.T) {
	q := s.queue(t)
	const messages = 60
	for i := range messages {
		q.send(t, fmt.Sprint(i))
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				got, err := q.Receive(q.ctx, 4, time.Hour)
				if err != nil || len(got) == 0 {
					return
				}
				mu.Lock()
				for _, m := range got {
					seen[string(m.Body)]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	diff(t, "messages seen", messages, len(seen))
	for body, n := range seen {
		if n != 1 {
			t.Errorf("message %s was delivered %d times", body, n)
		}
	}
}

func (s suite) waits(t *testing.T) {
	q := s.queue(t)
	want := func(want bool, when string) {
		t.Helper()
		if have := must2(q.Waits(q.ctx))(t); have != want {
			t.Errorf("%s: a message waits: %t, want %t", when, have, want)
		}
	}
	want(false, "in an empty queue")
	q.send(t, "x")
	want(true, "after it was sent")
	m := q.one(t, time.Minute)
	want(false, "after it was received")
	m = must2(q.Extend(q.ctx, m, 0))(t)
	want(true, "after it was given back")
	if m = q.one(t, time.Minute); m.Dequeued != 2 {
		t.Errorf("received %d times, want 2", m.Dequeued)
	}
	if err := q.Send(q.ctx, []byte("later"), time.Hour); err != nil {
		t.Fatal(err)
	}
	want(false, "before the delay is over")
	_, err := s.open(t).Queue(unique("q")).Waits(t.Context())
	wantKind(t, err, fault.Unavailable)
}

func (s suite) length(t *testing.T) {
	q := s.queue(t)
	diff(t, "empty", 0, must2(q.Length(q.ctx))(t))
	q.send(t, "a")
	q.send(t, "b")
	m := must2(q.Receive(q.ctx, 1, time.Minute))(t)[0]
	diff(t, "one hidden", 2, must2(q.Length(q.ctx))(t))
	must(t, 0, q.Delete(q.ctx, m))
	diff(t, "one deleted", 1, must2(q.Length(q.ctx))(t))
}

func (s suite) queueEnded(t *testing.T) {
	q := s.queue(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantCanceled(t, q.Send(ctx, []byte("x"), 0))
	_, err := q.Receive(ctx, 1, time.Second)
	wantCanceled(t, err)
	q.none(t)
}
