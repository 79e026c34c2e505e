package crawl

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// crowd starts as many jobs of hosts that do not answer as may run at once, until leave is called.
func crowd(w *Worker) (leave func()) {
	var leaves []func()
	for {
		one, ok := w.slots.try()
		if !ok {
			return func() {
				for _, one := range leaves {
					one()
				}
			}
		}
		leaves = append(leaves, one)
	}
}

// job receives the only job in a queue.
func (r *rig) job(queue string) registry.Job {
	r.t.Helper()
	q := r.store.Queue(queue)
	got, err := q.Receive(r.t.Context(), 32, time.Minute)
	must(r.t, err)
	if len(got) != 1 {
		r.t.Fatalf("%d jobs in %s, want one", len(got), queue)
	}
	must(r.t, q.Delete(r.t.Context(), got[0]))
	job, err := registry.ParseJob(got[0].Body)
	must(r.t, err)
	return job
}

// TestS3JobStepsAside checks S3: when many hosts do not answer, the job of a host that has never answered is moved
// unchanged to the second queue and done from there. Once the host has answered, its jobs are not moved, until it
// fails again.
func TestS3JobStepsAside(t *testing.T) {
	r := newRig(t)
	r.site.put("/a", page{body: "<title>A</title><main><p>Here is a page.</p></main>"})
	r.register(false, "/a")
	leave := crowd(r.Worker)
	must(t, r.Process(t.Context(), r.job(registry.JobQueue)))
	if it := r.item("/a"); it.LockOwner != "" || it.Status != registry.Pending || len(r.site.asked()) > 0 {
		t.Fatalf("the item was touched: %+v", it)
	}
	r.checkInvariants()
	leave()
	must(t, r.ProcessSlow(t.Context(), r.job(registry.SlowQueue)))
	if it := r.item("/a"); it.Status != registry.Indexed {
		t.Fatalf("the item is %s: %s", it.Status, it.ErrorMessage)
	}
	leave = crowd(r.Worker)
	if it := r.force("/a"); len(r.site.asked()) == 0 || it.Forced() {
		t.Error("a host that has answered had to wait")
	}
	leave()
	r.site.put("/a", page{hangUp: true})
	r.force("/a")
	defer crowd(r.Worker)()
	r.force("/a")
	r.job(registry.SlowQueue)
}

// TestS3AnswerGivesThePlaceBack checks S3: a job releases its slot at the host's first answer, while the job
// continues.
func TestS3AnswerGivesThePlaceBack(t *testing.T) {
	r := newRig(t)
	taken := map[string]int{}
	r.site.before = func(path string) { taken[path] = len(r.slots.all) }
	for _, path := range []string{"/a", "/b", "/c"} {
		r.site.put(path, page{body: "<title>" + path + "</title><main><p>Here is a page.</p></main>"})
	}
	r.site.put("/a", page{hangUp: true})
	for _, process := range []func(context.Context, registry.Job) error{r.Process, r.ProcessSlow} {
		r.register(true, "/a", "/b", "/c")
		must(t, process(t.Context(), r.job(registry.JobQueue)))
		if taken["/a"] != 1 || taken["/b"] != 1 || taken["/c"] != 0 || len(r.slots.all)+len(r.slots.worker) > 0 {
			t.Errorf("places taken: %v, and %d at the end; want one until the first answer", taken, len(r.slots.all))
		}
		r.clock.pass(time.Minute)
	}
}

// TestS3SlowJobsWaitForAPlace checks S3: in the second queue a job waits for a slot, but no longer than its
// invocation lasts.
func TestS3SlowJobsWaitForAPlace(t *testing.T) {
	r := newRig(t)
	r.site.put("/a", page{body: "<title>A</title>"})
	r.register(false, "/a")
	job := r.job(registry.JobQueue)
	var places []func()
	for range SilentJobs {
		leave, err := r.slots.wait(t.Context())
		must(t, err)
		places = append(places, leave)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.ProcessSlow(ctx, job); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without a place: %v", err)
	}
	if _, ok := r.slots.try(); ok || len(r.slots.worker) > 0 {
		t.Error("CrawlWorker found a place that was not there")
	}
	ended := make(chan error)
	go func() { ended <- r.ProcessSlow(t.Context(), job) }()
	places[0]()
	places[0]() // a second release changes nothing
	must(t, <-ended)
	if n := len(r.slots.all); n != SilentJobs-1 || r.item("/a").Status != registry.Indexed {
		t.Errorf("%d places are taken", n)
	}
}

// TestS3FaultsOfAMove checks S3: when a move fails, or is lost or doubled, the job is done all the same.
func TestS3FaultsOfAMove(t *testing.T) {
	for name, f := range map[string]struct {
		before, after error
		moved         int
	}{
		"fails": {fault.New(fault.Unavailable, "no answer"), nil, 0}, "answer lost": {nil,
			fault.New(fault.Unavailable, "no answer"), 1},
		"lost": {storagetest.ErrLost, nil, 0}, "doubled": {storagetest.ErrTwice, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(k *knobs) {
				k.store = func(s storage.Store) storage.Store {
					slow := func(c storagetest.Call, err, otherwise error) error {
						if c.Name == registry.SlowQueue && c.Op == "queue.Send" {
							return err
						}
						return otherwise
					}
					return storagetest.Hooked(s, storagetest.Hooks{
						OnBefore: func(_ context.Context, c storagetest.Call) error { return slow(c, f.before, nil) },
						OnAfter: func(_ context.Context, c storagetest.Call, err error) error {
							return slow(c, errors.Join(err, f.after), err)
						},
					})
				}
			})
			r.site.put("/a", page{body: "<title>A</title>"})
			r.register(false, "/a")
			leave := crowd(r.Worker)
			reported := f.after != nil || name == "fails"
			if err := r.Process(t.Context(), r.job(registry.JobQueue)); (err != nil) != reported {
				t.Errorf("the move ended with %v", err)
			}
			leave()
			q := r.store.Queue(registry.SlowQueue)
			got, err := q.Receive(t.Context(), 32, time.Minute)
			if err != nil || len(got) != f.moved {
				t.Fatalf("%d messages, %v; want %d", len(got), err, f.moved)
			}
			for _, m := range got {
				job, err := registry.ParseJob(m.Body)
				must(t, err)
				must(t, r.ProcessSlow(t.Context(), job))
			}
			if len(got) == 0 { // as with any lost job
				r.clock.pass(11 * time.Minute)
				r.due("/a")
				r.mustWork()
			}
			if it := r.item("/a"); it.Status != registry.Indexed || len(r.site.asked()) != 1 {
				t.Errorf("the item is %s", it.Status)
			}
		})
	}
}
