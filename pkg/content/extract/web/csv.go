package web

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// readCSV reads comma-separated values (RFC 4180) as one table, with a line for each record. The separator may also
// be a semicolon or a tab. The document has no title.
//
// The package encoding/csv is not used, because it sets no bound on a record. It also turns the rest of the file into
// one cell or an error after a single stray quote.
func readCSV(p page) extract.Document {
	text, charset := decode(p.body, p.contentType, false)
	doc := extract.Document{Charset: charset}
	rows, beyond := csvRows(string(text), p.limits.MaxBlocks)
	if doc.Beyond = beyond; beyond != (extract.Beyond{}) {
		doc.Truncated, doc.Cut = true, extract.Only(p.limits.MaxBlocks, "row")
	}
	if len(rows) > 0 {
		doc.Blocks = []extract.Block{{Kind: extract.Table, Text: strings.Join(rows, "\n")}}
	}
	doc.Text = extract.Join(doc.Blocks)
	doc.VisibleText = doc.Text
	return doc
}

// csvRows returns the first records that are not empty, at most the given number, with cells joined by " | ". It also
// returns the summary of the other records.
func csvRows(text string, most int) (rows []string, beyond extract.Beyond) {
	var rest extract.Rest
	separator := csvSeparator(text)
	for text != "" {
		var row string
		row, text = csvRow(text, separator)
		if row == "" {
			continue
		}
		if len(rows) == most {
			rest.Line(row)
			continue
		}
		rows = append(rows, row)
	}
	return rows, rest.Sum()
}

// csvSeparator returns the most frequent separator in the first line.
func csvSeparator(text string) byte {
	line, _, _ := strings.Cut(text, "\n")
	best, most := byte(','), 0
	for _, c := range []byte(",;\t") {
		if n := strings.Count(line, string(rune(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

// csvRow reads one record.
func csvRow(text string, separator byte) (row, rest string) {
	var cells []byte
	for more := true; more; {
		var cell string
		cell, text, more = csvCell(text, separator)
		cells = append(append(cells, dom.Fold(cell)...), " | "...)
	}
	return strings.TrimRight(string(cells), " |"), text
}

// csvCell reads one cell and the separator or line end after it. It returns more = true if another cell of the record
// follows.
func csvCell(text string, separator byte) (cell, rest string, more bool) {
	quoted, rest := csvQuoted(text)
	end := strings.IndexAny(rest, string([]byte{separator, '\r', '\n'}))
	if end < 0 {
		return quoted + rest, "", false
	}
	cell, more = quoted+rest[:end], rest[end] == separator
	if strings.HasPrefix(rest[end:], "\r\n") {
		end++
	}
	return cell, rest[end+1:], more
}

// csvQuoted returns the text inside the quotes at the beginning of the text. A quote that is not closed is an
// ordinary character. A file can have only one such quote, so the search for a closing quote fails only once.
func csvQuoted(text string) (quoted, rest string) {
	if !strings.HasPrefix(text, `"`) {
		return "", text
	}
	for at := 1; ; {
		n := strings.IndexByte(text[at:], '"')
		if n < 0 {
			return "", text
		}
		at += n + 1
		if at < len(text) && text[at] == '"' {
			at++
			continue
		}
		return strings.ReplaceAll(text[1:at-1], `""`, `"`), text[at:]
	}
}
