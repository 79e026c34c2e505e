package watch

import (
	"regexp"
	"slices"
	"strings"
)

// language has the names by which dates are told apart from other words, so that a rule for a line with a date holds
// on other days. Each string has names of one kind, of which any may stand for any other.
type language struct {
	code  string
	names []string // weekdays and months, a kind in each string
	short []string // names that are also common words; they count only in pages that are in the language
}

// calendar has the languages. Short forms that are common words of their language are left out of the names, such as
// ago.
var calendar = []language{
	{"en", []string{
		"monday tuesday wednesday thursday friday saturday sunday",
		"mon tue tues wed thu thur thurs fri sat sun",
		"january february march april may june july august september october november december",
		"jan feb mar apr may jun jul aug sep sept oct nov dec",
	}, nil},
	{"de", []string{
		"montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag",
		"januar jänner februar märz april mai juni juli august september oktober november dezember",
		"jan feb mär mrz apr mai jun jul aug sep sept okt nov dez",
	}, []string{"mo di mi do fr sa so"}},
	{"fr", []string{
		"lundi mardi mercredi jeudi vendredi samedi dimanche",
		"lun mar mer jeu ven sam dim",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"janv févr mars avr mai juin juil août sept oct nov déc",
	}, nil},
	{"es", []string{
		"lunes martes miércoles jueves viernes sábado domingo",
		"lun mar mié jue vie sáb dom",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul sep sept oct nov dic",
	}, []string{"ene feb mar abr may jun jul ago sep sept oct nov dic"}},
	{"it", []string{
		"lunedì martedì mercoledì giovedì venerdì sabato domenica",
		"lun mar mer gio ven sab dom",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
		"gen feb mar apr mag giu lug ott nov dic",
	}, []string{"gen feb mar apr mag giu lug ago set ott nov dic"}},
	{"pt", []string{
		"segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
	}, []string{"segunda terça quarta quinta sexta sábado domingo", "seg ter qua qui sex sáb dom",
		"jan fev mar abr mai jun jul ago set out nov dez"}},
	{"nl", []string{
		"maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
		"januari februari maart april mei juni juli augustus september oktober november december",
		"jan feb mrt apr mei jun jul aug sep sept okt nov dec",
	}, []string{"ma di wo do vr za zo"}},
	{"pl", []string{
		"poniedziałek wtorek środa czwartek piątek sobota niedziela",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
		"styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
	}, []string{"pon wt śr czw pt sob niedz ndz", "sty lut mar kwi maj cze lip sie wrz paź lis gru"}},
}

// languagesOf returns the languages that a text's names of weekdays and months may be of: the language of the page if
// it has one of the names. Otherwise each name leaves the languages that have it, unless none is left.
func languagesOf(text, page string) []language {
	if i := slices.IndexFunc(calendar, func(l language) bool { return l.code == page }); i >= 0 {
		own := calendar[i]
		own.names = append(slices.Clone(own.names), own.short...)
		if hasName(text, own) {
			return []language{own}
		}
	}
	left := calendar
	for word := range strings.FieldsSeq(text) {
		m := aName.FindStringSubmatch(word)
		if m == nil {
			continue
		}
		var with []language
		for _, l := range left {
			if len(l.like(m[2])) > 0 {
				with = append(with, l)
			}
		}
		if len(with) > 0 {
			left = with
		}
	}
	return left
}

func hasName(text string, l language) bool {
	for word := range strings.FieldsSeq(text) {
		if m := aName.FindStringSubmatch(word); m != nil && len(l.like(m[2])) > 0 {
			return true
		}
	}
	return false
}

// like returns the names that may stand in the place of a word; none if the word is no name.
func (l language) like(word string) (out []string) {
	for _, line := range l.names {
		if names := strings.Fields(line); slices.Contains(names, strings.ToLower(word)) {
			out = append(out, names...)
		}
	}
	return out
}

// aName finds a word that may be a name of the calendar, with what stands before and after it.
var aName = regexp.MustCompile(`^(\P{L}*)(\pL[\pL-]*)(\P{L}*)$`)

// anyName returns a regular expression for a word with the name of a weekday or a month, in which any other such name
// of the languages may stand. It returns false for any other word.
func anyName(word string, languages []language) (string, bool) {
	m := aName.FindStringSubmatch(word)
	if m == nil {
		return "", false
	}
	var names []string
	for _, l := range languages {
		names = append(names, l.like(m[2])...)
	}
	if len(names) == 0 {
		return "", false
	}
	return anyDate(m[1]) + anyOf(names) + anyDate(m[3]), true
}

func anyOf(words []string) string {
	slices.Sort(words)
	return "(?i:" + strings.Join(slices.Compact(words), "|") + ")"
}

// aHalf finds the half of a day in a word, with what stands before and after it.
var aHalf = regexp.MustCompile(`^(?i)(\P{L}*)(?:am|pm)(\P{L}*)$`)

// halfAt returns the number of words of a time with am or pm that begins with the first word, or 0.
func halfAt(words []string) int {
	for i, w := range words[:min(2, len(words))] {
		m := aHalf.FindStringSubmatch(w)
		if m == nil {
			continue
		}
		if before := m[1]; i == 0 && endsInDigit(before) || i == 1 && before == "" && endsInDigit(words[0]) {
			return i + 1
		}
	}
	return 0
}

// likeHalf returns a regular expression for times in which the other half of a day may stand, too.
func likeHalf(words []string) string {
	m := aHalf.FindStringSubmatch(words[len(words)-1])
	out := anyNumber(m[1]) + "(?i:am|pm)" + anyNumber(m[2])
	if len(words) > 1 {
		return anyNumber(words[0]) + " " + out
	}
	return out
}

func endsInDigit(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }
