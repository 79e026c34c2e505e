package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Names of what is kept.
const (
	Table       = "Notifications"
	Queue       = "deliveries"
	PoisonQueue = Queue + "-poison"
)

const (
	lostAfter  = 5 * time.Minute // how long a message may be late until it is taken for lost
	sendLease  = time.Minute     // longer than a send takes
	perChannel = 2
	// Keep is how long deliveries stay that were sent or have failed.
	Keep = 30 * 24 * time.Hour
)

// Sender brings messages to receivers.
type Sender interface {
	Send(ctx context.Context, to send.Target, m send.Message) send.Result
}

// Options adjust a notifier.
type Options struct {
	File    File                     // rules and channels that are kept in a file
	Setting func(name string) string // secrets
	Source  string                   // what events say that they are from; /tidemark if empty
	Clock   func() time.Time
	Token   func() string // makes ids of rules
	Log     *slog.Logger
	Metrics *telemetry.Metrics // new ones when nil
}

// base is what all parts of a notifier work with.
type base struct {
	rows   storage.Table
	queue  storage.Queue
	poison storage.Queue
	feed   *feed.Feed
	sender Sender
	o      Options
}

// Book knows the rules and the channels.
type Book struct{ *base }

// Follower decides who is told.
type Follower struct {
	*base

	book *Book
}

// Worker tells.
type Worker struct {
	*base

	book *Book
	mu   sync.Mutex
	busy map[string]int // messages under way to a channel
}

// Notifier tells of changes. All of it is safe for concurrent use by any number of processes.
type Notifier struct {
	*Book

	Follower *Follower
	Worker   *Worker
}

// New makes a notifier.
func New(store storage.Store, changes *feed.Feed, sender Sender, o Options) *Notifier {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	if o.Source == "" {
		o.Source = "/tidemark"
	}
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	if o.Setting == nil {
		o.Setting = func(string) string { return "" }
	}
	b := &base{rows: store.Table(Table), queue: store.Queue(Queue), poison: store.Queue(PoisonQueue), feed: changes,
		sender: sender, o: o}
	book := &Book{b}
	return &Notifier{book, &Follower{b, book}, &Worker{base: b, book: book, busy: map[string]int{}}}
}

// Create makes what is missing of the store.
func (s *Notifier) Create(ctx context.Context) error {
	if err := s.rows.Create(ctx); err != nil {
		return err
	}
	if err := s.queue.Create(ctx); err != nil {
		return err
	}
	return s.poison.Create(ctx)
}

// now is the time as rows know it.
func (s *base) now() time.Time { return s.o.Clock().UTC().Truncate(time.Millisecond) }
