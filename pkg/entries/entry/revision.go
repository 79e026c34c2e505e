package entry

import (
	"maps"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// KeyRevision is the revision of the rules by which normalization makes keys. Entries and policies have it in a
// column; if that column is missing, the revision is 1. Clients do not see the revision, because the policies keep
// their names.
//
//  1. Removed forty reply prefixes, in many languages, from a subject, and tags of at most 64 characters. The secondary
//     key of a thought was the digest of its text, so "ok" in two chats was one thought.
//  2. Follows spec 001 exactly.
const KeyRevision int64 = 2

// KeyRules is the name of the current revision, for a migration.
const KeyRules = "keys_v2"

// RekeyedPolicies are the policies whose keys differ between the revisions.
var RekeyedPolicies = []string{EmailNewsletter, EmailThread, TelegramThought}

// Rekeyed returns an entry with keys of the current revision, if its present keys are of the first revision. Other
// keys, such as keys that a client has made, stay as they are.
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
	now, subject := translated(f, subjectBase1, subjectBase)
	if now == k {
		return f, false
	}
	out = maps.Clone(f)
	out["metadata"] = mergeObjects(f["metadata"].(map[string]any),
		map[string]any{"email": map[string]any{"subject_base": subjectBase(subject)}})
	for name, key := range map[string]string{"idempotency_key_primary": now.Primary,
		"idempotency_key_secondary": now.Secondary} {
		if delete(out, name); key != "" {
			out[name] = key
		}
	}
	return out, true
}

// FirstKeys takes fields with keys of the current revision. It returns the keys that the first revision would have
// made from the same input.
func FirstKeys(f Fields) Keys {
	k, _ := translated(f, subjectBase, subjectBase1)
	return k
}

// translated returns the keys of a mail under another revision, and the subject from which the keys are made. The
// first function returns the compared part of a subject under the present revision. The second function returns that
// part under the other revision. Keys that a client has made, or that are made from a subject that is no longer
// known, stay as they are.
func translated(f Fields, from, to func(subject string) string) (k Keys, subject string) {
	k = KeysOf(f)
	meta, _ := f["metadata"].(map[string]any)
	email, _ := meta["email"].(map[string]any)
	text := func(name string) string { s, _ := email[name].(string); return s }
	sent := fromAddress(text("from"))
	// The metadata contains the beginning of the subject. The title contains more of it, unless the title was
	// changed.
	for _, subject := range []string{text("subject"), f.Text("title")} {
		made, other := from(subject), to(subject)
		switch {
		case email == nil || other == "":
		case k.Policy == EmailThread && k.Primary == Digest(made):
			k.Primary = Digest(other)
			return k, subject
		case k.Policy == EmailNewsletter && k.Secondary == Digest(sent+made+text("date_bucket")):
			k.Secondary = Digest(sent + other + text("date_bucket"))
			return k, subject
		}
	}
	return k, ""
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
