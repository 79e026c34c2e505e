// Package foldertest makes data folders for tests, with fakes of the services that would use them. It is useless
// outside of tests.
package foldertest

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
)

// FreePort returns a port that nothing listens on.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Embedded returns the settings for the embedded store of a data folder.
func Embedded(data string) map[string]string {
	return map[string]string{"STORAGE": "embedded", "TIDEMARK_DATA": data}
}

// open opens the embedded store of a data folder.
func open(t testing.TB, data string) storage.Store {
	t.Helper()
	store, err := app.OpenStore(func(n string) string { return Embedded(data)[n] }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Empty makes a data folder with an empty embedded store.
func Empty(t testing.TB) (data string) {
	t.Helper()
	data = t.TempDir()
	if err := open(t, data).Close(); err != nil {
		t.Fatal(err)
	}
	return data
}

// WithItem makes a data folder whose embedded store has all tables, one item, https://a.example/, and one snapshot.
func WithItem(t testing.TB, capturedAt time.Time) (data string) {
	t.Helper()
	data = t.TempDir()
	s := open(t, data)
	defer s.Close()
	reg, snaps := registry.New(s, registry.Options{}), snapshot.New(s)
	if err := errors.Join(reg.Create(t.Context()), snaps.Create(t.Context()),
		entries.New(s, entries.Options{}).Create(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(enrich.Tables(enrich.Schemas()), mailimport.Table, backfill.Table, activity.Table,
		feed.Table, keys.Table, notify.Table) {
		if err := s.Table(name).Create(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	src, err := source.DefaultRules().ParseURL("https://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	if err := reg.Items.Register(t.Context(), []source.Source{src}, registry.RegisterOptions{})[0].Err; err != nil {
		t.Fatal(err)
	}
	body := []byte("hello")
	if _, err := snaps.Save(t.Context(), snapshot.Capture{ItemID: src.ID(), RawHash: snapshot.Hash(body),
		CapturedAt: capturedAt}, body, snapshot.Had{}); err != nil {
		t.Fatal(err)
	}
	return data
}

// Marked makes a data folder whose store has a marker, and so many blobs that copying the store takes a moment.
func Marked(t testing.TB, mark string) (data string) {
	t.Helper()
	data = t.TempDir()
	s, err := sqlitestore.Open(app.StoreFolder(data), sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	blobs := s.Container("marks")
	if err := blobs.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{mark}, strings.Split("abcdefghij", "")...) {
		if _, err := blobs.Put(t.Context(), name, storage.Blob{Body: bytes.Repeat([]byte(mark), 50_000)}); err != nil {
			t.Fatal(err)
		}
	}
	Write(t, filepath.Join(data, "index.db"), "index of "+mark)
	return data
}

// ContentOf returns the marker of a store. It reads every blob of the store.
func ContentOf(t testing.TB, store string) (mark string) {
	t.Helper()
	s, err := sqlitestore.Open(store, sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	for name, err := range s.Container("marks").List(t.Context(), "") {
		if err == nil {
			_, err = s.Container("marks").Get(t.Context(), name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if n++; len(name) > 1 {
			mark = name
		}
	}
	if n != 11 {
		t.Errorf("%s has %d of 11 blobs", store, n)
	}
	return mark
}

// With makes a data folder that has files of the given kinds of storage. The files are empty.
func With(t testing.TB, kinds ...string) (data string) {
	t.Helper()
	data = t.TempDir()
	for _, kind := range kinds {
		name := filepath.Join(data, "azurite", "__azurite_db_table__.json")
		if kind == app.Embedded {
			name = filepath.Join(app.StoreFolder(data), "state.db")
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		Write(t, name, "")
	}
	return data
}

// Write writes a text to a file.
func Write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
