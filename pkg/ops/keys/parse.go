package keys

import (
	"cmp"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

const (
	// minSecret is the shortest key, in characters, accepted from a file or the environment.
	minSecret = 24
	maxSecret = 256
	maxFile   = 1 << 20
	hashed    = "sha256:"
)

var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Parse reads keys, one per line or separated by semicolons, in the form NAME SCOPE KEY or NAME SCOPE sha256:DIGEST.
// It ignores empty lines and lines that begin with #. Errors give the position of the faulty entry and never quote
// the key.
func Parse(text, origin string) ([]Key, error) {
	if len(text) > maxFile {
		return nil, fault.New(fault.TooLarge, "keys: more than %d bytes", maxFile)
	}
	var out []Key
	names := map[string]bool{}
	for i, line := range strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == ';' }) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		k, err := parseLine(line, origin)
		switch {
		case err != nil:
			return nil, fault.New(fault.Invalid, "key %d: %w", i+1, err)
		case names[k.Name]:
			return nil, fault.New(fault.Invalid, "key %d: the name %q comes twice", i+1, k.Name)
		case len(out) == most:
			return nil, fault.New(fault.Invalid, "more than %d keys", most)
		}
		names[k.Name] = true
		out = append(out, k)
	}
	return out, nil
}

func parseLine(line, origin string) (k Key, err error) {
	parts := strings.Fields(line)
	if len(parts) != 3 {
		return k, fault.New(fault.Invalid, "want NAME SCOPE KEY, or NAME SCOPE sha256:DIGEST")
	}
	k = Key{Name: parts[0], Scope: api.Scope(parts[1]), Origin: origin}
	if err := cmp.Or(checkName(k.Name), checkScope(k.Scope)); err != nil {
		return Key{}, err
	}
	secret := parts[2]
	if sum, ok := strings.CutPrefix(secret, hashed); ok {
		if !digest.MatchString(sum) {
			return Key{}, fault.New(fault.Invalid, "want 64 hexadecimal digits, in lower case, after sha256:")
		}
		k.hash = sum
		return k, nil
	}
	if len(secret) < minSecret || len(secret) > maxSecret {
		return Key{}, fault.New(fault.Invalid, "a key has %d to %d characters; `openssl rand -hex 20` makes one", minSecret,
			maxSecret)
	}
	if isGuessable(secret) {
		return Key{}, fault.New(fault.Invalid, "the key can be guessed: it repeats itself, counts or contains a common "+
			"word; `openssl rand -hex 20` makes one")
	}
	k.hash = hashOf(secret)
	return k, nil
}

// isGuessable reports whether a key is obviously not random. In a random key, hardly two pairs of neighbours are the
// same, and hardly any character follows its neighbour in the alphabet.
func isGuessable(secret string) bool {
	pairs, steps := map[string]bool{}, 0
	for i := 1; i < len(secret); i++ {
		pairs[secret[i-1:i+1]] = true
		if d := int(secret[i]) - int(secret[i-1]); d >= -1 && d <= 1 {
			steps++
		}
	}
	if len(pairs)*2 < min(len(secret), 60) || steps*4 > len(secret)*3 {
		return true
	}
	lower := strings.ToLower(secret)
	return slices.ContainsFunc([]string{"password", "passwort", "changeme", "secret", "tidemark", "example", "qwerty"},
		func(word string) bool { return strings.Contains(lower, word) })
}

// ReadFile reads the keys of a file. An empty name means no keys.
func ReadFile(name string) ([]Key, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	return Parse(string(b), File)
}
