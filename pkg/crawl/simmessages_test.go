package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/storage"
)

// simMessages is the receiver of the only channel of a simulation.
type simMessages struct {
	mu   sync.Mutex
	sent map[string]int // number of times by the id of the message
	all  []simMessage   // each once
	made int
}

// simMessage reports the changes after one position in the feed, up to another.
type simMessage struct {
	id        string
	one       bool // it is about a single change
	after, to feed.Position
}

// Send implements [notify.Sender].
func (m *simMessages) Send(_ context.Context, _ send.Target, sent send.Message) []send.Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sent[sent.ID]++; m.sent[sent.ID] == 1 {
		var event struct {
			Type api.EventType
			Data struct{ ID, Since, Last string }
		}
		err := json.Unmarshal(sent.Body, &event)
		is := simMessage{id: sent.ID, one: event.Type == api.EventChange}
		if is.one {
			event.Data.Last = event.Data.ID
		} else {
			is.after, _ = feed.ParsePosition(event.Data.Since)
		}
		is.to, _ = feed.ParsePosition(event.Data.Last)
		if err == nil {
			m.all = append(m.all, is)
		}
	}
	return []send.Result{{ReceiverAnswer: api.ReceiverAnswer{OK: true, Status: 200}}}
}

// over returns a notifier of a process that sends to the receiver.
func (m *simMessages) over(store storage.Store, changes *feed.Feed, clock func() time.Time) *notify.Notifier {
	return notify.New(store, changes, m, notify.Options{Clock: clock, Token: func() string {
		m.made++
		return fmt.Sprint("rule", m.made)
	}})
}

// TestSimulationOfMessages checks K14: in any order of events, and whatever dies between the commit of a change and its
// message, each change that a rule wants is in one message, never in two. Without faults no message is sent twice, and
// messages leave without the timer.
func TestSimulationOfMessages(t *testing.T) {
	for name, open := range map[string]opener{"mem": openMem, "embedded": openEmbedded} {
		runs := *simRuns / 4
		if name == "embedded" {
			runs = max(1, runs/10)
		}
		for i := range runs {
			seed := uint64(i) + 1
			if *simSeed != 0 {
				seed = *simSeed
			}
			if !t.Run(fmt.Sprint(name, "/", seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { simulateMessages(t, open, seed) })
			}) {
				t.Fatalf("repeat with: go test ./pkg/crawl -run TestSimulationOfMessages -sim.seed %d", seed)
			}
		}
	}
}

func simulateMessages(t *testing.T, open opener, seed uint64) {
	s := newSim(t, open, seed)
	s.messages = &simMessages{sent: map[string]int{}}
	book := s.messages.over(s.store, feed.Open(s.store, s.clock), s.clock)
	must(t, book.Create(t.Context()))
	_, err := book.SaveChannel(t.Context(), api.ChannelSpec{Name: "ops", ChannelSettings: api.ChannelSettings{
		Kind: notify.Webhook, URL: "https://ops.example/"}}, true)
	must(t, err)
	_, err = book.SaveRule(t.Context(), "", api.RuleSpec{Name: "all", Channels: []string{"ops"}})
	must(t, err)
	s.faults = seed%4 != 0
	s.restart(simProcesses)
	s.spawns = func() {
		switch n := s.rng.IntN(8); {
		case n == 0 && s.faults:
			s.spawn("follow", s.follow)
		case n == 1:
			s.spawn("deliver", s.deliver)
		default:
			s.spawnAny()
		}
	}
	s.disturbed()
	s.settle()
	if !s.faults {
		s.deliverAll()
		s.checkPrompt()
	}
	s.faults, s.mixed = false, false
	s.restart(simProcesses)
	for minute := range 200 { // longer than a claim lasts, or changes are gathered
		s.pass(time.Minute)
		if minute < 60 {
			s.spawn("sweep", s.sweep)
			s.settle()
			s.drain()
		} else if minute == 60 {
			_, err := s.reg.Hosts.Recount(t.Context())
			must(t, err)
		}
		s.spawn("follow", s.follow)
		s.settle()
		s.deliverAll()
	}
	s.checkMessages(seed%4 == 0)
	s.report(seed)
}

// follow does what the timer does each minute.
func (s *sim) follow(ctx context.Context) {
	if _, err := actorOf(ctx).told.Follower.Follow(ctx); err != nil && !s.faults && !actorOf(ctx).dead {
		s.fail("following failed without a fault: %v", err)
	}
}

// deliver does what the host and a worker do with one message of the queue. It reports whether there was one.
func (s *sim) deliver(ctx context.Context) {
	a, q := actorOf(ctx), s.store.Queue(notify.Queue)
	got, err := q.Receive(context.Background(), 1, time.Minute)
	must(s.t, err)
	if len(got) == 0 {
		return
	}
	id, err := notify.ParseJob(got[0].Body)
	must(s.t, err)
	if _, err = a.told.Worker.Deliver(ctx, id); err == nil && !a.dead {
		must(s.t, q.Delete(context.Background(), got[0]))
	}
}

// deliverAll runs workers until no message is visible.
func (s *sim) deliverAll() {
	q := s.store.Queue(notify.Queue)
	for i := 0; s.problem == ""; i++ {
		got, err := q.Receive(context.Background(), 1, time.Second)
		must(s.t, err)
		if len(got) == 0 {
			return
		}
		_, err = q.Extend(context.Background(), got[0], 0)
		must(s.t, err)
		s.spawn("deliver", s.deliver)
		if s.settle(); i > 2000 {
			s.fail("the deliveries do not come to an end")
		}
	}
}

// wanted lists the positions of the changes that the rule wants.
func (s *sim) wanted() (all []feed.Position) {
	f, err := feed.NewFilter(api.ChangeFilter{})
	must(s.t, err)
	for c, err := range feed.Open(s.store, s.latest).Oldest(context.Background(), feed.Position{}) {
		must(s.t, err)
		if f.Wants(c) && !c.ForConditions() {
			all = append(all, c.Position)
		}
	}
	return all
}

// checkPrompt checks that messages have left though no timer ran.
func (s *sim) checkPrompt() {
	if n := len(s.wanted()); n > 0 && len(s.messages.all) == 0 {
		s.fail("none of %d changes was reported without the timer", n)
	}
}

// checkMessages checks that each change that the rule wants is in one message. If nothing failed, each message was sent
// once.
func (s *sim) checkMessages(once bool) {
	for _, at := range s.wanted() {
		var in []string
		for _, m := range s.messages.all {
			if m.one && m.to == at || !m.one && at.After(m.after) && !at.After(m.to) {
				in = append(in, m.id)
			}
		}
		if len(in) != 1 {
			s.fail("the change %s is in the messages %q", at, in)
		}
	}
	for id, n := range s.messages.sent {
		if once && n > 1 {
			s.fail("the message %s was sent %d times", id, n)
		}
	}
}
