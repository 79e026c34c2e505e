package dom

import "strings"

// WordSet returns the set of the words in a text. [HasName] searches such sets.
func WordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// HasName reports whether a class or id attribute holds one of the names, which must be in lower case with "-" for
// "_".
func HasName(names map[string]bool, attr string) bool {
	return AnyName(attr, func(name string) bool { return names[name] })
}

// AnyName calls the given function for the names in a class or id attribute. It reports whether the function returns
// true for one of them. The names are in lower case with "-" for "_". Names of more than 40 bytes are skipped.
func AnyName(attr string, is func(name string) bool) bool {
	const longest = 40
	for name := range strings.FieldsSeq(attr) {
		if len(name) <= longest && is(strings.ReplaceAll(strings.ToLower(name), "_", "-")) {
			return true
		}
	}
	return false
}

// HasWord reports whether a space-separated attribute holds a word, ignoring case.
func HasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
