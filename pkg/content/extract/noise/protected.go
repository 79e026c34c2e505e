package noise

import (
	"encoding/hex"
	"strings"
)

// protection is the text that a widely used proxy writes in place of a mail address until its script shows the
// address. The proxy also writes the address as a code, whose key changes with each request.
const protection = "[email protected]"

// Unprotect decodes a mail address. The code is hexadecimal. Its first byte is a key, and each further byte is a byte
// of the address xor the key. If the code is not an address, Unprotect returns [protection].
func Unprotect(code string) string {
	const longest = 2 * 255
	b, err := hex.DecodeString(code[:min(len(code), longest)])
	if err != nil || len(b) < 2 {
		return protection
	}
	for i := range b[1:] {
		if b[i+1] ^= b[0]; b[i+1] <= ' ' || b[i+1] >= 0x7f {
			return protection
		}
	}
	if address := string(b[1:]); strings.Contains(address, "@") {
		return address
	}
	return protection
}
