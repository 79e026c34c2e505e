package selector

import (
	"regexp"
	"strings"
)

// counted finds a part of a selector that counts siblings up to a number, with its tag.
var counted = regexp.MustCompile(`(?:^|[\s>+~,(])([\w-]*)(?:[^\s>+~,\[(]|\[[^\]]*\]|\([^)]*\))*?` +
	`:nth-(?:last-)?(?:child|of-type)\(\s*\d+\s*\)`)

// IsPositional reports whether a selector finds a row or an entry by its place, such as tr:nth-of-type(3), and not by a
// name: it finds another one when one is inserted above. The place of a cell in its row is not meant.
func IsPositional(text string) bool {
	if strings.Contains(text, ":named(") {
		return false
	}
	for _, m := range counted.FindAllStringSubmatch(text, -1) {
		if tag := strings.ToLower(m[1]); tag != "td" && tag != "th" {
			return true
		}
	}
	return false
}
