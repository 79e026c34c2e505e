package rebuild

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
)

// State is how far a run is.
type State string

// The states of a run, in order.
const (
	Marking  State = "marking"  // items are being asked to be indexed anew
	Entering State = "entries"  // of a run of everything: entries are being put into the index
	Clearing State = "clearing" // of an audit: pages that have no item or entry are being removed
	Indexing State = "indexing" // all have been asked, some still wait
	Counting State = "counting" // none waits; what became of them is being added up
	Done     State = "done"
)

// Run is one rebuild.
type Run struct {
	ID string
	Scope
	Reason    string // why it began by itself; empty when somebody asked
	State     State
	Items     int // walked over so far
	Marked    int // of these, asked to be indexed anew
	Indexed   int // of these, in the index when the run was through; the next two likewise
	KeptOut   int // excluded, gone or duplicates
	Failed    int
	Entries   int       // walked over so far, and in the index or owed to it
	Mended    int       // of these, by an audit: those that the index held otherwise than it should
	Removed   int       // by an audit: pages that had no item or entry
	Findings  []Finding // of an audit: the first [MaxFindings]
	StartedAt time.Time
	UpdatedAt time.Time // when the last step was done
	EndedAt   time.Time // zero while it goes on

	Cursor registry.Cursor // where the next step begins
	Step   int64           // of the next message

	etag storage.ETag
}

// MaxFindings is how many differences a run remembers.
const MaxFindings = 50

// Finding is one difference that an audit found, and had repaired.
type Finding struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

const (
	partition    = "rebuild"
	activePrefix = "active|"
)

func rowKey(id string) storage.Key { return storage.Key{Partition: partition, Row: id} }

func activeKey(id string) storage.Key { return rowKey(activePrefix + id) }

func (r *Run) entity() storage.Entity {
	cursor, _ := json.Marshal(r.Cursor) // strings always encode
	findings, _ := json.Marshal(r.Findings)
	return storage.Entity{Key: rowKey(r.ID), ETag: r.etag, Props: storage.Properties{
		"host": r.Host, "force": r.Force, "refetch": r.Refetch, "audit": r.Audit, "reason": r.Reason, "state": string(r.State),
		"items": int64(r.Items), "marked": int64(r.Marked),
		"indexed": int64(r.Indexed), "keptOut": int64(r.KeptOut), "failed": int64(r.Failed), "removed": int64(r.Removed), "entries": int64(r.Entries), "mended": int64(r.Mended),
		"findings": string(findings), "cursor": string(cursor), "step": r.Step,
		"startedAt": storage.FormatTime(r.StartedAt), "updatedAt": storage.FormatTime(r.UpdatedAt), "endedAt": storage.FormatTime(r.EndedAt),
	}}
}

func runOf(e storage.Entity) Run {
	text := func(name string) string { s, _ := e.Props[name].(string); return s }
	number := func(name string) int64 { n, _ := e.Props[name].(int64); return n }
	flag := func(name string) bool { b, _ := e.Props[name].(bool); return b }
	r := Run{
		ID: e.Row, Scope: Scope{Host: text("host"), Force: flag("force"), Refetch: flag("refetch"), Audit: flag("audit")},
		Reason: text("reason"), State: State(text("state")), Items: int(number("items")), Marked: int(number("marked")),
		Indexed: int(number("indexed")), KeptOut: int(number("keptOut")), Failed: int(number("failed")), Removed: int(number("removed")), Entries: int(number("entries")), Mended: int(number("mended")),
		StartedAt: storage.ParseTime(text("startedAt")), UpdatedAt: storage.ParseTime(text("updatedAt")), EndedAt: storage.ParseTime(text("endedAt")),
		Step: number("step"), etag: e.ETag,
	}
	_ = json.Unmarshal([]byte(text("findings")), &r.Findings)
	_ = json.Unmarshal([]byte(text("cursor")), &r.Cursor) // damaged: the walk begins anew, which marks nothing twice
	return r
}

// Get reads a run; NotFound if there is none.
func (s *Service) Get(ctx context.Context, id string) (Run, error) {
	if err := storage.CheckKey(rowKey(id)); err != nil || id == "" || strings.HasPrefix(id, activePrefix) {
		return Run{}, fault.Field("id", "%.100q is not the id of a run", id)
	}
	e, err := s.rows.Get(ctx, rowKey(id))
	if fault.Is(err, fault.NotFound) {
		return Run{}, fault.New(fault.NotFound, "no rebuild has the id %s", id)
	}
	if err != nil {
		return Run{}, err
	}
	return runOf(e), nil
}

// Active lists the runs that go on, oldest first as far as their ids tell.
func (s *Service) Active(ctx context.Context) ([]Run, error) {
	ids, err := s.activeIDs(ctx)
	var runs []Run
	for _, id := range ids {
		run, err := s.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, err
}

func (s *Service) activeIDs(ctx context.Context) ([]string, error) {
	var ids []string
	q := storage.Query{Partition: partition, RowFrom: activePrefix, RowTo: "active}"}
	for e, err := range s.rows.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, strings.TrimPrefix(e.Row, activePrefix))
	}
	return ids, nil
}

// Left counts the items that still wait, exactly while nobody writes. Runs that overlap wait for
// each other's.
func (s *Service) Left(ctx context.Context, run Run) (left int, err error) {
	if run.State == Done || run.State == Counting {
		return 0, nil
	}
	for from, end := "", false; !end; {
		var n int
		if n, from, end, err = s.reg.Rebuilding(ctx, run.Host, from); err != nil {
			return 0, err
		}
		left += n
	}
	return left, nil
}

// write stores a run as it now is; Conflict when another process did so before. One that is done is
// no longer listed.
func (s *Service) write(ctx context.Context, run *Run) error {
	ops := []storage.Op{{Kind: storage.Replace, Entity: run.entity()}}
	if run.State == Done {
		ops = append(ops, storage.Op{Kind: storage.Delete, Entity: storage.Entity{Key: activeKey(run.ID), ETag: storage.AnyETag}})
	}
	_, err := s.rows.Transact(ctx, ops...)
	return err
}
