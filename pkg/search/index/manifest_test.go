package index

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/mem"
)

// damaged changes a blob of the container.
func damaged(change func(*storage.Blob)) func(context.Context, storage.Container, string) error {
	return func(ctx context.Context, c storage.Container, name string) error {
		b, err := c.Get(ctx, name)
		if err == nil {
			err = c.Delete(ctx, name)
		}
		change(&b)
		_, putErr := c.Put(ctx, name, b)
		return errors.Join(err, putErr)
	}
}

// C4: what was saved is known, unless anything about it is doubtful.
func TestC4Manifests(t *testing.T) {
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
		lose func(ctx context.Context, c storage.Container, name string) error
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
		{"lost", entryOf(doc), entryOf(doc),
			func(ctx context.Context, c storage.Container, name string) error { return c.Delete(ctx, name) }, false},
		{"damaged", entryOf(doc), entryOf(doc), damaged(func(b *storage.Blob) { b.Body = b.Body[:len(b.Body)-20] }), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := mem.New(time.Now)
			m := NewManifests(store)
			must(t, m.Create(t.Context()))
			digest, err := m.Save(t.Context(), tt.e)
			must(t, err)
			if again, err := m.Save(t.Context(), tt.e); again != digest || err != nil {
				t.Errorf("saved again as %s, %v", again, err)
			}
			if tt.lose != nil {
				must(t, tt.lose(t.Context(), store.Container(Container), name(tt.e.Page.ID, digest)))
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

// C2: collisions are recorded with the manifest (002 §5.4).
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
	b, err := store.Container(Container).Get(t.Context(), name("url_aaaa", digest))
	must(t, err)
	if b.Metadata[metaCollisions] == "" || b.Metadata[metaByOrdinal] == "" || b.Metadata[metaLargest] == "" {
		t.Errorf("have %v", b.Metadata)
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
