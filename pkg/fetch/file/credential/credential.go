// Package credential gives access to private sources by the name of a setting, so that no item, log or error ever
// contains a secret (A24).
//
// The setting CREDENTIAL_<NAME> is one line of three parts:
//
//	KIND WHERE SECRET
//
// KIND defines how the secret is used, WHERE defines who may receive it, and SECRET is the remaining text:
//
//	bearer      https://wiki.example.com               TOKEN
//	basic       https://wiki.example.com               user:password
//	header      https://api.example.com                X-Api-Key: VALUE   (more of them on lines of their own)
//	sas         https://acct.blob.core.windows.net/docs   sv=…&sig=…
//	key         https://acct.file.core.windows.net        ACCOUNT KEY IN BASE64
//	connection  https://acct.blob.core.windows.net        DefaultEndpointsProtocol=…;AccountKey=…
//	identity    https://acct.blob.core.windows.net/docs   [client id]
//	secret                                                whsec_…, or an address such as slack://…
//
// The first three are for pages, the last is for messages, and the others are for blobs and shares.
//
// A credential of the kind "secret" has no WHERE: it signs messages, or is itself the address to which they are sent,
// or is the login of EGRESS_PROXY, and has no other use. For the other kinds, WHERE makes it safe to reveal a name: a
// user who may register sources can combine any name with any address, but the secret is sent only to addresses within
// WHERE. For pages WHERE is an origin (scheme, host in ASCII, port), because servers may interpret a path in unexpected
// ways. For storage it may include a container or share, and folders in it.
//
// Values are read from the app settings when they are needed, and are never cached. The platform resolves Key Vault
// references. A reference that is still unresolved is refused and not sent.
//
// # Alternatives considered
//
// If the value were JSON, every quote in it would have to be escaped in settings files and in the portal. If the item
// supplied WHERE, the first user to register an address of their own would get the secret.
package credential

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"golang.org/x/net/http/httpguts"
)

// Kind defines how a secret is used.
type Kind string

// The kinds of credentials. A connection string becomes the Key or SAS that it contains.
const (
	Bearer   Kind = "bearer"
	Basic    Kind = "basic"
	Header   Kind = "header"
	SAS      Kind = "sas"
	Key      Kind = "key"
	Identity Kind = "identity"
	Secret   Kind = "secret"

	connection Kind = "connection"
)

// Prefix is the beginning of the names of settings with credentials.
const Prefix = "CREDENTIAL_"

const (
	maxName  = 64
	maxValue = 16 << 10 // in bytes; Key Vault allows 25 KB, but servers refuse such long headers
)

// Credential is a secret with the addresses that may receive it. However it is printed or encoded, only its kind and
// its WHERE appear. The zero Credential covers no address.
type Credential struct {
	kind  Kind
	reach reach
	// secret is a function, because formatting verbs and encoders print fields but never call functions. This matters
	// if the Credential is in an unexported field, because then they cannot call its String method.
	secret func() string
}

// Name checks the name of a credential and returns the form that items store: upper case, without the setting's
// prefix. A name has 1 to 64 characters out of A-Z, 0-9 and _. The error is Invalid, with the field "credential".
func Name(s string) (string, error) {
	s = strings.TrimPrefix(strings.ToUpper(s), Prefix)
	if s == "" || len(s) > maxName || strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return "", fault.Field("credential", "want the name of a credential: 1 to %d of A-Z, 0-9 and _", maxName)
	}
	return s, nil
}

// Find reads the credential with the given name. It reads settings with the given function, which returns "" for a
// setting that is not set. Errors: Blocked if there is no such setting; Invalid for a bad name or value. The error
// never repeats the value.
func Find(get func(setting string) string, name string) (Credential, error) {
	name, err := Name(name)
	if err != nil {
		return Credential{}, err
	}
	value := get(Prefix + name)
	if value == "" {
		return Credential{}, fault.New(fault.Blocked, "credential %s is not set: want a setting %s%s", name, Prefix, name)
	}
	c, err := Parse(value)
	fault.Wrap(&err, "setting %s%s", Prefix, name)
	return c, err
}

// ForPage returns the headers with which the credential opens the page at an address. Errors: those of [Find];
// Blocked if the credential is of another kind or for another origin.
func ForPage(get func(setting string) string, name, address string) (http.Header, error) {
	c, err := Find(get, name)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	switch {
	case !c.forPages():
		return nil, fault.New(fault.Blocked, "credential %s is a %s: want a bearer, basic or header for pages", name, c.kind)
	case err != nil || !c.Covers(u):
		return nil, fault.New(fault.Blocked, "credential %s is not for this page, but a %s", name, c)
	}
	return c.Header(u), nil
}

// ForMessages returns the secret that signs messages or is their destination. Errors: those of [Find]; Blocked if the
// credential is of another kind.
func ForMessages(get func(setting string) string, name string) (secret string, err error) {
	c, err := Find(get, name)
	if err == nil && c.kind != Secret {
		err = fault.New(fault.Blocked, "credential %s is a %s: want %s%s=secret VALUE", name, c.kind, Prefix, name)
	}
	if err != nil {
		return "", err
	}
	return c.secret(), nil
}

// Parse reads the value of a setting, in the form that the package comment describes. The error is Invalid and does
// not repeat the value.
func Parse(value string) (Credential, error) {
	value = strings.TrimSpace(value)
	switch {
	case len(value) > maxValue:
		return Credential{}, fault.New(fault.Invalid, "%d bytes: want at most %d", len(value), maxValue)
	case strings.HasPrefix(strings.ToLower(value), "@microsoft.keyvault("):
		return Credential{}, fault.New(fault.Invalid,
			"the Key Vault reference was not resolved: see the app's settings in the portal")
	}
	kind, rest := word(value)
	if strings.EqualFold(kind, string(Secret)) {
		if rest == "" {
			return Credential{}, fault.New(fault.Invalid, "want secret VALUE")
		}
		return Credential{kind: Secret, secret: func() string { return rest }}, nil
	}
	where, secret := word(rest)
	if strings.EqualFold(kind, string(SAS)) {
		secret = strings.TrimPrefix(secret, "?")
	}
	c := Credential{kind: Kind(strings.ToLower(kind)), secret: func() string { return secret }}
	if !c.forPages() && !c.ForStorage() && c.kind != connection {
		return Credential{}, fault.New(fault.Invalid,
			"want KIND WHERE SECRET, with a kind of bearer, basic, header, sas, key, connection or identity, or secret VALUE")
	}
	var err error
	if c.reach, err = parseReach(where); err != nil {
		return Credential{}, err
	}
	if c, err = c.checked(secret); err != nil {
		return Credential{}, err
	}
	return c, nil
}

// word returns the first word of s and the rest.
func word(s string) (first, rest string) {
	if i := strings.IndexAny(s, " \t\r\n"); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

// checked checks a secret as the credential's kind requires. It returns the credential with that secret.
func (c Credential) checked(secret string) (Credential, error) {
	if c.forPages() {
		if c.reach.path != "" {
			return Credential{}, fault.New(fault.Invalid, "the place of a %s is an origin, without a path", c.kind)
		}
		_, err := headers(c.kind, secret)
		return c, err
	}
	if c.kind == connection {
		return c.fromConnection(secret)
	}
	return c, checkStorage(c.kind, secret)
}

func (c Credential) forPages() bool { return c.kind == Bearer || c.kind == Basic || c.kind == Header }

// ForStorage reports whether the credential is for blobs and shares.
func (c Credential) ForStorage() bool { return c.kind == SAS || c.kind == Key || c.kind == Identity }

// Kind returns the kind, which defines how the secret is used.
func (c Credential) Kind() Kind { return c.kind }

// Covers reports whether the secret may be sent to a URL.
func (c Credential) Covers(u *url.URL) bool { return c.secret != nil && c.reach.covers(u) }

// Header returns the headers that a request for a URL must have. It returns nil if the credential is not for pages or
// does not cover the URL.
func (c Credential) Header(u *url.URL) http.Header {
	if !c.forPages() || !c.Covers(u) {
		return nil
	}
	h, _ := headers(c.kind, c.secret()) // Parse has checked the secret
	return h
}

// Reveal returns the secret itself, for the client of a storage service. It is the query of a SAS without its "?",
// the account key, or the client id of an identity, which may be empty.
func (c Credential) Reveal() string {
	if c.secret == nil {
		return ""
	}
	return c.secret()
}

// String returns the kind and WHERE.
func (c Credential) String() string {
	switch {
	case c.secret == nil:
		return "no credential"
	case c.kind == Secret:
		return string(c.kind)
	}
	return string(c.kind) + " for " + c.reach.String()
}

// MarshalText returns [Credential.String], for JSON and logs.
func (c Credential) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// reach is the WHERE of a credential: an origin, and a path that restricts it.
type reach struct {
	scheme, host string // host includes the port unless it is the scheme's default
	path         string // decoded, such as "/docs"; empty if every path is within the reach
}

// parseReach parses a WHERE. The error does not repeat the text, because it may be a misplaced secret.
func parseReach(where string) (reach, error) {
	u, err := url.Parse(where)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return reach{}, fault.New(fault.Invalid, "the second word is not an address such as https://example.com")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return reach{}, fault.New(fault.Invalid, "the place is more than scheme, host, port and path")
	}
	if !plain(u.Path) {
		return reach{}, fault.New(fault.Invalid, "the path of the place has empty or dot segments")
	}
	return reach{scheme: u.Scheme, host: Host(u), path: strings.TrimRight(u.Path, "/")}, nil
}

// Host returns a URL's host in lower case, without the scheme's default port.
func Host(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Host), ":")
	if u.Scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}

// covers reports whether a URL is within the reach. If the reach has a path, covers returns false for a URL whose
// path a server might interpret as another path.
func (r reach) covers(u *url.URL) bool {
	if u.Scheme != r.scheme || Host(u) != r.host || u.User != nil {
		return false
	}
	if r.path == "" {
		return true
	}
	return !dotted(u.Path) && (u.Path == r.path || strings.HasPrefix(u.Path, r.path+"/"))
}

// plain reports whether a path has neither dot segments nor empty segments. A slash at the end is allowed.
func plain(path string) bool { return !strings.Contains(path, "//") && !dotted(path) }

// dotted reports whether a path has segments such as "..", by which a server resolves it to another path.
func dotted(path string) bool {
	for segment := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// String returns the WHERE.
func (r reach) String() string {
	return (&url.URL{Scheme: r.scheme, Host: r.host, Path: r.path}).String()
}

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
