package index

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// damaged changes the contents of a manifest.
func damaged(change func(b *storage.Blob)) func(context.Context, *Manifests, string) error {
	return func(ctx context.Context, m *Manifests, digest string) error {
		meta, lines, err := m.load(ctx, "url_aaaa", digest)
		if err == nil {
			err = m.Drop(ctx, "url_aaaa", digest)
		}
		b := storage.Blob{Metadata: meta, Body: lines}
		change(&b)
		_, putErr := m.write(ctx, "url_aaaa", strings.TrimPrefix(digest, inRow), b.Metadata, b.Body)
		return errors.Join(err, putErr)
	}
}

func lost(ctx context.Context, m *Manifests, digest string) error {
	return m.Drop(ctx, "url_aaaa", digest)
}

// cutOff truncates the compressed lines of a row.
func cutOff(ctx context.Context, m *Manifests, digest string) error {
	if !isRow(digest) {
		return m.Drop(ctx, "url_aaaa", digest)
	}
	e, err := m.rows.Get(ctx, rowKey("url_aaaa", digest))
	if err != nil {
		return err
	}
	kept, err := manifestRows.Decode(e.Props)
	if err != nil {
		return err
	}
	kept.Lines = kept.Lines[:5] // too few bytes to decompress anything
	e.Props, e.ETag = manifestRows.Encode(&kept), ""
	_, err = m.rows.Transact(ctx, storage.Op{Kind: storage.Upsert, Entity: e})
	return err
}

// TestC4Manifests checks C4, K7: saved contents are known unless any part of them is doubtful, whether the manifest
// is in a row or in a blob. Large manifests, and those of earlier releases, are in blobs.
func TestC4Manifests(t *testing.T) {
	for name, most := range map[string]int{"rows": maxRow, "blobs": 0} {
		t.Run(name, func(t *testing.T) { keepManifests(t, most) })
	}
}

func keepManifests(t *testing.T, most int) {
	twice := paragraph("The same words, twice in a row. ")
	doc := extract.Document{
		Title: "The quay", Blocks: []extract.Block{{Kind: extract.Heading, Level: 1, Text: "Walls"},
			paragraph("The wall moves."), {Kind: extract.Code, Text: "go run ."}, {Kind: extract.Code, Text: "go run ."}, twice},
		Images: []extract.Image{{URL: "https://port.example/a.jpg", Alt: "A crane"}},
	}
	vectors := func(e Prepared) Prepared {
		for i := range e.Page.Chunks {
			e.Page.Chunks[i].Key += "-model"
		}
		return e
	}
	shows := func(n int) Prepared {
		e := entryOf(doc)
		e.Page.Images = nil
		for i := range n {
			e.Page.Images = append(e.Page.Images, search.Image{ID: fmt.Sprintf("img_%026d", i), Alt: "A crane"})
		}
		return e
	}
	for _, tt := range []struct {
		name string
		e    Prepared
		ask  Prepared
		lose func(ctx context.Context, m *Manifests, digest string) error
		want bool
	}{
		{"as it was", entryOf(doc), entryOf(doc), nil, true},
		{"with vectors", vectors(entryOf(doc)), vectors(entryOf(doc)), nil, true},
		{"for other images", entryOf(doc), shows(0), nil, true},
		{"for its first images", shows(0), entryOf(doc), nil, true},
		{"many images, for none", shows(90), shows(0), nil, true},
		{"very many images, for them", shows(search.MaxImages), shows(search.MaxImages), nil, true},
		{"very many images, for others", shows(search.MaxImages), shows(search.MaxImages - 1), nil, false},
		{"an older one, for its images", entryOf(doc), entryOf(doc),
			damaged(func(b *storage.Blob) { delete(b.Metadata, metaShown) }), true},
		{"an older one, for others", entryOf(doc), shows(0),
			damaged(func(b *storage.Blob) { delete(b.Metadata, metaShown) }), false},
		{"images of another", entryOf(doc), shows(1), damaged(func(b *storage.Blob) { b.Metadata[metaShown] = "{}" }), false},
		{"lost", entryOf(doc), entryOf(doc), lost, false},
		{"cut off", entryOf(doc), entryOf(doc), cutOff, false},
		{"damaged", entryOf(doc), entryOf(doc), damaged(func(b *storage.Blob) { b.Body = b.Body[:len(b.Body)-20] }), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := mem.New(time.Now)
			m := NewManifests(store)
			m.most = most
			must(t, m.Create(t.Context()))
			digest, err := m.Save(t.Context(), tt.e)
			must(t, err)
			if isRow(digest) != (most > 0) {
				t.Errorf("kept as %s", digest)
			}
			if again, err := m.Save(t.Context(), tt.e); again != digest || err != nil {
				t.Errorf("saved again as %s, %v", again, err)
			}
			if tt.lose != nil {
				must(t, tt.lose(t.Context(), m, digest))
			}
			held, err := m.Contents(t.Context(), tt.ask.Page, digest)
			must(t, err)
			if (held != nil) != tt.want {
				t.Errorf("held %v", held)
			}
			if held != nil {
				if diff := cmp.Diff(tt.e.Page.Contents(), held); diff != "" {
					t.Errorf("-put +read\n%s", diff)
				}
			}
			must(t, m.Purge(t.Context(), "url_aaaa"))
			if held, err := m.Contents(t.Context(), tt.ask.Page, digest); held != nil || err != nil {
				t.Errorf("after the purge: %v, %v", held, err)
			}
		})
	}
}

// TestC2CollisionsAreRecorded checks C2: collisions are recorded with the manifest (002 §5.4).
func TestC2CollisionsAreRecorded(t *testing.T) {
	store := mem.New(time.Now)
	m := NewManifests(store)
	must(t, m.Create(t.Context()))
	var blocks []extract.Block
	for range 40 {
		blocks = append(blocks, extract.Block{Kind: extract.Code,
			Text: "the same listing, again and again, on and on, line after line, without an end and without a change to be " +
				"seen anywhere"})
	}
	digest, err := m.Save(t.Context(), entryOf(extract.Document{Title: "T", Blocks: blocks}))
	must(t, err)
	meta, _, err := m.load(t.Context(), "url_aaaa", digest)
	must(t, err)
	if meta[metaCollisions] == "" || meta[metaByOrdinal] == "" || meta[metaLargest] == "" {
		t.Errorf("have %v", meta)
	}
	want := entryOf(extract.Document{Title: "T", Blocks: blocks}).Collisions
	want.Files = nil
	if have, err := m.Collisions(t.Context(), "url_aaaa", digest); err != nil || !cmp.Equal(have, want) {
		t.Errorf("have %+v (%v), want %+v", have, err, want)
	}
	records := entryOf(extract.Document{Title: "T", Blocks: blocks}).Records
	if have, err := m.Records(t.Context(), "url_aaaa", digest); err != nil || len(have) != len(records) {
		t.Errorf("%d lines (%v), want %d", len(have), err, len(records))
	}
	if have, err := m.Collisions(t.Context(), "url_aaaa", "gone"); err != nil || have.Chunks != 0 {
		t.Errorf("of none: %+v (%v)", have, err)
	}
}

// TestK7ManifestRows checks K7: a row that cannot be read counts as missing, and a manifest of very many chunks is a
// blob.
func TestK7ManifestRows(t *testing.T) {
	store := mem.New(time.Now)
	m := NewManifests(store)
	must(t, m.Create(t.Context()))
	doc := extract.Document{Title: "T", Blocks: []extract.Block{paragraph("Low water.")}}
	digest, err := m.Save(t.Context(), entryOf(doc))
	must(t, err)
	key := rowKey("url_aaaa", digest)
	for name, props := range map[string]storage.Properties{
		"no lines": {"meta": "{}"}, "no gzip": {"meta": "{}", "lines0": []byte("{}")}, "foreign": {"meta": "x"},
	} {
		_, err := store.Table(Table).Transact(t.Context(), storage.Op{Kind: storage.Upsert,
			Entity: storage.Entity{Key: key, Props: props}})
		must(t, err)
		if records, err := m.Records(t.Context(), "url_aaaa", digest); err != nil || len(records) > 0 {
			t.Errorf("%s: %v, %v", name, records, err)
		}
	}
	lines := make([]byte, 2*maxRow)
	_, _ = rand.Read(lines) // never fails
	as, err := m.write(t.Context(), "url_aaaa", "large", map[string]string{metaFields: "f"}, lines)
	must(t, err)
	if meta, have, err := m.load(t.Context(), "url_aaaa", as); as != "large" || err != nil || meta[metaFields] != "f" ||
		!bytes.Equal(have, lines) {
		t.Errorf("kept as %s (%v)", as, err)
	}
	must(t, m.Purge(t.Context(), "url_aaaa"))
	if _, _, err := m.load(t.Context(), "url_aaaa", as); !fault.Is(err, fault.NotFound) {
		t.Errorf("after the purge: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestC3FilesOfOneSegmentAreMisnamed checks that a file that was a segment of itself counts as misnamed, and one with a
// listing in it does not.
func TestC3FilesOfOneSegmentAreMisnamed(t *testing.T) {
	m := NewManifests(mem.New(nil))
	must(t, m.Create(t.Context()))
	listing := extract.Block{Kind: extract.Code, Text: "func tide() {}"}
	for want, blocks := range map[bool][]extract.Block{true: {listing}, false: {paragraph("The wall moves."), listing}} {
		e := entryOf(extract.Document{Title: "The quay", Blocks: blocks})
		digest, err := m.Save(t.Context(), e)
		must(t, err)
		_, misnamed, err := m.Misnamed(t.Context(), source.ID(e.Page.ID), digest, chunk.Name{Namespace: chunk.Namespace,
			Path: e.Page.ID})
		if err != nil || misnamed != want {
			t.Errorf("%d blocks: misnamed is %v, %v", len(blocks), misnamed, err)
		}
	}
}
