package noise

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// aloneRule returns the name of the rule for a line that says nothing but where a reader is, as "1 of 8", or the id
// that a machine gave to a page. It returns "" for other lines, and below a short line or a heading: "Free berths" may
// name what "3 of 8" counts, and "Account" what a number is.
func (s *Filter) aloneRule(part string) string {
	switch {
	case s.label || s.list || s.facts:
		return ""
	case s.isPosition(part):
		return "position"
	case isLongID(strings.TrimSpace(part)):
		return "long id"
	}
	return ""
}

// isPosition reports whether a line is a number, a word such as "of", and a number that is no smaller, perhaps behind
// the word for a page.
func (s *Filter) isPosition(part string) bool {
	const longest = 4 // digits
	t := s.tokens
	if len(t) == 4 && t[0].kind == word && lineVocabulary().roles[t[0].word]&pageNoun != 0 {
		t = t[1:]
	}
	if len(t) != 3 || t[0].kind != digits || t[2].kind != digits || t[1].kind != word ||
		lineVocabulary().roles[t[1].word]&of == 0 || t[0].end-t[0].start > longest || t[2].end-t[2].start > longest {
		return false
	}
	at, errAt := strconv.Atoi(part[t[0].start:t[0].end])
	all, errAll := strconv.Atoi(part[t[2].start:t[2].end])
	return errAt == nil && errAll == nil && 1 <= at && at <= all && all > 1
}

// isLongID reports whether a line is an id alone: at least 16 digits, a UUID, or a hexadecimal number of up to 39
// digits. Longer ones are checksums, which readers compare.
func isLongID(line string) bool {
	const least, most, mixed = 16, 39, 4
	if len(line) < least || len(line) > most {
		return false
	}
	if uuid.MatchString(line) {
		return true
	}
	letters, changes := 0, 0
	for i := range len(line) {
		c := line[i]
		letter := 'a' <= c && c <= 'f'
		if !letter && (c < '0' || c > '9') {
			return false
		}
		if letter {
			letters++
		}
		if i > 0 && letter != ('a' <= line[i-1]) {
			changes++
		}
	}
	return letters == 0 || changes >= mixed
}

var uuid = regexp.MustCompile(`^(?i:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$`)

// isLabel reports whether a line may be the name of what the next line says: a few words without a number, and not a
// sentence.
func isLabel(line string) bool {
	const longest = 40 // runes
	return line != "" && len(line) <= 4*longest && utf8.RuneCountInString(line) <= longest &&
		!strings.ContainsFunc(line, unicode.IsDigit) && !strings.ContainsAny(line[len(line)-1:], ".!?")
}

// withoutSmileys removes two or more faces or thumbs at the end of a short line: they are what readers press to say
// whether a page helped.
func withoutSmileys(line string) string {
	if line == "" || line[len(line)-1] < utf8.RuneSelf || len(line) > 4*shortLine {
		return line
	}
	rest := strings.TrimRightFunc(line, func(r rune) bool { return r == ' ' || IsSmiley(r) })
	faces := 0
	for _, r := range line[len(rest):] {
		if r > 0x2000 && r != '\ufe0f' {
			faces++
		}
	}
	if faces < 2 {
		return line
	}
	return rest
}

// skips are the usual texts of links past the navigation.
var skips = []string{
	"skip to main content", "skip to content", "skip to navigation", "skip navigation", "jump to content",
	"zum hauptinhalt springen", "zum inhalt springen", "direkt zum inhalt", "aller au contenu principal",
	"aller au contenu", "passer au contenu", "saltar al contenido principal", "saltar al contenido",
	"ir al contenido principal", "ir al contenido", "ir para o conteúdo", "pular para o conteúdo", "vai al contenuto",
	"salta al contenuto", "naar de inhoud", "ga naar inhoud", "hoppa till innehåll", "hopp til innhold",
	"przejdź do treści", "перейти к содержанию", "перейти к содержимому", "本文へスキップ", "跳到主要内容", "본문 바로가기",
}

// withoutSkip removes the text of such a link before other text of a line. Pages show it to some programs only.
func withoutSkip(line string) string {
	for _, skip := range skips {
		if n := len(skip); len(line) > n && line[n] == ' ' && strings.EqualFold(line[:n], skip) {
			return strings.TrimSpace(line[n:])
		}
	}
	return line
}

// IsSmiley reports whether r is a face, a thumb, or changes how one looks.
func IsSmiley(r rune) bool {
	switch {
	case 0x1f600 <= r && r <= 0x1f64f, 0x1f910 <= r && r <= 0x1f92f, 0x1f970 <= r && r <= 0x1f97a,
		0x1f3fb <= r && r <= 0x1f3ff:
		return true
	}
	return r == 0x1f44d || r == 0x1f44e || r == 0x2639 || r == 0x263a || r == 0xfe0f
}
