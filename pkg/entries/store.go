package entries

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"log/slog"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"golang.org/x/sync/errgroup"
)

// Schema is one of two separate sets of entries (spec 001).
type Schema string

// The two schemas.
const (
	Production Schema = "pkm"
	Testing    Schema = "pkm_test"
)

// Schemas lists both schemas. Workers process both, whether the test mode is on or off.
var Schemas = []Schema{Production, Testing}

// tableOf contains the names of the tables of each schema.
var tableOf = map[Schema]struct{ entries, policies string }{
	Production: {"Entries", "Policies"},
	Testing:    {"EntriesTest", "PoliciesTest"},
}

const configTable = "RuntimeConfig"

// Tables lists the tables of a store.
func Tables() []string {
	out := []string{configTable}
	for _, schema := range Schemas {
		out = append(out, tableOf[schema].policies, tableOf[schema].entries)
	}
	return out
}

// Options adjust a store. The zero value works.
type Options struct {
	Clock func() time.Time                           // returns the time; the wall clock when nil
	Token func() string                              // returns unique tokens: 26 of a-z and 2-7; crypto/rand when nil
	Sleep func(context.Context, time.Duration) error // waits on the wall clock when nil
	Links *registry.Items                            // registers the pages of links (D10); if nil, they are not registered
	Rules source.Rules                               // rules for the URLs of links
	Index Index                                      // has the entries of production; if nil, they are not searched
	Feed  *feed.Feed                                 // receives the changes of these entries; nil: not published
	// Vectors adds vectors to the chunks of these entries. If it is nil, the chunks have no vectors.
	Vectors Embedder
	Log     *slog.Logger // discarded when nil
}

// Store keeps the entries of both schemas. It is safe for concurrent use by any number of processes.
type Store struct {
	store storage.Store
	mode  mode
	o     Options
}

// New opens the entries of a store. It sends no request; see [Store.Create].
func New(store storage.Store, o Options) *Store {
	defaults.Clock(&o.Clock)
	if o.Token == nil {
		o.Token = newToken
	}
	defaults.Sleep(&o.Sleep)
	defaults.Log(&o.Log)
	return &Store{store: store, mode: mode{rows: store.Table(configTable)}, o: o}
}

func newToken() string { return strings.ToLower(rand.Text()[:26]) }

// namedToken returns the token for a name. It is always the same for a name, and different for every other name.
func namedToken(name string) string {
	sum := sha256.Sum256([]byte(name))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// Create makes the tables and the policies that are missing, in both schemas.
func (s *Store) Create(ctx context.Context) error {
	for _, name := range Tables() {
		if err := s.store.Table(name).Create(ctx); err != nil {
			return err
		}
	}
	for _, schema := range Schemas {
		if err := s.In(schema).policies.seed(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Session is the work of one caller in one schema. It reads each policy once. It is safe for concurrent use.
type Session struct {
	Schema   Schema
	s        *Store
	entries  storage.Table
	outbox   outbox
	policies *policies
}

// In opens a session in a schema.
func (s *Store) In(schema Schema) *Session {
	names := tableOf[schema]
	entries := s.store.Table(names.entries)
	return &Session{
		Schema: schema, s: s, entries: entries, outbox: outbox{entries, schema == Production, s.o.Feed, s.o.Clock},
		policies: &policies{rows: s.store.Table(names.policies), known: map[string]Policy{}},
	}
}

// Active opens a session in the schema that the test mode selects.
func (s *Store) Active(ctx context.Context) (*Session, error) {
	testing, err := s.TestMode(ctx)
	if err != nil {
		return nil, err
	}
	if testing {
		return s.In(Testing), nil
	}
	return s.In(Production), nil
}

// Policies lists the policies of the schema by key.
func (s *Session) Policies(ctx context.Context) ([]Policy, error) { return s.policies.all(ctx) }

// SavePolicy writes a new or existing policy, and returns it with its id. The last writer wins. The policy applies to
// entries that are sent afterwards. Errors: Invalid, with the name of a column.
func (s *Session) SavePolicy(ctx context.Context, p Policy) (Policy, error) {
	p.ID, p.Revision = policyID(p.Key), 0
	if err := p.check(); err != nil {
		return Policy{}, err
	}
	if err := entry.CheckUpdateFields(p.Key, p.UpdateFields); err != nil {
		return Policy{}, err
	}
	if p.Source == "" {
		return Policy{}, fault.Field("source", "source of %s is missing: what the entries come from", p.Key)
	}
	s.policies.forget(p.Key)
	return p, s.s.retry(ctx, func(int) error { return s.policies.save(ctx, p) })
}

// retry runs fn, and runs it again as long as it returns errRaced. The argument of fn is the number of earlier runs.
// The first retry is immediate, because an insert that finds an existing entry has not lost a race. Later retries
// wait longer and longer. Errors: Throttled after many lost races in a row.
func (s *Store) retry(ctx context.Context, fn func(try int) error) error {
	const tries = 60
	for try := range tries {
		err := fn(try)
		if !errors.Is(err, errRaced) {
			return err
		}
		if try == 0 {
			continue
		}
		wait := time.Duration((0.5 + mathrand.Float64()) * float64(int64(5*time.Millisecond)<<min(try, 6)))
		if err := s.o.Sleep(ctx, wait); err != nil {
			return fault.New(fault.Unavailable, "waiting for other writers: %w", err)
		}
	}
	return fault.After(2*time.Second, "too many writers at once: gave up after %d conflicts", tries)
}

// Get reads an entry. Errors: NotFound when the schema has no entry of that id.
func (s *Session) Get(ctx context.Context, id string) (entry.Fields, error) {
	r, err := s.load(ctx, id)
	return r.fields, err
}

func (s *Session) load(ctx context.Context, id string) (row, error) {
	key, err := keyOf(id)
	if err != nil {
		return row{}, err
	}
	e, err := s.entries.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return row{}, fault.New(fault.NotFound, "no entry has the id %s", id)
	}
	if err != nil {
		return row{}, err
	}
	return rowOf(e)
}

// linkMethod is the discoveryMethod of pages that entries link to.
const linkMethod = "ENTRY"

// registerPage registers the page that a link leads to, so that the page is crawled (D10). This must happen before
// the entry is stored. If there is a crash in between, the page has no entry, and sending the entry again repairs
// that. A known page costs two reads and keeps its schedule. Links in entries of the schema for tests are not
// registered, nor are links to a host that has reached its limit of items.
func (s *Session) registerPage(ctx context.Context, f entry.Fields) error {
	raw := f.Text("url_canonical")
	raw = cmp.Or(raw, f.Text("url"))
	links := s.s.o.Links
	if links == nil || raw == "" || s.Schema != Production || f.Text("idempotency_policy_key") != entry.TelegramLink {
		return nil
	}
	page, err := s.s.o.Rules.ParseURL(raw)
	if err != nil {
		return fault.Field("url", "%w", err)
	}
	_, err = links.Find(ctx, page.ID())
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	o := registry.RegisterOptions{Method: linkMethod, Forms: source.Forms{}}
	o.Forms.Note(page, raw, s.s.o.Rules)
	err = links.Register(ctx, []source.Source{page}, o)[0].Err
	if registry.IsItemLimit(err) {
		return nil // the entry is stored although its page is not registered
	}
	return err
}

// tier1Pending is the status of an entry that is waiting for a model. Writing this status needs no flush, because
// another status always follows.
const tier1Pending = "pending"

// Revision identifies the state of an entry that was read.
type Revision string

// Read reads an entry with its revision. Errors: NotFound when the schema has no entry of that id.
func (s *Session) Read(ctx context.Context, id string) (entry.Fields, Revision, error) {
	r, err := s.load(ctx, id)
	return r.fields, Revision(r.etag), err
}

// Describe writes columns of tier 1 to an entry that has not changed since it was read. The value "" empties a
// column. The index has the new values after the next [Store.FlushOutbox]. Errors: Conflict if anything in the entry
// has changed since it was read; NotFound if the entry no longer exists; Invalid if there is a column that does not
// belong to tier 1.
func (s *Session) Describe(ctx context.Context, id string, read Revision, columns entry.Fields) error {
	key, err := keyOf(id)
	if err != nil {
		return err
	}
	for name := range columns {
		if !slices.Contains(entry.Tier1Columns, name) {
			return fault.Field(name, "%s is no column of tier 1", name)
		}
	}
	op := storage.Op{
		Kind:   storage.Merge,
		Entity: storage.Entity{Key: key, ETag: storage.ETag(read), Props: storage.Properties(columns)},
	}
	if columns.Text("tier1_status") == tier1Pending {
		_, err = s.entries.Transact(ctx, op)
		return err
	}
	return s.s.retry(ctx, func(int) error {
		_, err := s.outbox.commit(ctx, key, 0, news{}, op)
		return err
	})
}

// atOnce is the number of entries of one call that are inserted concurrently.
const atOnce = 8

// Item is an entry to insert. If the item has a name, the entry is inserted under that name ([Session.insertNamed]).
type Item struct {
	Name   string
	Fields entry.Fields
}

// InsertEach inserts entries, several concurrently. Items that share a key are inserted one after another, in their
// order; other items do not wait. InsertEach calls done with the result of each item, as [Session.Insert] returns it.
// The function done must be safe for concurrent calls. If done returns an error, InsertEach cancels the context of
// the items in progress, skips those that have not begun, and returns the first such error.
func (s *Session) InsertEach(ctx context.Context, items []Item, done func(i int, res Result, err error) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var g errgroup.Group
	g.SetLimit(atOnce)
	latest := map[entry.Keys]<-chan struct{}{} // one item at a time per key
	for i, item := range items {
		through := make(chan struct{})
		var earlier []<-chan struct{}
		for _, key := range entry.KeysOf(item.Fields).Each() {
			if c, shared := latest[key]; shared {
				earlier = append(earlier, c)
			}
			latest[key] = through
		}
		g.Go(func() error {
			defer close(through)
			for _, c := range earlier {
				<-c // an item waits only for items that began earlier, so no two items wait for each other
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			res, err := s.insertAs(ctx, item.token(), item.Fields, len(earlier) > 0)
			if err = done(i, res, err); err != nil {
				stop(err) // stop before an item that shares a key begins, because it would overtake this item
			}
			return err
		})
	}
	return g.Wait()
}

func (i Item) token() string {
	if i.Name == "" {
		return ""
	}
	return namedToken(i.Name)
}
