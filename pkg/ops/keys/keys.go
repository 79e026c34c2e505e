// Package keys identifies the sender of a request by a key, which has a name and a scope, or by the session of a
// person who signed in with a key. The store holds nothing that grants access.
//
// A key is "tm_" followed by 130 random bits. It is shown once. The store keeps only its SHA-256; a stronger hash is
// not needed, because the key cannot be guessed. Keys may also come from a file and from the environment, in plain
// text or as their SHA-256. The process holds all keys in memory, by their hashes, and reads them again after at most
// [freshTime]. So keys delay no request, and a stranger who tries many keys causes no storage requests. A key that
// another process removed is refused after at most that time. The process that removes a key refuses it at once.
//
//	Keys   PK key       RK <name>              scope hash created lastUsed
//	       PK session   RK <SHA-256 of token>  key hash created expires
//	       PK link      RK <SHA-256 of token>  key hash created expires
//
// A session is also a row, whose key contains the hash of the session's token. The session ends after [SessionLife],
// or when its key is removed. A link that begins a session, once, is such a row, too.
//
// The time of a key's last use is written at most once per [usedEvery], so most requests cost no write. For keys from
// the file or the environment, each process knows only its own uses.
package keys

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"golang.org/x/sync/semaphore"
)

// Table is the name of the table.
const Table = "Keys"

const (
	// Prefix is the beginning of every key that Tidemark makes. A leaked key can be recognized by it.
	Prefix = "tm_"
	// freshTime is the longest time for which this process may still accept a key that another process removed.
	freshTime = 5 * time.Second
	// most is the largest number of keys of each origin.
	most = 1000

	usedEvery  = time.Hour
	keyRows    = "key"
	nameFormat = `^[a-z0-9][a-z0-9._@-]{0,63}$`
)

// These are the origins of keys.
const (
	Added       = "added"       // the key was made by [Ring.Add]
	File        = "file"        // the key is a line of the key file
	Environment = "environment" // the key comes from the environment setting
)

// Key describes a key.
type Key struct {
	Name     string
	Scope    api.Scope
	Origin   string
	Created  time.Time // zero for keys from the file or the environment
	LastUsed time.Time // accurate to an hour; zero when never used

	hash string
}

// JSON returns the key in the form of the API.
func (k Key) JSON() api.Key {
	return api.Key{Name: k.Name, Scope: k.Scope, Origin: k.Origin, Created: k.Created, LastUsed: k.LastUsed}
}

// JSON returns a list of keys in the form of the API.
func JSON(all []Key) api.Keys {
	out := api.Keys{Keys: make([]api.Key, len(all))}
	for i, k := range all {
		out.Keys[i] = k.JSON()
	}
	return out
}

// An entry is the row of a key.
type entry struct {
	Scope    api.Scope `col:"scope"`
	Hash     string    `col:"hash,must"`
	Created  time.Time `col:"created"`
	LastUsed time.Time `col:"lastUsed"`
}

var entries = row.Of[entry]()

// Options adds keys that are not in the store. All fields are optional.
type Options struct {
	Given []Key  // keys from the environment, as [Parse] returns them
	File  string // path of a file with one key per line, read whenever the rows are read
	Clock func() time.Time
	Log   *slog.Logger
}

// Ring holds all keys and sessions. It is safe for concurrent use.
type Ring struct {
	rows    storage.Table
	o       Options
	reading *semaphore.Weighted // held while the rows are read

	mu      sync.Mutex
	byHash  map[string]Key       // all keys by hash; nil when they must be read again
	read    time.Time            // when byHash was read
	changes int                  // number of changes that this process made
	used    map[string]time.Time // last uses by hash: as written in the row, or as known if the key has no row
}

// New returns the keys in a store, and those of the options.
func New(s storage.Store, o Options) *Ring {
	defaults.Clock(&o.Clock)
	defaults.Log(&o.Log)
	return &Ring{rows: s.Table(Table), o: o, reading: semaphore.NewWeighted(1), used: map[string]time.Time{}}
}

// Create creates the table when it is missing.
func (r *Ring) Create(ctx context.Context) error { return r.rows.Create(ctx) }

var nameOK = regexp.MustCompile(nameFormat)

// checkName refuses a text that cannot be the name of a key.
func checkName(name string) error {
	if !nameOK.MatchString(name) {
		return fault.Field("name", "the name of a key is 1 to 64 of a-z, 0-9, dot, hyphen, underscore and @, a letter or "+
			"digit first")
	}
	return nil
}

// checkScope refuses a text that is not a scope.
func checkScope(scope api.Scope) error {
	if !slices.Contains(api.Scopes, scope) {
		return fault.Field("scope", "scope must be one of %v", api.Scopes)
	}
	return nil
}

// Add creates a key and returns its text, which cannot be read again. Errors: Conflict when the name exists.
func (r *Ring) Add(ctx context.Context, name string, scope api.Scope) (k Key, secret string, err error) {
	if err := cmp.Or(checkName(name), checkScope(scope)); err != nil {
		return k, "", err
	}
	all, err := r.List(ctx)
	if err != nil {
		return k, "", err
	}
	if len(all) >= most {
		return k, "", fault.New(fault.Conflict, "there are %d keys; remove one that is not used", len(all))
	}
	if slices.ContainsFunc(all, func(k Key) bool { return k.Name == name }) {
		return k, "", taken(name)
	}
	secret = Prefix + strings.ToLower(rand.Text())
	e := entry{Scope: scope, Hash: hashOf(secret), Created: r.o.Clock().UTC()}
	_, err = r.rows.Transact(ctx, entries.Put(storage.Key{Partition: keyRows, Row: name}, "", &e))
	if fault.Is(err, fault.Conflict) {
		return k, "", taken(name)
	}
	if err != nil {
		return k, "", err
	}
	r.forget()
	return e.key(name), secret, nil
}

// Machine is the name of the key that a server makes for the commands of its own machine.
const Machine = "this-machine"

// Renew creates an admin's key, in place of one that was added under that name, and returns its text.
func (r *Ring) Renew(ctx context.Context, name string) (secret string, err error) {
	err = storage.DeleteRow(ctx, r.rows, storage.Key{Partition: keyRows, Row: name})
	r.forget()
	if err != nil {
		return "", err
	}
	_, secret, err = r.Add(ctx, name, api.ScopeAdmin)
	return secret, err
}

func taken(name string) error {
	return fault.New(fault.Conflict, "there is a key %q; remove it first, or choose another name", name)
}

func (e entry) key(name string) Key {
	return Key{Name: name, Scope: e.Scope, Origin: Added, Created: e.Created, LastUsed: e.LastUsed, hash: e.Hash}
}

// Remove removes a key and ends the sessions that were begun with it. Errors: NotFound when there is no key of that
// name; Conflict when the key comes from the file or the environment.
func (r *Ring) Remove(ctx context.Context, name string) (Key, error) {
	r.forget()
	all, err := r.List(ctx)
	if err != nil {
		return Key{}, err
	}
	found := slices.IndexFunc(all, func(k Key) bool { return k.Name == name && k.Origin == Added })
	if found < 0 {
		if i := slices.IndexFunc(all, func(k Key) bool { return k.Name == name }); i >= 0 {
			return Key{}, fault.New(fault.Conflict, "the key %q comes from the %s; remove it there", name, all[i].Origin)
		}
		return Key{}, fault.New(fault.NotFound, "there is no key of that name")
	}
	err = storage.DeleteRow(ctx, r.rows, storage.Key{Partition: keyRows, Row: name})
	r.forget()
	return all[found], err
}

// List returns all keys, by name.
func (r *Ring) List(ctx context.Context) ([]Key, error) {
	known, err := r.known(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Key, 0, len(known))
	for hash, k := range known {
		if at := r.used[hash]; at.After(k.LastUsed) {
			k.LastUsed = at
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Origin, b.Origin))
	})
	return out, nil
}

// Find returns the key with the given text, if there is one, and records its use.
func (r *Ring) Find(ctx context.Context, secret string) (Key, bool, error) {
	return r.find(ctx, hashOf(secret))
}

func (r *Ring) find(ctx context.Context, hash string) (Key, bool, error) {
	known, err := r.known(ctx)
	k, found := known[hash]
	if err != nil || !found {
		return Key{}, false, err
	}
	r.noteUse(ctx, k)
	return k, true, nil
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// noteUse writes the time of the key's last use, at most once per [usedEvery]. When the write fails, the key is still
// accepted.
func (r *Ring) noteUse(ctx context.Context, k Key) {
	now := r.o.Clock().UTC()
	r.mu.Lock()
	last := r.used[k.hash]
	if k.LastUsed.After(last) {
		last = k.LastUsed
	}
	due := now.Sub(last) >= usedEvery
	if due {
		r.used[k.hash] = now
	}
	r.mu.Unlock()
	if !due || k.Origin != Added {
		return
	}
	key := storage.Key{Partition: keyRows, Row: k.Name}
	e, etag, err := entries.Load(ctx, r.rows, key)
	if err == nil && e.Hash == k.hash {
		e.LastUsed = now
		_, err = r.rows.Transact(ctx, entries.Put(key, etag, &e))
	}
	if err != nil {
		r.o.Log.WarnContext(ctx, "the last use of a key was not written", "key", k.Name, "err", err)
	}
}

var (
	ownKey  = regexp.MustCompile(Prefix + `[A-Za-z2-7]{26}`)
	inQuery = regexp.MustCompile(`([?&](?i:code|key|t)=)[^&\s"'\\]+`)
)

// redact removes keys from a text: keys that Tidemark made, and the values of the parameters "code", "key" and "t", the
// token of a link, in addresses.
func redact(text string) string {
	return inQuery.ReplaceAllString(ownKey.ReplaceAllString(text, Prefix+"…"), "${1}…")
}

// RedactAttr is redact for [slog.HandlerOptions].
func RedactAttr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(redact(a.Value.String()))
	case slog.KindAny:
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = slog.StringValue(redact(v.Error()))
		case fmt.Stringer:
			a.Value = slog.StringValue(redact(v.String()))
		case []any:
			a.Value = slog.AnyValue(redactAll(v))
		}
	}
	return a
}

// redactAll redacts the texts in a list, and in lists and objects within it.
func redactAll(list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			out[i] = redact(v)
		case []any:
			out[i] = redactAll(v)
		case map[string]any:
			object := map[string]any{}
			for name, value := range v {
				object[name] = redactAll([]any{value})[0]
			}
			out[i] = object
		default:
			out[i] = v
		}
	}
	return out
}
