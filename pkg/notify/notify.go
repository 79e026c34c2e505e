package notify

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify/send"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/undo"
)

// Names of the table and its partitions.
const (
	Table       = "Notifications"
	Queue       = "deliveries"
	PoisonQueue = Queue + "-poison"
)

const (
	lostAfter  = 5 * time.Minute // delay after which a message counts as lost
	sendLease  = time.Minute     // longer than a worker needs to send a delivery
	perChannel = 2
	// keepTime is how long sent and failed deliveries are kept.
	keepTime = 30 * 24 * time.Hour
)

// Sender sends messages to receivers. It returns a result for each receiver of the target that the message is for.
type Sender interface {
	Send(ctx context.Context, to send.Target, m send.Message) []send.Result
}

// File is the rules and channels of a file.
type File struct {
	name     string
	rules    []rule
	channels []channel
}

// Options adjust a notifier.
type Options struct {
	File    File                     // the rules and channels from the settings file
	Setting func(name string) string // returns the value of a setting, to read secrets
	Keys    *secrets.Keys            // encrypt the secrets of channels; nil for none
	// Admit checks whether messages may be sent to addresses. Errors: Blocked if not. It is nil if they may always be.
	Admit  func(ctx context.Context, to ...send.Address) error
	Source string // source attribute of the events; /tidemark when empty
	Clock  func() time.Time
	Token  func() string // makes the ids of rules
	// Page finds the page of a rule for one page. If it is nil, such rules are not checked, and their page is not named.
	Page func(ctx context.Context, id string) (Page, error)
	// AskFields requests the present values of the fields of a page for a rule that is about to be stored. It may be nil.
	AskFields func(ctx context.Context, item source.ID, rule string) error
	// Pages passes the facts of the pages that a rule may be for, see [PagesOf]. If it is nil, all pages count as such on
	// which rules can fire. Entries reports whether there are entries; if it is nil, there are none.
	Pages   func(ctx context.Context, f api.RuleFilter, see func(Facts) bool) (whole bool, err error)
	Entries func(ctx context.Context) (bool, error)
	// Demand writes how often rules want an item to be checked, and moves its next check. DemandAll begins a run that does
	// so for all items of a host or with a tag, or of both, and returns its id. Both may be nil.
	Demand    func(ctx context.Context, item source.ID, by registry.DemandFinder) error
	DemandAll func(ctx context.Context, f registry.Filter) (run string, err error)
	Home      HomeAddress // the address at which people reach the installation; its rows are set by [New]
	Undo      *undo.Log   // takes back what people do; nothing is taken back when nil
	Log       *slog.Logger
	Metrics   *telemetry.Metrics // new ones when nil
}

// base is what all parts of a notifier share.
type base struct {
	rows   storage.Table
	queue  storage.Queue
	poison storage.Queue
	feed   *feed.Feed
	sender Sender
	o      Options
}

// Book manages the rules and the channels.
type Book struct {
	*base

	compiled recent.Map[string, rule] // stored rules, by their ids
	resolver resolver
	Mutes    Mutes
	Asking   Asking
}

// Follower decides which channels are notified of which changes.
type Follower struct {
	*base

	book   *Book
	prompt prompt
}

// Worker sends deliveries.
type Worker struct {
	*base

	book *Book
	mu   sync.Mutex
	busy map[string]int // messages in flight, by channel

	stuck telemetry.Repeated // failed attempts, by channel
}

// Notifier notifies of changes. All parts of it are safe for concurrent use by any number of processes.
type Notifier struct {
	*Book

	Follower *Follower
	Worker   *Worker
	Links    MuteLinks
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
	o.Home.Rows = store.Table(Table)
	b := &base{rows: store.Table(Table), queue: store.Queue(Queue), poison: store.Queue(PoisonQueue), feed: changes,
		sender: sender, o: o}
	book := &Book{base: b, resolver: resolver{&b.o}, Mutes: Mutes{b.rows, o.Undo}}
	book.Asking = Asking{book: book, using: make(chan struct{}, 1)}
	follower := &Follower{base: b, book: book, prompt: prompt{stepping: make(chan struct{}, 1)}}
	return &Notifier{book, follower, &Worker{base: b, book: book, busy: map[string]int{}}, MuteLinks{book}}
}

// now returns the time in whole milliseconds, like times in rows.
func (s *base) now() time.Time { return s.o.Clock().UTC().Truncate(time.Millisecond) }

// prompt is what a process knows of the steps that it makes at once.
type prompt struct {
	asked     atomic.Int64                  // number of steps that were asked for
	stepping  chan struct{}                 // has a token while somebody makes a step
	served    int64                         // how many of them the last step has served
	gathering recent.Map[string, time.Time] // until when rules gather all changes, by their ids
}
