package credential

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

const maxHeaders = 8

// framing lists headers that a credential must not set. They belong to the request itself, and would change its
// meaning or how it is parsed.
var framing = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "If-Match", "If-Modified-Since",
	"If-None-Match", "If-Range", "If-Unmodified-Since", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection",
	"Range", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// headers returns the headers for the secret of a credential for pages.
func headers(kind Kind, secret string) (http.Header, error) {
	switch kind {
	case Bearer:
		if secret == "" || strings.ContainsAny(secret, " \t\r\n") || !httpguts.ValidHeaderFieldValue(secret) {
			return nil, fault.New(fault.Invalid, "want one token after the place")
		}
		return http.Header{"Authorization": {"Bearer " + secret}}, nil
	case Basic:
		// RFC 7617 §2: the user's name ends at the first colon.
		if !strings.Contains(secret, ":") || !httpguts.ValidHeaderFieldValue(secret) {
			return nil, fault.New(fault.Invalid, "want user:password after the place")
		}
		return http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(secret))}}, nil
	}
	return headerLines(secret)
}

func headerLines(secret string) (http.Header, error) {
	h := http.Header{}
	for line := range strings.Lines(secret) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		name, value = http.CanonicalHeaderKey(name), strings.TrimSpace(value)
		if !httpguts.ValidHeaderFieldName(name) || value == "" || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fault.New(fault.Invalid, "want lines of Name: value after the place")
		}
		if slices.Contains(framing, name) {
			return nil, fault.New(fault.Invalid, "header %s belongs to the request and cannot be set", name)
		}
		h.Add(name, value)
	}
	if len(h) == 0 || len(h) > maxHeaders {
		return nil, fault.New(fault.Invalid, "want 1 to %d headers after the place", maxHeaders)
	}
	return h, nil
}

// checkStorage checks the secret for a storage service.
func checkStorage(kind Kind, secret string) error {
	switch kind {
	case Key:
		if key, err := base64.StdEncoding.DecodeString(secret); err != nil || len(key) == 0 {
			return fault.New(fault.Invalid, "want an account key in base64 after the place")
		}
	case SAS:
		q, err := url.ParseQuery(secret)
		if err != nil || q.Get("sig") == "" || strings.ContainsAny(secret, " \t\r\n#") {
			return fault.New(fault.Invalid, "want a shared access signature (sv=…&sig=…) after the place")
		}
	case Identity:
		if len(secret) > 64 || strings.Trim(strings.ToLower(secret), "0123456789abcdef-") != "" {
			return fault.New(fault.Invalid, "want nothing, or the client id of a user-assigned identity, after the place")
		}
	}
	return nil
}

// fromConnection extracts the key or signature from a connection string. It ignores the endpoints in the string,
// because WHERE defines who receives the secret.
func (c Credential) fromConnection(text string) (Credential, error) {
	found := ""
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch strings.ToLower(name) {
		case "accountkey":
			c.kind, found = Key, value
		case "sharedaccesssignature":
			c.kind, found = SAS, strings.TrimPrefix(value, "?")
		}
	}
	if found == "" {
		return Credential{}, fault.New(fault.Invalid,
			"want a connection string with AccountKey or SharedAccessSignature after the place")
	}
	c.secret = func() string { return found }
	return c, checkStorage(c.kind, found)
}
