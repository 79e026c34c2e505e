package index

import (
	"context"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// pagesOf is an index that only has ids. onRemove is called for each removed page.
type pagesOf struct {
	ids      []string
	onRemove func(id string)
}

func (p pagesOf) Inspect(context.Context, string) (search.Stored, error) { return search.Stored{}, nil }

func (p pagesOf) IDs(context.Context, string, int) ([]string, error) { return p.ids, nil }

func (p pagesOf) Remove(_ context.Context, id string, _ *search.Contents) error {
	p.onRemove(id)
	return nil
}

type noEntries struct{}

func (noEntries) Has(context.Context, string) (bool, error) { return false, nil }

// TestK12OrphanGetsItsItem checks K12: when an orphan gets its item while it is being removed, that item is indexed
// once more.
func TestK12OrphanGetsItsItem(t *testing.T) {
	rows := mem.New(func() time.Time { return noon })
	reg := registry.New(rows, registry.Options{Clock: func() time.Time { return noon }})
	if err := reg.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	var ids []string
	register := map[string]func() registry.Registered{}
	for _, u := range []string{"https://a.example/wanted", "https://a.example/orphan", "https://a.example/known"} {
		s, err := source.DefaultRules().ParseURL(u)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(s.ID()))
		register[u] = func() registry.Registered {
			return reg.Items.Register(t.Context(), []source.Source{s}, registry.RegisterOptions{})[0]
		}
	}
	known := register["https://a.example/known"]().Item
	var removed []string
	a := NewAuditor(pagesOf{ids, func(id string) {
		if removed = append(removed, id); id == ids[0] {
			register["https://a.example/wanted"]()
		}
	}}, nil, reg.Items, noEntries{})
	gone, next, err := a.Orphans(t.Context(), "")
	if err != nil || next != "" || len(gone) != 2 || len(removed) != 2 {
		t.Fatalf("%v are gone, %v removed, next %q, %v", gone, removed, next, err)
	}
	wanted, err := reg.Items.Find(t.Context(), source.ID(ids[0]))
	if err != nil || !wanted.Forced() {
		t.Errorf("the page that is wanted is not indexed again: %+v, %v", wanted, err)
	}
	if it, err := reg.Items.Find(t.Context(), known.ID); err != nil || it.Forced() {
		t.Errorf("one that was known is: %v", err)
	}
}
