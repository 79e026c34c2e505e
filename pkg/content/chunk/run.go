package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// border is the kind of border at which an atom ends. The greater the value, the better the border is for a cut.
type border uint8

const (
	wordEnd  border = iota
	innerEnd        // the end of a sentence, a line or a row
	outerEnd        // the end of a paragraph, or a blank line of code
)

// atom is a part of a text that is never cut.
type atom struct {
	start, end int32  // byte range in the text, without trailing blanks
	pos        int32  // size of the run up to the end of this atom
	border     border // the border at which the atom ends
	score      uint64 // score of a cut after this atom; see [run.rate]
	anchor     string // anchor of the term that the atom explains, if any
}

// run is a part of a text that may be cut only between its atoms.
type run struct {
	text   string
	atoms  []atom
	anchor string // anchor of the block that is being added
}

// longestPiece is the length in characters of the pieces into which very long words are cut. A piece has at most 86
// tokens.
const longestPiece = 64

// block adds a block of the text, which begins at the given byte offset. A block that fits in the budget becomes one
// atom. A longer block is added by sentences, or by lines if it consists of lines.
func (r *run) block(b extract.Block, at int) {
	r.anchor = b.Anchor
	text := strings.TrimRightFunc(b.Text, unicode.IsSpace)
	lead := len(text) - len(strings.TrimLeft(text, "\n"))
	at, text = at+lead, text[lead:]
	if size := size(text); size <= Budget {
		r.add(at, text, size, outerEnd)
		return
	}
	parts := lines
	if b.Kind == extract.Paragraph || b.Kind == extract.Quote {
		parts = sentences
	}
	for part := range parts(text) {
		r.part(at, part)
		at += len(part)
	}
	r.end(outerEnd)
}

// part adds a sentence or a line. It adds the words one by one if together they exceed the budget.
func (r *run) part(at int, text string) {
	if size := size(text); size <= Budget {
		r.add(at, text, size, innerEnd)
		return
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		r.word(at, word)
		at += len(word)
	}
	r.end(innerEnd)
}

// word adds a word, cut into pieces if it exceeds the budget. All pieces have the same length, so an edit in such a
// word may move all cuts up to the end of the word.
func (r *run) word(at int, text string) {
	if size := size(text); size <= Budget {
		r.add(at, text, size, wordEnd)
		return
	}
	from, n := 0, 0
	for i := range text {
		if n == longestPiece {
			r.add(at+from, text[from:i], size(text[from:i]), wordEnd)
			from, n = i, 0
		}
		n++
	}
	r.add(at+from, text[from:], size(text[from:]), wordEnd)
}

// sparse is the number of bytes for which [size] counts at least one token. So chunks are bounded in bytes, too:
// blanks are no tokens, and a listing may have megabytes of blanks between two words.
const sparse = 64

// size returns the part of the budget that a text uses.
func size(text string) int {
	tokens := Tokens(text)
	if tokens == 0 {
		return 0
	}
	return max(tokens, len(text)/sparse)
}

// add adds an atom together with the blanks before it. A blank text adds no atom. It only raises the border of the
// previous atom.
func (r *run) add(at int, text string, size int, ends border) {
	if size == 0 {
		r.end(outerEnd)
		return
	}
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	pos := int32(size)
	if n := len(r.atoms); n > 0 {
		last := r.atoms[n-1]
		pos = last.pos + min(pos+(int32(at)-last.end)/sparse, Budget)
	}
	r.atoms = append(r.atoms, atom{start: int32(at), end: int32(at + len(text)), pos: pos, border: ends, anchor: r.anchor})
}

// end raises the border of the last atom to the given kind.
func (r *run) end(ends border) {
	if n := len(r.atoms); n > 0 {
		r.atoms[n-1].border = max(r.atoms[n-1].border, ends)
	}
}

// near limits the number of bytes on each side of a cut that affect the score of the cut.
const near = 48

// rate sets the score of each cut. The kind of border decides first. Among equals, a hash of the words on both sides
// decides, with at most [near] bytes on each side. The score does not depend on where in the text these words are.
func (r *run) rate() {
	const bits = 2 // the bits of a score that hold the border
	var words []byte
	for i := range r.atoms {
		u := &r.atoms[i]
		words = append(words[:0], r.text[max(u.start, u.end-near):u.end]...)
		if i+1 < len(r.atoms) {
			next := r.atoms[i+1]
			words = append(append(words, 0), r.text[next.start:min(next.end, next.start+near)]...)
		}
		u.score = uint64(u.border)<<(64-bits) | xxhash.Sum64(words)>>bits
	}
}

// lines splits a text into lines that include their line ends.
func lines(text string) func(func(string) bool) { return strings.SplitAfterSeq(text, "\n") }

// sentences splits prose after each sentence. The parts contain all of the text.
func sentences(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i, r := range text {
			end := i + utf8.RuneLen(r)
			if i < start || !endsSentence(r, text[end:]) {
				continue
			}
			for end < len(text) && text[end] == ' ' {
				end++
			}
			if !yield(text[start:end]) {
				return
			}
			start = end
		}
		yield(text[start:])
	}
}

// endsSentence reports whether r ends a sentence when the given text follows. A full stop ends a sentence if a space
// follows, and after the space no lower-case letter. This rule excludes most abbreviations. Chinese and Japanese full
// stops always end a sentence.
func endsSentence(r rune, rest string) bool {
	switch r {
	case '。', '！', '？', '｡', '\n':
		return true
	case '.', '!', '?', '…', '।', '؟', '۔':
		after, spaced := strings.CutPrefix(rest, " ")
		next, _ := utf8.DecodeRuneInString(after)
		return spaced && !unicode.IsLower(next)
	}
	return false
}

// Tokens estimates the number of tokens that a language model counts in a text. The estimate bounds the size of
// chunks. It is cheap, it never changes, and the estimates of two texts that are split at whitespace add up to the
// estimate of the whole.
//
// Each run of letters, digits or other signs is estimated separately and rounded up. Six ASCII letters count as one
// token, as do three digits and three bytes of anything else. So a Chinese, Japanese or Korean character is one
// token. The estimate was compared with OpenAI's tokenizers on 980 pages in some twenty languages. From the 5th to
// the 95th percentile, it was 0.86 to 1.18 times the number of tokens in o200k_base and 0.74 to 1.17 times the number
// in cl100k_base; for pages in Chinese or Japanese it was 0.57 to 1.40 times. English is overestimated by 12%.
//
// Alternatives considered: the tokenizer of one model is exact for that model only. It would add megabytes of
// vocabulary to a program that has to start fast, and every page would have to be cut again when the model is
// replaced.
func Tokens(text string) int {
	tokens, sixths, run := 0, 0, blank
	for i := 0; i < len(text); {
		class, cost, size := classify(text[i:])
		if class != run {
			tokens += (sixths + 5) / 6
			sixths, run = 0, class
		}
		sixths += cost
		i += size
	}
	return tokens + (sixths+5)/6
}

// sign is a class of characters. Consecutive characters of one class form a run.
type sign uint8

const (
	blank sign = iota
	letter
	digit
	other
)

// classify returns the class of the first character of text, its cost in sixths of a token, and its size in bytes.
func classify(text string) (class sign, cost, size int) {
	if c := text[0]; c < utf8.RuneSelf {
		class = ascii[c]
		return class, asciiCost[class], 1
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsSpace(r):
		return blank, 0, size
	case unicode.IsLetter(r) || unicode.IsMark(r):
		class = letter
	case unicode.IsNumber(r):
		class = digit
	default:
		class = other
	}
	return class, 2 * size, size
}

var asciiCost = [...]int{blank: 0, letter: 1, digit: 2, other: 1}

var ascii = func() (table [utf8.RuneSelf]sign) {
	for c := range table {
		switch r := rune(c); {
		case unicode.IsSpace(r):
			table[c] = blank
		case unicode.IsLetter(r):
			table[c] = letter
		case unicode.IsDigit(r):
			table[c] = digit
		default:
			table[c] = other
		}
	}
	return table
}()
