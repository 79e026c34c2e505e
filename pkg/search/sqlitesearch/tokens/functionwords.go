package tokens

import "strings"

// functionWords are the function words of English. Function words of other languages are recognized by frequency.
var functionWords = func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`a about after all also am an and any are as at be because been before being between
		but by can could did do does doing during each else for from get had has have having he her his how i if in into
		is it its itself just like may me might my need no not of on or other our out over own s shall she should so
		some such t than that the their them then there these they this those through to too under up us use used using
		versus very vs was way we were what when where whether which while who whom why will with within without would you your`) {
		words[w] = true
	}
	return words
}()

// IsFunctionWord reports whether a folded word is an article, a preposition, a pronoun or the like.
func IsFunctionWord(word string) bool { return functionWords[word] }
