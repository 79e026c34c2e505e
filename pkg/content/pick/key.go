package pick

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
)

const (
	// longestKey is the number of characters up to which a name is a key. Of a longer text, the first words are.
	longestKey = 60
	// leastLetters is the number of letters of which the first words of a text are a key. A shorter text may be a value.
	leastLetters = 16
)

var (
	number   = regexp.MustCompile(`\d+(?:[.,:/]\d+)*`)
	ofCount  = regexp.MustCompile(`^(\D*)(\(\d+\)|\[\d+\])$`)
	ofOrder  = regexp.MustCompile(`^#?\d+[.)]\s`)
	relative = regexp.MustCompile(`(?i)\b(?:ago|today|yesterday|tomorrow|just now|updated\b.*\d|` +
		`vor \d+|gestern|heute|hier|hace)\b`)
	ofMoney = regexp.MustCompile(`(?i)[$€£¥₹]|\b(?:eur|usd|gbp|chf|sek|nok|dkk|pln|czk|kr|zł)\b|\d\s*%`)
	ofDate  = regexp.MustCompile(`^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$`)
	ofValue = regexp.MustCompile(`\pL: ?[-+]?\d[\d.,]*$`)
	ofClock = regexp.MustCompile(`^\d{1,2}[:.]\d\d(?:\s*[ap]m)?(?:\s*[-–]\s*\d{1,2}[:.]\d\d)?$`)
)

// keys returns texts by which a name may be found again, the best first: the name itself unless it counts something or
// is a price, and the name with * for a number that counts. A long name is cut to its first words.
func keys(name string) (out []string) {
	name = strings.ReplaceAll(name, "*", " ")
	switch isShort := utf8.RuneCountInString(name) < longestKey/2; {
	case !isWordy(name) || isShort && relative.MatchString(name):
		return nil
	case isPrice(name):
		return texts(name)
	case ofCount.MatchString(name):
		out = append(out, strings.TrimSpace(ofCount.ReplaceAllString(name, "$1"))+" "+
			ofCount.ReplaceAllStringFunc(name, func(s string) string {
				at := strings.LastIndexAny(s, "([")
				return s[at:at+1] + "*" + s[len(s)-1:]
			}))
	case ofOrder.MatchString(name):
		out = append(out, "* "+strings.TrimSpace(ofOrder.ReplaceAllString(name, "")))
	}
	if utf8.RuneCountInString(name) > longestKey {
		return append(out, firstWords(name))
	}
	return append(out, name)
}

// texts returns texts by which a line may be found again that is what an element shows, and not a name of it: its first
// words, with * for numbers.
func texts(line string) []string {
	line = strings.ReplaceAll(line, "*", " ")
	if utf8.RuneCountInString(line) > longestKey {
		line = firstWords(line)
	}
	line = number.ReplaceAllString(line, "*")
	isLong := strings.Contains(strings.TrimSuffix(line, " *"), " ") || strings.ContainsFunc(line, words.IsSpaceless)
	if letters(line) < leastLetters || !isLong {
		return nil
	}
	return []string{line}
}

// rowKey returns the words before the numbers of a short line with several, with * for the rest: such is a row of a
// table that is shown as text. It returns "" for another line.
func rowKey(line string) string {
	const least = 4 // letters
	line = strings.ReplaceAll(line, "*", " ")
	at := number.FindAllStringIndex(line, 2)
	if len(at) < 2 || utf8.RuneCountInString(line) > longestKey || letters(line[:at[0][0]]) < least {
		return ""
	}
	return strings.TrimSpace(line[:at[0][0]]) + " *"
}

// firstWords cuts a text at the end of a word, and writes * for the rest.
func firstWords(text string) string {
	text = words.ClipRunes(text, longestKey)
	if at := strings.LastIndexByte(text, ' '); at > len(text)/2 {
		return text[:at] + " *"
	}
	return text + "*"
}

// isWordy reports whether a text has a word, and is not a number alone.
func isWordy(text string) bool { return letters(text) >= 2 || letters(text) == 1 && len(text) > 3 }

func letters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// isSecond reports whether a line can tell apart elements with one name: it has a word or is a time or a date, and is
// no price.
func isSecond(line string) bool {
	return utf8.RuneCountInString(line) <= longestKey && !isPrice(line) && !relative.MatchString(line) &&
		(letters(line) >= 3 || ofClock.MatchString(line) || ofDate.MatchString(line)) && !ofValue.MatchString(line)
}

// isPrice reports whether a text has an amount. The name of a currency is not one.
func isPrice(text string) bool {
	return ofMoney.MatchString(text) && strings.ContainsFunc(text, unicode.IsDigit)
}

// isLabelled reports whether a line is a label and a value behind a colon.
func isLabelled(line, label string) bool {
	return strings.HasPrefix(line, label+":") || strings.HasPrefix(line, label+"：")
}
