package crawl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// world is the web of the simulation: pages that change, on hosts that require pauses and on others. It records its
// requests, and fails the test for impolite ones.
type world struct {
	sim      *sim
	mu       sync.Mutex // guards the maps: in the simulation of deaths several checks of an actor may go on at once
	urls     []string
	versions map[string]int
	lastAsk  map[string]asking       // last request to each paced host, by the sender's clock
	inFlight map[string][]*time.Time // their starts
	asked    map[string]int64        // requests by host and day, and by day
	down     map[string]time.Time    // until when hosts cannot be reached
}

func newWorld(s *sim) *world {
	w := &world{
		sim: s, versions: map[string]int{}, lastAsk: map[string]asking{}, inFlight: map[string][]*time.Time{},
		asked: map[string]int64{}, down: map[string]time.Time{},
	}
	for n, host := range simHosts {
		for i := range 4 - n/2*2 {
			w.urls = append(w.urls, fmt.Sprintf("https://%s/%d", host, i))
		}
	}
	w.urls = append(w.urls, "http://fast.example/0", "https://www.fast.example/1") // URL variants
	w.urls = append(w.urls, simMoved)
	return w
}

// simMoved redirects permanently to simTarget, which no actor registers.
const simMoved, simTarget = "https://fast.example/moved", "https://fast.example/target"

// page returns the URL that stands for the content of a URL: URL variants have the same content.
func (w *world) page(url string) string {
	if url == simMoved {
		return simTarget
	}
	_, rest, _ := strings.Cut(strings.Replace(url, ".example./", ".example/", 1), "://")
	return "https://" + strings.TrimPrefix(rest, "www.")
}

func (w *world) version(url string) int { return w.versions[w.page(url)] }

func (w *world) some(rng *rand.Rand) []string {
	var out []string
	for range 1 + rng.IntN(4) {
		out = append(out, w.urls[rng.IntN(len(w.urls))])
	}
	return out
}

func (w *world) change(rng *rand.Rand) { w.versions[w.page(w.urls[rng.IntN(len(w.urls))])]++ }

func (w *world) Robots(_ context.Context, r fetch.RobotsRequest) (robots.Reply, error) {
	if u, err := url.Parse(r.Origin); err == nil && w.unreached(u.Host) {
		return robots.Reply{Failed: true, Unreached: fetch.UnreachedConnection, Problem: "connection refused"}, nil
	}
	return robots.Reply{Status: http.StatusNotFound}, nil
}

// unreached reports whether a host cannot be reached. Sometimes it begins.
func (w *world) unreached(host string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sim.faults && w.sim.rng.IntN(60) == 0 {
		w.down[host] = w.sim.now.Add(time.Duration(1+w.sim.rng.IntN(90)) * time.Minute)
	}
	return w.sim.faults && w.down[host].After(w.sim.now)
}

func (w *world) Get(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return fetch.Response{}, err
	}
	if actorOf(ctx).dead {
		return fetch.Response{}, errDied
	}
	w.count(u.Host, w.sim.now)
	defer w.observe(u.Host, actorOf(ctx).clock())()
	took := time.Duration(w.sim.rng.IntN(3000)) * time.Millisecond
	if err := w.sim.pause(ctx, w.sim.now.Add(took), "request"); err != nil {
		return fetch.Response{}, err
	}
	if err := w.sim.deadly(ctx, r.URL, "request"); err != nil {
		return fetch.Response{}, err
	}
	if strings.Contains(r.URL, "that-does-not-exist") {
		return fetch.Response{Status: http.StatusNotFound, FinalURL: r.URL, Header: http.Header{}}, nil
	}
	if w.unreached(u.Host) {
		return fetch.Response{Requests: 1}, &fetch.Unreached{Of: fetch.UnreachedConnection,
			Err: fault.New(fault.Unavailable, "connection refused")}
	}
	if w.sim.faults && w.sim.rng.IntN(12) == 0 {
		return fetch.Response{}, fault.New(fault.Unavailable, "connection reset")
	}
	if w.sim.faults && w.sim.rng.IntN(40) == 0 {
		pause := time.Duration(1+w.sim.rng.IntN(25)) * time.Minute
		return fetch.Response{
			Status:     http.StatusTooManyRequests,
			FinalURL:   r.URL,
			Header:     http.Header{},
			RetryAfter: pause,
		}, nil
	}
	defer w.overtake(r.URL)
	etag := fmt.Sprintf(`"%d"`, w.version(r.URL))
	resp := fetch.Response{
		Status:   http.StatusOK,
		FinalURL: w.final(r.URL),
		Header:   http.Header{"Etag": {etag}, "Content-Type": {"text/html"}},
	}
	if r.URL == simMoved {
		if err := w.follow(ctx, r); err != nil {
			return resp, err
		}
		resp.Redirects, resp.Permanent = []fetch.Redirect{
			{URL: simMoved, Status: http.StatusMovedPermanently, Location: simTarget},
		}, true
	}
	noise := w.sim.rng.IntN(12)
	if r.ETag == etag && noise > 2 {
		resp.Status, resp.NotModified = http.StatusNotModified, true
		return resp, nil
	}
	resp.Body = w.body(r.URL)
	if r.ETag == etag { // other bytes, the same text
		resp.Body = fmt.Appendf(resp.Body, "<!-- %d -->", noise)
	}
	return resp, nil
}

// body returns the content of a URL. Each version has its own title; the text is one of three in turn, and some
// versions are nearly empty.
func (w *world) body(url string) []byte {
	version, text := w.version(url), strings.Repeat("the tide comes in and goes out ", 5)
	if version%3 == 2 {
		text = ""
	}
	list := "" // differs in more lines than a change has passages
	for i := range len(text) / 25 {
		list += fmt.Sprintf("<li>berth %d is in state %d", i, version/2%3)
	}
	const form = "<title>%d</title><main><p>%s, %s state %d</p><ul>%s</ul></main>"
	return fmt.Appendf(nil, form, version, w.page(url), text, version/2%3, list)
}

// final returns the URL that answers after redirects.
func (w *world) final(url string) string {
	if url == simMoved {
		return simTarget
	}
	return url
}

// follow passes the second request of a redirect through the gate.
func (w *world) follow(ctx context.Context, r fetch.Request) error {
	if r.Gate == nil {
		return nil
	}
	return r.Gate(ctx, simTarget)
}

// overtake changes a page that was just fetched and forces its check, while the worker is about to commit outdated
// content.
func (w *world) overtake(url string) {
	if w.sim.faults && w.sim.rng.IntN(6) == 0 {
		w.versions[w.page(url)]++
		w.sim.spawn("register", func(ctx context.Context) { w.sim.register(ctx, []string{url}, false) })
	}
}

// regret registers a page again that is just being purged, while the worker is about to remove it.
func (w *world) regret(id string) {
	for _, u := range w.urls {
		src, err := source.DefaultRules().ParseURL(u)
		must(w.sim.t, err)
		if string(src.ID()) == id && w.sim.faults && w.sim.rng.IntN(2) == 0 {
			w.sim.spawn("register", func(ctx context.Context) { w.sim.register(ctx, []string{u}, false) })
		}
	}
}

// list returns a page that no actor has registered.
func (w *world) list(rng *rand.Rand) string {
	return fmt.Sprintf("https://%s/list/%d", simHosts[rng.IntN(len(simHosts))], rng.IntN(2))
}

// asking is when a request began, by the sender's clock and in truth.
type asking struct{ clock, at time.Time }

// observe checks that all workers and visitors together keep the host's pace (E3) until the request that begins now
// is over. A pause is measured by the senders' clocks, or in truth if that is longer: who takes over from a dead worker
// waits for a pause by its own clock, which may be behind. A request that lasts longer than allowed, because time has
// leapt, is no longer counted.
func (w *world) observe(host string, clock time.Time) (over func()) {
	const longest = 30 * time.Second
	w.mu.Lock()
	defer w.mu.Unlock()
	now, most := w.sim.now, w.sim.atOnce()
	if paced(host) {
		most = 1
		last, before := w.lastAsk[host]
		gap := max(clock.Sub(last.clock), now.Sub(last.at))
		if before && gap < simDelay && !now.Before(w.sim.twice[host]) {
			w.sim.fail("%s was asked again after %v", host, gap)
		}
		w.lastAsk[host] = asking{clock, now}
	}
	n := 1
	for _, began := range w.inFlight[host] {
		n += one(now.Sub(*began) < longest)
	}
	if n > most && !now.Before(w.sim.twice[host]) {
		w.sim.fail("%s has %d requests in flight", host, n)
	}
	w.inFlight[host] = append(w.inFlight[host], &now)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.inFlight[host] = without(w.inFlight[host], &now)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func without[T comparable](list []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return v == x })
}

// count checks that all workers and visitors together keep to the budgets of a day. In this world the only requests
// besides those for items and resources are for robots.txt, which is not counted here, so the budgets hold exactly.
func (w *world) count(host string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	day := now.Format(time.DateOnly)
	for _, of := range []struct {
		key  string
		most int64
	}{{host + " on " + day, w.sim.daily.Requests}, {"everybody on " + day, w.sim.total.Requests}} {
		if w.asked[of.key]++; of.most > 0 && w.asked[of.key] > of.most {
			w.sim.fail("%s was asked %d times, %d are allowed", of.key, w.asked[of.key], of.most)
		}
	}
}

// simIndex is an index that may be down.
type simIndex struct {
	sim      *sim
	versions map[string]int // id → title of the page, which is its version
	pages    map[string]search.Page
	copied   *simCopy // nil in most runs
}

// clear loses all that the index holds.
func (x *simIndex) clear() {
	clear(x.versions)
	if x.copied != nil {
		clear(x.pages)
		x.copied.begin()
	}
}

func (x *simIndex) Put(ctx context.Context, pages ...search.Page) error {
	if err := x.sim.Before(ctx, callIndex); err != nil {
		return err
	}
	for _, p := range pages {
		if err := x.sim.deadly(ctx, p.URL, "index"); err != nil {
			return err
		}
		x.sim.checkIndexed(ctx, p.ID)
		version, err := strconv.Atoi(p.Title)
		must(x.sim.t, err)
		if err := knows(p, x.pages[p.ID]); err != nil {
			x.sim.fail("%v", err)
		}
		x.versions[p.ID], x.pages[p.ID] = version, p
		if x.copied != nil {
			must(x.sim.t, x.copied.Put(context.Background(), p))
		}
	}
	if a := actorOf(ctx); x.sim.faults && a != nil && x.sim.rng.IntN(20) == 0 {
		x.sim.die(a, false) // the index has what the registry does not say
		return errDied
	}
	return x.sim.After(ctx, callIndex, nil)
}

func (x *simIndex) Remove(ctx context.Context, id string, held *search.Contents) error {
	if err := x.sim.Before(ctx, callIndex); err != nil {
		return err
	}
	if err := knows(search.Page{ID: id, Known: held}, x.pages[id]); err != nil {
		x.sim.fail("%v", err)
	}
	delete(x.versions, id)
	delete(x.pages, id)
	if x.copied != nil {
		must(x.sim.t, x.copied.Remove(context.Background(), id, nil))
	}
	x.sim.world.regret(id)
	return x.sim.After(ctx, callIndex, nil)
}

var callIndex = storagetest.Call{Op: "index.Write"}
