package crawl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// observer is a web server that records, for each host name, when requests arrive and how many are in flight at once.
type observer struct {
	*httptest.Server
	mu       sync.Mutex
	starts   map[string][]time.Time
	inFlight map[string]int
	most     map[string]int
	asked    map[string]int // requests by path
}

func newObserver(t *testing.T) *observer {
	o := &observer{
		starts:   map[string][]time.Time{},
		inFlight: map[string]int{},
		most:     map[string]int{},
		asked:    map[string]int{},
	}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *observer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer o.begin(r)()
	time.Sleep(30 * time.Millisecond) // so that requests that may overlap do overlap
	switch {
	case r.URL.Path == "/robots.txt":
		http.NotFound(w, r)
	case strings.HasPrefix(r.URL.Path, "/away/"):
		http.Redirect(w, r, strings.Replace(o.URL, "127.0.0.1", "localhost", 1)+"/from"+r.URL.Path, http.StatusFound)
	default:
		fmt.Fprintf(w, "<title>%s</title><main><p>The page %[1]s stands here.</p></main>", r.URL.Path)
	}
}

func (o *observer) begin(r *http.Request) (end func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.starts[r.Host] = append(o.starts[r.Host], time.Now())
	o.inFlight[r.Host]++
	o.most[r.Host] = max(o.most[r.Host], o.inFlight[r.Host])
	o.asked[r.URL.Path]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.inFlight[r.Host]--
	}
}

// gaps returns the times between the starts of a host's requests.
func (o *observer) gaps(host string) (out []time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := 1; i < len(o.starts[host]); i++ {
		out = append(out, o.starts[host][i].Sub(o.starts[host][i-1]))
	}
	return out
}

// TestE3SeveralProcesses checks E3: several processes crawl one host and fetch resources from it and, through
// redirects, from another. The server sees no more requests at once than allowed, and no two closer together than the
// least delay.
//
// The server sees a request when it arrives, which is later than its start by the time to connect and to get a
// processor. So two starts may seem closer than they were, on a busy machine by more than a few milliseconds, and the
// test requires only two thirds of the delay. Without the gate, processes know nothing of each other, and gaps shrink
// to nothing. The simulation, whose clock is exact, shows that the starts are exactly as far apart as required.
func TestE3SeveralProcesses(t *testing.T) {
	const ms = time.Millisecond
	for _, p := range []policy.Politeness{
		{MinDelay: 240 * ms, MaxDelay: 600 * ms, MaxConcurrent: 1},
		{MinDelay: 240 * ms, MaxDelay: 240 * ms, MaxConcurrent: 3},
		{MaxConcurrent: 1},
		{MaxConcurrent: 3},
		{MaxDelay: 300 * ms, MaxConcurrent: 2},
	} {
		t.Run(fmt.Sprintf("%s to %s, %d at once", p.MinDelay, p.MaxDelay, p.MaxConcurrent), func(t *testing.T) {
			o := newObserver(t)
			here := strings.TrimPrefix(o.URL, "http://")
			there := strings.Replace(here, "127.0.0.1", "localhost", 1)
			o.crawledBy(t, 3, p)
			for _, host := range []string{here, there} {
				gaps := o.gaps(host)
				t.Logf("%s: at most %d at once, gaps %v", host, o.most[host], gaps)
				if o.most[host] > p.MaxConcurrent {
					t.Errorf("%s: %d requests in flight, want at most %d", host, o.most[host], p.MaxConcurrent)
				}
				if least := slices.Min(gaps); least < p.MinDelay/3 {
					t.Errorf("%s: two requests %v apart, want %v", host, least, p.MinDelay)
				}
				if spread := slices.Max(gaps) - slices.Min(gaps); spread < (p.MaxDelay-p.MinDelay)/8 {
					t.Errorf("%s: gaps differ by %v only, want them spread over [%v, %v]", host, spread, p.MinDelay,
						p.MaxDelay)
				}
			}
			for path, n := range o.asked {
				if n != 1 && path != "/robots.txt" {
					t.Errorf("%s was asked for %d times", path, n)
				}
			}
		})
	}
}

// crawledBy makes processes crawl eight pages, two of which redirect to the other host, and fetch as many resources,
// half of them from the other host.
func (o *observer) crawledBy(t *testing.T, processes int, p policy.Politeness) {
	t.Helper()
	dir := folder(t)
	rows, err := sqlitestore.Open(dir, sqlitestore.Options{})
	must(t, err)
	defer rows.Close()
	reg := registry.New(rows, registry.Options{Politeness: func(string) policy.Politeness { return p }})
	must(t, reg.Create(t.Context()))
	must(t, snapshot.New(rows).Create(t.Context()))
	must(t, index.NewManifests(rows).Create(t.Context()))
	var pages []source.Source
	for i := range 8 {
		path := fmt.Sprintf("/page/%d", i)
		if i < 2 {
			path = fmt.Sprintf("/away/%d", i)
		}
		s, err := source.DefaultRules().ParseURL(o.URL + path)
		must(t, err)
		pages = append(pages, s)
	}
	for _, got := range reg.Items.Register(t.Context(), pages, registry.RegisterOptions{}) {
		must(t, got.Err)
	}
	for i := range processes {
		e := errand{Dir: dir, Polite: p}
		for _, base := range []string{o.URL, strings.Replace(o.URL, "127.0.0.1", "localhost", 1)} {
			e.Resources = append(e.Resources, fmt.Sprintf("%s/resource/%d/%d", base, i, len(e.Resources)))
		}
		e.start(t)
	}
	want := len(pages) + 2 + 2*processes
	deadline := time.Now().Add(time.Minute)
	for o.count() < want || !settled(t, reg, pages) {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute %d of %d requests: %v", o.count(), want, o.asked)
		}
		time.Sleep(50 * time.Millisecond)
		_, err := reg.Jobs.Sweep(t.Context()) // runs each minute in production
		must(t, err)
	}
}

// count returns how many paths have been requested, without robots.txt.
func (o *observer) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(o.asked)
	if o.asked["/robots.txt"] > 0 {
		n--
	}
	return n
}

func settled(t *testing.T, reg *registry.Registry, pages []source.Source) bool {
	t.Helper()
	for _, s := range pages {
		it, found, err := reg.Items.Lookup(t.Context(), s)
		must(t, err)
		if !found || it.Status != registry.Crawled && it.Status != registry.Error {
			return false
		}
	}
	return true
}

// start runs the errand in a process of its own. The process ends with the test.
func (e errand) start(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(e)
	must(t, err)
	var said bytes.Buffer
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), gateEnv+"="+string(text))
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
		if t.Failed() && said.Len() > 0 {
			t.Logf("a process said: %s", said.Bytes())
		}
	})
}
