package head

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// contextOf returns the text around a text, in the block that contains it. In a cell or a definition, this begins with
// the text that the cell or definition is about. For a text in a long block it returns "".
func contextOf(n *html.Node) string {
	block := n.Parent
	for block != nil && block.Type == html.ElementNode && !dom.IsBlock(block.DataAtom) && block.DataAtom != atom.Td {
		block = block.Parent
	}
	if block == nil {
		return ""
	}
	text := labelOf(block)
	if block.DataAtom == atom.Td || block.DataAtom == atom.Dd {
		for before := block.PrevSibling; before != nil; before = before.PrevSibling {
			if before.Type == html.ElementNode {
				return labelOf(before) + " " + text
			}
		}
	}
	return text
}

// publishWords are words before a date that say that it is the date of the page.
const (
	publishWords = `published posted publication date dated issued written on online updated update
		modified reviewed revised last first added created veröffentlicht erschienen geschrieben datum stand am vom publié
		publiée paru mis ligne le date publicado publicada publicação fecha data em el pubblicato pubblicata il del
		gepubliceerd geplaatst op opublikowano dodano data publikacji опубликовано опубликована дата публикации добавлено
		publikováno vydáno zveřejněno julkaistu publicerad publicerat publisert udgivet offentliggjort lagt ut den tarih
		yayın yayınlanma tarihi közzétéve megjelent publicat publicată data publicării δημοσιεύτηκε ημερομηνία опубліковано
		발행 발행일 게시 게시일 작성 작성일 등록 등록일 입력 公開 公開日 投稿 投稿日 掲載 掲載日 発行日 発表 更新 更新日 发布 发布时间 发布日期
		发表 发表于 日期 时间 發佈 發布 發表 日期 نشر تاريخ النشر فى في פורסם תאריך ngày đăng xuất bản เผยแพร่ วันที่`
)

var (
	publishing  = words.Set(publishWords)
	updateWords = []string{"update", "modified", "reviewed", "revised", "aktualisiert", "geändert", "mis à jour",
		"modifié",
		"actualizado", "modificado", "atualizado", "aggiornato", "bijgewerkt", "gewijzigd", "zaktualizowano", "aktualizacja",
		"обновлен", "изменен", "aktualizováno", "päivitetty", "uppdatera", "oppdatert", "opdateret", "güncelle", "更新", "改訂",
		"업데이트", "수정", "最后修改", "עודכן", "تحديث"}
)

// topics match words that say that a date is that of an event, not of the page.
var topics = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:born|died|founded|established|opened|opens|closed|since|built|` +
	`deadline|until|due|expires|effective|version|release|section|begins|starts|ends|event|` +
	`geboren|gestorben|gegründet|eröffnet|seit|bis|né|née|mort|fondée?|depuis|jusqu|nacid[oa]|fundad[oa]|` +
	`nascid[oa]|nat[oa]|fondat[oa]|opgericht|urodzon|założon|` +
	`родился|родилась|основан|doğum|kuruluş)(?:$|[^\pL])|生まれ|設立|創業|創立|出生|成立|创立|출생|설립|ولد|تأسس`)

// isOfTopic reports whether a text says when something happened.
func isOfTopic(text string) bool { return topics.MatchString(text) }

// anyDate matches the forms of dates, roughly, to find what is before and behind one.
var anyDate = regexp.MustCompile(`\pN{4}[-/.年년]\s?\pN{1,2}[-/.月월]\s?\pN{1,2}\s?[日일.]?|` +
	`\pN{1,2}[-/.]\s?\pN{1,2}[-/.]\s?\pN{4}|` +
	`\pN{1,2}\S{0,3}\s+(?:\pL{1,5}['’\s]\s?)?[\pL\pM]+\.?\s*,?\s+(?:\pL{1,3}\s)?(?:\pN+\s,?)?\pN{4}|` +
	`[\pL\pM]+\.?\s+\pN{1,2}\S{0,3}\s+(?:de\s)?\pN{4}|\pN{4}\S?\s+(?:m\.\s|gada\s)?\S+\s+\S+`)

// isDateline reports whether a short text says when the page was written: a date alone, or with words that say so
// before it, or beside a name in a part of its own.
func isDateline(text string) bool {
	at := anyDate.FindStringIndex(text)
	if at == nil || isOfTopic(text) {
		return false
	}
	before, after := strings.TrimRight(text[:at[0]], " :："), strings.TrimLeft(text[at[1]:], " .")
	return endsLikeDateline(before) && beginsLikeDateline(after)
}

// endsLikeDateline reports whether a text may stand before the date of a page.
func endsLikeDateline(before string) bool {
	words := strings.FieldsFunc(before, func(r rune) bool { return unicode.IsSpace(r) || r == ':' || r == '：' })
	if len(words) == 0 {
		return true
	}
	last, size := utf8.DecodeLastRuneInString(before)
	lower := strings.ToLower(strings.Trim(words[len(words)-1], ".,()[]"))
	const most = 6 // words of a name, or of another label
	switch {
	case strings.ContainsRune("|·•—–-/(", last):
		return len(words) <= most+1
	case publishing[lower] || weekdays[lower]:
		return true
	case last == ',' || last == '،' || last == '、':
		return len(words) <= most && allNames(words)
	case isByline(before):
		return len(words) <= most && size > 0
	}
	return false
}

func isByline(text string) bool {
	return slices.ContainsFunc(byline, func(word string) bool {
		return len(text) > len(word) && strings.EqualFold(text[:len(word)], word)
	})
}

// allNames reports whether all words but one begin with a capital letter, as in a name or a place.
func allNames(words []string) bool {
	small := 0
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) {
			small++
		}
	}
	return small <= 1
}

// beginsLikeDateline reports whether a text may stand behind the date of a page: a time, a sign, or a name.
func beginsLikeDateline(after string) bool {
	r, _ := utf8.DecodeRuneInString(after)
	if after == "" || !unicode.IsLetter(r) {
		return true
	}
	word, _, _ := strings.Cut(strings.ToLower(after), " ")
	return isByline(after) || behind[strings.Trim(word, ".,:")]
}

var (
	behind = words.Set(`at um à às a alle kl klo o в om uhr utc gmt by von par por di r г д updated published
		posted last`)
	weekdays = words.Set(`monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun montag
		dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche
		lunes martes miércoles
		jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag
		donderdag vrijdag zaterdag zondag segunda-feira terça-feira quarta-feira quinta-feira sexta-feira`)
)
