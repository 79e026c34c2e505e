package entry

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/content/extract/mail"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// KeyRevision is the revision of the rules by which normalization makes keys. Entries and policies have it in a
// column; if that column is missing, the revision is 1. Clients do not see the revision, because the policies keep
// their names.
//
//  1. Removed forty reply prefixes, in many languages, from a subject, and tags of at most 64 characters. The secondary
//     key of a thought was the digest of its text, so "ok" in two chats was one thought.
//  2. Follows spec 001 exactly. Left encoded words in subjects of which one word has an unknown charset, and took
//     every named zone of a date for UTC.
//  3. Decodes each encoded word that can be decoded, words of one charset in a row together. Reads dates as mails have
//     them.
//  4. Takes a newsletter's message id without its <>, also from a client that made the key.
const KeyRevision int64 = 4

// KeyRules is the name of the current revision, for a migration.
const KeyRules = "keys_v4"

// formerSubject is the member of a mail's metadata that has its subject as revision 2 decoded it, if it differs.
const formerSubject = "subject_before"

// RekeyedPolicies are the policies whose keys differ between the revisions.
var RekeyedPolicies = []string{EmailNewsletter, EmailThread, TelegramThought}

// Rekeyed returns an entry with keys of the current revision, if its present keys are of an older revision. It
// reads the stored subject and the stored date again. Other keys, such as keys that a client has made, stay as they
// are.
func Rekeyed(f Fields) (out Fields, changed bool) {
	k := KeysOf(f)
	if k.Policy == TelegramThought {
		if !strings.HasPrefix(k.Primary, "tg:") || k.Secondary == "" {
			return f, false
		}
		out = maps.Clone(f)
		delete(out, "idempotency_key_secondary")
		return out, true
	}
	if out, changed := f.WithBareKey(); changed {
		return out, true
	}
	now, email := current(f)
	if now == k {
		return f, false
	}
	out = maps.Clone(f)
	out["metadata"] = mergeObjects(f["metadata"].(map[string]any), map[string]any{"email": email})
	for name, key := range map[string]string{"idempotency_key_primary": now.Primary,
		"idempotency_key_secondary": now.Secondary} {
		if delete(out, name); key != "" {
			out[name] = key
		}
	}
	return out, true
}

// WithBareKey returns a newsletter whose primary key is a message id in <> with that id alone, as normalization makes
// it.
func (f Fields) WithBareKey() (out Fields, changed bool) {
	k := KeysOf(f)
	bare, bracketed := messageID(k.Primary), strings.HasPrefix(strings.TrimSpace(k.Primary), "<")
	if k.Policy != EmailNewsletter || !bracketed || bare == "" || bare == k.Primary {
		return f, false
	}
	out = maps.Clone(f)
	out["idempotency_key_primary"] = bare
	return out, true
}

// emailOf returns a function that looks up members of a mail's metadata; ok is false if f is no mail.
func emailOf(f Fields) (text func(name string) string, ok bool) {
	meta, _ := f["metadata"].(map[string]any)
	email, ok := meta["email"].(map[string]any)
	return func(name string) string { s, _ := email[name].(string); return s }, ok
}

// current returns the keys of a mail under the current revision, and the members of its metadata that they are made
// from. If the present keys are not made from the stored subject, current returns them.
func current(f Fields) (k Keys, email map[string]any) {
	k = KeysOf(f)
	text, ok := emailOf(f)
	if !ok {
		return k, nil
	}
	day, sent := text("date_bucket"), fromAddress(text("from"))
	if now, ok := dayBucket(text("date")); ok && day != "" {
		day = now
	}
	// The metadata contains the beginning of the subject. The title contains more of it, unless the title was
	// changed.
	for _, subject := range []string{text("subject"), f.Text("title")} {
		decoded := oneLine(mail.DecodeField(subject))
		base := subjectBase(decoded)
		email = map[string]any{"subject_base": base, "subject": words.Clip(decoded, maxName)}
		if day != "" {
			email["date_bucket"] = day
		}
		for _, made := range []string{subjectBase1(subject), subjectBase(subject)} {
			switch {
			case base == "":
			case k.Policy == EmailThread && k.Primary == Digest(made):
				k.Primary = Digest(base)
				return k, email
			case k.Policy == EmailNewsletter && k.Secondary == Digest(sent+made+text("date_bucket")):
				k.Secondary = Digest(sent + base + day)
				return k, email
			}
		}
	}
	return k, nil
}

// FormerKeys returns the keys that older revisions would have made from the same input as the fields, which have keys
// of the current revision. Each of them has only one key.
func FormerKeys(f Fields) (out []Keys) {
	if k := KeysOf(f); k.Policy == EmailNewsletter && k.Primary != "" {
		out = append(out, Keys{Policy: k.Policy, Primary: "<" + k.Primary + ">"})
	}
	text, ok := emailOf(f)
	if !ok {
		return out
	}
	k, sent, title := KeysOf(f), fromAddress(text("from")), f.Text("title")
	made := k.Primary == Digest(subjectBase(text("subject"))) || k.Primary == Digest(subjectBase(title))
	add := func(former Keys) {
		if key := former.Primary + former.Secondary; key != k.Primary && key != k.Secondary && !slices.Contains(out, former) {
			out = append(out, former)
		}
	}
	for _, subject := range []string{text("subject"), title, text(formerSubject)} {
		for _, base := range []string{subjectBase1(subject), subjectBase(subject)} {
			switch {
			case base == "":
			case k.Policy == EmailThread && made:
				add(Keys{Policy: k.Policy, Primary: Digest(base)})
			case k.Policy == EmailNewsletter && k.Secondary != "":
				for _, day := range []string{text("date_bucket"), dayBucket2(text("date"))} {
					add(Keys{Policy: k.Policy, Secondary: Digest(sent + base + day)})
				}
			}
		}
	}
	return out
}

// HasFormerSubject reports whether a mail may be known under a subject that was decoded wrongly, and that cannot be
// decoded again.
func HasFormerSubject(f Fields) bool {
	text, ok := emailOf(f)
	return ok && text(formerSubject) != ""
}

// FirstKeys takes fields with keys of the current revision. It returns the keys that the first revision would have
// made from the same input. Keys that a client has made, or that are made from a subject that is no longer known, stay
// as they are.
func FirstKeys(f Fields) Keys {
	k := KeysOf(f)
	text, ok := emailOf(f)
	sent := fromAddress(text("from"))
	// The metadata contains the beginning of the subject. The title contains more of it, unless the title was changed.
	for _, subject := range []string{text("subject"), f.Text("title")} {
		made, first := subjectBase(subject), subjectBase1(subject)
		switch {
		case !ok || first == "":
		case k.Policy == EmailThread && k.Primary == Digest(made):
			k.Primary = Digest(first)
			return k
		case k.Policy == EmailNewsletter && k.Secondary == Digest(sent+made+text("date_bucket")):
			k.Secondary = Digest(sent + first + text("date_bucket"))
			return k
		}
	}
	return k
}

// subjectBase1 returns the base of a subject under the first revision.
func subjectBase1(subject string) string {
	base := words.Clip(norm.NFC.String(strings.ToLower(dom.Fold(subject))), maxSubject)
	base = dom.Fold(base)
	for {
		rest := base[len(anyReply.FindString(base)):]
		if tagless := rest[len(shortTag.FindString(rest)):]; tagless != "" {
			rest = tagless
		}
		if rest == base {
			return strings.TrimSpace(base)
		}
		base = rest
	}
}

// The keys of the policies with which every schema is seeded (spec 001).
const (
	TelegramThought = "telegram_thought_v1"
	TelegramLink    = "telegram_link_v1"
	EmailNewsletter = "email_newsletter_v1"
	EmailThread     = "email_correspondence_thread_v1"
)

// Keys are an entry's identity. Within a policy, no two entries share a primary or a secondary key. Empty keys do not
// count.
type Keys struct{ Policy, Primary, Secondary string }

// KeysOf returns the keys of an entry.
func KeysOf(f Fields) Keys {
	return Keys{f.Text("idempotency_policy_key"), f.Text("idempotency_key_primary"), f.Text("idempotency_key_secondary")}
}

// Each returns one Keys for each key that is not empty. Each of them has only that key.
func (k Keys) Each() (out []Keys) {
	if k.Primary != "" {
		out = append(out, Keys{Policy: k.Policy, Primary: k.Primary})
	}
	if k.Secondary != "" {
		out = append(out, Keys{Policy: k.Policy, Secondary: k.Secondary})
	}
	return out
}

// setKeys writes all three key columns. An empty key is written as null.
func (f Fields) setKeys(k Keys) {
	for name, value := range map[string]string{
		"idempotency_policy_key": k.Policy, "idempotency_key_primary": k.Primary, "idempotency_key_secondary": k.Secondary,
	} {
		f[name] = nil
		if value != "" {
			f[name] = value
		}
	}
}

// Digest returns the SHA-256 of a text as 64 lower-case hexadecimal digits.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

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
