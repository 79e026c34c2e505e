package watch

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// free returns a regular expression for a place at which each form has another word.
func (s *suggestion) free(c column) string {
	words := make([]piece, len(c.at))
	for k, at := range c.at {
		words[k] = s.lines[k][at.from]
	}
	whole := func(kind, pattern string) string {
		s.moved(kind)
		for k, w := range words {
			s.freed[k] = append(s.freed[k], [2]int{w.from, w.to})
		}
		return pattern
	}
	var names []string
	times := 0
	for _, w := range words {
		if w.like != "" {
			times++
		}
		if name, ok := anyName(w.text, s.languages); ok {
			names = append(names, name)
		}
	}
	switch {
	case times == len(words):
		return whole("time", fitting(words, func(w piece) string { return w.like }))
	case len(names) == len(words):
		return whole("word", anyFitting(texts(words), names))
	case times > 0:
		return whole("word", fitting(words, func(w piece) string {
			if w.like == "" {
				return `\S+`
			}
			return w.like
		}))
	}
	if pattern, ok := s.freeRuns(words); ok {
		return pattern
	}
	return whole("word", anyWord(texts(words)))
}

func texts(words []piece) (out []string) {
	for _, w := range words {
		out = append(out, w.text)
	}
	return out
}

func fitting(words []piece, like func(piece) string) string {
	var patterns []string
	for _, w := range words {
		patterns = append(patterns, like(w))
	}
	return anyFitting(texts(words), patterns)
}

// anyFitting returns the first of some regular expressions that matches all texts, or else one that matches what any
// of them does.
func anyFitting(texts, patterns []string) string {
	for _, p := range patterns {
		re, err := regexp.Compile("^(?:" + p + ")$")
		if err == nil && !slices.ContainsFunc(texts, func(t string) bool { return !re.MatchString(t) }) {
			return p
		}
	}
	slices.Sort(patterns)
	return "(?:" + strings.Join(slices.Compact(patterns), "|") + ")"
}

// anyWord returns a regular expression for any word, with the signs that all of the words begin and end with.
func anyWord(words []string) string {
	head, tail := signs(words[0], true), signs(words[0], false)
	for _, w := range words {
		if strings.IndexFunc(w, isOfWord) < 0 || signs(w, true) != head || signs(w, false) != tail {
			return `\S+`
		}
	}
	return regexp.QuoteMeta(head) + `\S+` + regexp.QuoteMeta(tail)
}

// signs returns the signs at the beginning or at the end of a word.
func signs(word string, begin bool) string {
	if begin {
		return word[:len(word)-len(strings.TrimLeftFunc(word, func(r rune) bool { return !isOfWord(r) }))]
	}
	return word[len(strings.TrimRightFunc(word, func(r rune) bool { return !isOfWord(r) })):]
}

func isOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) }

// aRun finds the numbers, the runs of letters and the signs of a word. In scripts without spaces, each letter is a
// run.
var aRun = regexp.MustCompile(`(?:` + number.String() + `)|[\p{Han}\p{Hiragana}\p{Katakana}]|[\pL\pM]+|.`)

// freeRuns frees what differs inside of words that are alike: of "€4,148" and "€4,150" the number. It returns false if
// the words have nothing in common, or are ids, which differ as a whole.
func (s *suggestion) freeRuns(words []piece) (pattern string, ok bool) {
	runs := make([][]string, len(words))
	for k, w := range words {
		runs[k] = aRun.FindAllString(w.text, -1)
	}
	columns := columnsOf(runs)
	if !areAlike(runs, columns) {
		return "", false
	}
	at := make([]int, len(words)) // bytes
	for k, w := range words {
		at[k] = w.from
	}
	for _, c := range columns {
		texts := make([]string, len(words))
		for k, in := range c.at {
			texts[k] = strings.Join(runs[k][in.from:in.to], "")
			if !c.same {
				s.freed[k] = append(s.freed[k], [2]int{at[k], at[k] + len(texts[k])})
			}
			at[k] += len(texts[k])
		}
		if c.same {
			pattern += s.keep(texts[0])
			continue
		}
		kind, free := freeRun(texts)
		s.moved(kind)
		pattern += free
	}
	return pattern, true
}

// freeRun returns a regular expression for a run that differs.
func freeRun(texts []string) (kind, pattern string) {
	var numbers []string
	for _, t := range texts {
		if t != "" && number.FindString(t) == t {
			numbers = append(numbers, likeNumber(t))
		}
	}
	switch {
	case len(numbers) == len(texts):
		return kindOf(texts[0]), anyFitting(texts, numbers)
	case slices.Contains(texts, ""):
		return "word", `\S*`
	case !slices.ContainsFunc(texts, func(t string) bool { return strings.IndexFunc(t, unicode.IsLetter) != 0 }):
		return "word", `[\pL\pM]+`
	}
	return "word", `\S+`
}

// areAlike reports whether words have a letter or a number in common, or are numbers with the same signs.
func areAlike(runs [][]string, columns []column) bool {
	numbers, words, kept := 0, 0, 0
	for _, c := range columns {
		isNumber, isWord := true, false
		for k, at := range c.at {
			text := strings.Join(runs[k][at.from:at.to], "")
			isNumber = isNumber && text != "" && number.FindString(text) == text
			isWord = isWord || strings.IndexFunc(text, isOfWord) >= 0
		}
		switch {
		case c.same && isWord:
			kept++
		case c.same:
		case isNumber:
			numbers++
		case isWord:
			words++
		}
	}
	if slices.ContainsFunc(runs, isID) && words > 0 {
		return false
	}
	return kept > 0 || words == 0
}

// isID reports whether a word alternates letters and numbers, as an id does that a machine made.
func isID(runs []string) bool {
	turns := 0
	for i, r := range runs {
		if i == 0 {
			continue
		}
		a, b := []rune(runs[i-1])[0], []rune(r)[0]
		if max(a, b) < 0x80 && isOfWord(a) && isOfWord(b) && unicode.IsLetter(a) != unicode.IsLetter(b) {
			turns++
		}
	}
	return turns > 1
}
