package watch

import (
	"regexp"
	"slices"
	"strings"
)

// calendar has the names of weekdays and months by language, a kind on each line. By these names, dates are told apart
// from other words, so that a rule for a line with a date holds on other days. Short forms that are common words are
// left out, such as ago.
var calendar = [][]string{
	{
		"monday tuesday wednesday thursday friday saturday sunday",
		"mon tue wed thu fri sat sun",
		"january february march april may june july august september october november december",
		"jan feb mar apr may jun jul aug sep sept oct nov dec",
	}, {
		"montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
		"januar jänner februar märz april mai juni juli august september oktober november dezember",
		"jan feb mär mrz apr mai jun jul aug sep sept okt nov dez",
	}, {
		"lundi mardi mercredi jeudi vendredi samedi dimanche",
		"lun mar mer jeu ven sam dim",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"janv févr mars avr mai juin juil août sept oct nov déc",
	}, {
		"lunes martes miércoles jueves viernes sábado domingo",
		"lun mar mié jue vie sáb dom",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul sep sept oct nov dic",
	}, {
		"lunedì martedì mercoledì giovedì venerdì sabato domenica",
		"lun mar mer gio ven sab dom",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
		"gen feb mar apr mag giu lug ott nov dic",
	}, {
		"segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
	}, {
		"maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
		"januari februari maart april mei juni juli augustus september oktober november december",
	}, {
		"poniedziałek wtorek środa czwartek piątek sobota niedziela",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
	},
}

// languagesOf returns the languages that a text's names of weekdays and months may be of. Each name leaves those that
// have it, unless none is left.
func languagesOf(text string) [][]string {
	left := calendar
	for word := range strings.FieldsSeq(text) {
		m := aName.FindStringSubmatch(word)
		if m == nil {
			continue
		}
		var with [][]string
		for _, language := range left {
			if len(namesLike(m[2], language)) > 0 {
				with = append(with, language)
			}
		}
		if len(with) > 0 {
			left = with
		}
	}
	return left
}

// namesLike returns the names that may stand in the place of a word, in a language; none if the word is no name.
func namesLike(word string, language []string) (out []string) {
	for _, line := range language {
		if names := strings.Fields(line); slices.Contains(names, strings.ToLower(word)) {
			out = append(out, names...)
		}
	}
	return out
}

// aName finds a word that may be a name of the calendar, with what stands before and after it.
var aName = regexp.MustCompile(`^(\P{L}*)(\pL[\pL-]*)(\P{L}*)$`)

// anyNames finds the alternatives in a rule.
var anyNames = regexp.MustCompile(`\(\?i:[^)]*\)`)

// anyName returns a regular expression for a word with the name of a weekday or a month, in which any other such name
// of the languages may stand. It returns false for any other word.
func anyName(word string, languages [][]string) (string, bool) {
	m := aName.FindStringSubmatch(word)
	if m == nil {
		return "", false
	}
	var names []string
	for _, language := range languages {
		names = append(names, namesLike(m[2], language)...)
	}
	if len(names) == 0 {
		return "", false
	}
	slices.Sort(names)
	any := "(?i:" + strings.Join(slices.Compact(names), "|") + ")"
	return anyNumber(m[1]) + any + anyNumber(m[3]), true
}

// aHalf finds the half of a day in a word, with what stands before and after it.
var aHalf = regexp.MustCompile(`^(?i)(\P{L}*)(?:am|pm)(\P{L}*)$`)

// anyHalf returns a regular expression for a word with am or pm directly after a number, which may be the word before,
// in which the other half of a day may stand, too.
func anyHalf(before, word string) (string, bool) {
	m := aHalf.FindStringSubmatch(word)
	if m == nil || !endsInDigit(before+m[1]) {
		return "", false
	}
	return anyNumber(m[1]) + "(?i:am|pm)" + anyNumber(m[2]), true
}

func endsInDigit(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }
