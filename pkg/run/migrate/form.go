package migrate

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// form is the form of the rows that this program writes. A change of it needs a conversion of the rows of the form
// before.
const form = 1

// formRow says in which form the rows of a store are.
type formRow struct {
	Form int `col:"form,always"`
}

var (
	formRows = row.Of[formRow]()
	formKey  = storage.Key{Partition: "form", Row: "rows"}
)

// The rules of the programs that wrote rows of form 1 before stores said which form they have. They never change.
// Programs with older rules wrote rows that this program does not read.
const firstURLs, firstTexts, firstKeys = "url_v2", "text_v4", "keys_v4"

// Layout is what must not change once a store has items: with other settings they would not be found. A store keeps the
// layout that it was made with.
type Layout struct {
	Table    string          `col:"table"`    // REGISTRY_TABLE_NAME
	Strategy source.Strategy `col:"strategy"` // REGISTRY_PARTITION_STRATEGY
}

var (
	layoutRows = row.Of[Layout]()
	layoutKey  = storage.Key{Partition: formKey.Partition, Row: "settings"} // follows formKey
)

// Admit reads the rows of [Service] and of collection runs, and returns an error unless this program reads the rows of
// their store, which must have the layout if it says one. A store without such rows is new. The rows come in the order
// of their keys, so the row with the form is before those that show it in a store without that row. Errors: Invalid if
// the rows of the store are of another form.
func (l Layout) Admit(rows iter.Seq2[storage.Entity, error]) error {
	is, err := formOf(rows)
	if has := is.layout; err == nil && has != (Layout{}) {
		err = l.differs(has)
	}
	return err
}

// record is what a store says about itself.
type record struct {
	isNew  bool   // there are no rows
	formed bool   // the form is record
	layout Layout // zero if it is not said
}

// formOf reads what rows say about their store.
func formOf(rows iter.Seq2[storage.Entity, error]) (is record, err error) {
	is.isNew = true
	for e, err := range rows {
		if is.isNew = false; err != nil {
			return is, err
		}
		switch {
		case e.Key == formKey:
			if err := admitForm(e); err != nil {
				return is, err
			}
			is.formed = true
		case e.Key == layoutKey:
			is.layout, err = layoutRows.Decode(e.Props)
			return is, err
		case is.formed:
			return is, nil
		case isOld(e):
			return is, fault.New(fault.Invalid, "the state was begun by a version from before the first release, and its "+
				"rows are of forms that this version does not read. Nothing was changed. To move: start the version that "+
				"wrote it, write its sources with `tidemark items --format csv > sources.csv`, then start this version "+
				"with a new folder and run `tidemark import sources.csv`")
		}
	}
	return is, nil
}

// differs returns an error unless the settings are those with which a store was made.
func (l Layout) differs(has Layout) error {
	var wrong, mend []string
	for _, s := range [][3]string{{"REGISTRY_TABLE_NAME", has.Table, l.Table},
		{"REGISTRY_PARTITION_STRATEGY", string(has.Strategy), string(l.Strategy)}} {
		if s[1] != s[2] {
			wrong = append(wrong, s[0]+" is "+s[2]+", but the items of this store were made with "+s[1])
			mend = append(mend, s[0]+"="+s[1])
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "%s. Nothing was changed. Set %s; or begin a new store with the other settings, and "+
		"take the addresses along: `tidemark items --format csv > sources.csv` here, `tidemark import sources.csv` there",
		strings.Join(wrong, ", and "), strings.Join(mend, " and "))
}

func admitForm(e storage.Entity) error {
	if has, err := formRows.Decode(e.Props); err != nil || has.Form != form {
		return fault.New(fault.Invalid, "the rows of the state are of form %d, and this version reads form %d. Nothing "+
			"was changed. Start the version that wrote it", has.Form, form)
	}
	return nil
}

// isOld reports whether a row was written by a program with older rules than those of the first rows that are kept.
func isOld(e storage.Entity) bool {
	switch e.Partition {
	case "run":
		text, _ := e.Props["normalizationVersion"].(string)
		urls, _, _ := strings.Cut(lineage.Version(text).Component("url"), ".") // a patch is one of settings
		return urls != firstURLs || lineage.Version(text).Component("text") != firstTexts
	case partition:
		var rules map[string]string
		text, _ := e.Props["rules"].(string)
		_ = json.Unmarshal([]byte(text), &rules) // if it is damaged, the store remembers no rules
		return e.Row == stateRow && version(rules["entries"]) != firstKeys
	}
	return false
}

// CheckForm returns an error unless this program reads the rows of a store and finds its items with these settings. It
// creates a table, which every store has, and writes nothing else.
func CheckForm(ctx context.Context, store storage.Store, want Layout) error {
	_, err := check(ctx, store, want)
	return err
}

// RecordForm calls [CheckForm] and records the form and the layout of a store that does not say them. It must be called
// before anything else is written.
func RecordForm(ctx context.Context, store storage.Store, want Layout) error {
	is, err := check(ctx, store, want)
	if err != nil {
		return err
	}
	var ops []storage.Op
	if !is.formed {
		ops = append(ops, formRows.Put(formKey, "", &formRow{form}))
	}
	if is.layout != want {
		ops = append(ops, storage.Op{Kind: storage.Upsert,
			Entity: storage.Entity{Key: layoutKey, Props: layoutRows.Encode(&want)}})
	}
	if len(ops) == 0 {
		return nil
	}
	_, err = store.Table(snapshot.RunsTable).Transact(ctx, ops...)
	return fault.Except(err, fault.Conflict) // another process has just recorded them
}

// check reads what a store says about itself, and compares it with what this program needs. A store without items may
// get another layout, because nothing can be lost.
func check(ctx context.Context, store storage.Store, want Layout) (is record, err error) {
	rows := store.Table(snapshot.RunsTable)
	if err := rows.Create(ctx); err != nil {
		return is, err
	}
	is, err = formOf(rows.Query(ctx, storage.Query{PartitionFrom: formKey.Partition}))
	if err != nil || is.isNew || is.layout == want {
		return is, err
	}
	tables := []string{is.layout.Table}
	if is.layout == (Layout{}) {
		tables = slices.Compact([]string{want.Table, registry.DefaultTable})
	}
	for _, table := range tables {
		by, found, err := registry.New(store, registry.Options{Table: table}).MadeBy(ctx)
		if err != nil {
			return is, err
		}
		if found {
			return is, want.differs(cmp.Or(is.layout, Layout{table, cmp.Or(by, want.Strategy)}))
		}
	}
	return is, nil
}
