package sqlitesearch

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Full-text table names has a row for each page: its title, its headings, and what it defines. A word that
// stands in a tenth of all chunks stands in few titles, so the pages that are about it are found there, at
// the price of a row for forty chunks.

const (
	maxDefined  = 120     // bytes of a name that is defined
	maxNamedAll = 1 << 18 // bytes of what one page is called
	manyNames   = 1000    // pages whose names are written at once
)

// namesOf are the headings of chunks, each once, and what they define.
func namesOf(chunks []row) (headings, defined string) {
	var h, d strings.Builder
	seen := map[string]bool{}
	for _, c := range chunks {
		if leaf := lastHeading(c.heading); leaf != "" && !seen[leaf] && h.Len() < maxNamedAll {
			seen[leaf] = true
			h.WriteString(leaf)
			h.WriteString("\n")
			if name := definedName(leaf); name != "" {
				d.WriteString(name)
				d.WriteString("\n")
			}
		}
		for name := range definitions(c.body) {
			if d.Len() >= maxNamedAll {
				break
			}
			d.WriteString(name)
			d.WriteString("\n")
		}
	}
	return h.String(), d.String()
}

// headingSeparator joins the headings of a path (package chunk).
const headingSeparator = " › "

func lastHeading(path string) string {
	if i := strings.LastIndex(path, headingSeparator); i >= 0 {
		return path[i+len(headingSeparator):]
	}
	return path
}

// definitions are what a text defines: the terms of its lists of definitions, which are lines with an explanation
// that begins with a colon below them, and those of a glossary, which are paragraphs of few words before another.
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

// mayDefine reports whether a text may have definitions, at less cost.
func mayDefine(body string) bool {
	return strings.Contains(body, "\n: ") || strings.Contains(body, "\n\n")
}

// longestEntry is how long the word of a glossary is at most, in bytes.
const longestEntry = 48

// isSignature reports a paragraph that is nothing but how something is called, such as "class asyncio.Task(coro, *,
// name=None)": its explanation has paragraphs of its own.
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
}

func newNaming(raw string) naming {
	return naming{raw, tokensOf(leafOf(raw)), tokensOf(raw)}
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

// calling is what a page is called, on its way into names.
type calling struct {
	title, headings, defined string
	again                    bool // it may have been called something before
	gone                     bool
}

// call notes what a page is called.
func (w *writer) call(page int64, title string, chunks []row, again bool) {
	headings, defined := namesOf(chunks)
	w.names[page] = calling{title: title, headings: headings, defined: defined, again: again}
}

// putNames writes what pages are called, in ascending order and without REPLACE, for the reasons of indexTexts: that
// would have FTS5 write out each row by itself.
func (w *writer) putNames() error {
	for _, page := range slices.Sorted(maps.Keys(w.names)) {
		c := w.names[page]
		if c.again || c.gone {
			if err := w.exec("DELETE FROM names WHERE rowid = ?", page); err != nil {
				return err
			}
		}
		if c.gone {
			continue
		}
		err := w.exec("INSERT INTO names (rowid, title, headings, defined) VALUES (?, ?, ?, ?)", page, c.title, c.headings,
			c.defined)
		if err != nil {
			return err
		}
	}
	clear(w.names)
	return nil
}

func byID(a, b row) int { return cmp.Compare(a.id, b.id) }
