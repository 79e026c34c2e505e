package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// PDFium joins the two parts of a word that a line end divides. In place of the hyphen and the line break, it writes
// the character joint. One of its functions writes jointText instead.
const (
	joint     = '\u0002'
	jointText = '\ufffe'
)

// clean returns the text of a line as its author meant it: hyphens at line ends are removed where they are not part
// of the word, whitespace is folded, and invisible characters are dropped.
func clean(raw string) string {
	runes := []rune(raw)
	var out strings.Builder
	out.Grow(len(raw))
	space := false
	for i, c := range runes {
		if c == joint || c == jointText {
			if c = '-'; !keepsHyphen(runes[:i], runes[i+1:]) {
				continue
			}
		}
		switch {
		case unicode.IsSpace(c):
			space = out.Len() > 0
		case invisible(c):
		default:
			if space {
				out.WriteByte(' ')
				space = false
			}
			out.WriteRune(c) // a lone surrogate becomes U+FFFD
		}
	}
	return out.String()
}

// keepsHyphen reports whether a hyphen at a line end belongs to its word. If it does not, the word was only broken
// there. Typesetters break only inside words in lower case, and leave at least two letters on the line.
func keepsHyphen(left, right []rune) bool {
	if len(left) == 0 || len(right) == 0 || !unicode.IsLower(right[0]) {
		return true
	}
	start := len(left)
	for start > 0 && unicode.IsLetter(left[start-1]) {
		start--
	}
	part := left[start:]
	return len(part) < 2 || strings.ToUpper(string(part)) == string(part)
}

// invisible reports whether readers do not see c and c has no meaning between words.
func invisible(c rune) bool {
	return c == '\uffff' || dom.IsInvisible(c)
}

// join appends a line to the text of a paragraph. It adds a space before the line, except between two ideographs and
// after a hyphen at which the word was broken.
func join(text, next string) string {
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(next)
	if ideographic(last) && ideographic(first) || brokenAtHyphen(text, first) {
		return text + next
	}
	return text + " " + next
}

func brokenAtHyphen(text string, next rune) bool {
	word, found := strings.CutSuffix(text, "-")
	before, _ := utf8.DecodeLastRuneInString(word)
	return found && unicode.IsLetter(before) && unicode.IsLower(next)
}

// ideographic reports whether c belongs to a script without spaces between words.
func ideographic(c rune) bool {
	return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) ||
		c >= 0x3000 && c <= 0x303f || c >= 0xff00 && c <= 0xffef
}

// endsSentence reports whether a text ends like a sentence, apart from closing quotes and brackets.
func endsSentence(text string) bool {
	text = strings.TrimRight(text, "\"'”’»)]")
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?:;。！？：…", last) && text != ""
}

// bullets are the characters that begin list items. The last four are from the fonts Symbol and Wingdings.
const bullets = "•◦▪▫‣⁃●○■□➢➔✓\uf0b7\uf0a7\uf0d8\uf0fc"

// item returns the first line of a list item without its bullet. It returns ok = false if there is no bullet.
func item(text string) (rest string, ok bool) {
	first, size := utf8.DecodeRuneInString(text)
	rest = text[size:]
	if strings.ContainsRune(bullets, first) {
		return strings.TrimLeft(rest, " "), true
	}
	if strings.ContainsRune("-–*", first) && strings.HasPrefix(rest, " ") {
		return strings.TrimLeft(rest, " "), true
	}
	return text, false
}

// readFields adds the values of the form fields on a page, which are not part of the page's text. The label of a
// value is the tool tip of the field, because the names of fields are meant for programmers.
func (r *reader) readFields(page requests.Page, number int) {
	form, err := r.pdfium.GetForm(&requests.GetForm{Page: page})
	if err != nil {
		return // even without the form, the text is useful
	}
	for _, f := range form.Fields {
		text := fieldText(f)
		if text == "" || r.text >= r.o.Limits.MaxBytes {
			continue
		}
		r.text += len(text)
		r.lines = append(r.lines, line{page: number, text: text, field: true})
	}
}

// fieldText returns the label of a field and its value, or "" if the field is empty.
func fieldText(f responses.FormField) string {
	value, label := "", clean(f.ToolTip)
	switch {
	case len(f.Values) > 0:
		value = clean(strings.Join(f.Values, ", "))
	case f.Value != nil:
		value = clean(*f.Value)
	case f.IsChecked != nil && *f.IsChecked:
		return label
	}
	if value == "" || label == "" {
		return value
	}
	return label + ": " + value
}
