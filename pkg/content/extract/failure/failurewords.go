package failure

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

// headings is a set of kinds of failure: those that the headings of a page state.
type headings uint8

const (
	saysMissing headings = 1 << iota // the page does not exist
	saysBroken                       // something does not work
	saysClosed                       // the site is closed for maintenance
	saysDenied                       // access is denied
	saysRobot                        // the visitor must prove not to be a robot
	saysConsent                      // the visitor must consent
	saysLogin                        // the visitor must log in
	saysNumber                       // the heading has the number of an error
)

// failureLines are patterns by kind.
//
//go:embed failurewords.txt
var failureLines string

// failureWords are patterns of the words on pages that a host sends in place of other pages.
type failureWords struct {
	heading map[headings]*regexp.Regexp // patterns of whole headings
	text    map[string]*regexp.Regexp   // patterns of words in the text, by "error", "challenge", "accept" or "consent"
}

// failurePatterns are compiled on first use, because most pages are too long to be a failure.
var failurePatterns = sync.OnceValue(func() failureWords {
	kinds := map[string]headings{
		"missing": saysMissing, "broken": saysBroken, "closed": saysClosed, "denied": saysDenied, "robot": saysRobot,
		"consent": saysConsent, "login": saysLogin,
	}
	whole, parts := map[headings]string{}, map[string]string{}
	for line := range strings.Lines(failureLines) {
		kind, pattern, isPattern := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		name, isText := strings.CutPrefix(kind, "text of ")
		name, isNumbered := strings.CutSuffix(name, " numbered")
		says := kinds[name]
		if isNumbered {
			says |= saysNumber
		}
		switch {
		case isPattern && isText:
			parts[name] += "|" + pattern
		case isPattern:
			whole[says] += "|" + pattern
		}
	}
	w := failureWords{map[headings]*regexp.Regexp{}, map[string]*regexp.Regexp{}}
	for says, pattern := range whole {
		w.heading[says] = regexp.MustCompile(`^(?:` + pattern[1:] + `)$`)
	}
	for name, pattern := range parts {
		w.text[name] = regexp.MustCompile(pattern[1:])
	}
	return w
})

var (
	// apology matches an apology at the beginning of a heading.
	apology = regexp.MustCompile(`^((oops|ooops|whoops|uh-?oh|oh no|hm+|sorry|we're sorry|we are sorry|désolé|` +
		`entschuldigung|hoppla|ups)[\s!.,:;…-]+(but )?|error[:\s]+|(40[134]|410|451|5[0-2]\d)[\s:.,–—-]+)+`)
	// numbered matches headings that contain the number of an error.
	numbered = regexp.MustCompile(`\b(40[134]|410|451|5[0-2]\d)\b`)
	// straight replaces apostrophes with the form that the patterns use.
	straight = strings.NewReplacer("’", "'", "‘", "'")
)

// headingsOf returns the kinds of failure that a heading states, provided that the heading contains nothing else.
func headingsOf(text string) (says headings) {
	const longest = 120
	if len(text) > longest {
		return 0
	}
	text = strings.TrimRight(straight.Replace(strings.ToLower(strings.TrimSpace(text))), " \t\n.!?:…")
	rest := apology.ReplaceAllString(text, "")
	for kind, pattern := range failurePatterns().heading {
		if text != "" && pattern.MatchString(text) || rest != text && rest != "" && pattern.MatchString(rest) {
			says |= kind
		}
	}
	if says != 0 && numbered.MatchString(text) {
		says |= saysNumber
	}
	return says
}

// hasWords reports whether the beginning of a text contains at least the given number of words of a kind.
func hasWords(kind string, least int, text string) bool {
	const enough = 8000 // bytes of the text that are searched
	text = straight.Replace(strings.ToLower(text[:min(len(text), enough)]))
	return len(failurePatterns().text[kind].FindAllStringIndex(text, least)) >= least
}
