package sqlitesearch

import (
	"iter"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// maxLearned is the maximum number of words of a page that are added to the table "forms" at once. Novels have fewer
// words. Without this bound, a page with ever new random words would make the table grow by megabytes with every
// change.
const maxLearned = 50_000

// learn adds the words of texts of a page to the table "forms", so that queries find them by other forms. It looks at
// each word once, however often the texts repeat it.
func (w *writer) learn(language string, texts []row) error {
	most, met := len(w.learned)+maxLearned, map[string]bool{}
	for _, text := range distinct(texts) {
		for word := range wordsIn(text) {
			if met[word] {
				continue
			}
			met[word] = true
			if !tokens.HasForms(word) {
				continue
			}
			// If two words have the same hash, the second one gets no other forms. This is rare enough.
			language := tokens.StemLanguage(word, language)
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
	return nil
}

// distinct returns the texts of chunks. A title or heading that is repeated from chunk to chunk comes once.
func distinct(chunks []row) (texts []string) {
	title, heading := "", ""
	for _, r := range chunks {
		if r.title != title {
			title = r.title
			texts = append(texts, title)
		}
		if r.heading != heading {
			heading = r.heading
			texts = append(texts, heading)
		}
		texts = append(texts, r.body)
	}
	return texts
}

func (w *writer) learnWord(language, word string) error {
	return w.exec("INSERT OR IGNORE INTO forms (language, stem, word) VALUES (?, ?, ?)", language,
		tokens.Stem(word, language), word)
}

// wordsIn returns the words of a text, one for each place where they stand.
func wordsIn(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return !search.IsWordRune(r) })
}
