package crawl

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	opsmemory "github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/document"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Options adjust a worker. Schedule and Agent are required; the other fields have defaults.
type Options struct {
	Schedule  schedule.Config
	Agent     string // product token that robots meta tags may name
	Rules     source.Rules
	Documents *document.Reader         // when nil, one with the defaults
	Files     *file.Client             // when nil, files cannot be read
	Room      *opsmemory.Room          // when nil, one of [opsmemory.DefaultMost]
	Setting   func(name string) string // returns the setting with a credential; nil when there are no credentials
	KeepGone  bool                     // keep documents of Gone items in the index
	// ReindexOnCanonical indexes a page again when only its rel=canonical has changed
	// (FORCE_REINDEX_ON_CANONICAL_CHANGE). A capture records the change either way.
	ReindexOnCanonical bool
	Soft404            bool // request pages that do not exist from hosts, to recognize such pages later
	RunID              string
	Version            lineage.Version // version of the rules for reading texts; [lineage.Current] when empty
	Retention          snapshot.Retention
	Clock              func() time.Time
	Jitter             func() float64
	CommitTime         time.Duration // once it has passed, the next finished check commits; 10 s when zero
	// Behind is how many checks may be in progress for each request in flight; 4 when zero. A check waits for storage
	// several times, and the host should not wait with it.
	Behind  int
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
	if o.Setting == nil {
		o.Setting = func(string) string { return "" }
	}
	if o.Version == "" {
		o.Version = lineage.Current
	}
	o.Behind = cmp.Or(o.Behind, 4)
	if o.CommitTime == 0 {
		o.CommitTime = 10 * time.Second
	}
	defaults.Log(&o.Log)
	return o
}
