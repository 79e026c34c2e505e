package sqlitesearch

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
	"github.com/tidemark/tidemark/pkg/search/stem"
)

// maxLearned is the maximum number of words of a page that are added to the table "forms" at once. Novels have fewer
// words. Without this bound, a page with ever new random words would make the table grow by megabytes with every
// change.
const maxLearned = 50_000

// learn adds the words of texts to the table "forms", so that queries find them by other forms.
func (w *writer) learn(language string, texts []row) error {
	most := len(w.learned) + maxLearned
	for _, r := range texts {
		for _, text := range []string{r.title, r.heading, r.body} {
			for word := range wordsIn(text) {
				// If two words have the same hash, the second one gets no other forms. This is rare enough.
				language := stem.LanguageOf(word, language)
				key := xxhash.Sum64String(language) ^ xxhash.Sum64String(word)
				if w.learned[key] || w.words.has(key) {
					continue
				}
				if len(w.learned) == most {
					return nil
				}
				if err := w.learnWord(language, tokens.Fold(word)); err != nil {
					return err
				}
				w.learned[key] = true
			}
		}
	}
	return nil
}

func (w *writer) learnWord(language, word string) error {
	return w.exec("INSERT OR IGNORE INTO forms (language, stem, word) VALUES (?, ?, ?)", language,
		stem.Word(word, language), word)
}

// wordsIn returns the words of a text that may have other forms.
func wordsIn(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !search.IsWordRune(r) }) {
			if tokens.HasForms(word) && !yield(word) {
				return
			}
		}
	}
}
