package mail

import (
	"strings"
)

// encodedWord is an encoded word of a header field (RFC 2047).
type encodedWord struct {
	charset string
	base64  bool
	text    string
}

// Bounds on an encoded word. RFC 2047 allows 75 bytes; programs write more.
const (
	maxCharset = 60
	maxWord    = 4000
)

// decodeWords decodes encoded words. Words of one charset in a row are decoded together, because programs split words
// inside a character. What is not an encoded word stays as it is.
func decodeWords(value string) string {
	var out strings.Builder
	var row []encodedWord
	flush := func() {
		out.WriteString(decodeRow(row))
		row = row[:0]
	}
	for {
		i := strings.Index(value, "=?")
		if i < 0 {
			break
		}
		w, size := cutWord(value[i:])
		if size == 0 {
			flush()
			out.WriteString(value[:i+2])
			value = value[i+2:]
			continue
		}
		if len(row) == 0 || strings.TrimSpace(value[:i]) != "" {
			flush()
			out.WriteString(value[:i])
		}
		if len(row) > 0 && label(row[0].charset) != label(w.charset) {
			flush()
		}
		row, value = append(row, w), value[i+size:]
	}
	flush()
	out.WriteString(value)
	return out.String()
}

// cutWord returns the encoded word at the beginning of a value, and its size; 0 if there is none.
func cutWord(value string) (w encodedWord, size int) {
	rest := value[2:]
	end := strings.IndexByte(rest[:min(len(rest), maxCharset)], '?')
	if end < 1 || strings.ContainsAny(rest[:end], " \t=") || len(rest) < end+3 || rest[end+2] != '?' {
		return w, 0
	}
	w.charset = rest[:end]
	switch rest[end+1] {
	case 'b', 'B':
		w.base64 = true
	case 'q', 'Q':
	default:
		return w, 0
	}
	rest = rest[end+3:]
	end = strings.Index(rest[:min(len(rest), maxWord)], "?=")
	if end == 0 && strings.HasPrefix(rest[2:], "=") {
		return w, 0
	}
	// In "=?utf-8?Q?=C3=A4?=", the first "?=" of the text may belong to a code ("?=C3").
	for !w.base64 && end >= 0 && end+4 <= len(rest) && digit(rest[end+2]) < 16 && digit(rest[end+3]) < 16 {
		next := strings.Index(rest[end+2:min(len(rest), maxWord)], "?=")
		if next < 0 || strings.Contains(rest[end+2:end+2+next], "=?") {
			break
		}
		end += 2 + next
	}
	if end < 0 {
		return w, 0
	}
	w.text = rest[:end]
	return w, len(value) - len(rest) + end + 2
}

// decodeRow decodes words of one charset in a row.
func decodeRow(row []encodedWord) string {
	if len(row) == 0 {
		return ""
	}
	var raw []byte
	var open []byte // base64 of words that ended inside a group of four
	for _, w := range row {
		if !w.base64 {
			raw, open = append(raw, pieces(open)...), nil
			raw = appendQuoted(raw, []byte(strings.ReplaceAll(w.text, "_", " ")))
			continue
		}
		text := strings.Map(withoutBlanks, w.text)
		if len(text)%4 == 0 { // a whole word: the one before only lacks its padding
			raw, open = append(raw, pieces(open)...), nil
		}
		if open = append(open, text...); len(open)%4 == 0 || strings.HasSuffix(text, "=") {
			raw, open = append(raw, pieces(open)...), nil
		}
	}
	return toUTF8(append(raw, pieces(open)...), row[0].charset)
}

func withoutBlanks(r rune) rune {
	if r == ' ' || r == '\t' {
		return -1
	}
	return r
}
