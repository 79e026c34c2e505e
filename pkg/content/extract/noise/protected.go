package noise

import (
	"encoding/hex"
	"strings"
)

// protection is what a widely used proxy puts in place of mail addresses that scripts show again, with a
// key that is another on each request.
const protection = "[email protected]"

// Unprotect reads an address: in hexadecimal, a key and each byte of the address xor the key. What is none stays
// [protection].
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
