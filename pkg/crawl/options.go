package crawl

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	opsmemory "github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Asked returns the names of the fields that rules have conditions on, of the rules that are about the page of a
// change. Same reports whether one of these conditions must know of a check that saw the same value as the one before.
// A call may read from the store, so it is made only when a field has changed that readers are not told of. An error
// means that nothing is known; the check is made again.
type Asked func(ctx context.Context, c feed.Change) (fields []string, same bool, err error)

// Options adjust a worker. Schedule and Agent are required; the other fields have defaults.
type Options struct {
	Schedule  schedule.Config
	Agent     string // product token by which robots meta tags address the crawler
	Rules     source.Rules
	Documents *document.Reader         // when nil, a reader with the defaults
	Files     *file.Client             // when nil, files cannot be read
	FileRoot  string                   // the folder of local files, as Files has it
	Room      *opsmemory.Room          // when nil, a room of [opsmemory.DefaultMost]
	Setting   func(name string) string // returns the value of the setting that holds a credential; may be nil
	// Browser renders pages. When nil, none is rendered. RenderTime is the time that a page may take there: with less
	// time left to its lock, an item is given back.
	Browser    Browser
	RenderTime time.Duration
	// Excluded returns why an entry of a list is not registered, or ""; it may be nil.
	Excluded func(source.Source) (why string)
	KeepGone bool // the documents of Gone items stay in the index
	// ReindexOnCanonical makes a check index a page again when only its rel=canonical has changed
	// (FORCE_REINDEX_ON_CANONICAL_CHANGE). A capture records the change either way.
	ReindexOnCanonical bool
	Soft404            bool // workers learn how hosts answer for pages that do not exist
	RunID              string
	Version            lineage.Version // version of the rules for reading texts; [lineage.Current] when empty
	Retention          snapshot.Retention
	Clock              func() time.Time
	Jitter             func() float64
	CommitTime         time.Duration // after this time, the next check that finishes commits; 10 s when zero
	// Behind is the number of checks that may be in progress for each request in flight; 4 when zero. A check waits
	// for storage several times, and meanwhile other checks should use the host.
	Behind int
	// Fetched is called after the commit of items that were fetched for the first time or by force; it may be nil. It
	// returns soon.
	Fetched func(ctx context.Context, items []registry.Item)
	Awaited discover.Awaited // passes pages to the walks that wait for them
	// Asked says what rules ask of the fields of the page of a change. It is nil if there are no rules.
	Asked   Asked
	Started time.Time // when the process started; the time of [New] when zero
	Metrics *telemetry.Metrics
	Log     *slog.Logger
}

func (o Options) withDefaults() Options {
	defaults.Clock(&o.Clock)
	defaults.Jitter(&o.Jitter)
	if o.Metrics == nil {
		o.Metrics = telemetry.New()
	}
	if o.Documents == nil {
		o.Documents = document.New(document.Options{})
	}
	if o.Room == nil {
		o.Room = opsmemory.NewRoom(opsmemory.DefaultMost, fetch.DefaultMaxBytes)
	}
	if o.Fetched == nil {
		o.Fetched = func(context.Context, []registry.Item) {}
	}
	if o.Excluded == nil {
		o.Excluded = func(source.Source) string { return "" }
	}
	if o.Setting == nil {
		o.Setting = func(string) string { return "" }
	}
	o.Version = cmp.Or(o.Version, lineage.Current)
	o.Behind = cmp.Or(o.Behind, 4)
	if o.Started.IsZero() {
		o.Started = o.Clock()
	}
	o.CommitTime = cmp.Or(o.CommitTime, 10*time.Second)
	defaults.Log(&o.Log)
	return o
}
