package snapshot

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/sqlitestore"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, s storage.Store) *Store {
	t.Helper()
	store := New(s)
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// onStores runs a test on every store that needs no service. empty returns a new store.
func onStores(t *testing.T, test func(t *testing.T, empty func() storage.Store)) {
	clock := func() time.Time { return noon }
	t.Run("mem", func(t *testing.T) { test(t, func() storage.Store { return mem.New(clock) }) })
	t.Run("embedded", func(t *testing.T) {
		test(t, func() storage.Store {
			s, err := sqlitestore.Open(storagetest.TempDir(t), sqlitestore.Options{Now: clock})
			must(t, err)
			t.Cleanup(func() { s.Close() })
			return s
		})
	})
}

func captureOfBody(body string) Capture {
	return Capture{
		ItemID: "url_aaaaaaaaaaaaaaaaaaaaaaaaaa", RawHash: Hash([]byte(body)), ContentHash: "sha256:c", TextHash: "sha256:t",
		CanonicalURI: "https://port.example/p", FetchURL: "https://port.example/p/", MimeType: "text/html", StatusCode: 200,
		Bytes:                int64(len(body)),
		Header:               map[string][]string{"Content-Type": {"text/html; charset=utf-8"}, "Link": {"a", "b"}},
		NormalizationVersion: "http_snapshot_url_v1_text_v1", RunID: "run", CapturedAt: noon,
		PublishedAt: noon.Add(-time.Hour), ModifiedAt: noon.Add(-time.Minute), Author: "Ada, Bo", SiteName: "Port",
	}
}

// save calls Save without knowledge of the item's past.
func save(t *testing.T, s *Store, c Capture, body string) error {
	_, err := s.Save(t.Context(), c, []byte(body), Had{})
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestA21RoundTrip checks that all fields of a capture are read back, and the body byte for byte.
func TestA21RoundTrip(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		for _, body := range []string{"", "<p>tide</p>", "\x00\xff binary", strings.Repeat("long ", 100_000)} {
			want := captureOfBody(body)
			must(t, save(t, s, want, body))
			have, got, err := s.Load(t.Context(), want.ItemID, want.RawHash)
			must(t, err)
			want.LastVerifiedAt = noon
			if diff := cmp.Diff(want, have); diff != "" || string(got) != body {
				t.Errorf("body of %d bytes (-want +have):\n%s", len(body), diff)
			}
		}
		all, err := s.List(t.Context(), captureOfBody("").ItemID)
		if err != nil || len(all) != 4 {
			t.Errorf("%d captures, %v", len(all), err)
		}
	})
}

// TestB2CaptureNeverChanges checks that a second save of the same body changes nothing (B2, E4).
func TestB2CaptureNeverChanges(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		first := captureOfBody("body")
		must(t, save(t, s, first, "body"))
		second := captureOfBody("body")
		second.CanonicalURI, second.ContentHash, second.RunID = "https://port.example/other", "sha256:other", "later"
		second.CapturedAt = noon.Add(time.Hour)
		must(t, save(t, s, second, "body"))
		have, _, err := s.Load(t.Context(), first.ItemID, first.RawHash)
		must(t, err)
		first.LastVerifiedAt = first.CapturedAt
		if diff := cmp.Diff(first, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
	})
}

// TestE4GivenUpCaptureKeepsItsVerification checks that a capture that is replaced keeps the time of its last
// verification, which is written with the new capture (E4, INV-4). A capture that was never made, or is purged, does
// not prevent the save.
func TestE4GivenUpCaptureKeepsItsVerification(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		a, b, c := captureOfBody("a"), captureOfBody("b"), captureOfBody("c")
		must(t, save(t, s, a, "a"))
		b.CapturedAt, c.CapturedAt = noon.Add(3*time.Hour), noon.Add(4*time.Hour)
		_, err := s.Save(t.Context(), b, []byte("b"), Had{RawHash: a.RawHash, Verified: noon.Add(2 * time.Hour)})
		must(t, err)
		have, _, err := s.Load(t.Context(), a.ItemID, a.RawHash)
		must(t, err)
		a.LastVerifiedAt = noon.Add(2 * time.Hour)
		if diff := cmp.Diff(a, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		saved, err := s.Save(t.Context(), c, []byte("c"), Had{RawHash: Hash([]byte("never captured")),
			Verified: noon.Add(3 * time.Hour)})
		if err != nil || !saved.Added {
			t.Errorf("after what was never captured: %+v, %v", saved, err)
		}
	})
}

// TestA21OneBlobPerBody checks that a body is one blob, written once, however many items have captured it.
func TestA21OneBlobPerBody(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		store := empty()
		s := open(t, store)
		a, b := captureOfBody("body"), captureOfBody("body")
		b.ItemID = "url_bbbbbbbbbbbbbbbbbbbbbbbbbb"
		must(t, save(t, s, a, "body"))
		must(t, save(t, s, b, "body"))
		var names []string
		for name, err := range store.Container(Container).List(t.Context(), "") {
			must(t, err)
			names = append(names, name)
		}
		hex := strings.TrimPrefix(a.RawHash, "sha256:")
		if want := []string{"sha256/" + hex[:2] + "/" + hex[2:4] + "/" + hex}; cmp.Diff(want, names) != "" {
			t.Errorf("blobs %v, want %v", names, want)
		}
		if list, err := s.List(t.Context(), b.ItemID); err != nil || len(list) != 1 {
			t.Errorf("%d captures of the second item, %v", len(list), err)
		}
	})
}

// TestDigestIsVerified checks that a body that does not match its digest is not returned.
func TestDigestIsVerified(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		store := empty()
		s := open(t, store)
		hash := Hash([]byte("what was fetched"))
		name, err := blobName(hash)
		must(t, err)
		_, err = store.Container(Container).Put(t.Context(), name, storage.Blob{Body: []byte("what somebody put there")})
		must(t, err)
		if _, err := s.Body(t.Context(), hash); !fault.Is(err, fault.Internal) || err == nil {
			t.Errorf("have %v, want an error of kind internal", err)
		}
	})
}

func TestErrors(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		s := open(t, empty())
		for _, hash := range []string{"", "sha256:", "sha256:abc", "md5:" + strings.Repeat("0", 64), strings.Repeat("0", 64),
			"sha256:" + strings.Repeat("G", 64)} {
			if _, err := s.Body(t.Context(), hash); !fault.Is(err, fault.Invalid) {
				t.Errorf("digest %q: have %v, want Invalid", hash, err)
			}
			if err := save(t, s, Capture{RawHash: hash}, ""); !fault.Is(err, fault.Invalid) {
				t.Errorf("saving under %q: have %v, want Invalid", hash, err)
			}
		}
		if _, err := s.Body(t.Context(), Hash([]byte("none"))); !fault.Is(err, fault.NotFound) {
			t.Errorf("have %v, want NotFound", err)
		}
		_, _, err := s.Load(t.Context(), source.ID("url_aaaaaaaaaaaaaaaaaaaaaaaaaa"), Hash([]byte("none")))
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("have %v, want NotFound", err)
		}
	})
}

// TestB1RunIsImmutable checks that a run keeps the normalization version with which it began, and the run that it
// reprocesses (B1, B5).
func TestB1RunIsImmutable(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		store := empty()
		s := open(t, store)
		run := Run{ID: "r1", Collector: "crawl", NormalizationVersion: lineage.Current, StartedAt: noon, ReprocessingOf: "r0"}
		must(t, s.StartRun(t.Context(), run))
		later := run
		later.StartedAt, later.Collector = noon.Add(time.Hour), "other"
		must(t, s.StartRun(t.Context(), later)) // as after a restart
		e, err := store.Table(RunsTable).Get(t.Context(), storage.Key{Partition: "run", Row: "r1"})
		must(t, err)
		if e.Props["startedAt"] != "2026-03-01T12:00:00.000Z" || e.Props["collector"] != "crawl" ||
			e.Props["normalizationVersion"] != string(lineage.Current) {
			t.Errorf("the run has changed: %v", e.Props)
		}
		other := run
		other.NormalizationVersion = "http_snapshot_url_v2_text_v1"
		if err := s.StartRun(t.Context(), other); !fault.Is(err, fault.Conflict) {
			t.Errorf("another version: have %v, want Conflict", err)
		}
		other = run
		other.ReprocessingOf = "r2"
		if err := s.StartRun(t.Context(), other); !fault.Is(err, fault.Conflict) {
			t.Errorf("of another run: have %v, want Conflict", err)
		}
		if e.Props["reprocessingOfRunId"] != "r0" {
			t.Errorf("the run reprocesses %v", e.Props["reprocessingOfRunId"])
		}
	})
}

// TestSaveUnderFaults checks that no row ever lacks its blob, whatever fails in between, and that a repeated save
// repairs the state.
func TestSaveUnderFaults(t *testing.T) {
	onStores(t, func(t *testing.T, empty func() storage.Store) {
		sabotaged := fault.New(fault.Unavailable, "sabotaged")
		for _, op := range []string{"blob.Put", "table.Transact"} {
			for _, after := range []bool{false, true} {
				inner := empty()
				armed := true
				fail := func(c storagetest.Call) bool { return armed && c.Op == op }
				s := open(t, storagetest.Hooked(inner, storagetest.Hooks{
					OnBefore: func(_ context.Context, c storagetest.Call) error {
						if fail(c) && !after {
							return sabotaged
						}
						return nil
					},
					OnAfter: func(_ context.Context, c storagetest.Call, err error) error {
						if fail(c) && after {
							return sabotaged
						}
						return err
					},
				}))
				c := captureOfBody("body")
				if err := save(t, s, c, "body"); !fault.Is(err, fault.Unavailable) {
					t.Errorf("%s after %v: have %v, want Unavailable", op, after, err)
				}
				armed = false
				if list, _ := s.List(t.Context(), c.ItemID); len(list) == 1 {
					if _, err := s.Body(t.Context(), c.RawHash); err != nil {
						t.Errorf("%s after %v: a capture without its body: %v", op, after, err)
					}
				}
				must(t, save(t, s, c, "body"))
				if _, body, err := s.Load(t.Context(), c.ItemID, c.RawHash); err != nil || string(body) != "body" {
					t.Errorf("%s after %v: %q, %v", op, after, body, err)
				}
			}
		}
	})
}

// TestCaptureOfDamagedRow checks that a damaged or older row is read as far as possible.
func TestCaptureOfDamagedRow(t *testing.T) {
	c := captureOf(storage.Entity{Key: storage.Key{Partition: "url_x", Row: "00"}, Props: storage.Properties{
		"httpHeader": "{", "bytes": "many", "capturedAt": "yesterday", "mimeType": "text/html",
	}})
	want := Capture{ItemID: "url_x", RawHash: "sha256:00", MimeType: "text/html"}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	if c.ContentType() != "text/html" {
		t.Errorf("content type %q", c.ContentType())
	}
}
