package ranking

import (
	"regexp"
	"slices"
	"strings"
)

// isListing recognizes, by address and title, pages that only list the contents of other pages, such as indexes and
// change logs.
func isListing(url, title string) bool {
	for _, text := range []string{url, title} {
		lower := strings.ToLower(text)
		if slices.ContainsFunc(listWords, func(w string) bool { return strings.Contains(lower, w) }) &&
			lists.MatchString(text) {
			return true
		}
	}
	return false
}

// listWords are for a first, cheap test: every text that matches lists contains at least one of them.
var listWords = []string{"index", "change", "what", "release", "news", "history", "sitemap", "all.html", "print.html",
	"contents"}

var lists = regexp.MustCompile(`(?i)\b(genindex|py-modindex|changelog|changes|whatsnew|what[’']?s[ -]new|` +
	`release[ -]?notes|releases|news|history|sitemap|all\.html|print\.html|contents\.html|index of|table of contents|` +
	`api[ _-]index)\b|genindex`)
