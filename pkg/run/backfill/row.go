package backfill

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// rowVersion is the version of the rows that people can read without a decoder (INV-8): they contain numbers, texts
// and JSON.
const rowVersion = 2

var runColumns = row.Of[Run]()

// codec encodes and decodes the rows of runs. A long list is stored in several columns.
type codec struct{}

// Encode returns the columns of a run.
func (codec) Encode(r *Run) storage.Properties {
	r.RowVersion = rowVersion
	props := runColumns.Encode(r)
	props["dateFrom"], props["dateTo"] = storage.FormatTime(r.Dates.From), storage.FormatTime(r.Dates.To)
	writeList(props, "sources", r.Sources)
	writeList(props, "errorLog", r.ErrorLog)
	writeList(props, "progress", r.Progress)
	return props
}

// Decode returns the run that is stored in columns.
func (codec) Decode(props storage.Properties) (Run, error) {
	r, err := runColumns.Decode(props)
	if err != nil {
		return r, err
	}
	when := func(name string) time.Time { text, _ := props[name].(string); return storage.ParseTime(text) }
	r.Dates = discover.Dates{From: when("dateFrom"), To: when("dateTo")}
	r.ErrorLog, _ = readList[api.BackfillError](props, "errorLog") // a damaged log is dropped
	if r.Sources, err = readList[string](props, "sources"); err == nil {
		r.Progress, err = readList[Progress](props, "progress")
	}
	return r, err
}

// columnOf returns the name of a column that holds part of a list: name, name2, name3.
func columnOf(name string, part int) string {
	if part == 1 {
		return name
	}
	return fmt.Sprintf("%s%d", name, part)
}

// writeList writes a list as JSON. Each column contains a complete JSON list, with as many elements as fit.
func writeList[T any](props storage.Properties, name string, list []T) {
	part, text := 1, []byte("[")
	for _, one := range list {
		next := row.JSON(one)
		if len(text)+len(next)+2 > storage.MaxStringUnits && len(text) > 1 { // a byte needs at most one UTF-16 unit
			props[columnOf(name, part)] = string(append(text, ']'))
			part, text = part+1, []byte("[")
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(text, next...)
	}
	props[columnOf(name, part)] = string(append(text, ']'))
}

func readList[T any](props storage.Properties, name string) (list []T, err error) {
	for part := 1; ; part++ {
		text, ok := props[columnOf(name, part)].(string)
		if !ok {
			return list, nil
		}
		var some []T
		if err := json.Unmarshal([]byte(text), &some); err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
}
