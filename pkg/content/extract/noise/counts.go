package noise

import "github.com/tidemark/tidemark/pkg/content/extract/dom"

// isCounted is the set of words for things that pages count next to a document, such as views and comments.
var isCounted = dom.WordSet(`
	view views visit visits hit hits read reads download downloads like likes share shares comment comments
	reply replies
	follower followers vote votes upvote upvotes reaction reactions review reviews rating ratings answer answers
	aufrufe aufruf ansichten klicks kommentar kommentare antworten antwort bewertung bewertungen follower downloads
	vues vue commentaire commentaires réponses réponse partages avis téléchargements abonnés
	vistas visitas comentarios comentario respuestas respuesta descargas seguidores opiniones compartidos
	visualizzazioni commenti commento risposte condivisioni recensioni visualizações comentários comentário respostas
	weergaven reacties reactie antwoorden visningar kommentarer kommentarer visninger wyświetleń komentarzy komentarze
	просмотров просмотра комментариев комментария ответов zobrazení komentářů yorum görüntülenme
`)

// isHelpful is the set of words in lines that state how many readers found the page helpful.
var isHelpful = dom.WordSet(`helpful hilfreich utile utiles útil útiles nuttig användbart przydatne полезной`)

// isScale is the set of abbreviations of "thousand" and "million" that follow a number.
var isScale = dom.WordSet(`k m b tsd mio mil mila rb тыс mln`)

// isCounter reports whether a line is only a count: "1.2k views", "Comments (12)", "12 out of 15 found this helpful".
func isCounter(tokens []token) bool {
	numbers, words, counted := 0, 0, false
	for i := 0; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.kind == digits:
			numbers++
			i += numberSize(tokens[i:]) - 1
		case t.kind != word || numbers > 0 && isScale[t.word]:
		case isHelpful[t.word] && numbers == 2:
			return true
		default:
			words++
			counted = counted || isCounted[t.word]
		}
	}
	return numbers == 1 && words == 1 && counted
}
