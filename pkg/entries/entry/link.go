package entry

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// maxURLs limits the number of URLs that are examined in one text.
const maxURLs = 200

// anyURL matches a web address as people type it, up to a character that cannot be part of one.
var anyURL = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"` + "`" + `\\{}|^]+`)

// findURLs lists the web addresses in a text as they are written, without the punctuation of the
// sentence around them.
func findURLs(text string) []string {
	found := anyURL.FindAllString(text, maxURLs)
	for i, raw := range found {
		found[i] = trimURL(raw)
	}
	return found
}

// trimURL takes off what ends a sentence, and brackets that were opened before the address. Brackets are
// counted once: a text may end in any number of them.
func trimURL(raw string) string {
	pairs := [...]string{"()", "[]"}
	var surplus [len(pairs)]int // of closing brackets
	for i, pair := range pairs {
		surplus[i] = strings.Count(raw, pair[1:]) - strings.Count(raw, pair[:1])
	}
	for {
		cut := strings.TrimRight(raw, ".,;:!?'*_~…”’»")
		for i, pair := range pairs {
			if strings.HasSuffix(cut, pair[1:]) && surplus[i] > 0 {
				cut = cut[:len(cut)-1]
				surplus[i]--
			}
		}
		if cut == raw {
			return raw
		}
		raw = cut
	}
}

// linksIn are the sources that a text names, each once, in order.
func linksIn(text string, rules source.Rules) []link {
	var out []link
	for _, raw := range findURLs(text) {
		l, err := parseLink(raw, rules)
		if err == nil && !slices.ContainsFunc(out, func(o link) bool { return o.canonical == l.canonical }) {
			out = append(out, l)
		}
	}
	return out
}

// link is a web address as it was given, without secrets, and its canonical form without trackers.
type link struct{ url, canonical string }

func parseLink(raw string, rules source.Rules) (link, error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > 4 && strings.EqualFold(raw[:4], "www.") {
		raw = "https://" + raw
	}
	src, err := rules.ParseURL(raw)
	if err != nil {
		return link{}, err
	}
	form, err := source.FetchForm(raw)
	if err != nil {
		form = src.Normalized
	}
	return link{url: form, canonical: src.Normalized}, nil
}

// withoutURLs is what a text says beside its addresses.
func withoutURLs(text string) string {
	for _, raw := range findURLs(text) {
		text = strings.Replace(text, raw, " ", 1)
	}
	return clean(text)
}
