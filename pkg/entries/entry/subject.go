package entry

import (
	"regexp"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

var (
	// replyPrefix is what spec 001 removes before a subject, and no more: "R:" may be a language.
	replyPrefix = regexp.MustCompile(`^(?:re|fwd?):`)
	// listTag is the mark of a mailing list.
	listTag = regexp.MustCompile(`^\[[^\]]*\]`)
)

// maxSubject bounds a subject, in bytes, so that a title holds all of it that is compared.
const maxSubject = maxTitle

// subjectBase is what the mails of a thread share (spec 001): lower case, on one line, without the
// prefixes of replies and tags of lists in front, however they are nested. A subject that is nothing
// but a tag keeps it, so that it is not the same as none. The base of a base is itself.
func subjectBase(subject string) string {
	base := words.Clip(dom.Fold(subject), maxSubject)
	base = dom.Fold(norm.NFC.String(cases.Lower(language.Und).String(base)))
	for {
		rest := without(replyPrefix, base)
		if tagless := without(listTag, rest); tagless != "" {
			rest = tagless
		}
		if rest == base {
			return base
		}
		base = rest
	}
}

// without is a text without what a pattern finds at its beginning.
func without(pattern *regexp.Regexp, text string) string {
	return strings.TrimSpace(text[len(pattern.FindString(text)):])
}

// anyReply is one mark of a reply or a forwarded mail, in lower case: those of spec 001 and their
// translations in mail programs, perhaps counted as in "re[2]:" or "re^3:".
var anyReply = regexp.MustCompile(`^(?:re|fwd?|` +
	`aw|antw|antwort|wg|` + // German, Dutch
	`sv|vs|vl|vb|` + // Scandinavian, Finnish
	`rif|r|i|res|enc|rv|tr|` + // Italian, Portuguese, Spanish, French
	`odp|pd|ynt|ilt|i̇lt|vá|továbbítás|doorst|atb|bls|` + // Polish, Turkish, Hungarian, Dutch, Welsh, Indonesian
	`ответ|отв|пересл|απ|σχετ|πρθ|תגובה|הועבר|رد|إعادة توجيه|` +
	`回复|回覆|答复|转发|轉寄|返信|転送)\s*(?:\[\d{1,3}\]|\(\d{1,3}\)|\^\d{1,3})?\s*[:：]\s*`)

// shortTag is a tag as [isReply] and the first revision of keys know it.
var shortTag = regexp.MustCompile(`^\[[^\[\]]{0,64}\]\s*`)

// isReply reports a subject that says that it continues another mail, in any language. It tells
// correspondence from newsletters, and is no part of a key.
func isReply(subject string) bool {
	subject = strings.ToLower(dom.Fold(subject))
	for tag := shortTag.FindString(subject); tag != ""; tag = shortTag.FindString(subject) {
		subject = subject[len(tag):]
	}
	return anyReply.MatchString(subject)
}
