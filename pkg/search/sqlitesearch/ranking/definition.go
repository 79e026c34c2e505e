package ranking

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

const maxDefined = 120 // maximum length of a defined name, in bytes

// headingSeparator joins the headings of a path (package chunk).
const headingSeparator = " › "

func lastHeading(path string) string {
	if i := strings.LastIndex(path, headingSeparator); i >= 0 {
		return path[i+len(headingSeparator):]
	}
	return path
}

// definitions returns the names that a text defines. There are two forms of definitions. In a definition list, the
// term is on a line of its own, and the next line begins with a colon. In a glossary, the term is a short paragraph
// before its explanation.
func definitions(body string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for rest, paragraph := body, ""; rest != ""; {
			paragraph, rest, _ = strings.Cut(rest, "\n\n")
			if isEntry(paragraph) && rest != "" {
				if !yield(paragraph) {
					return
				}
				continue
			}
			terms, _, explained := strings.Cut(paragraph, "\n: ")
			if !explained && !(isSignature(paragraph) && isProse(rest)) {
				continue
			}
			for line := range strings.SplitSeq(terms, "\n") {
				if name := definedName(line); name != "" && !yield(name) {
					return
				}
			}
		}
	}
}

// mayDefine reports whether a text may contain definitions. The test is cheap.
func mayDefine(body string) bool {
	return strings.Contains(body, "\n: ") || strings.Contains(body, "\n\n")
}

// longestEntry is the maximum length of a glossary term, in bytes.
const longestEntry = 48

// isSignature reports whether a paragraph is only a signature, such as "class asyncio.Task(coro, *, name=None)". Its
// explanation follows in paragraphs of its own.
func isSignature(paragraph string) bool {
	if paragraph == "" || len(paragraph) > longestSignature || strings.ContainsAny(paragraph[:1], "([{<>-#|`\"'") {
		return false
	}
	first, _, _ := strings.Cut(paragraph, " ")
	if strings.Contains(paragraph, "\n") {
		return kinds[first] && strings.HasSuffix(paragraph, ")")
	}
	at := strings.IndexByte(paragraph, '(')
	return kinds[first] && strings.Count(paragraph, " ") < 2 ||
		at > 0 && paragraph[at-1] != ' ' && strings.Count(paragraph[:at], " ") < 4 &&
			(strings.HasSuffix(paragraph, ")") || strings.Contains(paragraph, ") ->") || strings.Contains(paragraph, ") →"))
}

// isProse reports a text that begins as a sentence does.
func isProse(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	line, _, _ := strings.Cut(text, "\n")
	return unicode.IsUpper(first) && strings.Count(line, " ") >= 2
}

const longestSignature = 300

// kinds are the words that begin what is defined in the documentation of programs.
var kinds = map[string]bool{"class": true, "exception": true, "async": true, "coroutine": true, "static": true,
	"classmethod": true, "staticmethod": true, "abstractmethod": true, "property": true, "function": true, "method": true,
	"macro": true, "fn": true, "pub": true, "def": true, "func": true, "type": true, "const": true, "final": true}

// isEntry reports a paragraph of a few words that is no sentence and no list.
func isEntry(paragraph string) bool {
	return paragraph != "" && len(paragraph) <= longestEntry && strings.Count(paragraph, " ") < 4 &&
		!strings.ContainsAny(paragraph, "\n.,:;!?=") && !strings.HasPrefix(paragraph, "- ") &&
		!slices.Contains([]string{"Note", "See also", "Warning", "Tip", "Example", "Examples"}, paragraph)
}

// definedName is what a line such as "static str.maketrans(x[, y])" or "pub fn push(&mut self)" defines: the
// last word before its parameters. Sentences define nothing.
func definedName(line string) string {
	if i := strings.IndexAny(line, "(<[={"); i > 0 {
		line = line[:i]
	}
	words := strings.Fields(line)
	if len(words) == 0 || len(words) > 6 {
		return ""
	}
	name := strings.Trim(words[len(words)-1], "*&:,;.!¶§ⓘ")
	if len(name) > maxDefined {
		return ""
	}
	return name
}

// naming is a name that is defined: all of its words, and those behind its last dot or colons.
type naming struct {
	raw       string
	leaf, all []string
	sure      float64 // how sure it is that it is defined, of 1
}

func newNaming(raw string, sure float64) naming {
	return naming{raw, tokens.Of(leafOf(raw)), tokens.Of(raw), sure}
}

// named are, beside kinds, the words that begin a heading that says what is defined.
var named = map[string]bool{"struct": true, "enum": true, "trait": true, "keyword": true, "module": true, "crate": true,
	"primitive": true, "constant": true, "union": true, "attribute": true, "interface": true, "object": true,
	"command": true, "option": true, "variable": true, "package": true, "namespace": true}

// definesSurely tells how sure it is that a title or heading defines its last word: "Struct std::vec::Vec" does, "Patch
// decorators" may only speak of it.
func definesSurely(heading string) float64 {
	words := strings.Fields(heading)
	for len(words) > 1 && words[0][0] <= '9' { // the number of the section
		words = words[1:]
	}
	if len(words) == 0 {
		return 0
	}
	if first := strings.ToLower(words[0]); kinds[first] || named[first] {
		return 1
	}
	n := 0
	for _, w := range words {
		if !tokens.IsFunctionWord(strings.ToLower(w)) {
			n++
		}
		if strings.ContainsAny(w[1:], "(<[={") { // parameters begin
			break
		}
	}
	return 1 / math.Sqrt(float64(max(1, n)))
}

// leafOf is a name without what it is in.
func leafOf(name string) string {
	if strings.Contains(name, " ") {
		return name
	}
	for _, separator := range []string{"::", ".", "#"} {
		if i := strings.LastIndex(name, separator); i >= 0 && i+len(separator) < len(name) {
			name = name[i+len(separator):]
		}
	}
	return name
}
