package handlers

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// This file answers requests for lists of any length, as CSV or as JSON Lines. Each page of a list
// is sent before the next one is read, so only one page is in memory.

// exportPage is the number of rows in a page.
const exportPage = 500

// export is an answer with a list of any length. The list is read while it is sent.
type export[T any] struct {
	name, format string
	columns      []exportColumn[T]
	first        []T
	after        string // the cursor of the next page; empty when there is none
	next         func(after string) ([]T, string, error)
	log          *slog.Logger
}

// exportColumn is a column of a CSV file.
type exportColumn[T any] struct {
	Name string
	Text func(row *T) string
}

// newExport reads the first page at once, so that an error in the request can still be answered
// with a status. The next function returns the page that begins at a cursor, and the cursor of the
// following page. The cursor of the first page is empty, and so is the cursor that follows the last
// page.
func newExport[T any](log *slog.Logger, name, format string, columns []exportColumn[T],
	next func(after string) ([]T, string, error)) (e export[T], err error) {
	format = cmp.Or(format, "csv")
	if format != "csv" && format != "jsonl" {
		return e, fault.Field("format", "format must be csv or jsonl, not %.40q", format)
	}
	e = export[T]{name: name, format: format, columns: columns, next: next, log: log}
	e.first, e.after, err = next("")
	return e, err
}

var _ wire.Writer = export[struct{}]{}

// WriteAnswer implements [wire.Writer]. If a page cannot be read, WriteAnswer closes the connection,
// because the status has already been sent.
func (e export[T]) WriteAnswer(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}[e.format])
	h.Set("Content-Disposition", `attachment; filename="tidemark-`+e.name+"."+e.format+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if err := e.rows(w, http.NewResponseController(w).Flush); err != nil {
		e.log.Error("export broken off", "export", e.name, "err", err)
		panic(http.ErrAbortHandler)
	}
}

// rows sends the list page by page. Each page, compressed or not, has left the process before rows
// reads the next one.
func (e export[T]) rows(w io.Writer, flush func() error) error {
	put := e.encoder(w)
	for rows, after := e.first, e.after; ; {
		if err := put(rows); err != nil || after == "" {
			return err
		}
		_ = flush() // fails if the answer is buffered as a whole, as in a test
		var err error
		if rows, after, err = e.next(after); err != nil {
			return err
		}
	}
}

// encoder returns a function that writes rows in the format of the export.
func (e export[T]) encoder(w io.Writer) func(rows []T) error {
	if e.format == "jsonl" {
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false)
		return func(rows []T) error {
			for i := range rows {
				if err := out.Encode(&rows[i]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	out, line := csv.NewWriter(w), make([]string, len(e.columns))
	out.UseCRLF = true // as in RFC 4180 section 2
	for i, c := range e.columns {
		line[i] = c.Name
	}
	_ = out.Write(line) // Flush reports the error, too
	return func(rows []T) error {
		for i := range rows {
			for j, c := range e.columns {
				line[j] = cell(c.Text(&rows[i]))
			}
			_ = out.Write(line)
		}
		out.Flush()
		return out.Error()
	}
}

// cell returns text in a form that spreadsheets show but do not evaluate as a formula (OWASP, CSV
// injection). Titles and passages are written by third parties.
func cell(text string) string {
	if r := []rune(text[:min(len(text), 4)]); len(r) > 0 && strings.ContainsRune("=+-@\t\r\n＝＋－＠", r[0]) {
		return "'" + text
	}
	return text
}

// timeCell formats a time for a cell, in UTC (RFC 3339). The zero time gives an empty cell.
func timeCell(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// valueCell formats a value of JSON for a cell. Null gives an empty cell.
func valueCell(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// yesCell formats a boolean for a cell. The cell is empty for false.
func yesCell(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// numberCell formats a number for a cell. The cell is empty for 0.
func numberCell(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// fractionCell formats a fraction for a cell, with four digits. The cell is empty for 0.
func fractionCell(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}
