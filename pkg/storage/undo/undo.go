// Package undo takes back what people did. It promises two things: an action that is taken back puts back exactly
// what it changed, and what was changed meanwhile is not overwritten.
//
//	Runs  PK undo  RK <when it is over>-<token>  what was done to whom, and each setting before and after it
//
// A record is written before its action takes effect, so that there is no action without one. If the process dies in
// between, or the action fails, everything is as it was before, and there is nothing to take back: [Back] says so.
//
// Everything is compared and put back field by field, as JSON. The package that keeps something also takes back what
// was done to it, since each write there has its own rules; this package keeps the records and compares.
package undo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Kind is what an action was done to.
type Kind string

// The kinds.
const (
	Item    Kind = "item"    // the settings of an item
	Removal Kind = "removal" // an item that is to be removed
	Tag     Kind = "tag"
	Rule    Kind = "rule"
	Mute    Kind = "mute"
	Reader  Kind = "reader" // what somebody has read
	Bulk    Kind = "bulk"   // many items
)

// How long actions can be taken back.
const (
	// Long is for settings, rules and mutes.
	Long = 30 * 24 * time.Hour
	// Short is for what somebody has read, of which every reading has a record.
	Short = 24 * time.Hour
	// Removed is for removals, which wait as long.
	Removed = 15 * time.Minute
)

const partition = "undo"

// Record is one action.
type Record struct {
	ID      string
	Kind    Kind      `col:"kind"`
	Subject string    `col:"subject"` // the id or name of what was changed
	By      string    `col:"by"`      // the name of the key of who did it
	At      time.Time `col:"at"`
	Over    time.Time `col:"over"` // when it was taken back; zero if it was not
	Was     []byte    `col:"was,gzip"`
	Is      []byte    `col:"is,gzip"`

	etag storage.ETag
}

var rows = row.Of[Record]()

// Log keeps the records. A nil Log keeps none. It is safe for concurrent use by any number of processes.
type Log struct {
	// Token makes the last part of an id, of lower-case letters and digits.
	Token func() string

	rows  storage.Table
	clock func() time.Time
}

// New returns the log of a store. The table of runs must be there.
func New(store storage.Store, clock func() time.Time) *Log {
	token := func() string { return strings.ToLower(rand.Text()[:13]) }
	return &Log{token, store.Table(snapshot.RunsTable), clock}
}

// Begin returns the record of an action that is about to be done, which is stored by [Log.Keep]. The action can be
// taken back for the given time.
func (l *Log) Begin(kind Kind, subject, by string, keep time.Duration) *Record {
	if l == nil {
		return nil
	}
	now := l.clock().UTC().Truncate(time.Second)
	id := fmt.Sprintf("%010x-%s", now.Add(keep).Unix(), l.Token())
	return &Record{ID: id, Kind: kind, Subject: subject, By: by, At: now}
}

// Keep stores a record before its action takes effect, with what differs between two values of one type: before the
// action, and after it. If nothing differs, it stores nothing. It may be repeated with other values.
func (l *Log) Keep(ctx context.Context, r *Record, before, after any) error {
	if r == nil {
		return nil
	}
	was, is, err := differ(before, after)
	if err != nil || len(is) == 0 {
		return err
	}
	r.Was, r.Is = row.JSON(was), row.JSON(is)
	_, err = l.rows.Transact(ctx, storage.Op{Kind: storage.Upsert,
		Entity: storage.Entity{Key: key(r.ID), Props: rows.Encode(r)}})
	return err
}

// Ref returns how an answer refers to the record; nil if none was kept.
func (r *Record) Ref() *api.Undo {
	if r == nil || r.Is == nil {
		return nil
	}
	return &api.Undo{ID: r.ID, Until: untilOf(r.ID)}
}

// Until returns when the record can be taken back no more, on whatever machine's clock; zero if none was kept.
func (r *Record) Until() time.Time {
	if r == nil || r.Is == nil {
		return time.Time{}
	}
	return untilOf(r.ID).Add(time.Minute)
}

// Ref returns how an answer refers to the record with an id; nil if it can be taken back no more.
func (l *Log) Ref(id string) *api.Undo {
	until := untilOf(id)
	if l == nil || !l.clock().Before(until) {
		return nil
	}
	return &api.Undo{ID: id, Until: until}
}

func key(id string) storage.Key { return storage.Key{Partition: partition, Row: id} }

// untilOf returns when a record is over; zero if the id is not one.
func untilOf(id string) time.Time {
	text, _, _ := strings.Cut(id, "-")
	seconds, err := strconv.ParseInt(text, 16, 64)
	if err != nil || len(text) != 10 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// Find returns a record that can be taken back. Errors: NotFound; Expired; Conflict if it was taken back already.
func (l *Log) Find(ctx context.Context, id string) (r Record, err error) {
	until := untilOf(id)
	if until.IsZero() || storage.CheckKey(key(id)) != nil {
		return r, fault.New(fault.NotFound, "there is no undo %.60q", id)
	}
	if !l.clock().Before(until) {
		return r, fault.New(fault.Expired, "this can be taken back no more: the time for it was over at %s",
			until.Format(time.RFC3339))
	}
	r, r.etag, err = rows.Load(ctx, l.rows, key(id))
	switch r.ID = id; {
	case err != nil:
		return r, err
	case r.etag == "":
		return r, fault.New(fault.NotFound, "there is no undo %.60q", id)
	case !r.Over.IsZero():
		return r, fault.New(fault.Conflict, "this was taken back already, at %s", r.Over.Format(time.RFC3339))
	}
	return r, nil
}

// Finish notes that a record was taken back.
func (l *Log) Finish(ctx context.Context, r Record) error {
	r.Over = l.clock()
	_, err := l.rows.Transact(ctx, rows.Put(key(r.ID), r.etag, &r))
	if fault.Lost(err) {
		return nil // somebody else has taken it back, too
	}
	return err
}

// Sweep removes the records that are over, and returns their number.
func (l *Log) Sweep(ctx context.Context) (removed int, err error) {
	if l == nil {
		return 0, nil
	}
	query := storage.Query{Partition: partition, RowTo: fmt.Sprintf("%010x", l.clock().Unix()), Select: []string{"kind"}}
	var ops []storage.Op
	for e, err := range l.rows.Query(ctx, query) {
		if err != nil {
			return 0, err
		}
		ops = append(ops, storage.DeleteOp(e.Key, storage.AnyETag))
	}
	return len(ops), storage.TransactAll(ctx, l.rows, ops)
}

// errNothing says that a record has nothing to take back.
func errNothing() error {
	return fault.New(fault.Conflict, "there is nothing to take back: everything is as it was before already")
}

// Back puts back, in a value, what an action changed of it. Errors: Conflict, which names what was changed meanwhile,
// or if nothing is to be put back; the value is then as it was.
func Back[T any](r *Record, value *T) error {
	now, err := document(value)
	if err != nil {
		return err
	}
	was, err := api.ParsePatch(r.Was)
	if err != nil {
		return err
	}
	is, err := api.ParsePatch(r.Is)
	if err != nil {
		return err
	}
	c := comparison{}
	c.compare("", now, was, is)
	switch {
	case len(c.changed) > 0:
		slices.Sort(c.changed)
		return fault.New(fault.Conflict, "nothing is taken back, because this was changed meanwhile: %s",
			strings.Join(c.changed, ", "))
	case !c.differs:
		return errNothing()
	}
	if err := withoutEmpty(now, was).Apply(value); err != nil {
		return err
	}
	form.Tidy(value)
	return nil
}

// withoutEmpty returns a patch that removes the objects of a document in which it leaves nothing.
func withoutEmpty(now, patch api.Patch) api.Patch {
	out := api.Patch{}
	for name, value := range patch {
		out[name] = value
		inner, isObject := object(value)
		if !isObject {
			continue
		}
		has, _ := object(now[name])
		inner = withoutEmpty(has, inner)
		out[name] = inner
		sets := func(name string) bool { value, named := inner[name]; return !named || value != nil }
		names := slices.Concat(slices.Collect(maps.Keys(has)), slices.Collect(maps.Keys(inner)))
		if !slices.ContainsFunc(names, sets) {
			out[name] = nil
		}
	}
	return out
}

// Unfit returns an error of taking something back. What was put back, and what was changed meanwhile, may not be valid
// together: then that is a Conflict.
func Unfit(err error) error {
	if fault.Is(err, fault.Invalid) {
		err = fault.New(fault.Conflict, "nothing is taken back, because it does not go together with what was changed "+
			"meanwhile: %w", err)
	}
	return err
}

// comparison is what stands in the way of putting something back.
type comparison struct {
	changed []string // paths of what is neither as before the action nor as after it
	differs bool     // something is not as before
}

func (c *comparison) compare(path string, now, was, is api.Patch) {
	for name := range is {
		at := strings.TrimPrefix(path+"."+name, ".")
		inWas, both := object(was[name])
		inIs, isObject := object(is[name])
		inNow, isNow := object(now[name])
		switch {
		case both && isObject && (isNow || now[name] == nil):
			c.compare(at, inNow, inWas, inIs)
		case same(now[name], was[name]):
		case same(now[name], is[name]):
			c.differs = true
		default:
			c.changed = append(c.changed, called(at))
		}
	}
}

// called returns what people call a setting.
func called(path string) string {
	for rest := path; rest != ""; _, rest, _ = strings.Cut(rest, ".") {
		if label := form.Label(rest); label != "" {
			return label
		}
	}
	if around, name, ok := cutLast(path); ok {
		return fmt.Sprintf("%s %q", called(around), name)
	}
	return path
}

func cutLast(path string) (around, name string, ok bool) {
	at := strings.LastIndex(path, ".")
	return path[:max(at, 0)], path[at+1:], at >= 0
}

func object(value any) (api.Patch, bool) {
	switch o := value.(type) {
	case api.Patch:
		return o, true
	case map[string]any:
		return o, true
	}
	return nil, false
}

func same(a, b any) bool { return bytes.Equal(row.JSON(a), row.JSON(b)) }

// differ returns what differs between two values, as it is in each: null where it is not set.
func differ(before, after any) (was, is api.Patch, err error) {
	from, err := document(before)
	if err != nil {
		return nil, nil, err
	}
	to, err := document(after)
	if err != nil {
		return nil, nil, err
	}
	was, is = between(from, to)
	return was, is, nil
}

// between is differ of two documents. Of objects it returns what differs in them; one that is not set is empty.
func between(from, to api.Patch) (was, is api.Patch) {
	was, is = api.Patch{}, api.Patch{}
	names := maps.Clone(from)
	if names == nil {
		names = api.Patch{}
	}
	maps.Copy(names, to)
	for name := range names {
		a, b := from[name], to[name]
		inA, isA := object(a)
		inB, isB := object(b)
		switch {
		case same(a, b):
		case (isA || a == nil) && (isB || b == nil):
			was[name], is[name] = between(inA, inB)
		default:
			was[name], is[name] = a, b
		}
	}
	return was, is
}

func document(value any) (api.Patch, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return api.ParsePatch(text)
}
