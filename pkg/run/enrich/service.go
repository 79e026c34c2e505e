package enrich

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// Models are the language models and the routes to them. If the model for batches or for single entries is not set,
// that kind of enrichment is off.
type Models struct {
	Chat    llm.Chatter
	Batches llm.Batcher
	Default string // T1_DEFAULT_MODEL
	Batch   string // T1_BATCH_MODEL
}

// Options adjust a service.
type Options struct {
	Schemas []string         // schemas of the entries; [Service.Advance] works on all of them
	Clock   func() time.Time // the wall clock when nil
	Token   func() string    // makes ids of batches unique; crypto/rand when nil
	Log     *slog.Logger     // discarded when nil
}

// Service enriches entries. It is safe for concurrent use by any number of processes.
type Service struct {
	entries Entries
	models  Models
	batches map[string]*run.Runs[Batch] // by schema; a timer advances them
	o       Options

	one      *graph[single]
	schedule *graph[sending]
	collect  *graph[collecting]
}

// New returns the service for the batches of a store. It makes no request; see [Service.Create].
func New(store storage.Store, entries Entries, models Models, o Options) *Service {
	run.Defaults(&o.Clock, &o.Token, &o.Log)
	s := &Service{entries: entries, models: models, batches: map[string]*run.Runs[Batch]{}, o: o}
	for _, schema := range o.Schemas {
		s.batches[schema] = &run.Runs[Batch]{
			Kind: "batch", Table: store.Table(tableOf(schema)), Partition: partition, MaxActive: maxActive, CheckID: checkID,
			Row: row.Of[Batch](), Fields: fields, Clock: o.Clock, Log: o.Log,
		}
	}
	s.one, s.schedule, s.collect = asker{s}.graph(), sender{s}.graph(), collector{s}.graph()
	return s
}

// tableOf returns the name of a schema's table. For the schema pkm_test it is Tier1BatchesPkmTest.
func tableOf(schema string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(schema, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return "Tier1Batches" + b.String()
}

// Tables lists the tables with the batches of these schemas.
func Tables(schemas []string) (names []string) {
	for _, schema := range schemas {
		names = append(names, tableOf(schema))
	}
	return names
}

// Create creates the tables that are missing.
func (s *Service) Create(ctx context.Context) error {
	for _, schema := range s.o.Schemas {
		if err := s.batches[schema].Create(ctx); err != nil {
			return err
		}
	}
	return nil
}

// in returns the batches of a schema. Errors: Invalid for an unknown schema.
func (s *Service) in(schema string) (*run.Runs[Batch], error) {
	runs, ok := s.batches[schema]
	if !ok {
		return nil, fault.Field("schema", "there is no schema %.40q", schema)
	}
	return runs, nil
}

func (s *Service) now() time.Time { return s.o.Clock().UTC() }

// on returns an error if a setting that chooses a model has no value. Enrichment with that model is then off.
func on(setting, value string) error {
	if value == "" {
		return fault.New(fault.Blocked, "enrichment is off here: set %s, and OPENAI_BASE_URL to the service that knows it",
			setting)
	}
	return nil
}
