// Package export answers with lists of any length, as CSV or as JSON Lines. A list is sent while it is read, a page at
// a time, so it needs no more memory than a page.
package export

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// PageSize is how many rows are read at once.
const PageSize = 500

// Answer is a list of any length, which is sent while it is read.
type Answer[T any] struct {
	name, format string
	columns      []Column[T]
	first        []T
	after        string // where the next page begins; empty when there is none
	next         func(after string) ([]T, string, error)
	log          *slog.Logger
}

// Column is a column of a CSV file.
type Column[T any] struct {
	Name string
	Text func(row *T) string
}

// New reads the first page, so that an error of the request can still be answered. next reads the page that begins at
// after ("" for the first), and also gives where the page after it begins ("" if it is the last).
func New[T any](log *slog.Logger, name, format string, columns []Column[T],
	next func(after string) ([]T, string, error)) (e Answer[T], err error) {
	if format == "" {
		format = "csv"
	}
	if format != "csv" && format != "jsonl" {
		return e, fault.Field("format", "format must be csv or jsonl, not %.40q", format)
	}
	e = Answer[T]{name: name, format: format, columns: columns, next: next, log: log}
	e.first, e.after, err = next("")
	return e, err
}

var _ wire.Writer = Answer[struct{}]{}

// WriteAnswer implements [wire.Writer]. If it fails, it breaks the connection off, because the status has been sent.
func (e Answer[T]) WriteAnswer(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", map[string]string{"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}[e.format])
	h.Set("Content-Disposition", `attachment; filename="tidemark-`+e.name+"."+e.format+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if err := e.rows(w); err != nil {
		e.log.Error("export broken off", "export", e.name, "err", err)
		panic(http.ErrAbortHandler)
	}
}

func (e Answer[T]) rows(w io.Writer) error {
	put := e.encoder(w)
	for rows, after := e.first, e.after; ; {
		if err := put(rows); err != nil || after == "" {
			return err
		}
		var err error
		if rows, after, err = e.next(after); err != nil {
			return err
		}
	}
}

// encoder writes rows in the format of the export.
func (e Answer[T]) encoder(w io.Writer) func(rows []T) error {
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
	out.UseCRLF = true // RFC 4180 section 2
	for i, c := range e.columns {
		line[i] = c.Name
	}
	_ = out.Write(line) // the error is that of the flush
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

// cell is a text that spreadsheets show but do not evaluate: titles and passages are written by strangers (OWASP, CSV
// injection).
func cell(text string) string {
	if r := []rune(text[:min(len(text), 4)]); len(r) > 0 && strings.ContainsRune("=+-@\t\r\n＝＋－＠", r[0]) {
		return "'" + text
	}
	return text
}

// Time is a time in a cell, in UTC (RFC 3339); empty for the zero time.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Yes is a yes or no in a cell; empty for no.
func Yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// Number is a number in a cell; empty for 0.
func Number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Fraction is a fraction in a cell, to four digits; empty for 0.
func Fraction(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}
