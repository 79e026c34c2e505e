package entries

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/extract"
)

// replyPrefix is one mark of a reply or a forwarded mail, in lower case: those of seed 001 and their
// translations in mail programs, perhaps counted as in "re[2]:" or "re^3:".
var replyPrefix = regexp.MustCompile(`^(?:re|fwd?|` +
	`aw|antw|antwort|wg|` + // German, Dutch
	`sv|vs|vl|vb|` + // Scandinavian, Finnish
	`rif|r|i|res|enc|rv|tr|` + // Italian, Portuguese, Spanish, French
	`odp|pd|ynt|ilt|i̇lt|vá|továbbítás|doorst|atb|bls|` + // Polish, Turkish, Hungarian, Dutch, Welsh, Indonesian
	`ответ|отв|пересл|απ|σχετ|πρθ|תגובה|הועבר|رد|إعادة توجيه|` +
	`回复|回覆|答复|转发|轉寄|返信|転送)\s*(?:\[\d{1,3}\]|\(\d{1,3}\)|\^\d{1,3})?\s*[:：]\s*`)

// listTag is the mark of a mailing list.
var listTag = regexp.MustCompile(`^\[[^\[\]]{0,64}\]\s*`)

// maxSubject bounds a subject, in bytes.
const maxSubject = 1000

// subjectBase is what the mails of a thread share (seed 001): lower case, on one line, without the
// prefixes of replies and tags of lists in front, however they are nested. A subject that is nothing
// but a tag keeps it, so that it is not the same as none. The base of a base is itself.
func subjectBase(subject string) string {
	base, _ := clip(norm.NFC.String(strings.ToLower(extract.Fold(subject))), maxSubject)
	base = extract.Fold(base)
	for {
		rest := base[len(replyPrefix.FindString(base)):]
		if tagless := rest[len(listTag.FindString(rest)):]; tagless != "" {
			rest = tagless
		}
		if rest == base {
			return strings.TrimSpace(base)
		}
		base = rest
	}
}

// isReply reports a subject that says that it continues another mail.
func isReply(subject string) bool {
	subject = strings.ToLower(extract.Fold(subject))
	for tag := listTag.FindString(subject); tag != ""; tag = listTag.FindString(subject) {
		subject = subject[len(tag):]
	}
	return replyPrefix.MatchString(subject)
}
