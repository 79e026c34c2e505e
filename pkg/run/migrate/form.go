package migrate

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
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

// Admit reads the rows of [Service] and of collection runs, and returns an error unless this program reads the rows of
// their store. A store without such rows is new. The rows come in the order of their keys, so the row with the form is
// before those that show it in a store without that row. Errors: Invalid if the rows of the store are of another form.
func Admit(rows iter.Seq2[storage.Entity, error]) error {
	for e, err := range rows {
		switch {
		case err != nil:
			return err
		case e.Key == formKey:
			return admitForm(e)
		case isOld(e):
			return fault.New(fault.Invalid, "the state was begun by a version from before the first release, and its "+
				"rows are of forms that this version does not read. Nothing was changed. To move: start the version that "+
				"wrote it, write its sources with `tidemark items --format csv > sources.csv`, then start this version "+
				"with a new folder and run `tidemark import sources.csv`")
		}
	}
	return nil
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

// CheckForm calls [Admit] with the rows of a store. It creates the table, which every store has, and writes nothing
// else.
func CheckForm(ctx context.Context, rows storage.Table) error {
	if err := rows.Create(ctx); err != nil {
		return err
	}
	return Admit(rows.Query(ctx, storage.Query{PartitionFrom: formKey.Partition}))
}

// RecordForm calls [CheckForm] and records the form of a store that does not say it. It must be called before anything
// else is written.
func RecordForm(ctx context.Context, rows storage.Table) error {
	if err := CheckForm(ctx, rows); err != nil {
		return err
	}
	_, err := rows.Transact(ctx, formRows.Put(formKey, "", &formRow{form}))
	return fault.Except(err, fault.Conflict)
}
