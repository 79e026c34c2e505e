// Package product runs Tidemark in memory, on a clock that the caller moves, for measurements of what people are told:
// one page, with the product's own schedule, worker, feed, rules and messages. So nothing of the product can change
// without changing what is measured.
package product

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// A Site answers requests for the page. It has the type and the body of the page at a time.
type Site func(at time.Time) (contentType string, body []byte, err error)

// Watched is Tidemark with one page.
type Watched struct {
	now    time.Time
	site   Site
	src    source.Source
	store  storage.Store
	feed   *feed.Feed
	reg    *registry.Registry
	worker *crawl.Worker
	notify *notify.Notifier
	sent   []Message
	asked  int
}

// A Message is what one channel was told of one change.
type Message struct {
	Rule      string
	Title     string
	Change    api.FeedChange
	Differing []feed.Passage // everything that differs, of which the change has a few passages
}

// Of returns the messages of one rule.
func Of(rule string, all []Message) (own []Message) {
	for _, m := range all {
		if m.Rule == rule {
			own = append(own, m)
		}
	}
	return own
}

// New registers a page and checks it for the first time. The jitter spreads checks; it returns numbers in [0,1).
func New(ctx context.Context, address string, settings api.Patch, site Site, at time.Time,
	jitter func() float64) (*Watched, error) {
	w := &Watched{now: at, site: site}
	var err error
	if w.src, err = source.DefaultRules().ParseURL(address); err != nil {
		return nil, err
	}
	w.store = mem.New(w.clock)
	snaps, manifests := snapshot.New(w.store).By(w.clock), index.NewManifests(w.store)
	w.feed = feed.Open(w.store, w.clock)
	w.reg = registry.New(w.store, registry.Options{Feed: w.feed, Clock: w.clock, Jitter: jitter, Sleep: w.sleep,
		Parallel: 1, Politeness: func(string) host.Politeness { return host.Politeness{MaxConcurrent: 1} }})
	w.notify = notify.New(w.store, w.feed, w, notify.Options{Clock: w.clock, Page: notify.PageOf(w.reg.Items)})
	w.worker = w.newWorker(snaps, manifests, jitter)
	for _, create := range []func(context.Context) error{w.reg.Create, snaps.Create, manifests.Create, w.notify.Create} {
		if err := create(ctx); err != nil {
			return nil, err
		}
	}
	got := w.reg.Items.Register(ctx, []source.Source{w.src},
		registry.RegisterOptions{Settings: registry.Settings{Patch: settings}})
	if err := got[0].Err; err != nil {
		return nil, err
	}
	return w, w.Work(ctx)
}

func (w *Watched) newWorker(snaps *snapshot.Store, manifests *index.Manifests, jitter func() float64) *crawl.Worker {
	const agent = "Tidemark"
	pages := crawl.NewPlacement(crawl.PlacementStores{Fields: w.reg.Fields(), Items: w.reg.Items, Aliases: w.reg.Aliases,
		Moves: w.reg.Moves, Snapshots: snaps, Manifests: manifests, Index: search.None{}},
		crawl.PlacementOptions{Clock: w.clock})
	stores := crawl.Stores{Jobs: w.reg.Jobs, Items: w.reg.Items, Hosts: w.reg.Hosts, Moves: w.reg.Moves, Tags: w.reg.Tags,
		Fields: w.reg.Fields(), Snapshots: snaps}
	hosts := politeness.New(w.reg.Hosts, w, politeness.Options{Agent: agent, Strategy: source.ByHost, Clock: w.clock,
		Sleep: w.sleep})
	return crawl.New(stores, hosts, pages, crawl.Options{Behind: 1, Schedule: schedule.Defaults(), Agent: agent,
		Rules: source.DefaultRules(), Clock: w.clock, Jitter: jitter, RunID: "crawl", Asked: w.notify.Asking.Asked})
}

// Rule makes a rule with a channel of the same name, which gets its messages at once. With the zero filter it is the
// rule that the dashboard's form saves, and that of "tidemark rules add NAME --channel NAME": both send a name and a
// channel, and nothing else that nobody has chosen.
func (w *Watched) Rule(ctx context.Context, name string, filter api.RuleFilter) error {
	_, err := w.notify.SaveChannel(ctx, api.ChannelSpec{Name: name,
		ChannelSettings: api.ChannelSettings{Kind: notify.Webhook, URL: "https://" + name + ".example/"}}, true)
	if err == nil {
		_, err = w.notify.SaveRule(ctx, "", api.RuleSpec{Name: name, Filter: filter, Channels: []string{name}})
	}
	return err
}

// Now returns the time of the clock.
func (w *Watched) Now() time.Time { return w.now }

// Due returns the time at which the product checks the page next. A page whose last check failed is an error, because
// nothing can be measured then.
func (w *Watched) Due(ctx context.Context) (time.Time, error) {
	it, err := w.reg.Items.Find(ctx, w.src.ID())
	if err == nil && it.Status == registry.Error {
		err = fmt.Errorf("the check has failed: %s", it.ErrorMessage)
	}
	return it.NextCrawlAt, err
}

// Ask makes the page due, as a person does who wants it checked now.
func (w *Watched) Ask(ctx context.Context) error {
	return w.reg.Items.Register(ctx, []source.Source{w.src}, registry.RegisterOptions{})[0].Err
}

// CheckAt checks the page at a time, whatever its schedule says, and then whenever the schedule says so before the
// next time.
func (w *Watched) CheckAt(ctx context.Context, at, next time.Time) error {
	w.PassTo(at)
	if due, err := w.Due(ctx); err != nil {
		return err
	} else if due.After(w.now) {
		if err := w.Ask(ctx); err != nil {
			return err
		}
	}
	for {
		if err := w.Work(ctx); err != nil {
			return err
		}
		due, err := w.Due(ctx)
		if err != nil || !due.Before(next) {
			return err
		}
		w.PassTo(due)
	}
}

// PassTo moves the clock forward to a time. The clock may be later already.
func (w *Watched) PassTo(at time.Time) {
	if at.After(w.now) {
		w.now = at
	}
}

// Work does what the timers and queues of the product do: it checks the page if it is due, and sends messages.
func (w *Watched) Work(ctx context.Context) error {
	if _, err := w.reg.Jobs.Sweep(ctx); err != nil {
		return err
	}
	err := w.drain(ctx, registry.JobQueue, func(body []byte) error {
		job, err := registry.ParseJob(body)
		if err == nil {
			err = w.worker.Process(ctx, job)
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, err := w.notify.Follower.Follow(ctx); err != nil {
		return err
	}
	return w.drain(ctx, notify.Queue, func(body []byte) error {
		id, err := notify.ParseJob(body)
		if err == nil {
			_, err = w.notify.Worker.Deliver(ctx, id)
		}
		return err
	})
}

// drain handles the messages of a queue until none is visible.
func (w *Watched) drain(ctx context.Context, queue string, handle func([]byte) error) error {
	q := w.store.Queue(queue)
	for {
		got, err := q.Receive(ctx, storage.MaxReceive, time.Hour)
		if err != nil || len(got) == 0 {
			return err
		}
		for _, m := range got {
			if err := handle(m.Body); err != nil {
				return err
			}
			if err := q.Delete(ctx, m); err != nil {
				return err
			}
		}
	}
}

// Messages returns the messages since the last call. A digest does not count: what is gathered is not told at once.
func (w *Watched) Messages() []Message {
	sent := w.sent
	w.sent = nil
	return sent
}

// Asked returns how often the page was requested.
func (w *Watched) Asked() int { return w.asked }

// Send takes the messages of the product.
func (w *Watched) Send(ctx context.Context, _ send.Target, m send.Message) []send.Result {
	if err := w.note(ctx, m); err != nil {
		return []send.Result{{ReceiverAnswer: api.ReceiverAnswer{Error: err.Error()}}}
	}
	return []send.Result{{ReceiverAnswer: api.ReceiverAnswer{OK: true, Status: http.StatusOK}}}
}

func (w *Watched) note(ctx context.Context, m send.Message) error {
	var e api.ChangeEvent
	if err := json.Unmarshal(m.Body, &e); err != nil || e.Type != api.EventChange {
		return err
	}
	c, err := w.feed.At(ctx, e.Data.ID)
	if err == nil {
		c, err = w.feed.WithDifference(ctx, c)
	}
	w.sent = append(w.sent, Message{e.Data.RuleName, m.Title, e.Data.FeedChange, c.Differing()})
	return err
}

// Get answers a request for the page. No other page exists.
func (w *Watched) Get(_ context.Context, r fetch.Request) (fetch.Response, error) {
	if r.URL != w.src.Normalized {
		return fetch.Response{Status: http.StatusNotFound, FinalURL: r.URL}, nil
	}
	w.asked++
	contentType, body, err := w.site(w.now)
	if err != nil {
		return fetch.Response{}, fault.New(fault.Unavailable, "%w", err)
	}
	return fetch.Response{Status: http.StatusOK, FinalURL: r.URL, Header: http.Header{"Content-Type": {contentType}},
		Body: body}, nil
}

// Robots says that the host has no robots.txt.
func (w *Watched) Robots(context.Context, fetch.RobotsRequest) (robots.Reply, error) {
	return robots.Reply{Status: http.StatusNotFound}, nil
}

func (w *Watched) clock() time.Time { return w.now }

// sleep moves the clock and takes no time.
func (w *Watched) sleep(ctx context.Context, d time.Duration) error {
	w.PassTo(w.now.Add(d))
	return ctx.Err()
}

// Every returns the setting of an item that is checked after this time, whatever it does.
func Every(d time.Duration) api.Patch {
	p := api.Patch{}
	p.Set(fmt.Sprintf("%ds", int(d.Seconds())), "interval", "min")
	p.Set(fmt.Sprintf("%ds", int(d.Seconds())), "interval", "max")
	return p
}
