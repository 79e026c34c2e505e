package office

import (
	"math"
	"regexp"
	"strconv"

	"github.com/xuri/excelize/v2"
)

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
