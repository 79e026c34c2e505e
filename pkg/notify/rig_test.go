package notify

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// receivers are the receivers of channels, by the address of the webhook or the name of the receiver.
type receivers struct {
	mu   sync.Mutex
	ill  map[string]bool // accept nothing at all
	no   map[string]bool // refuse this message
	got  map[string][]send.Message
	sent map[string]int // attempts

	after map[string]time.Duration // the pauses that ill ones ask for

	meanwhile func() // is called during a send to a service, if not nil
}

func (r *receivers) Send(_ context.Context, to send.Target, m send.Message) (all []send.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if to.Webhook != "" {
		return []send.Result{r.take(to.Webhook, m)}
	}
	for _, name := range to.Only {
		got := r.take(name, m)
		got.Name = name
		all = append(all, got)
	}
	if r.meanwhile != nil {
		r.meanwhile()
	}
	return all
}

func (r *receivers) take(to string, m send.Message) send.Result {
	r.sent[to]++
	switch {
	case r.ill[to]:
		return send.Result{ReceiverAnswer: api.ReceiverAnswer{Error: "no answer"}, Ill: true, After: r.after[to]}
	case r.no[to]:
		return send.Result{ReceiverAnswer: api.ReceiverAnswer{Status: 400, Error: "it refuses the message"}}
	}
	r.got[to] = append(r.got[to], m)
	return send.Result{ReceiverAnswer: api.ReceiverAnswer{OK: true, Status: 200}}
}

type rig struct {
	*Notifier
	*Worker

	t     testing.TB
	now   time.Time
	store storage.Store
	feed  *feed.Feed
	to    *receivers
	n     int

	settings map[string]string
	metrics  *telemetry.Metrics
}

// opener opens a new store that uses a clock, as far as it can.
type opener func(t testing.TB, now func() time.Time) storage.Store

func openMem(_ testing.TB, now func() time.Time) storage.Store { return mem.New(now) }

func openEmbedded(t testing.TB, now func() time.Time) storage.Store {
	s, err := sqlitestore.Open(storagetest.TempDir(t), sqlitestore.Options{Now: now})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// renamed gives each test tables and queues of its own in a shared account.
type renamed struct {
	storage.Store
	suffix string
}

func (r renamed) Table(name string) storage.Table { return r.Store.Table(name + r.suffix) }

func (r renamed) Queue(name string) storage.Queue { return r.Store.Queue(name + r.suffix) }

func openAzurite(t testing.TB, _ func() time.Time) storage.Store {
	settings := map[string]string{"AzureWebJobsStorage": azuritetest.Start(t).ConnectionString()}
	s, err := azure.Open(func(name string) string { return settings[name] }, azure.Options{})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return renamed{s, strings.ToLower(rand.Text()[:12])}
}

func newRig(t testing.TB) *rig { return newRigOn(t, openMem) }

func newRigOn(t testing.TB, open opener) *rig {
	t.Helper()
	r := &rig{t: t, now: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), to: &receivers{ill: map[string]bool{},
		no: map[string]bool{}, got: map[string][]send.Message{}, sent: map[string]int{}, after: map[string]time.Duration{}}}
	r.settings, r.metrics = map[string]string{}, telemetry.New()
	r.store = open(t, func() time.Time { return r.now })
	r.feed = feed.Open(r.store, func() time.Time { return r.now })
	must(t, r.feed.Create(t.Context()))
	r.Notifier = r.over(r.store)
	r.Worker = r.Notifier.Worker
	must(t, r.Create(t.Context()))
	return r
}

// over is the notifier of another process over a store.
func (r *rig) over(store storage.Store) *Notifier {
	return New(store, feed.Open(store, func() time.Time { return r.now }), r.to, Options{
		Setting: func(name string) string { return r.settings[name] }, Metrics: r.metrics,
		Clock: func() time.Time { return r.now }, Token: func() string {
			r.n++
			return fmt.Sprint("t", r.n)
		}})
}

func address(channel string) string { return "https://" + channel + ".example/" }

// rule makes a rule with channels of its own.
func (r *rig) rule(spec api.RuleSpec, channels ...string) api.Rule {
	r.t.Helper()
	for _, name := range channels {
		_, err := r.SaveChannel(r.t.Context(), api.ChannelSpec{Name: name,
			ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: address(name)}}, true)
		if !fault.Is(err, fault.Conflict) {
			must(r.t, err)
		}
	}
	spec.Channels = channels
	if spec.Name == "" {
		spec.Name = "rule"
	}
	rule, err := r.SaveRuleAs(r.t.Context(), "", spec, api.RuleSaving{Anyway: true})
	must(r.t, err)
	return rule
}

// publish adds that many changes, in one commit.
func (r *rig) publish(n int, kind feed.Kind) {
	r.t.Helper()
	must(r.t, r.feed.Publish(r.t.Context(), r.changes(n, kind)))
}

// changes makes that many changes of one commit.
func (r *rig) changes(n int, kind feed.Kind) feed.Group {
	r.n++
	g := feed.Group{ID: fmt.Sprint("g", r.n)}
	for i := range n {
		g.Changes = append(g.Changes, feed.Change{At: r.now, Kind: kind, Host: "a.example", Type: "url",
			ItemID: fmt.Sprintf("%d.%d", r.n, i), URL: "https://a.example/", Passages: []feed.Passage{
				{Text: fmt.Sprintf("The lock opens at six, page %d.%d says.", r.n, i), Op: feed.Added},
				{Text: "The quay is closed.", Op: feed.Removed}}})
	}
	return g
}

func (r *rig) follow() Report {
	r.t.Helper()
	report, err := r.Follower.Follow(r.t.Context())
	must(r.t, err)
	return report
}

// work processes all messages of the queue.
func (r *rig) work() {
	r.t.Helper()
	for {
		got, err := r.Book.queue.Receive(r.t.Context(), 32, time.Minute)
		must(r.t, err)
		if len(got) == 0 {
			return
		}
		for _, m := range got {
			id, err := ParseJob(m.Body)
			must(r.t, err)
			_, err = r.Deliver(r.t.Context(), id)
			must(r.t, err)
			must(r.t, r.Book.queue.Delete(r.t.Context(), m))
		}
	}
}

// pass passes time while the timer and the workers run.
func (r *rig) pass(d time.Duration) {
	r.t.Helper()
	for end := r.now.Add(d); r.now.Before(end); {
		r.now = r.now.Add(30 * time.Second)
		r.follow()
		r.work()
	}
}

// settle passes three hours in a few steps, each longer than the delay of a lost message. A queue with its own clock
// holds retries back; the timer then sends their messages again.
func (r *rig) settle() {
	r.t.Helper()
	for range 6 {
		r.now = r.now.Add(30 * time.Minute)
		r.follow()
		r.work()
	}
}

// told counts the messages to a channel, and the changes in them.
func (r *rig) told(channel string) (messages, changes int) {
	r.t.Helper()
	for _, m := range r.to.got[address(channel)] {
		messages++
		var e struct {
			Type api.EventType `json:"type"`
			Data struct{ Count int }
		}
		must(r.t, json.Unmarshal(m.Body, &e))
		if e.Type == api.EventDigest {
			changes += e.Data.Count
		} else {
			changes++
		}
	}
	return messages, changes
}

func (r *rig) deliveries(state string) []api.Delivery {
	r.t.Helper()
	page, err := r.Deliveries(r.t.Context(), api.DeliveryQuery{State: state, Top: 500})
	must(r.t, err)
	return page.Deliveries
}
