package ranking

import (
	"regexp"
	"slices"
	"strings"
)

// isListing recognizes pages that list what other pages say, such as indexes and change logs, by address and title.
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

// listWords are quick to look for: every text that lists matches has one of them.
var listWords = []string{"index", "change", "what", "release", "news", "history", "sitemap", "all.html", "print.html",
	"contents"}

var lists = regexp.MustCompile(`(?i)\b(genindex|py-modindex|changelog|changes|whatsnew|what[’']?s[ -]new|` +
	`release[ -]?notes|releases|news|history|sitemap|all\.html|print\.html|contents\.html|index of|table of contents|` +
	`api[ _-]index)\b|genindex`)
