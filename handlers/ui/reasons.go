package ui

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/policy/selector"
)

// This file puts into words for people why checks fail, and what selectors and patterns find.

var (
	answered = regexp.MustCompile(`\b(?:HTTP|answered|status) ?(\d{3})\b`)
	unlooked = regexp.MustCompile(`lookup ([^ :]+)`)
	// inner are words of the program about the network, which say nothing to people.
	inner = regexp.MustCompile(`\b(?:dial|read|write) (?:tcp|udp)|: (?:unexpected )?EOF$|context (?:deadline|canceled)|` +
		`\blookup \S+ on |net/http|x509:|tls:|no such host|connection refused`)
)

// reasonOf says in plain words why a check failed.
func reasonOf(message, host string) string {
	if host == "" {
		host = "the site"
	}
	low := strings.ToLower(message)
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(low, s) })
	}
	switch code := answered.FindStringSubmatch(message); {
	case message == "":
		return ""
	case has("no such host"):
		if m := unlooked.FindStringSubmatch(message); m != nil {
			host = m[1]
		}
		return "The name " + host + " does not exist"
	case code != nil:
		return answerWords(code[1])
	case has("asks to sign in", "sign-in", "login", "log in"):
		return "The page asks to sign in"
	case has("connection refused"):
		return words.Ellipsis(host, 80) + " does not accept connections"
	case has("timeout", "deadline exceeded", "timed out", "in time"):
		return words.Ellipsis(host, 80) + " does not answer in time"
	case has("certificate", "x509", "tls:"):
		return "The certificate of " + words.Ellipsis(host, 80) + " is not valid"
	case has("private", "not allowed", "is refused by") && has("address"):
		return "Its address leads into a private network, which is not read"
	case inner.MatchString(message):
		return words.Ellipsis(host, 80) + " cannot be reached"
	}
	return strings.TrimSuffix(sentence(message), ".")
}

// wrongWith says why an item cannot be read, in a few words.
func wrongWith(it api.Item) string { return cmp.Or(reasonOf(it.ErrorMessage, it.SourceHost), it.Why) }

// addressRefused says in plain words why an address is not watched.
func addressRefused(message string) string {
	message = strings.TrimPrefix(message, "url: ")
	if strings.HasPrefix(message, "no scheme: ") {
		return "This is no address, such as example.org/news."
	}
	if inner.MatchString(message) {
		message = reasonOf(message, "")
	}
	return sentence(message)
}

// answerWords says what an answer of a server means.
func answerWords(code string) string {
	says := "The server answers " + code + ": "
	switch {
	case code == "401":
		return "The page asks to sign in"
	case code == "403":
		return says + "it does not let Tidemark read the page"
	case code == "404", code == "410":
		return says + "the page is gone"
	case code == "429":
		return says + "it asks for fewer visits"
	case strings.HasPrefix(code, "5"):
		return says + "it has a problem of its own"
	}
	return strings.TrimSuffix(says, ": ")
}

// keys matches a path that leads to a value of JSON by names alone.
var keys = regexp.MustCompile(`^\$(?:\.\w+)+$`)

// partWords says what a selector chooses, for people: the row “9 December”, or rates › USD. A selector without names
// stays as it is.
func partWords(sel string) string {
	if keys.MatchString(sel) {
		return strings.ReplaceAll(sel[len("$."):], ".", api.BetweenNames)
	}
	return cmp.Or(selector.Words(sel), sel)
}

// wordPattern is the pattern of a word or a phrase, whatever its case.
func wordPattern(word string) string { return "(?i)" + regexp.QuoteMeta(strings.TrimSpace(word)) }

var escaped = regexp.MustCompile(`\\(.)`)

// wordOf is the reverse of [wordPattern]; "" if the pattern is another one.
func wordOf(pattern string) string {
	word := escaped.ReplaceAllString(strings.TrimPrefix(pattern, "(?i)"), "$1")
	if wordPattern(word) != pattern {
		return ""
	}
	return word
}
