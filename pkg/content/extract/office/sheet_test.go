package office

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/xuri/excelize/v2"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/goldentest"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

func load(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestA17Golden(t *testing.T) {
	doc, err := XLSX(load(t, "harbour.xlsx"), extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "title %q, language %q, truncated %v\n", doc.Title, doc.Language, doc.Truncated)
	for _, b := range doc.Blocks {
		fmt.Fprintf(&out, "\n[%s %d]\n%s\n", b.Kind, b.Level, b.Text)
	}
	goldentest.Compare(t, "testdata/harbour.golden", out.String())
}

// TestA17Oracle checks that every word that LibreOffice shows is present. (Its export formats numbers differently.)
func TestA17Oracle(t *testing.T) {
	doc, err := XLSX(load(t, "harbour.xlsx"), extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsFuncSeq(string(load(t, "harbour.words")),
		func(c rune) bool { return strings.ContainsRune(",\"\n ", c) }) {
		if strings.ContainsFunc(word, unicode.IsLetter) && !strings.Contains(doc.Text, word) {
			t.Errorf("%q is missing", word)
		}
	}
}

// workbook returns a workbook of sheets+1 sheets; each added one has that many rows and columns.
func workbook(t *testing.T, sheets, rows, columns int) *excelize.File {
	t.Helper()
	f := excelize.NewFile()
	row := make([]any, columns)
	for s := range sheets {
		name := fmt.Sprint("Sheet", s+2)
		if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for r := range rows {
			for c := range row {
				row[c] = r + c
			}
			if err := f.SetSheetRow(name, fmt.Sprint("A", r+1), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

func TestA17Bounds(t *testing.T) {
	for _, c := range []struct {
		name      string
		file      *excelize.File
		bound     func(*sheetReader)
		truncated bool
	}{
		{"within all", workbook(t, 2, 10, 3), func(r *sheetReader) {}, false},
		{"rows", workbook(t, 2, 10, 3), func(r *sheetReader) { r.rows = 15 }, true},
		{"cells", workbook(t, 1, 10, 3), func(r *sheetReader) { r.cells = 20 }, true},
		{"text", workbook(t, 1, 10, 3), func(r *sheetReader) { r.text = 40 }, true},
		{"sheets", workbook(t, maxSheets, 1, 1), func(r *sheetReader) {}, true},
	} {
		r := newReader(c.file, extract.Limits{})
		c.bound(r)
		doc, err := r.read()
		if err != nil || doc.Truncated != c.truncated || doc.Text == "" {
			t.Errorf("%s: truncated %v, error %v, want truncated %v", c.name, doc.Truncated, err, c.truncated)
		}
		if r.rows < 0 || r.cells < -3 || r.text < -20 {
			t.Errorf("%s: went on past the bound: %d rows, %d cells, %d bytes left", c.name, r.rows, r.cells, r.text)
		}
	}
}

// repack copies a workbook and adds a part.
func repack(t *testing.T, body []byte, name string, part io.Reader) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range in.File {
		if err := w.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	p, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(p, part); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestA17Refusals(t *testing.T) {
	whole := load(t, "harbour.xlsx")
	for _, c := range []struct {
		name string
		body []byte
		kind fault.Kind
		want string
	}{
		{"a password", []byte(oleMagic + "EncryptedPackage"), fault.Blocked, "protected by a password"},
		{"many files", bytes.Repeat([]byte("PK\x01\x02"), maxEntries+1), fault.TooLarge, "more than 10000 files"},
		{"nothing", nil, fault.Invalid, "broken workbook"},
		{"the first half", whole[:len(whole)/2], fault.Invalid, "broken workbook"},
		{"no workbook", repack(t, emptyZip(t), "word/document.xml", strings.NewReader("<x/>")), fault.Invalid,
			"broken workbook"},
	} {
		_, err := XLSX(c.body, extract.Limits{})
		if !fault.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: have %v (%s), want the kind %s and %q", c.name, err, fault.KindOf(err), c.kind, c.want)
		}
	}
}

// TestA17Bomb checks that a part without references counts too, whatever size its header states.
func TestA17Bomb(t *testing.T) {
	const most = 1 << 20
	for bytes, want := range map[int64]fault.Kind{most / 2: "", most: fault.TooLarge} {
		body := repack(t, load(t, "harbour.xlsx"), "xl/worksheets/bomb.xml", io.LimitReader(zeros{}, bytes))
		if err := checkSize(body, most); fault.KindOf(err) != want {
			t.Errorf("%d bytes more: have %v, want the kind %q", bytes, err, want)
		}
	}
}

func emptyZip(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := zip.NewWriter(&out).Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// FuzzExtract changes bytes of a workbook, and checks for an error of a known kind or a document, and no panic. Its
// seeds are small so that memory growth in excelize, which has no bound, stays small too.
func FuzzExtract(f *testing.F) {
	f.Add(load(f, "harbour.xlsx"))
	f.Add([]byte(oleMagic))
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, err := XLSX(body, extract.Limits{MaxBytes: 1 << 16})
		if err != nil && fault.KindOf(err) == fault.Internal {
			t.Errorf("an error without a kind: %v", err)
		}
		if len(doc.Text) > 2<<16 {
			t.Errorf("have %d bytes of text", len(doc.Text))
		}
	})
}

// TestA17LongNumbers checks that whole numbers have all digits, and that other numbers are as they are shown.
func TestA17LongNumbers(t *testing.T) {
	f := workbook(t, 1, 0, 0)
	sheet := f.GetSheetList()[0]
	scientific, err := f.NewStyle(&excelize.Style{NumFmt: 11})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []any{"before", 123456789012345, -123456789012, 1234567890123, 1e20, 0.00001234, 12.5, 5e14} {
		for _, row := range []int{1, 4, 7} { // with empty rows between
			if err := f.SetCellValue(sheet, fmt.Sprintf("%c%d", 'A'+i, row), v); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.SetCellStyle(sheet, "B7", "B7", scientific); err != nil {
		t.Fatal(err)
	}
	body, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := XLSX(body.Bytes(), extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "before | 123456789012345 | -123456789012 | 1234567890123 | 1E+20 | 0.00001234 | 12.5 | 500000000000000"
	if n := strings.Count(doc.Text, want); n != 3 {
		t.Errorf("%d rows are right:\n%s", n, doc.Text)
	}
}
