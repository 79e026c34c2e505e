package office

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// unseen are destinations whose text is not shown, or not as text of the document.
var unseen = map[string]bool{"colortbl": true, "pict": true, "object": true, "header": true, "headerl": true,
	"headerr": true, "headerf": true, "footer": true, "footerl": true, "footerr": true, "footerf": true, "listtable": true,
	"listoverridetable": true, "revtbl": true, "rsidtbl": true, "generator": true, "info": true, "fldinst": true,
	"themedata": true, "datastore": true, "xmlnstbl": true, "filetbl": true, "stylesheet": true, "fonttbl": true,
	"latentstyles": true, "nonshppict": true, "mmathPr": true, "bkmkstart": true, "bkmkend": true,
	"userprops": true, "xe": true, "tc": true, "ftnsep": true, "ftnsepc": true, "aftnsep": true}

// characters are control words that stand for a character.
var characters = map[string]string{"tab": " ", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ",
	"qmspace": " ", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "zwj": "\u200d",
	"zwnj": "\u200c", "line": "\n", "lbr": "\n"}

// word obeys a control word. The result of a word without a number is that of the number 0, with given false.
func (r *rtfReader) word(word string, n int, given bool) {
	if word == "u" {
		r.decode()
		r.unicode(n)
		return
	}
	r.decode()
	if r.omit = 0; unseen[word] {
		r.now.skip = true
	}
	on := !given || n != 0
	switch word {
	case "par", "sect", "page":
		r.endParagraph()
	case "pard":
		r.now.level, r.now.table, r.style = 0, false, 0
	case "plain":
		r.now.hidden = false
	case "v", "deleted":
		r.now.hidden = on
	case "intbl":
		r.now.table = on
	case "cell", "nestcell":
		r.row = append(r.row, r.ended())
	case "row", "nestrow":
		r.endRow()
	case "outlinelevel":
		if n >= 0 && n < 9 {
			r.now.level = n + 1
			if r.now.skip && len(r.styles) < 10_000 { // in the table of styles
				r.styles[r.style] = n + 1
			}
		}
	case "bin":
		r.at = min(len(r.in), r.at+max(0, n))
	case "footnote", "annotation":
		r.write([]byte(" ("))
		r.now.note = true
	default:
		r.settings(word, n)
		r.write([]byte(characters[word]))
	}
}

// settings obeys the control words of fonts, styles, code pages and properties.
func (r *rtfReader) settings(word string, n int) {
	switch word {
	case "uc":
		r.now.unicode = min(max(n, 0), 16)
	case "ansicpg":
		if page := codePage(n); page != nil {
			r.now.page = page
		}
	case "f":
		r.font = n
	case "fcharset":
		if page := codePage(pageOfCharset[n]); page != nil && len(r.fonts) < 10_000 {
			r.fonts[r.font] = page
		}
	case "s":
		if r.style = n; r.styles[n] > 0 {
			r.now.level = r.styles[n]
		}
	case "title", "author":
		r.now.to = map[string]*[]byte{"title": &r.title, "author": &r.author}[word]
		r.now.skip = false
	}
}

// unicode adds a character by its number in UTF-16, after which some characters for older readers follow.
func (r *rtfReader) unicode(n int) {
	c := rune(uint16(n))
	switch {
	case utf16.IsSurrogate(c) && r.high == 0:
		r.high = c
	case r.high != 0:
		r.write(utf8.AppendRune(nil, utf16.DecodeRune(r.high, c)))
		r.high = 0
	default:
		r.write(utf8.AppendRune(nil, c))
	}
	r.omit = r.now.unicode
}

// ended returns the text of the paragraph, folded, and empties it.
func (r *rtfReader) ended() string {
	text := dom.Fold(strings.ToValidUTF8(string(r.text), "\ufffd"))
	r.text = r.text[:0]
	return text
}

// endParagraph ends a paragraph. In a table, it is a part of the cell.
func (r *rtfReader) endParagraph() {
	if r.now.skip || r.now.to != nil {
		return
	}
	if r.now.table {
		r.text = append(r.text, ' ')
		return
	}
	r.paragraph()
}

func (r *rtfReader) paragraph() {
	text := dom.FoldLines(strings.ToValidUTF8(string(r.text), "\ufffd"))
	r.text = r.text[:0]
	if text == "" {
		return
	}
	r.flush()
	b := extract.Block{Kind: extract.Paragraph, Text: text}
	if r.now.level > 0 {
		b = extract.Block{Kind: extract.Heading, Level: min(r.now.level, 6), Text: strings.ReplaceAll(text, "\n", " ")}
	}
	r.full = !r.out.Add(b) || r.full
}

// endRow ends a row of a table.
func (r *rtfReader) endRow() {
	if text := r.ended(); text != "" {
		r.row = append(r.row, text)
	}
	if line := extract.Row(r.row); line != "" {
		r.rows = append(r.rows, line)
	}
	r.row = r.row[:0]
}

// flush adds the table that ends here.
func (r *rtfReader) flush() {
	if len(r.row) > 0 {
		r.endRow()
	}
	r.full = !r.out.Add(extract.Block{Kind: extract.Table, Text: strings.Join(r.rows, "\n")}) || r.full
	r.rows = nil
}
