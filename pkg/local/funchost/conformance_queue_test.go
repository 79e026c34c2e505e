package funchost

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConformanceAnswers(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name string
		rep  reply
		ok   bool
	}{
		{"200 with an empty object succeeds", reply{}, true},
		{"text/json succeeds", reply{Header: map[string]string{"Content-Type": "text/json"}}, true},
		{"unknown fields are ignored", reply{Body: `{"x":1,"logs":["a"]}`}, true},
		{"500 fails", reply{Status: 500}, false},
		{"text/plain fails", reply{Header: map[string]string{"Content-Type": "text/plain"}}, false},
		{"sniffed content type fails", reply{BareMIM: true}, false},
		{"invalid JSON fails", reply{Body: "{"}, false},
		{"a list fails", reply{Body: "[]"}, false},
		{"Logs that are a string fail", reply{Body: `{"Logs":"x"}`}, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := started(t, queueApp, withCall(func(n int, _ call) reply {
				if n == 1 {
					return row.rep
				}
				return reply{}
			}))
			r.send("jobs", "hello")
			r.waitLength("jobs", 0)
			_, calls, _ := r.snapshot()
			if have := len(calls) == 1; have != row.ok {
				t.Errorf("succeeded at once: have %v, want %v", have, row.ok)
			}
		})
	}
	t.Run("a redirect is followed", func(t *testing.T) {
		r := started(t, queueApp, withCall(func(n int, _ call) reply {
			if n == 1 {
				return reply{Status: 302, Header: map[string]string{"Location": "/elsewhere"}}
			}
			return reply{}
		}))
		r.send("jobs", "hello")
		if c := r.waitCalls(t, 2)[1]; c.URI != "/elsewhere" {
			t.Errorf("have %s", c.URI)
		}
	})
}

func TestConformanceEmptyAnswer(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name string
		rep  reply
	}{
		{"an empty body", reply{NoBody: true}},
		{"null", reply{Body: " null "}},
		{"204", reply{Status: 204}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := started(t, queueApp, withCall(func(n int, _ call) reply {
				if n == 1 {
					return row.rep
				}
				return reply{}
			}), with(func(o *Options) { o.Timeout = 300 * time.Millisecond }))
			r.send("jobs", "hello")
			eventually(t, "a loud diagnostic", func() bool { return r.log.has("EMPTY ANSWER", `"function":"Q"`) })
			r.waitCalls(t, 2)
			if starts := r.waitStarts(t, 2); len(starts) != 2 {
				t.Errorf("%d starts: the timeout must kill the process", len(starts))
			}
			r.waitLength("jobs", 0)
		})
	}
}

func TestConformanceRetry(t *testing.T) {
	t.Parallel()
	fail := withCall(func(int, call) reply { return reply{Status: 500} })
	t.Run("released at once and poisoned after the fifth failure", func(t *testing.T) {
		r := started(t, queueApp, fail)
		r.send("jobs", "åäö")
		r.waitLength("jobs-poison", 1)
		r.waitLength("jobs", 0)
		if diff := cmp.Diff([]string{"åäö"}, r.bodies("jobs-poison")); diff != "" {
			t.Error(diff)
		}
		if _, calls, _ := r.snapshot(); len(calls) != 5 {
			t.Errorf("%d calls, want 5", len(calls))
		}
		if !r.log.has("poison", "failed too often", `"dequeued":5`) {
			t.Error("not poisoned by the fifth failure itself")
		}
	})
	t.Run("released after visibilityTimeout", func(t *testing.T) {
		r := started(t, queueApp.with(queues(`{"visibilityTimeout":"00:00:01"}`)), fail)
		r.send("jobs", "x")
		calls := r.waitCalls(t, 2)
		if rest := calls[1].At.Sub(calls[0].At); rest < 900*time.Millisecond {
			t.Errorf("delivered again after %v, want a second", rest)
		}
	})
	t.Run("delivered too often is poisoned without a call", func(t *testing.T) {
		r := newRig(t, queueApp, fail, withStart(func(int) startOrder { return startOrder{Delay: 500 * time.Millisecond} }))
		r.send("jobs", "old")
		for range 5 {
			got, err := r.store.Queue("jobs").Receive(t.Context(), 1, time.Minute)
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			if _, err := r.store.Queue("jobs").Extend(t.Context(), got[0], 0); err != nil {
				t.Fatal(err)
			}
		}
		r.waitLength("jobs-poison", 1)
		if _, calls, _ := r.snapshot(); len(calls) != 0 {
			t.Errorf("%d calls, want none", len(calls))
		}
	})
	t.Run("a poison queue has none of its own", func(t *testing.T) {
		r := started(t, files{"host.json": hostPlain, "P/function.json": strings.ReplaceAll(queueJSON, "jobs",
			"jobs-poison")}, fail)
		r.send("jobs-poison", "x")
		r.waitCalls(t, 1)
		eventually(t, "the failure is noticed", func() bool { return r.log.has("invocation failed") })
		if n := r.length("jobs-poison"); n != 1 {
			t.Errorf("%d messages, want 1, hidden", n)
		}
		if n := r.length("jobs-poison-poison"); n > 0 {
			t.Errorf("%d messages in jobs-poison-poison", n)
		}
	})
	t.Run("a missing queue is polled until it exists", func(t *testing.T) {
		r := started(t, queueApp)
		r.send("jobs", "x")
		r.waitCalls(t, 1)
	})
}

func TestConformanceConcurrency(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, section string
		most          int
	}{
		{"batchSize 2, newBatchThreshold 0", `{"batchSize":2,"newBatchThreshold":0}`, 2},
		{"batchSize 4, newBatchThreshold 2", `{"batchSize":4,"newBatchThreshold":2}`, 6},
		{"serial", `{"batchSize":1,"newBatchThreshold":0}`, 1},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var mu sync.Mutex
			running, peak := 0, 0
			r := started(t, queueApp.with(queues(row.section)), withCall(func(int, call) reply {
				mu.Lock()
				running++
				peak = max(peak, running)
				mu.Unlock()
				time.Sleep(20 * time.Millisecond)
				mu.Lock()
				running--
				mu.Unlock()
				return reply{}
			}))
			for i := range 24 {
				r.send("jobs", fmt.Sprint(i))
			}
			r.waitCalls(t, 24)
			mu.Lock()
			defer mu.Unlock()
			if peak > row.most || (row.most > 1 && peak < 2) {
				t.Errorf("%d at once, want at most %d", peak, row.most)
			}
		})
	}
}

func TestConformanceLongRuns(t *testing.T) {
	t.Parallel()
	t.Run("visibility is renewed while the function runs", func(t *testing.T) {
		r := started(t, queueApp, withCall(func(int, call) reply { return reply{Sleep: 2500 * time.Millisecond} }),
			with(func(o *Options) { o.Visibility = time.Second }))
		r.send("jobs", "slow")
		r.waitCalls(t, 1)
		r.waitLength("jobs", 0)
		if _, calls, _ := r.snapshot(); len(calls) != 1 {
			t.Errorf("%d deliveries, want 1", len(calls))
		}
	})
	t.Run("a killed handler is restarted and the message comes again", func(t *testing.T) {
		r := started(t, queueApp, withCall(func(n int, c call) reply {
			if n == 1 {
				syscall.Kill(c.Pid, syscall.SIGKILL)
			}
			return reply{}
		}))
		r.send("jobs", "x")
		calls := r.waitCalls(t, 2)
		if calls[0].Pid == calls[1].Pid {
			t.Error("same process")
		}
		if have := string(calls[1].envelope(t).Metadata["DequeueCount"]); have != `"2"` {
			t.Errorf("DequeueCount %s", have)
		}
		r.waitLength("jobs", 0)
	})
	t.Run("functionTimeout kills the process and fails the invocation", func(t *testing.T) {
		r := started(t, queueApp, withCall(func(n int, _ call) reply {
			if n == 1 {
				return reply{Sleep: time.Minute}
			}
			return reply{}
		}), with(func(o *Options) { o.Timeout = 300 * time.Millisecond }))
		r.send("jobs", "x")
		r.waitCalls(t, 2)
		r.waitStarts(t, 2)
		r.waitLength("jobs", 0)
	})
}
