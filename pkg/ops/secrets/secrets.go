// Package secrets encrypts the secrets that people type in forms, so that a copy of the store reveals none of them.
//
// A secret is encrypted with AES-256-GCM. Its associated data says what the secret is for, such as the channel, the
// field and the destination. So a secret that is moved to another row, or whose destination was changed in the store,
// cannot be decrypted.
//
// The key is the setting SECRETS_KEY. If that is not set, the key is in a file of the data folder, which is made when
// a key is first needed, can be read by its owner only, and is part of no backup. If the store is not in the data
// folder, there is no such file, because the instances have disks of their own, which may not last.
//
// A key that was replaced still decrypts: SECRETS_KEY_OLD, and the key in the file after SECRETS_KEY was set. What a
// former key decrypts should be encrypted again, see [Keys.Open].
package secrets

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Names of the settings.
const (
	Setting    = "SECRETS_KEY"
	OldSetting = "SECRETS_KEY_OLD"
)

const keySize = 32

// ParseKey parses a key: 32 bytes in base64 or in hexadecimal. The error does not repeat the text.
func ParseKey(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if key, err := hex.DecodeString(text); err == nil && len(key) == keySize {
		return key, nil
	}
	plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
	if key, err := base64.RawStdEncoding.DecodeString(plain); err == nil && len(key) == keySize {
		return key, nil
	}
	return nil, fault.New(fault.Invalid, "32 random bytes in base64, as `openssl rand -base64 32` prints them")
}

// key is one key, with the subkeys that are derived from it.
type key struct {
	id   string // names the key without revealing it
	root []byte
	aead cipher.AEAD
}

func newKey(root []byte) *key {
	block, err := aes.NewCipher(derive(root, "tidemark secrets", keySize))
	if err != nil {
		panic("secrets: " + err.Error()) // Unreachable: the size of the key is right.
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("secrets: " + err.Error()) // Unreachable: the cipher is AES.
	}
	return &key{id: hex.EncodeToString(derive(root, "tidemark key id", 4)), root: root, aead: aead}
}

func derive(root []byte, purpose string, size int) []byte {
	out, err := hkdf.Expand(sha256.New, root, purpose, size)
	if err != nil {
		panic("secrets: " + err.Error()) // Unreachable: the size is small.
	}
	return out
}

// Keys encrypt and decrypt secrets. They are safe for concurrent use. The zero Keys have no key.
type Keys struct {
	mu      sync.Mutex
	current *key
	former  []*key
	create  func() ([]byte, error) // makes the key file, when a key is first needed; nil if there must be none
	problem string                 // why there is no key
}

// noKey is the reason while no other is known.
const noKey = "there is no key for secrets: set SECRETS_KEY to the output of `openssl rand -base64 32` and start " +
	"Tidemark again"

// Problem says why nothing can be encrypted; "" if there is a key, or will be one when it is needed.
func (k *Keys) Problem() string {
	if k == nil {
		return noKey
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.current != nil || k.create != nil && k.problem == "":
		return ""
	case k.problem == "":
		return noKey
	}
	return k.problem
}

// needed returns the key, and makes the key file if there is none yet. Errors: Blocked.
func (k *Keys) needed() (*key, error) {
	if k == nil {
		return nil, fault.New(fault.Blocked, "%s", noKey)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current == nil && k.create != nil {
		root, err := k.create()
		if err != nil {
			k.problem = unusable + err.Error()
		} else {
			k.current, k.problem = newKey(root), ""
		}
	}
	if k.current == nil {
		return nil, fault.New(fault.Blocked, "%s", cmp.Or(k.problem, noKey))
	}
	return k.current, nil
}

const unusable = "the key file for secrets cannot be used; restore it, or set SECRETS_KEY: "

// about returns associated data. No two lists of parts give the same.
func about(parts []string) []byte {
	var out strings.Builder
	for _, p := range parts {
		out.WriteString(strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(p) + "\n")
	}
	return []byte(out.String())
}

// Seal encrypts a secret. The parts are what the secret is for; the same are needed to decrypt it. Errors: Blocked if
// there is no key.
func (k *Keys) Seal(secret string, parts ...string) (string, error) {
	current, err := k.needed()
	if err != nil {
		return "", err
	}
	sealed := current.aead.Seal(nil, nil, []byte(secret), about(parts))
	return current.id + "." + base64.RawStdEncoding.EncodeToString(sealed), nil
}

// Open decrypts a secret. It reports whether a former key was needed, so that the secret should be encrypted again.
// Errors: Blocked if the key is missing or the secret was encrypted for something else.
func (k *Keys) Open(sealed string, parts ...string) (secret string, old bool, err error) {
	if k == nil {
		k = &Keys{}
	}
	id, text, _ := strings.Cut(sealed, ".")
	body, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return "", false, fault.New(fault.Blocked, "it is damaged")
	}
	k.mu.Lock()
	all := append([]*key{k.current}, k.former...)
	k.mu.Unlock()
	known := false
	for i, one := range all {
		if one == nil || one.id != id {
			continue
		}
		known = true
		if plain, err := one.aead.Open(nil, nil, body, about(parts)); err == nil {
			return string(plain), i > 0, nil
		}
	}
	if !known {
		return "", false, fault.New(fault.Blocked, "the key that it was encrypted with is missing")
	}
	return "", false, fault.New(fault.Blocked, "it is damaged, or was encrypted for another destination")
}

// Derive returns a key for another purpose, such as signing links; nil if there is no key.
func (k *Keys) Derive(purpose string) []byte {
	current, err := k.needed()
	if err != nil {
		return nil
	}
	return derive(current.root, "tidemark "+purpose, keySize)
}

// String hides the keys.
func (k *Keys) String() string { return "secrets.Keys" }

// GoString hides the keys.
func (k *Keys) GoString() string { return k.String() }
