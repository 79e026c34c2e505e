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
	// replyPrefix matches the prefixes that spec 001 removes from a subject. Other prefixes are kept, because "R:"
	// may be a language.
	replyPrefix = regexp.MustCompile(`^(?:re|fwd?):`)
	// listTag matches the tag of a mailing list.
	listTag = regexp.MustCompile(`^\[[^\]]*\]`)
)

// maxSubject bounds a subject, in bytes, so that the compared text fits into a title.
const maxSubject = maxTitle

// subjectBase returns the part of a subject that the mails of a thread have in common (spec 001): in lower case, on
// one line, without leading reply prefixes and list tags, however nested. A subject that is only a tag keeps the tag,
// to differ from an empty subject. The base of a base is the base itself.
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

// without returns a text without the beginning that a pattern matches.
func without(pattern *regexp.Regexp, text string) string {
	return strings.TrimSpace(text[len(pattern.FindString(text)):])
}

// anyReply matches one prefix of a reply or a forwarded mail, in lower case. It matches the prefixes of spec 001 and
// their translations in mail programs, also with numbers as in "re[2]:" or "re^3:".
var anyReply = regexp.MustCompile(`^(?:re|fwd?|` +
	`aw|antw|antwort|wg|` + // German, Dutch
	`sv|vs|vl|vb|` + // Scandinavian, Finnish
	`rif|r|i|res|enc|rv|tr|` + // Italian, Portuguese, Spanish, French
	`odp|pd|ynt|ilt|i̇lt|vá|továbbítás|doorst|atb|bls|` + // Polish, Turkish, Hungarian, Dutch, Welsh, Indonesian
	`ответ|отв|пересл|απ|σχετ|πρθ|תגובה|הועבר|رد|إعادة توجيه|` +
	`回复|回覆|答复|转发|轉寄|返信|転送)\s*(?:\[\d{1,3}\]|\(\d{1,3}\)|\^\d{1,3})?\s*[:：]\s*`)

// shortTag matches a tag, as [isReply] and the first revision of keys recognize it.
var shortTag = regexp.MustCompile(`^\[[^\[\]]{0,64}\]\s*`)

// isReply reports whether a subject is that of a reply or a forwarded mail, in any language. The result helps to
// distinguish correspondence from newsletters. It is not part of a key.
func isReply(subject string) bool {
	subject = strings.ToLower(dom.Fold(subject))
	for tag := shortTag.FindString(subject); tag != ""; tag = shortTag.FindString(subject) {
		subject = subject[len(tag):]
	}
	return anyReply.MatchString(subject)
}
