package mail

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// decoded returns the content of a part without its transfer encoding. The name of the encoding may be written as in
// damaged mails ("base64;", "x-base64", "base64 (x)"). The content of an unknown encoding stays as it is.
func decoded(content []byte, encoding string, text bool) []byte {
	switch encoding = strings.ToLower(encoding); {
	case strings.Contains(encoding, "base64"):
		return decodeBase64(content, text)
	case strings.Contains(encoding, "quoted"):
		return decodeQuoted(content)
	}
	return content
}

// decodeQuoted decodes quoted-printable (RFC 2045 §6.7). Blanks at the end of a line do not count, also after the "="
// of a soft line break (rule 3). A "=" that begins no code stays.
func decodeQuoted(content []byte) []byte {
	out := make([]byte, 0, len(content))
	for line := range bytes.SplitAfterSeq(content, []byte("\n")) {
		end := ""
		if bytes.HasSuffix(line, []byte("\n")) {
			end = "\n"
		}
		line = bytes.TrimRight(line, " \t\r\n")
		if bytes.HasSuffix(line, []byte("=")) {
			line, end = line[:len(line)-1], ""
		}
		out = append(appendQuoted(out, line), end...)
	}
	return out
}

// appendQuoted appends a text to out, with its codes ("=C3") replaced by the bytes.
func appendQuoted(out, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		if text[i] == '=' && i+2 < len(text) {
			high, low := digit(text[i+1]), digit(text[i+2])
			if high < 16 && low < 16 {
				out = append(out, high<<4|low)
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

// digit returns the value of a hexadecimal digit, or 16 for another byte.
func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// decodeBase64 decodes base64. Programs put several encoded pieces behind each other, and lines of plain text around
// them, such as the footer of a mailing list. In a text, such lines are kept.
func decodeBase64(content []byte, text bool) []byte {
	var out, run []byte
	padded := false // the present run, or the one before, has ended in padding
	flush := func() {
		out, run = append(out, pieces(run)...), run[:0]
	}
	for line := range bytes.SplitAfterSeq(content, []byte("\n")) {
		trimmed := bytes.TrimSpace(line)
		switch {
		case len(trimmed) == 0:
		case isBase64(trimmed, padded):
			run = append(run, trimmed...)
			padded = padded || trimmed[len(trimmed)-1] == '='
		default:
			if flush(); text {
				if len(out) > 0 && out[len(out)-1] != '\n' {
					out = append(out, '\n')
				}
				out = append(out, line...)
			}
		}
	}
	flush()
	return out
}

// isBase64 reports whether a line is base64, with a few wrong bytes at most. After a piece that has ended, only a line
// that is a piece of its own, or as long as lines of base64 are, is base64.
func isBase64(line []byte, ended bool) bool {
	const long = 40 // bytes of a line that is hardly plain text
	good, wrong, words := 0, 0, len(bytes.Fields(line))
	for _, c := range line {
		switch {
		case inAlphabet(c), c == '=':
			good++
		case c != ' ' && c != '\t':
			wrong++
		}
	}
	padded := good%4 == 0 && line[len(line)-1] == '='
	if good == 0 || wrong*10 > good || words > 1 && good/words < 16 && !padded {
		return false
	}
	return !ended || good >= long || wrong == 0 && good%4 == 0 && (padded || mixed(line))
}

// mixed reports whether a line mixes letters of both cases, as words do not.
func mixed(line []byte) bool {
	upper := 0
	for _, c := range line[1:] {
		if c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			upper++
		}
	}
	return upper > 0
}

func inAlphabet(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}

// pieces decodes pieces of base64. Each piece but the last ends in padding.
func pieces(text []byte) []byte {
	out := make([]byte, 0, len(text)*3/4)
	for piece := range bytes.SplitSeq(text, []byte("=")) {
		kept := piece[:0:0]
		for _, c := range piece {
			if inAlphabet(c) {
				kept = append(kept, c)
			}
		}
		if len(kept)%4 == 1 {
			kept = kept[:len(kept)-1] // fewer than eight bits
		}
		out, _ = base64.RawStdEncoding.AppendDecode(out, kept) // no error: all bytes are of the alphabet
	}
	return out
}
