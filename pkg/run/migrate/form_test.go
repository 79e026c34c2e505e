package migrate_test

import (
	"context"
	"errors"
	"iter"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/migrate"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// Rows of a store that show by which rules it was begun, and the row that says the form of its rows.
func runRow(version string) storage.Entity {
	return storage.Entity{Key: storage.Key{Partition: "run", Row: "crawl-" + version},
		Props: storage.Properties{"normalizationVersion": version}}
}

func rulesRow(rules string) storage.Entity {
	return storage.Entity{Key: storage.Key{Partition: "migrate", Row: "state"}, Props: storage.Properties{"rules": rules}}
}

func formRow(form int64) storage.Entity {
	return storage.Entity{Key: storage.Key{Partition: "form", Row: "rows"}, Props: storage.Properties{"form": form}}
}

// TestZ1FormOfRows checks Z1: a store whose rows are of an older or a newer form is refused, with nothing written and
// with the way out. Any other store gets that row once, and is then known by it, whatever its rules.
func TestZ1FormOfRows(t *testing.T) {
	const current, keys = "http_snapshot_url_v2_text_v4", `{"entries":"keys_v4","items":"url_v2 utm_"}`
	other := storage.Entity{Key: storage.Key{Partition: "bulk", Row: "a"}}
	later := storage.Entity{Key: storage.Key{Partition: "rebuild", Row: "a"}}
	for name, c := range map[string]struct {
		rows   []storage.Entity
		reason string // "" if the store is accepted
	}{
		"a new store":                        {nil, ""},
		"a store of today":                   {[]storage.Entity{rulesRow(keys), runRow(current), other, later}, ""},
		"begun with other settings":          {[]storage.Entity{runRow("http_snapshot_url_v2.1234_text_v4")}, ""},
		"of the first form, with older keys": {[]storage.Entity{formRow(1), rulesRow(`{"entries":"keys_v1"}`)}, ""},
		"of the first form, with other texts": {
			[]storage.Entity{formRow(1), runRow(current), runRow("http_snapshot_url_v1_text_v2")}, ""},
		"with older texts": {[]storage.Entity{runRow("http_snapshot_url_v2_text_v3"), runRow(current)}, "sources.csv"},
		"with older URLs":  {[]storage.Entity{runRow("http_snapshot_url_v1_text_v4")}, "sources.csv"},
		"with older keys":  {[]storage.Entity{rulesRow(`{"entries":"keys_v3"}`), runRow(current)}, "sources.csv"},
		"without keys":     {[]storage.Entity{rulesRow(`{`)}, "sources.csv"},
		"of a later form":  {[]storage.Entity{formRow(2), runRow(current)}, "form 2"},
		"of no form":       {[]storage.Entity{formRow(0)}, "form 0"},
	} {
		t.Run(name, func(t *testing.T) {
			store := mem.New(time.Now)
			rows := store.Table("Runs")
			must(t, rows.Create(t.Context()))
			for _, e := range c.rows {
				_, err := rows.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: e})
				must(t, err)
			}
			before := dump(t, rows)
			for _, check := range []func(context.Context, storage.Store, migrate.Layout) error{migrate.CheckForm,
				migrate.RecordForm} {
				err := check(t.Context(), store, usual)
				if c.reason == "" && err != nil || c.reason != "" && (!fault.Is(err, fault.Invalid) ||
					!strings.Contains(err.Error(), c.reason)) {
					t.Errorf("%v", err)
				}
			}
			after := dump(t, rows)
			if c.reason != "" {
				if !maps.Equal(before, after) {
					t.Errorf("written to: %v", after)
				}
				return
			}
			if _, recorded := after[formRow(1).Key]; !recorded {
				t.Errorf("no form: %v", after)
			}
			must(t, migrate.RecordForm(t.Context(), store, usual)) // once more, by the next process
			if !maps.Equal(after, dump(t, rows)) {
				t.Error("the form was written again")
			}
		})
	}
}

// TestZ1RecordIsInterrupted checks Z1: whichever request fails while the form is recorded, the next try succeeds.
func TestZ1RecordIsInterrupted(t *testing.T) {
	died := errors.New("died")
	for _, after := range []bool{false, true} {
		fail := true
		hook := func(_ context.Context, call storagetest.Call) error {
			if fail && call.Op == "table.Transact" {
				return died
			}
			return nil
		}
		hooks := storagetest.Hooks{OnBefore: hook}
		if after {
			hooks = storagetest.Hooks{OnAfter: func(ctx context.Context, call storagetest.Call, _ error) error {
				return hook(ctx, call)
			}}
		}
		store := storagetest.Hooked(mem.New(time.Now), hooks)
		if err := migrate.RecordForm(t.Context(), store, usual); !errors.Is(err, died) {
			t.Fatal(err)
		}
		fail = false
		must(t, migrate.RecordForm(t.Context(), store, usual))
		if _, recorded := dump(t, store.Table("Runs"))[formRow(1).Key]; !recorded {
			t.Error("no form")
		}
	}
}

// usual is the layout of most stores.
var usual = migrate.Layout{Table: registry.DefaultTable, Strategy: source.ByHost}

// register registers pages in a store, by a strategy.
func register(t *testing.T, store storage.Store, l migrate.Layout, urls ...string) {
	t.Helper()
	reg := registry.New(store, registry.Options{Table: l.Table, Strategy: l.Strategy})
	must(t, reg.Create(t.Context()))
	for _, url := range urls {
		src, err := source.DefaultRules().ParseURL(url)
		must(t, err)
		must(t, reg.Items.Register(t.Context(), []source.Source{src}, registry.RegisterOptions{})[0].Err)
	}
}

// TestZ5LayoutOfAStore checks which settings a store is opened with: those with which its items were made, also where
// nothing says which these are. A store without items takes any, and remembers the last.
func TestZ5LayoutOfAStore(t *testing.T) {
	byScheme := migrate.Layout{Table: registry.DefaultTable, Strategy: source.ByScheme}
	other := migrate.Layout{Table: "Sources2", Strategy: source.ByHost}
	for _, c := range []struct {
		name        string
		made        []migrate.Layout // by which the store got an item each
		recorded    migrate.Layout   // zero if it says none
		want        migrate.Layout
		refused     string // "" if it is opened
		differently string // what the error must not say
	}{
		{name: "new", want: byScheme},
		{name: "new, with a record", recorded: usual, want: byScheme},
		{name: "of the same", made: []migrate.Layout{usual}, recorded: usual, want: usual},
		{name: "of before, the same", made: []migrate.Layout{byScheme}, want: byScheme},
		{name: "another strategy", made: []migrate.Layout{usual}, recorded: usual, want: byScheme,
			refused: "Set REGISTRY_PARTITION_STRATEGY=host;", differently: "REGISTRY_TABLE_NAME"},
		{name: "another table", made: []migrate.Layout{usual}, recorded: usual, want: other,
			refused: "Set REGISTRY_TABLE_NAME=IngestItems;", differently: "STRATEGY"},
		{name: "both", made: []migrate.Layout{usual}, recorded: usual,
			want:    migrate.Layout{Table: "X1x", Strategy: source.ByScheme},
			refused: "IngestItems and REGISTRY_PARTITION_STRATEGY"},
		{name: "of before, another strategy", made: []migrate.Layout{byScheme}, want: usual,
			refused: "Set REGISTRY_PARTITION_STRATEGY=scheme;"},
		{name: "of before, another table", made: []migrate.Layout{usual}, want: other,
			refused: "REGISTRY_TABLE_NAME=IngestItems"},
		{name: "of before, in a table of its own", made: []migrate.Layout{other}, want: other},
		{name: "of before, both strategies", made: []migrate.Layout{usual, byScheme}, want: byScheme},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := mem.New(time.Now)
			rows := store.Table("Runs")
			must(t, rows.Create(t.Context()))
			if c.recorded != (migrate.Layout{}) {
				must(t, migrate.RecordForm(t.Context(), store, c.recorded))
			} else if len(c.made) > 0 {
				_, err := rows.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: formRow(1)})
				must(t, err)
			}
			before := dump(t, rows)
			for _, l := range c.made {
				register(t, store, l, "https://a.example/")
			}
			err := migrate.CheckForm(t.Context(), store, c.want)
			if (err != nil) != (c.refused != "") || err != nil && (!fault.Is(err, fault.Invalid) ||
				!strings.Contains(err.Error(), c.refused) ||
				c.differently != "" && strings.Contains(err.Error(), c.differently)) {
				t.Fatalf("%v, want %q", err, c.refused)
			}
			if after := dump(t, rows); !maps.Equal(before, after) {
				t.Errorf("the check has written %v", after)
			}
			if again := migrate.RecordForm(t.Context(), store, c.want); (again != nil) != (err != nil) {
				t.Fatal(again)
			}
			if err != nil {
				return
			}
			register(t, store, c.want, "https://b.example/")
			must(t, migrate.CheckForm(t.Context(), store, c.want))
			another := migrate.Layout{Table: "Another", Strategy: c.want.Strategy}
			if err := migrate.CheckForm(t.Context(), store, another); err == nil {
				t.Error("not remembered")
			}
		})
	}
}

// TestZ5LayoutOfAnExport checks that an export is refused where its items would not be found.
func TestZ5LayoutOfAnExport(t *testing.T) {
	store := mem.New(time.Now)
	must(t, migrate.RecordForm(t.Context(), store, usual))
	rows := func() iter.Seq2[storage.Entity, error] {
		return store.Table("Runs").Query(t.Context(), storage.Query{})
	}
	must(t, usual.Admit(rows()))
	if err := (migrate.Layout{Table: "Other", Strategy: source.ByHost}).Admit(rows()); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

func dump(t *testing.T, rows storage.Table) map[storage.Key]storage.ETag {
	t.Helper()
	all := map[storage.Key]storage.ETag{}
	for e, err := range rows.Query(t.Context(), storage.Query{}) {
		must(t, err)
		all[e.Key] = e.ETag
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
