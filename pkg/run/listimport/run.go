// Package listimport registers the addresses of a list that a user uploads (a feed reader's OPML, a browser's
// bookmarks, CSV or JSON Lines). It registers each address once, with its folders as tags. It reports which addresses
// it refused, with the reasons. An import continues after any crash.
//
// An import is a row of the table of imports; the row contains the list. A step registers some addresses and records
// its position. A step whose process died is repeated. The items that the first attempt registered are then
// recognized by the time when they were first seen, and count as new. The messages of imports share the queue of mail
// imports. The worker of that queue recognizes them by the id of the run, and passes them to this package.
package listimport

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	partition = "lists"
	idPrefix  = "list-"
	idLayout  = "20060102t150405z" // ids sort by time

	// perStep is the number of addresses that are registered before the position is written, unless options set
	// another number.
	perStep = 500
	// MaxActive limits the number of active imports; further imports are refused.
	MaxActive = 20
	// MaxRefused limits the number of refused addresses that an import lists. All refused addresses are counted.
	MaxRefused = 100
	// maxList limits the size of a stored list, in bytes. A list is stored in one row.
	maxList = 600 << 10
	stalled = 3 * time.Minute
	// stepTime is how long a worker performs steps before it sends the next message.
	stepTime = 25 * time.Second
)

// Import is a list that is being registered.
type Import struct {
	ID       string
	Format   string    `col:"format"`
	List     []Address `col:"list,gzip"`
	Total    int       `col:"total"`
	Next     int       `col:"next"` // index into List; all addresses before it are done
	Added    int       `col:"added"`
	Known    int       `col:"known"`
	Refused  int       `col:"refused"`
	Refusals []Address `col:"refusals,bytes"` // the first [MaxRefused] refused addresses
	Warning  string    `col:"warning"`        // what is not as one may expect of the addresses

	StartedAt time.Time `col:"startedAt"`
	UpdatedAt time.Time `col:"updatedAt"`
	EndedAt   time.Time `col:"endedAt"` // zero while the import is active
	Step      int64     `col:"step"`

	etag storage.ETag
}

// Over reports whether an import has ended.
func (im *Import) Over() bool { return !im.EndedAt.IsZero() }

// Registry is the part of [registry.Items] that imports need.
type Registry interface {
	Register(ctx context.Context, sources []source.Source, o registry.RegisterOptions) []registry.Registered
}

// Options adjust a service.
type Options struct {
	// Parse returns the source of an address. Its error is the reason for refusing the address.
	Parse func(address string) (source.Source, error)
	Rules source.Rules     // the trackers, which are left out of requests
	Step  int              // addresses per step; 500 when zero
	Clock func() time.Time // the wall clock when nil
	Token func() string    // makes ids unique; crypto/rand when nil
	Log   *slog.Logger     // discarded when nil
}

// Service starts and advances imports. It is safe for concurrent use by any number of processes.
type Service struct {
	runs  run.Runs[Import]
	items Registry
	o     Options
}

// New returns the service for the imports of a store. It makes no request; [mailimport.Service.Create] creates the
// table and the queue.
func New(store storage.Store, items Registry, o Options) *Service {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	o.Step = cmp.Or(o.Step, perStep)
	return &Service{items: items, o: o, runs: run.Runs[Import]{
		Kind: "import", Table: store.Table(mailimport.Table), Partition: partition,
		Messages:  run.Messages{Queue: store.Queue(mailimport.Queue), RunName: "import", NumName: "turn"},
		MaxActive: MaxActive, Stalled: stalled, Row: row.Of[Import](),
		CheckID: run.CheckID(partition, idPrefix, "id", "an import of a list"),
		Fields: func(im *Import) run.Fields {
			return run.Fields{ID: &im.ID, Over: im.Over(), Step: &im.Step, UpdatedAt: &im.UpdatedAt, ETag: &im.etag}
		},
		Clock: o.Clock, Log: o.Log,
	}}
}

// Start begins the import of a list. When Start returns, the import is durable. Errors: Invalid, with the name of a
// field; Conflict while [MaxActive] imports are active.
func (s *Service) Start(ctx context.Context, text []byte, format Format) (Import, error) {
	if format == "" {
		format = detectFormat(text)
	}
	all, err := parse(text, format)
	if err != nil {
		return Import{}, err
	}
	packed, err := json.Marshal(all)
	if err == nil && len(row.Gzip(packed)) > maxList {
		err = fault.Field("content", "the list is too long to be kept: import it in parts")
	}
	if err == nil {
		err = s.runs.CheckRoom(ctx)
	}
	if err != nil {
		return Import{}, err
	}
	now := s.runs.Now()
	im := Import{ID: idPrefix + now.Format(idLayout) + "-" + s.o.Token(), Format: string(format), List: all,
		Total: len(all), Warning: warningOf(all), StartedAt: now, UpdatedAt: now}
	return im, s.runs.Begin(ctx, &im)
}

// warningOf says how many addresses have a route, and what becomes of the first one.
func warningOf(all []Address) (warning string) {
	n := 0
	for _, a := range all {
		if of := source.RouteWarning(a.URL); of != "" && a.Why == "" {
			n, warning = n+1, cmp.Or(warning, of)
		}
	}
	if n > 1 {
		warning += fmt.Sprintf("; this holds for %s addresses of the list", words.Thousands(n))
	}
	return warning
}

// Advance performs steps of an import for about the given duration, and returns the new state of the import. After
// that, messages of the queue continue the import.
func (s *Service) Advance(ctx context.Context, im Import, long time.Duration) (Import, error) {
	err := s.runs.Interrupted(ctx, &im, s.runs.Advance(ctx, &im, long, s.step))
	return im, err
}

// Owns reports whether a message of the queue belongs to one of these imports.
func (s *Service) Owns(body []byte) bool {
	m, err := s.runs.Messages.Parse(body)
	return err == nil && strings.HasPrefix(m.Run, idPrefix)
}

// Step performs the step that a message asks for, and sends the next message.
func (s *Service) Step(ctx context.Context, body []byte) error {
	return s.runs.Step(ctx, body, stepTime, s.step)
}

// Get reads an import. Errors: NotFound; Invalid for a malformed id.
func (s *Service) Get(ctx context.Context, id string) (Import, error) { return s.runs.Get(ctx, id) }

// RequeueStalled sends the messages of stalled imports again, and returns their number.
func (s *Service) RequeueStalled(ctx context.Context) (int, error) { return s.runs.RequeueStalled(ctx) }

// step registers some addresses.
func (s *Service) step(ctx context.Context, im *Import) (run.Next, error) {
	some := im.List[min(im.Next, len(im.List)):min(im.Next+s.o.Step, len(im.List))]
	after := *im
	after.Refusals = slices.Clone(im.Refusals)
	sources, of, tags := s.sources(some, &after)
	forms := source.Forms{}
	for i, src := range sources {
		forms.Note(src, of[i].URL, s.o.Rules)
	}
	seen := map[source.ID]bool{}
	o := registry.RegisterOptions{NewOnly: true, Tags: tags, Forms: forms}
	for i, got := range s.items.Register(ctx, sources, o) {
		switch id := sources[i].ID(); {
		case registry.IsItemLimit(got.Err):
			after.refuse(of[i], "not registered: "+got.Err.Error())
		case got.Err != nil:
			return run.Next{}, got.Err
		case !seen[id] && (got.Created || !got.Item.FirstSeen.Before(im.StartedAt)):
			after.Added++
			seen[id] = true
		default:
			after.Known++
		}
	}
	if after.Next += len(some); after.Next >= after.Total {
		after.EndedAt, after.List = s.runs.Now(), nil
	}
	*im = after
	return run.Next{}, nil
}

// sources returns the sources of addresses, and the tags for new items. An item gets the tags of all addresses that
// lead to its source. An address that is not a source is refused.
func (s *Service) sources(some []Address, im *Import) (all []source.Source, of []Address,
	tags func(source.Source) []string) {
	folders := map[source.ID][]string{}
	for _, a := range some {
		if a.Why != "" {
			im.refuse(a, a.Why)
			continue
		}
		src, err := s.o.Parse(a.URL)
		if err != nil {
			im.refuse(a, err.Error())
			continue
		}
		all, of = append(all, src), append(of, a)
		folders[src.ID()] = append(folders[src.ID()], a.Tags...)
	}
	return all, of, func(src source.Source) []string { return options.TagsLike(folders[src.ID()]) }
}

func (im *Import) refuse(a Address, why string) {
	if im.Refused++; len(im.Refusals) < MaxRefused {
		im.Refusals = append(im.Refusals, Address{URL: a.URL, Why: why})
	}
}
