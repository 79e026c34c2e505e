package storagetest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

func (s suite) containers(t *testing.T) {
	run(t, map[string]func(*testing.T){
		"blobs come back":              s.blobs,
		"put once":                     s.putOnce,
		"puts race":                    s.putRace,
		"delete":                       s.deleteBlob,
		"list in order":                s.list,
		"names that change":            s.badBlobs,
		"never created is unavailable": s.containerNeverCreated,
		"copies":                       s.blobCopies,
		"an ended context":             s.containerEnded,
	})
}

func (s suite) container(t *testing.T) (context.Context, storage.Container) {
	t.Helper()
	ctx, c := t.Context(), s.open(t).Container(unique("c"))
	for range 2 {
		if err := c.Create(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return ctx, c
}

func put(ctx context.Context, t *testing.T, c storage.Container, name string, b storage.Blob) {
	t.Helper()
	if created := must2(c.Put(ctx, name, b))(t); !created {
		t.Fatalf("blob %q was there before", name)
	}
}

func (s suite) blobs(t *testing.T) {
	ctx, c := s.container(t)
	for name, b := range map[string]storage.Blob{
		"empty":                      {},
		"sha256/ab/cd/0123":          {Body: []byte("<html>"), ContentType: "text/html; charset=utf-8"},
		"with spaces, 100% & é?#'+=": {Body: []byte{0, 0xff}, ContentType: "application/gzip"},
		"metadata": {Body: []byte("x"),
			Metadata: map[string]string{"url": "https://example.org/?a=b&c=%20", "fetched_at": "2026-11-21T10:00:00Z",
				"z9_": "a b ~"}},
		"gzip":                           {Body: []byte("\x1f\x8b\x08 not to be unpacked"), ContentType: "text/plain"},
		"large":                          {Body: bytes.Repeat([]byte("0123456789abcdef"), 1<<16)},
		strings.Repeat("n", 200) + "/漢字": {Body: []byte("y")},
	} {
		put(ctx, t, c, name, b)
		got := must2(c.Get(ctx, name))(t)
		if b.ContentType == "" {
			b.ContentType = storage.DefaultContentType
		}
		if !bytes.Equal(b.Body, got.Body) || b.ContentType != got.ContentType || len(b.Metadata) != len(got.Metadata) {
			t.Fatalf("blob %q: have %d bytes of %s and %v, want %d of %s and %v", name,
				len(got.Body), got.ContentType, got.Metadata, len(b.Body), b.ContentType, b.Metadata)
		}
		for k, v := range b.Metadata {
			diff(t, "metadata "+k, v, got.Metadata[k])
		}
		if !must2(c.Exists(ctx, name))(t) {
			t.Errorf("blob %q does not exist", name)
		}
	}
	_, err := c.Get(ctx, "missing")
	wantKind(t, err, fault.NotFound)
	if must2(c.Exists(ctx, "missing"))(t) {
		t.Error("a blob exists that was never put")
	}
}

func (s suite) putOnce(t *testing.T) {
	ctx, c := s.container(t)
	put(ctx, t, c, "a", storage.Blob{Body: []byte("first")})
	for range 2 {
		if must2(c.Put(ctx, "a", storage.Blob{Body: []byte("second")}))(t) {
			t.Fatal("the second put claims to have created the blob")
		}
	}
	diff(t, "body", "first", string(must2(c.Get(ctx, "a"))(t).Body))
}

func (s suite) putRace(t *testing.T) {
	ctx, c := s.container(t)
	for round := range 3 {
		name := fmt.Sprint(round)
		winner, losers := contend(ctx, t, 16, func(i int32) error {
			created, err := c.Put(ctx, name, storage.Blob{Body: fmt.Append(nil, i)})
			if err == nil && !created {
				err = fault.New(fault.Conflict, "taken")
			}
			return err
		})
		diff(t, "losers", int32(15), losers)
		diff(t, "body", fmt.Sprint(winner), string(must2(c.Get(ctx, name))(t).Body))
	}
}

func (s suite) deleteBlob(t *testing.T) {
	ctx, c := s.container(t)
	put(ctx, t, c, "a", storage.Blob{Body: []byte("1")})
	for range 2 {
		if err := c.Delete(ctx, "a"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.Get(ctx, "a")
	wantKind(t, err, fault.NotFound)
	put(ctx, t, c, "a", storage.Blob{Body: []byte("2")})
}

func (s suite) list(t *testing.T) {
	ctx, c := s.container(t)
	for _, name := range []string{"b/2", "a", "b/1", "b", "c/x", "b/10", "b/1/z", "B"} {
		put(ctx, t, c, name, storage.Blob{})
	}
	for prefix, want := range map[string][]string{
		"":    {"B", "a", "b", "b/1", "b/1/z", "b/10", "b/2", "c/x"},
		"b/":  {"b/1", "b/1/z", "b/10", "b/2"},
		"b/1": {"b/1", "b/1/z", "b/10"},
		"d":   nil,
	} {
		var have []string
		for name, err := range c.List(ctx, prefix) {
			have = append(have, must(t, name, err))
		}
		diff(t, "list of "+prefix, want, have)
	}
	n := 0
	for range c.List(ctx, "") {
		n++
		break
	}
	diff(t, "names seen before the reader stopped", 1, n)
}

func (s suite) badBlobs(t *testing.T) {
	ctx, c := s.container(t)
	for _, name := range []string{"", "/a", "a/", "a//b", ".", "..", "a/../b", "a/.", "a.", `a\b`, "a\nb", "\xff",
		strings.Repeat("a", 1025)} {
		_, err := c.Put(ctx, name, storage.Blob{})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("name %q: have %v, want Invalid", name, err)
		}
		_, err = c.Get(ctx, name)
		wantKind(t, err, fault.Invalid)
		_, err = c.Exists(ctx, name)
		wantKind(t, err, fault.Invalid)
		wantKind(t, c.Delete(ctx, name), fault.Invalid)
	}
	for _, m := range []map[string]string{
		{"": "x"}, {"A": "x"}, {"a-b": "x"}, {"1a": "x"}, {"a": ""}, {"a": " x"}, {"a": "x\n"}, {"a": "é"},
		{storage.TokenProperty: "x"}, {"a": strings.Repeat("x", storage.MaxMetadataBytes)},
	} {
		_, err := c.Put(ctx, "a", storage.Blob{Metadata: m})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("metadata %.40q: have %v, want Invalid", m, err)
		}
	}
	_, err := c.Put(ctx, "a", storage.Blob{ContentType: "text/plain\r\nX: y"})
	wantKind(t, err, fault.Invalid)
	_, err = c.Put(ctx, "a", storage.Blob{Body: make([]byte, storage.MaxBlobBytes+1)})
	wantKind(t, err, fault.TooLarge)
}

func (s suite) containerNeverCreated(t *testing.T) {
	ctx, c := t.Context(), s.open(t).Container(unique("c"))
	_, err := c.Put(ctx, "a", storage.Blob{})
	wantKind(t, err, fault.Unavailable)
	_, err = c.Get(ctx, "a")
	wantKind(t, err, fault.Unavailable)
	wantKind(t, c.Delete(ctx, "a"), fault.Unavailable)
	for _, err := range c.List(ctx, "") {
		wantKind(t, err, fault.Unavailable)
	}
}

func (s suite) blobCopies(t *testing.T) {
	ctx, c := s.container(t)
	b := storage.Blob{Body: []byte("abc"), Metadata: map[string]string{"k": "v"}}
	put(ctx, t, c, "a", b)
	b.Body[0], b.Metadata["k"] = 'X', "changed"
	got := must2(c.Get(ctx, "a"))(t)
	got.Body[1], got.Metadata["k"] = 'X', "changed"
	got = must2(c.Get(ctx, "a"))(t)
	diff(t, "body", "abc", string(got.Body))
	diff(t, "metadata", map[string]string{"k": "v"}, got.Metadata)
}

func (s suite) containerEnded(t *testing.T) {
	_, c := s.container(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Put(ctx, "a", storage.Blob{})
	wantCanceled(t, err)
	_, err = c.Get(ctx, "a")
	wantCanceled(t, err)
	for _, err := range c.List(ctx, "") {
		wantCanceled(t, err)
	}
	if must2(c.Exists(t.Context(), "a"))(t) {
		t.Error("a put whose context had ended took effect")
	}
}
