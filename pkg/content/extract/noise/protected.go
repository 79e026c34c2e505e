package noise

import (
	"encoding/hex"
	"strings"
)

// protection is what a widely used proxy writes instead of a mail address, until its script shows the address. The key
// of the code changes with each request.
const protection = "[email protected]"

// Unprotect reads an address: in hexadecimal, a key and each byte of the address xor the key. It returns [protection]
// for a code that is not an address.
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
