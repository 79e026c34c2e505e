package entry

import (
	"maps"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// KeyRevision numbers the rules by which normalization makes keys. It is a column of entries and of
// policies, where a missing one is the first. Clients do not see it: the policies keep their names.
//
//  1. Forty prefixes of replies, in many languages, were taken off a subject, and tags of up to 64
//     characters only. A thought had the digest of its text for a secondary key, so that "ok" in two chats was one.
//  2. As spec 001 says, and no more.
const KeyRevision int64 = 2

// KeyRules names the present revision for a migration.
const KeyRules = "keys_v2"

// RekeyedPolicies are those whose keys differ between the revisions.
var RekeyedPolicies = []string{EmailNewsletter, EmailThread, TelegramThought}

// Rekeyed is an entry with the keys that it has by the present revision, if those that it has are by the
// first. Keys that cannot be told to be, such as those that a client made by itself, are left alone.
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

// FirstKeys are the keys that the first revision made of what these keys were made of.
func FirstKeys(f Fields) Keys {
	k, _ := translated(f, subjectBase, subjectBase1)
	return k
}

// translated are the keys that one rule makes of the subject of which another has made those of a mail,
// and that subject. What a client has made of its own, or of a subject that is no longer known, stays.
func translated(f Fields, from, to func(subject string) string) (k Keys, subject string) {
	k = KeysOf(f)
	meta, _ := f["metadata"].(map[string]any)
	email, _ := meta["email"].(map[string]any)
	text := func(name string) string { s, _ := email[name].(string); return s }
	sent := fromAddress(text("from"))
	// The metadata have the beginning of a subject, the title more of it, unless it was changed.
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

// subjectBase1 is the base of a subject by the first revision.
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
