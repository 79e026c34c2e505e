package office

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/xuri/excelize/v2"
)

// This file turns Excel workbooks (SpreadsheetML, ECMA-376) into the blocks of an [extract.Document]. Each
// visible sheet becomes a heading with its name. The cells follow as they are shown, in one table for each group of
// rows. If the form of a date depends on the reader's country, the date is written as year, month and day.
//
// The same bytes always give the same document. Workbooks are read with excelize, which a file can make use
// far more memory than its options allow.

// XLSXType is the type of the documents that [XLSX] reads.
const XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// Bounds on a workbook. The bounds on the archive apply to the data that is read, not to the sizes in headers.
const (
	maxEntries    = 10_000    // files in the archive
	maxInflated   = 256 << 20 // bytes of all files
	maxSheets     = 100
	maxRows       = 50_000    // rows of all sheets, including empty rows
	maxSheetCells = 1_000_000 // cells of all sheets, including empty cells to the left of a filled one
	maxSheetText  = 5 << 20   // bytes of text, unless [extract.Limits] has another bound
	maxBeyond     = 2 << 20   // further rows, including empty rows, that are not read but whose changes are noticed
)

// XLSX reads a workbook. lim.MaxBytes limits the text, not the body. A workbook that exceeds a bound is cut, and
// its document is Truncated. Errors: Blocked for a file with a password; TooLarge for a file that inflates beyond 256
// MiB; Invalid for a broken file.
func XLSX(body []byte, lim extract.Limits) (extract.Document, error) {
	if err := checkSize(body, maxInflated); err != nil {
		return extract.Document{}, err
	}
	file, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{
		// The two limits must be equal, because otherwise excelize writes large sheets to files on disk.
		UnzipSizeLimit: maxInflated, UnzipXMLSizeLimit: maxInflated,
		ShortDatePattern: "yyyy-mm-dd", LongDatePattern: "yyyy-mm-dd", LongTimePattern: "hh:mm:ss",
	})
	if err != nil {
		return extract.Document{}, broken(err)
	}
	defer file.Close()
	return newReader(file, lim).read()
}

func broken(err error) error { return fault.New(fault.Invalid, "broken workbook: %.100v", err) }

// oleMagic is the beginning of a compound file, the container of a workbook with a password.
const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// checkSize measures the inflated archive, without keeping the data. It is needed because excelize trusts the sizes
// in the headers of the archive.
func checkSize(body []byte, most int64) error {
	if bytes.HasPrefix(body, []byte(oleMagic)) {
		return fault.New(fault.Blocked, "the workbook is protected by a password")
	}
	if bytes.Count(body, []byte("PK\x01\x02")) > maxEntries {
		return fault.New(fault.TooLarge, "the workbook holds more than %d files", maxEntries)
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return broken(err)
	}
	left := most
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			return broken(err)
		}
		n, err := io.Copy(io.Discard, io.LimitReader(r, left+1))
		_ = r.Close()
		if left -= n; left < 0 {
			return fault.New(fault.TooLarge, "the workbook inflates to more than %d MiB", most>>20)
		}
		if err != nil {
			return broken(err)
		}
	}
	return nil
}

// sheetReader is the state of reading one workbook.
type sheetReader struct {
	file *excelize.File
	out  *extract.Composer

	rows, cells, text int          // numbers of rows, cells and bytes that may still be read
	cut               string       // the part of the workbook that is read; empty if all is read
	rest              extract.Rest // summary of the rows beyond this part
	left              int          // number of rows beyond this part that rest may still cover
	table             []string     // rows of the current group
}

func newReader(file *excelize.File, lim extract.Limits) *sheetReader {
	lim.MaxBytes = cmp.Or(lim.MaxBytes, maxSheetText)
	return &sheetReader{file: file, out: extract.NewComposer(XLSXType, lim), rows: maxRows, cells: maxSheetCells,
		text: lim.MaxBytes, left: maxBeyond}
}

func (r *sheetReader) read() (extract.Document, error) {
	names := r.file.GetSheetList()
	if len(names) == 0 {
		return extract.Document{}, broken(errors.New("it has no sheets"))
	}
	for i, name := range names {
		if i == maxSheets {
			r.cut = cmp.Or(r.cut, extract.Only(maxSheets, "sheet"))
		}
		r.sheet(name)
	}
	var title, language string
	if p, err := r.file.GetDocProps(); err == nil {
		title, language = p.Title, p.Language
	}
	doc := r.out.Document(extract.PrimaryLanguage(language), title)
	doc.Truncated, doc.Cut = doc.Truncated || r.cut != "", cmp.Or(r.cut, doc.Cut)
	if doc.Beyond = doc.Beyond.And(r.rest.Sum()); r.left < 0 {
		doc.Beyond = extract.Beyond{}
	}
	return doc, nil
}

// full reports whether no further row is to be read, and records the reason.
func (r *sheetReader) full() bool {
	switch {
	case r.cut != "":
	case r.rows <= 0:
		r.cut = extract.Only(maxRows, "row")
	case r.cells <= 0:
		r.cut = extract.Only(maxSheetCells, "cell")
	case r.text <= 0:
		r.cut = "only the first part of the text is read"
	}
	return r.cut != ""
}

// sheet adds a sheet. If enough was read, it only adds the rows to the summary. A sheet that is hidden, is only a
// chart or cannot be read adds nothing. If a sheet has an error in the middle, its rows before the error are kept.
func (r *sheetReader) sheet(name string) {
	if visible, err := r.file.GetSheetVisible(name); err != nil || !visible {
		return
	}
	rows, err := r.file.Rows(name)
	if err != nil {
		return
	}
	defer rows.Close()
	if r.cut == "" {
		r.out.Add(extract.Block{Kind: extract.Heading, Level: 1, Text: dom.Fold(name)})
	}
	exact := exactNumbers{file: r.file, sheet: name}
	defer exact.close()
	for n := 1; rows.Next() && r.left >= 0; n++ {
		cells, err := rows.Columns()
		if err != nil {
			r.cut = fmt.Sprintf("a row of the sheet %.100q cannot be read, nor can those after it", name)
			break
		}
		exact.write(n, cells)
		if r.full() {
			r.rest.Line(strings.Join(cells, " | "))
			r.left--
			continue
		}
		r.row(cells)
	}
	r.flush()
}

// row adds a row to the table. An empty row ends the table.
func (r *sheetReader) row(cells []string) {
	r.rows--
	r.cells -= len(cells)
	for i := range cells {
		cells[i] = dom.Fold(cells[i])
	}
	line := extract.Row(cells)
	if line == "" {
		r.flush()
		return
	}
	r.text -= len(line) + 1
	r.table = append(r.table, line)
}

// flush ends the table. If the table has only one cell, the cell becomes a paragraph, because it is a title or a
// remark.
func (r *sheetReader) flush() {
	kind := extract.Table
	if len(r.table) == 1 {
		if line := strings.TrimLeft(r.table[0], " |"); !strings.Contains(line, " | ") {
			kind, r.table[0] = extract.Paragraph, line
		}
	}
	r.out.Add(extract.Block{Kind: kind, Text: strings.Join(r.table, "\n")})
	r.table = r.table[:0]
}

// exactNumbers writes whole numbers with all of their digits. In the usual format a spreadsheet shows numbers of more
// than eleven digits as powers of ten, and two such numbers may look the same. Then the rows are read a second time,
// without formats, beside the first.
type exactNumbers struct {
	file  *excelize.File
	sheet string

	rows   *excelize.Rows // of the second reading; nil before the first such number
	at     int            // number of rows that were read
	failed bool
}

// power matches a large number as a power of ten.
var power = regexp.MustCompile(`^-?\d(?:\.\d+)?E\+\d+$`)

// mostExact is a number above which not all digits of a float are known to be right.
const mostExact = 1e15

// write replaces powers of ten in the row with the given number, from 1, where all digits are known.
func (e *exactNumbers) write(row int, cells []string) {
	var raw []string
	for i, cell := range cells {
		if len(cell) < len("1E+11") || !power.MatchString(cell) {
			continue
		}
		if raw == nil {
			raw = e.row(row)
		}
		if i >= len(raw) {
			return
		}
		if f, err := strconv.ParseFloat(raw[i], 64); err == nil && f == math.Trunc(f) && math.Abs(f) < mostExact {
			cells[i] = strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
}

// row returns a row without formats, or nil if it cannot be read.
func (e *exactNumbers) row(n int) []string {
	if e.rows == nil && !e.failed {
		var err error
		e.rows, err = e.file.Rows(e.sheet)
		e.failed = err != nil
	}
	for !e.failed && e.at < n {
		e.at++
		if e.failed = !e.rows.Next(); e.failed {
			break
		}
		raw, err := e.rows.Columns(excelize.Options{RawCellValue: true})
		if e.failed = err != nil; !e.failed && e.at == n {
			return raw
		}
	}
	return nil
}

func (e *exactNumbers) close() {
	if e.rows != nil {
		_ = e.rows.Close() // was only read
	}
}
