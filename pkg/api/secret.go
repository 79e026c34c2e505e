package api

import (
	"fmt"
	"regexp"
	"strings"
)

// The names of an environment variable and of a header. The local Functions host gives the handler a secret in the
// variable, and sends the same secret in the header of each request. Other hosts do neither.
const (
	HostSecretVar    = "TIDEMARK_HOST_SECRET"
	HostSecretHeader = "X-Tidemark-Host-Secret"
)

// HostUserHeader is the header in which the local Functions host names the user of a request, as a trusted proxy has
// reported it. The host removes the header from everything that it receives.
const HostUserHeader = "X-Tidemark-User"

// PrefixHeader is the header in which a proxy names the path below which callers reach it. The local Functions host
// takes the header from trusted proxies only, and gives the handler the whole path in it.
const PrefixHeader = "X-Forwarded-Prefix"

// prefixForm is a path that means the same in an address, a header and a cookie, and that leads to no other host and to
// no folder above.
var prefixForm = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$`)

// ParsePrefix returns the path below which callers reach Tidemark, without a slash at its end; "" for none. The error
// says what is allowed.
func ParsePrefix(text string) (string, error) {
	const most = 200 // bytes
	text = strings.TrimSuffix(text, "/")
	if text != "" && (len(text) > most || !prefixForm.MatchString(text)) {
		return "", fmt.Errorf("a path such as /tidemark, of at most %d letters, digits, -, _, ~, and dots "+
			"that begin no part", most)
	}
	return text, nil
}
