package registry

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

var scaleHosts = flag.Int("scale.hosts", 300, "how many hosts of ten items TestK4ManyHosts has")

const (
	scaleItems   = 10
	scaleRequest = 7 * time.Millisecond // latency of a request to Azure
	scaleWorkers = 480                  // concurrent jobs of 40 instances
	scaleSweep   = 204 * time.Second    // time limit of CrawlTimer
)

// account is a store in memory whose requests are counted and use virtual time. Concurrent requests overlap in
// virtual time.
type account struct {
	storage.Store
	mu     sync.Mutex
	counts map[string]int
}

func (a *account) Before(_ context.Context, c storagetest.Call) error {
	a.request(c.Op, c.Name)
	return nil
}

func (a *account) After(_ context.Context, _ storagetest.Call, err error) error { return err }

func (a *account) request(op, name string) {
	time.Sleep(scaleRequest)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counts[op+" "+name]++
}

// lap returns the number of requests since the previous lap, and a description of them.
func (a *account) lap() (n int, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(a.counts)) {
		n += a.counts[key]
		text += fmt.Sprintf(" %s %d,", key, a.counts[key])
	}
	clear(a.counts)
	return n, strings.TrimSuffix(text, ",")
}

func (a *account) Table(name string) storage.Table { return pagedTable{a.Store.Table(name), a, name} }

// pagedTable counts the pages of a query after the first.
type pagedTable struct {
	storage.Table
	a    *account
	name string
}

func (t pagedTable) Query(ctx context.Context, q storage.Query) iter.Seq2[storage.Entity, error] {
	return func(yield func(storage.Entity, error) bool) {
		n := 0
		for e, err := range t.Table.Query(ctx, q) {
			if n++; n > storage.MaxPage {
				n = 1
				t.a.request("table.Query", t.name)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// scale is a registry of many hosts.
type scale struct {
	*Registry
	t       *testing.T
	account *account
	hosts   int
	checks  atomic.Int64
}

// K4: the cost of many hosts with ten items each is counted, at seven milliseconds a request: their registration, a
// day of sweeps and checks, and the sweeps after a day of standstill. docs/benchmarks.md has the table.
func TestK4ManyHosts(t *testing.T) {
	if *scaleHosts > 1000 {
		defer debug.SetGCPercent(debug.SetGCPercent(25)) // the store is in this process: 1 GB for 10,000 hosts
	}
	synctest.Test(t, func(t *testing.T) {
		a := &account{Store: mem.New(time.Now), counts: map[string]int{}}
		s := &scale{Registry: New(storagetest.Hooked(a, a), Options{}), t: t, account: a, hosts: *scaleHosts}
		if err := s.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.lap()
		s.atMost("registration", 25.1, s.register)
		first := 21.1
		if s.overload() > JobTTL {
			first = 50 // jobs that wait for longer are claimed and sent again
		}
		s.atMost("first checks", first, func() { s.minutes(4 * 60) })
		s.checked(1)
		time.Sleep(18 * time.Hour)
		s.atMost("a day of checks", 24.1, func() { s.minutes(8 * 60) })
		s.checked(2)
		time.Sleep(2 * 24 * time.Hour)
		s.atMost("sweeps after two days without", 6.1, s.catchUp)
		t.Logf("peak memory, with the under: %s", peakMemory())
	})
}

// atMost runs a phase and limits its requests per host. Idle minutes add only a few.
func (s *scale) atMost(what string, limit float64, phase func()) {
	began := time.Now()
	phase()
	n, text := s.account.lap()
	each := float64(n) / float64(s.hosts)
	s.t.Logf("%s: %.1f minutes, %d requests, %.2f a host:%s", what, time.Since(began).Minutes(), n, each, text)
	if idle := 6 * time.Since(began).Minutes() / float64(s.hosts); each > limit+6*idle {
		s.t.Errorf("%s: %.2f requests a host, want at most %.1f", what, each, limit)
	}
}

// side runs n calls, up to workers of them concurrently.
func side(workers, n int, do func(i int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}

func (s *scale) register() {
	side(64, s.hosts, func(i int) {
		for _, got := range s.Items.Register(s.t.Context(), parse(s.t, pages(fmt.Sprintf("h%d.example", i),
			scaleItems)...), RegisterOptions{}) {
			if got.Err != nil {
				s.t.Error(got.Err)
			}
		}
	})
}

// minutes runs jobs for n minutes, and begins a sweep in each minute in which no sweep is running.
func (s *scale) minutes(n int) {
	free, ends := make(chan struct{}, scaleWorkers), time.Now().Add(time.Duration(n)*time.Minute)
	var wg sync.WaitGroup
	late := time.Duration(0)
	wg.Go(func() {
		for time.Now().Before(ends) {
			began := time.Now()
			late = max(late, s.sweep().Late)
			time.Sleep(time.Until(began.Add(time.Since(began).Truncate(time.Minute) + time.Minute)))
		}
	})
	jobs := s.account.Queue(JobQueue) // the Functions host's requests are not counted
	for time.Now().Before(ends) {
		messages, err := jobs.Receive(s.t.Context(), 32, 10*time.Minute)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, m := range messages {
			free <- struct{}{}
			wg.Go(func() {
				s.work(m)
				<-free
			})
		}
		if len(messages) == 0 {
			time.Sleep(10 * time.Second)
		}
	}
	wg.Wait()
	s.t.Logf("the oldest that a sweep met had been due for %v", late)
	if most := 5*time.Minute + s.overload(); late > most {
		s.t.Errorf("want at most %v", most)
	}
}

// overload returns how long the workers need for one job of every host. All are due at once after their registration.
func (s *scale) overload() time.Duration {
	const job = 15 * time.Second
	return time.Duration(s.hosts/scaleWorkers) * job
}

func (s *scale) sweep() SweepReport {
	ctx, cancel := context.WithTimeout(s.t.Context(), scaleSweep)
	defer cancel()
	report, err := s.Jobs.Sweep(ctx)
	if err != nil {
		s.t.Error(err)
	}
	return report
}

// work does a job at its host's pace.
func (s *scale) work(m storage.Message) {
	job, err := ParseJob(m.Body)
	if err != nil {
		s.t.Error(err)
	}
	batch, err := s.Jobs.Begin(s.t.Context(), job)
	if err != nil {
		s.t.Error(err)
	}
	if batch != nil {
		time.Sleep(time.Until(batch.Starts[len(batch.Items)-1]))
		var done []Finding
		for _, it := range batch.Items {
			f := *it
			f.Status = Indexed
			f.CheckAt(time.Now().Add(24 * time.Hour))
			done = append(done, Finding{Item: f})
		}
		if err := s.Jobs.Commit(s.t.Context(), batch, done, HostFinding{}, true); err != nil {
			s.t.Error(err)
		}
		s.checks.Add(int64(len(done)))
		if batch.More {
			if _, err := s.Jobs.Refill(s.t.Context(), batch.Partition); err != nil {
				s.t.Error(err)
			}
		}
	}
	if err := s.account.Queue(JobQueue).Delete(s.t.Context(), m); err != nil {
		s.t.Error(err)
	}
}

// checked fails the test unless every item was checked that many times.
func (s *scale) checked(times int) {
	if got, want := s.checks.Load(), int64(times*s.hosts*scaleItems); got != want {
		s.t.Errorf("%d checks, want %d", got, want)
	}
}

// catchUp sweeps until nothing is due, to measure the speed of sweeps.
func (s *scale) catchUp() {
	began, claimed, sweeps := time.Now(), 0, 0
	for report := (SweepReport{Unfinished: true}); report.Unfinished; sweeps++ {
		report = s.sweep()
		claimed += report.Claimed
	}
	s.t.Logf("%d sweeps served %.0f hosts a minute", sweeps, float64(s.hosts)/time.Since(began).Minutes())
	if want := s.hosts * scaleItems; claimed != want {
		s.t.Errorf("%d items were claimed, want %d", claimed, want)
	}
}

// peakMemory returns the peak resident memory of the process, where the system reports it.
func peakMemory() string {
	status, _ := os.ReadFile("/proc/self/status")
	return string(regexp.MustCompile(`VmHWM:\s*(.*)`).Find(status))
}
