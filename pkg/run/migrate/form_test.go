package migrate_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
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
			rows := mem.New(time.Now).Table("Runs")
			must(t, rows.Create(t.Context()))
			for _, e := range c.rows {
				_, err := rows.Transact(t.Context(), storage.Op{Kind: storage.Insert, Entity: e})
				must(t, err)
			}
			before := dump(t, rows)
			for _, check := range []func(context.Context, storage.Table) error{migrate.CheckForm, migrate.RecordForm} {
				err := check(t.Context(), rows)
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
			must(t, migrate.RecordForm(t.Context(), rows)) // once more, by the next process
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
		rows := storagetest.Hooked(mem.New(time.Now), hooks).Table("Runs")
		if err := migrate.RecordForm(t.Context(), rows); !errors.Is(err, died) {
			t.Fatal(err)
		}
		fail = false
		must(t, migrate.RecordForm(t.Context(), rows))
		if _, recorded := dump(t, rows)[formRow(1).Key]; !recorded {
			t.Error("no form")
		}
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
