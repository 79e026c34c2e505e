package entry

import (
	"crypto/sha256"
	"encoding/hex"
)

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
