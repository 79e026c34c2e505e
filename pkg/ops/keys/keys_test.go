package keys

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// rig is a store in which several processes have keys, with one clock.
type rig struct {
	now           time.Time
	store         storage.Store
	reads, writes int
	before, after error
	queried       func()
}

func newRig() *rig {
	r := &rig{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	r.store = storagetest.Hooked(mem.New(r.clock), storagetest.Hooks{
		OnBefore: func(_ context.Context, c storagetest.Call) error {
			if c.Op == "table.Transact" {
				r.writes++
			} else {
				r.reads++
			}
			return r.before
		},
		OnAfter: func(_ context.Context, c storagetest.Call, err error) error {
			if c.Op == "table.Transact" {
				return errors.Join(err, r.after)
			}
			if r.queried != nil {
				r.queried()
			}
			return err
		},
	})
	return r
}

func (r *rig) clock() time.Time { return r.now }

func (r *rig) ring(t *testing.T, o Options) *Ring {
	t.Helper()
	o.Clock = r.clock
	k := New(r.store, o)
	must(t, k.Create(t.Context()))
	return k
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func taken1(t *testing.T, r *Ring, secret string) bool {
	t.Helper()
	_, ok, err := r.Find(t.Context(), secret)
	must(t, err)
	return ok
}

// TestL4KeysAreTakenUntilRemoved checks that a key opens only its scope, that its text is nowhere in the store, and
// that it is refused once removed: at once by this process, within seconds by others.
func TestL4KeysAreTakenUntilRemoved(t *testing.T) {
	r := newRig()
	one, other := r.ring(t, Options{}), r.ring(t, Options{})
	if taken1(t, other, "tm_x") {
		t.Error("a key that there is not")
	}
	k, secret, err := one.Add(t.Context(), "anna", api.ScopeWrite)
	must(t, err)
	if len(secret) != len(Prefix)+26 || k.Scope != api.ScopeWrite || !taken1(t, one, secret) {
		t.Errorf("%q %+v", secret, k)
	}
	r.now = r.now.Add(freshTime)
	if !taken1(t, other, secret) || taken1(t, other, secret[1:]) || taken1(t, other, strings.ToUpper(secret)) {
		t.Error("not known by another process")
	}
	for e, err := range r.store.Table(Table).Query(t.Context(), storage.Query{}) {
		must(t, err)
		if strings.Contains(fmt.Sprint(e), secret[len(Prefix):]) {
			t.Errorf("the store has the key: %v", e)
		}
	}
	_, err = one.Remove(t.Context(), "anna")
	must(t, err)
	if taken1(t, one, secret) {
		t.Error("taken where it was removed")
	}
	r.now = r.now.Add(freshTime)
	if taken1(t, other, secret) {
		t.Error("taken elsewhere")
	}
	if _, err := one.Remove(t.Context(), "anna"); !fault.Is(err, fault.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
}

// TestL4RemovedWhileRead checks that a reader does not keep keys that it read before a removal.
func TestL4RemovedWhileRead(t *testing.T) {
	r := newRig()
	one := r.ring(t, Options{})
	_, secret, err := one.Add(t.Context(), "anna", api.ScopeRead)
	must(t, err)
	r.queried = func() {
		r.queried = nil
		_, err := r.store.Table(Table).Transact(t.Context(), storage.Op{Kind: storage.Delete, Entity: storage.Entity{
			Key: storage.Key{Partition: keyRows, Row: "anna"}, ETag: storage.AnyETag}})
		must(t, err)
		one.forget() // as Remove does
	}
	taken1(t, one, secret) // may be accepted: the request came before the removal
	if r.queried != nil || taken1(t, one, secret) {
		t.Error("taken after it was removed")
	}
}

// TestL4WhatKeysCost checks that requests cost no writes, and that guesses cost no storage requests.
func TestL4WhatKeysCost(t *testing.T) {
	r := newRig()
	one := r.ring(t, Options{})
	_, secret, err := one.Add(t.Context(), "anna", api.ScopeRead)
	must(t, err)
	taken1(t, one, secret)
	r.reads, r.writes = 0, 0
	for i := range 1000 {
		taken1(t, one, secret)
		taken1(t, one, fmt.Sprintf("tm_%026d", i))
	}
	if r.reads+r.writes > 0 {
		t.Errorf("%d reads, %d writes", r.reads, r.writes)
	}
	for range 120 {
		r.now = r.now.Add(time.Minute)
		taken1(t, one, secret)
	}
	if r.writes != 2 {
		t.Errorf("%d writes in two hours", r.writes)
	}
	all, err := one.List(t.Context())
	must(t, err)
	if len(all) != 1 || r.now.Sub(all[0].LastUsed) > time.Hour {
		t.Errorf("last used: %+v at %v", all, r.now)
	}
}

// TestL4KeysWithFaults checks that a write whose answer is lost leaves a key that can be removed and created again,
// and that no other key is accepted.
func TestL4KeysWithFaults(t *testing.T) {
	r := newRig()
	one := r.ring(t, Options{})
	lost := fault.New(fault.Unavailable, "lost")
	r.after = lost
	if _, secret, err := one.Add(t.Context(), "anna", api.ScopeRead); err == nil || secret != "" {
		t.Errorf("a key that may not be there: %q, %v", secret, err)
	}
	r.after = nil
	if _, _, err := one.Add(t.Context(), "anna", api.ScopeRead); !fault.Is(err, fault.Conflict) {
		t.Errorf("made again: %v", err)
	}
	_, err := one.Remove(t.Context(), "anna")
	must(t, err)
	_, secret, err := one.Add(t.Context(), "anna", api.ScopeRead)
	must(t, err)
	r.after = lost // removed, but the answer is lost
	if _, err := one.Remove(t.Context(), "anna"); err == nil {
		t.Error("no error")
	}
	r.after = nil
	if taken1(t, one, secret) {
		t.Error("a key that was removed without an answer")
	}
	_, secret, err = one.Add(t.Context(), "berta", api.ScopeRead)
	must(t, err)
	taken1(t, one, secret)
	r.now, r.before = r.now.Add(freshTime), lost
	if _, ok, err := one.Find(t.Context(), secret); ok || !fault.Is(err, fault.Unavailable) {
		t.Errorf("without a store: %v %v", ok, err)
	}
	if _, ok, err := one.Find(t.Context(), "tm_x"); ok || !fault.Is(err, fault.Unavailable) {
		t.Errorf("a guess without a store: %v %v", ok, err)
	}
	r.before = nil
	r.now, r.after = r.now.Add(2*time.Hour), lost // the write of its last use is lost
	if !taken1(t, one, secret) {
		t.Error("a key is refused because its last use could not be written")
	}
}

// TestL4KeysFromElsewhere checks that keys of the environment and of a file are accepted, are listed with their
// origin, and cannot be removed here. A file that cannot be read grants no access.
func TestL4KeysFromElsewhere(t *testing.T) {
	const environmentKey = "e8Rx0aS3nY5wC7oU9qM2tE4gk6"
	r, log := newRig(), &bytes.Buffer{}
	file := filepath.Join(t.TempDir(), "keys")
	secret := "s7Qw9zR2mX4vB6nT8pL1sD3f"
	must(t, os.WriteFile(file, []byte("# ours\nfeeds feed sha256:"+hashOf(secret)+"\n"), 0o600))
	given, err := Parse("ci write "+environmentKey, Environment)
	must(t, err)
	one := r.ring(t, Options{Given: given, File: file, Log: slog.New(slog.NewTextHandler(log, nil))})
	if k, ok, err := one.Find(t.Context(), secret); !ok || k.Scope != api.ScopeFeed || k.Origin != File || err != nil {
		t.Errorf("%+v %v %v", k, ok, err)
	}
	if !taken1(t, one, environmentKey) {
		t.Error("that of the environment")
	}
	if _, err := one.Remove(t.Context(), "ci"); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "environment") {
		t.Errorf("removed: %v", err)
	}
	if _, _, err := one.Add(t.Context(), "feeds", api.ScopeRead); !fault.Is(err, fault.Conflict) {
		t.Errorf("the same name: %v", err)
	}
	must(t, os.WriteFile(file, []byte("feeds feed"), 0o600))
	r.now = r.now.Add(freshTime)
	if taken1(t, one, secret) || !strings.Contains(log.String(), "API_KEYS_FILE") {
		t.Errorf("taken from a file that cannot be read: %s", log)
	}
}

// TestL4BadLists checks that a bad list of keys is refused with an error that names the position and does not contain
// the key.
func TestL4BadLists(t *testing.T) {
	long := "k7Qw9zR2mX4vB6nT8pL1sD3f"
	for text, want := range map[string]string{
		"a read short": "24 to 256", "a read " + strings.Repeat("k", 257): "24 to 256", "a root " + long: "scope must be",
		"A read " + long: "the name of a key", "a read": "want NAME SCOPE KEY", "a read " + long + " more": "want NAME",
		"a read " + long + "\na read " + long: "twice", "a read sha256:12": "64 hexadecimal",
		"ok read " + long + "; bad x":              "key 2",
		"a read " + strings.Repeat("k", minSecret): "guessed", "a read abcabcabcabcabcabcabcabcabc": "guessed", // X18
		"a read 012345678901234567890123": "guessed", "a read abcdefghijklmnopqrstuvwxyz": "guessed",
		"a read my-long-Password-of-2026!": "guessed", "a read 111122223333444455556666": "guessed",
	} {
		_, err := Parse(text, File)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), long) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func FuzzL4Parse(f *testing.F) {
	f.Add("a read k7Qw9zR2mX4vB6nT8pL1sD3f"+"\n# x\nb feed sha256:"+strings.Repeat("0", 64), "x")
	f.Fuzz(func(t *testing.T, text, guess string) {
		all, err := Parse(text, File)
		if err != nil && all != nil {
			t.Errorf("keys and an error: %v", err)
		}
		for _, k := range all {
			if checkName(k.Name) != nil || checkScope(k.Scope) != nil || !digest.MatchString(k.hash) {
				t.Errorf("%+v", k)
			}
			if k.hash == hashOf(guess) && !strings.Contains(text, guess) && !strings.Contains(text, k.hash) {
				t.Errorf("%q opens", guess)
			}
		}
	})
}

// TestL4Sessions checks that a session is found only by its token, ends after its time, and is then removed.
func TestL4Sessions(t *testing.T) {
	r := newRig()
	one := r.ring(t, Options{})
	_, secret, err := one.Add(t.Context(), "anna", api.ScopeRead)
	must(t, err)
	anna, found, err := one.Find(t.Context(), secret)
	if !found || err != nil {
		t.Fatalf("%v %v", found, err)
	}
	token, err := one.SignIn(t.Context(), anna)
	must(t, err)
	if k, found, err := one.Session(t.Context(), token); !found || k.Name != "anna" || err != nil {
		t.Errorf("%+v %v %v", k, found, err)
	}
	for _, bad := range []string{"", "x", strings.Repeat("a", 26), hashOf(token), secret, token + "a"} {
		if _, found, err := one.Session(t.Context(), bad); found || err != nil {
			t.Errorf("%q: %v %v", bad, found, err)
		}
	}
	r.now = r.now.Add(SessionLife)
	if _, found, err := one.Session(t.Context(), token); found || err != nil {
		t.Errorf("after its time: %v %v", found, err)
	}
	_, err = one.SignIn(t.Context(), anna)
	must(t, err)
	rows := 0
	for _, err := range r.store.Table(Table).Query(t.Context(), storage.Query{Partition: sessionRows}) {
		must(t, err)
		rows++
	}
	if rows != 1 {
		t.Errorf("%d rows of sessions", rows)
	}
}

// TestL4Limiter checks that wrong tries are counted by address, in bounded memory, and expire.
func TestL4Limiter(t *testing.T) {
	var l Limiter
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	use := func(address string) (n int) {
		for l.Wait(now, address) == 0 && n < 100 {
			l.Failed(now, address)
			n++
		}
		return n
	}
	if n := use("192.0.2.1"); n != tries {
		t.Errorf("%d tries", n)
	}
	if l.Failed(now, "192.0.2.1") {
		t.Error("one more is worth a line")
	}
	if l.Wait(now, "::ffff:192.0.2.1") == 0 || l.Wait(now, "192.0.2.2") > 0 {
		t.Error("one address is another")
	}
	now = now.Add(3 * tryAgain)
	if n := use("192.0.2.1"); n != 3 {
		t.Errorf("%d tries after a while", n)
	}
	use("2001:db8::1")
	if l.Wait(now, "2001:db8::2") == 0 || l.Wait(now, "2001:db8:0:1::1") > 0 {
		t.Error("networks of IPv6")
	}
	for i := range 3 * maxAddresses {
		l.Failed(now, fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255))
	}
	if len(l.of) > maxAddresses+1 {
		t.Errorf("%d addresses are kept", len(l.of))
	}
	now = now.Add(time.Hour)
	if l.Failed(now, "198.51.100.1"); len(l.of) > 2 {
		t.Errorf("%d addresses are kept for ever", len(l.of))
	}
}

// TestL4Redact checks that a key in a log line is not written.
func TestL4Redact(t *testing.T) {
	key := Prefix + strings.Repeat("a2", 13)
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: RedactAttr}))
	log.Info("got "+key, "url", "https://a.example/feed?x=1&key="+key+"&code=secret&y=2", "err",
		errors.New("Get http://a.example/?CODE=secret: refused"), "group", slog.GroupValue(slog.String("k", key)))
	if said := out.String(); strings.Contains(said, key) || strings.Contains(said, "secret") ||
		!strings.Contains(said, "y=2") || !strings.Contains(said, "x=1") {
		t.Error(said)
	}
	if !slices.Equal([]string{redact("monkey=tall")}, []string{"monkey=tall"}) {
		t.Error("a word that is none")
	}
}

// TestX18RandomKeys checks that keys that a generator makes are never taken for guessable ones (X18).
func TestX18RandomKeys(t *testing.T) {
	for range 20_000 {
		b := make([]byte, 20)
		rand.Read(b)
		for _, secret := range []string{hex.EncodeToString(b)[:minSecret], hex.EncodeToString(b),
			base64.StdEncoding.EncodeToString(b), rand.Text()} {
			if isGuessable(secret) {
				t.Fatalf("%s is refused", secret)
			}
		}
	}
}

// TestL9Links checks that a link begins one session, within its time, for the holder of a key that still exists, and
// that reading it uses nothing up.
func TestL9Links(t *testing.T) {
	r := newRig()
	one, other := r.ring(t, Options{}), r.ring(t, Options{})
	link := func(name string) (Key, string) {
		_, secret, err := one.Add(t.Context(), name, api.ScopeAdmin)
		must(t, err)
		k, _, err := one.Find(t.Context(), secret)
		must(t, err)
		token, err := one.Link(t.Context(), k)
		must(t, err)
		return k, token
	}
	use := func(ring *Ring, token string) string {
		_, session, found, err := ring.UseLink(t.Context(), token)
		if err != nil || found != (session != "") {
			t.Errorf("%v %q %v", found, session, err)
		}
		return session
	}
	_, token := link("anna")
	for range 3 {
		if k, found, err := other.Linked(t.Context(), token); !found || k.Name != "anna" || err != nil {
			t.Fatalf("%+v %v %v", k, found, err)
		}
	}
	if _, found, _ := one.Session(t.Context(), token); found {
		t.Error("the token of a link is taken for one of a session")
	}
	session := use(other, token)
	if k, found, err := one.Session(t.Context(), session); !found || k.Name != "anna" || err != nil {
		t.Errorf("the session: %+v %v %v", k, found, err)
	}
	if _, found, err := one.Linked(t.Context(), token); use(one, token) != "" || found || err != nil {
		t.Errorf("a used link: %v %v", found, err)
	}
	_, token = link("berta")
	r.now = r.now.Add(LinkLife)
	if use(one, token) != "" {
		t.Error("an old link is taken")
	}
	_, token = link("carla")
	_, err := one.Remove(t.Context(), "carla")
	must(t, err)
	if use(one, token) != "" {
		t.Error("the link of a removed key is taken")
	}
}

// TestL9LinkIsUsedOnce checks that of many who use a link at once, one begins a session.
func TestL9LinkIsUsedOnce(t *testing.T) {
	r := newRig()
	one := r.ring(t, Options{})
	_, secret, err := one.Add(t.Context(), "anna", api.ScopeAdmin)
	must(t, err)
	k, _, err := one.Find(t.Context(), secret)
	must(t, err)
	token, err := one.Link(t.Context(), k)
	must(t, err)
	r.queried = func() { // another process is quicker
		r.queried = nil
		if _, _, found, err := one.UseLink(t.Context(), token); !found || err != nil {
			t.Errorf("the quicker one: %v %v", found, err)
		}
	}
	if _, _, found, err := one.UseLink(t.Context(), token); found || err != nil {
		t.Errorf("a second session: %v %v", found, err)
	}
}

// TestL9Renew checks that an admin's key takes the place of the one before, which then opens nothing.
func TestL9Renew(t *testing.T) {
	one := newRig().ring(t, Options{})
	first, err := one.Renew(t.Context(), Machine)
	must(t, err)
	second, err := one.Renew(t.Context(), Machine)
	must(t, err)
	if _, found, err := one.Find(t.Context(), first); found || err != nil {
		t.Errorf("the first: %v %v", found, err)
	}
	if k, found, err := one.Find(t.Context(), second); !found || k.Scope != api.ScopeAdmin || err != nil {
		t.Errorf("the second: %+v %v %v", k, found, err)
	}
	if all, err := one.List(t.Context()); len(all) != 1 || err != nil {
		t.Errorf("%+v %v", all, err)
	}
}
