package aisearch

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// analyzer is a custom analyzer together with its filters
// (https://learn.microsoft.com/azure/search/index-add-custom-analyzers).
type analyzer struct {
	Type         string   `json:"@odata.type"`
	Name         string   `json:"name"`
	Tokenizer    string   `json:"tokenizer"`
	TokenFilters []string `json:"tokenFilters,omitempty"`
	CharFilters  []string `json:"charFilters,omitempty"`
}

type charFilter struct {
	Type        string   `json:"@odata.type"`
	Name        string   `json:"name"`
	Mappings    []string `json:"mappings,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	Replacement *string  `json:"replacement,omitempty"`
}

type tokenFilter struct {
	Type   string `json:"@odata.type"`
	Name   string `json:"name"`
	Length int    `json:"length,omitempty"`
}

// token is a word of a text: its term, its position among the words, and its byte range in the text.
type token struct {
	term     string
	position int
	from, to int
}

// char is a character that passes through the filters, with the byte range of the text that it comes from.
type char struct {
	r        rune
	from, to int
}

func (d *definition) checkAnalyzers() error {
	for _, f := range d.CharFilters {
		if _, err := f.filter(); err != nil {
			return err
		}
	}
	for _, a := range d.Analyzers {
		if _, err := d.analyzer(a.Name); err != nil {
			return err
		}
	}
	for _, f := range d.Fields {
		if f.Searchable && f.Type != vectorType {
			if _, err := d.analyzer(f.Analyzer); err != nil {
				return err
			}
		}
	}
	return nil
}

// analyzer returns the custom analyzer or the language analyzer with the given name.
func (d *definition) analyzer(name string) (func(string) []token, error) {
	for _, a := range d.Analyzers {
		if a.Name == name {
			return d.custom(a)
		}
	}
	language, found := strings.CutSuffix(name, ".lucene")
	if !found {
		return nil, refuse("no analyzer %q", name)
	}
	return languageAnalyzer(language)
}

func (d *definition) custom(a analyzer) (func(string) []token, error) {
	if a.Type != "#Microsoft.Azure.Search.CustomAnalyzer" || a.Tokenizer != "whitespace" {
		return nil, refuse("analyzer %s: type %q, tokenizer %q", a.Name, a.Type, a.Tokenizer)
	}
	var chars []func([]char) []char
	for _, name := range a.CharFilters {
		f, err := d.charFilter(name)
		if err != nil {
			return nil, err
		}
		chars = append(chars, f)
	}
	var terms []func(string) string
	for _, name := range a.TokenFilters {
		f, err := d.tokenFilter(name)
		if err != nil {
			return nil, err
		}
		terms = append(terms, f)
	}
	return func(text string) []token {
		cs := charsOf(text)
		for _, f := range chars {
			cs = f(cs)
		}
		tokens := whitespace(cs)
		for i := range tokens {
			for _, f := range terms {
				tokens[i].term = f(tokens[i].term)
			}
		}
		return tokens
	}, nil
}

func (d *definition) charFilter(name string) (func([]char) []char, error) {
	for _, f := range d.CharFilters {
		if f.Name == name {
			return f.filter()
		}
	}
	return nil, refuse("no char filter %q", name)
}

func (f charFilter) filter() (func([]char) []char, error) {
	switch {
	case f.Type == "#Microsoft.Azure.Search.MappingCharFilter" && len(f.Mappings) > 0 && f.Pattern == "":
		return f.mapping()
	case f.Type == "#Microsoft.Azure.Search.PatternReplaceCharFilter" && f.Pattern != "" && f.Replacement != nil &&
		f.Mappings == nil:
		pattern, err := regexp.Compile(f.Pattern)
		if err != nil {
			return nil, refuse("char filter %s: %v", f.Name, err)
		}
		return func(cs []char) []char { return replace(cs, pattern, *f.Replacement) }, nil
	}
	return nil, refuse("char filter %s", f.Name)
}

// mapping returns a filter that replaces one or two characters, of which two come first. The service would also accept
// longer strings.
func (f charFilter) mapping() (func([]char) []char, error) {
	to := map[[2]rune]string{}
	for _, m := range f.Mappings {
		from, mapped, found := strings.Cut(m, "=>")
		if n := utf8.RuneCountInString(from); !found || n < 1 || n > 2 {
			return nil, refuse("mapping %q", m)
		}
		key := [2]rune{}
		copy(key[:], []rune(from))
		to[key] = mapped
	}
	return func(cs []char) []char {
		out := make([]char, 0, len(cs))
		for len(cs) > 0 {
			n, mapped, found := 1, "", false
			if len(cs) > 1 {
				if mapped, found = to[[2]rune{cs[0].r, cs[1].r}]; found {
					n = 2
				}
			}
			if !found {
				if mapped, found = to[[2]rune{cs[0].r}]; !found {
					out = append(out, cs[0])
				}
			}
			for _, r := range mapped {
				out = append(out, char{r, cs[0].from, cs[n-1].to})
			}
			cs = cs[n:]
		}
		return out
	}, nil
}

// replace replaces the matches of a pattern. Each resulting character has the byte range of the whole match.
func replace(cs []char, pattern *regexp.Regexp, replacement string) []char {
	var text strings.Builder
	text.Grow(len(cs))
	at := make([]int, 0, len(cs)+1) // index of the character that begins at each byte
	for i, c := range cs {
		n, _ := text.WriteRune(c.r)
		for range n {
			at = append(at, i)
		}
	}
	at = append(at, len(cs))
	found := pattern.FindAllStringSubmatchIndex(text.String(), -1)
	if found == nil {
		return cs
	}
	out := make([]char, 0, len(cs))
	last := 0
	for _, m := range found {
		from, to := at[m[0]], at[m[1]]
		out = append(out, cs[last:from]...)
		last = to
		if from == to {
			continue
		}
		for _, r := range string(pattern.ExpandString(nil, replacement, text.String(), m)) {
			out = append(out, char{r, cs[from].from, cs[to-1].to})
		}
	}
	return append(out, cs[last:]...)
}

func charsOf(text string) []char {
	cs := make([]char, 0, len(text))
	for i, r := range text {
		cs = append(cs, char{r, i, i + utf8.RuneLen(r)})
	}
	return cs
}

// whitespace splits at whitespace. It also splits tokens of more than 255 characters.
func whitespace(cs []char) []token {
	return tokenize(cs, func(r rune) bool { return !unicode.IsSpace(r) })
}

func tokenize(cs []char, within func(rune) bool) (tokens []token) {
	var term strings.Builder
	n, from, to := 0, 0, 0
	end := func() {
		if n > 0 {
			tokens = append(tokens, token{term.String(), len(tokens), from, to})
		}
		term.Reset()
		n = 0
	}
	for _, c := range cs {
		if !within(c.r) {
			end()
			continue
		}
		if n == 255 {
			end()
		}
		if n == 0 {
			from = c.from
		}
		term.WriteRune(c.r)
		n, to = n+1, c.to
	}
	end()
	return tokens
}

func (d *definition) tokenFilter(name string) (func(string) string, error) {
	switch name {
	case "lowercase":
		return func(s string) string { return strings.Map(unicode.ToLower, s) }, nil
	case "asciifolding":
		return asciiFolded, nil
	}
	for _, f := range d.TokenFilters {
		if f.Name == name && f.Type == "#Microsoft.Azure.Search.TruncateTokenFilter" && f.Length > 0 && f.Length <= maxToken {
			return func(s string) string { return string([]rune(s)[:min(f.Length, utf8.RuneCountInString(s))]) }, nil
		}
	}
	return nil, refuse("no token filter %q", name)
}

// special holds letters that do not decompose to ASCII letters but are folded to them.
var special = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'ħ': "h", 'ı': "i",
	'þ': "th", 'ŋ': "n",
}

// asciiFolded folds a term as Lucene's filter does: letters with ASCII equivalents are replaced, others stay.
func asciiFolded(term string) string {
	var out strings.Builder
	for _, r := range term {
		folded := string(r)
		if r >= utf8.RuneSelf {
			if s, found := special[r]; found {
				folded = s
			} else if s := withoutDiacritics(r); isASCII(s) {
				folded = s
			}
		}
		out.WriteString(folded)
	}
	return out.String()
}

func withoutDiacritics(r rune) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(string(r)))
}

func isASCII(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
