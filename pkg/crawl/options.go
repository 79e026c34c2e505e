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

// Options adjust a worker. Schedule and Agent are needed, the rest has defaults.
type Options struct {
	Schedule  schedule.Config
	Agent     string // product token, which robots meta tags may name
	Rules     source.Rules
	Documents *document.Reader         // one with the defaults when nil
	Files     *file.Client             // without it, files cannot be read
	Room      *opsmemory.Room          // that of [opsmemory.DefaultMost] when nil
	Setting   func(name string) string // where credentials are found; nil: there are none
	KeepGone  bool                     // leave documents of Gone items in the index
	// ReindexOnCanonical indexes a page again whose rel=canonical has changed, though its content
	// has not (FORCE_REINDEX_ON_CANONICAL_CHANGE). A capture records the change either way.
	ReindexOnCanonical bool
	Soft404            bool // ask hosts for pages that do not exist, and know those pages again
	RunID              string
	Version            lineage.Version // of the rules that texts are read under; [lineage.Current] when empty
	Retention          snapshot.Retention
	Clock              func() time.Time
	Jitter             func() float64
	CommitTime         time.Duration // after which the next check that ends brings a commit; 10 s when zero
	// Behind is how many answers may be worked on for each request in flight, 4 when zero: keeping a page waits for
	// storage several times, and the host need not wait with it.
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
