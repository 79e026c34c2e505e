// Package credential gives access to private sources by the name of a setting, so that no item, log or
// error ever holds a secret (A24).
//
// The setting CREDENTIAL_<NAME> is one line of three parts:
//
//	KIND WHERE SECRET
//
// KIND says how the secret is used, WHERE who may be shown it, and SECRET is the rest:
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
// The first three are for pages, the last for messages, the others for blobs and shares. A secret has no WHERE: it
// signs messages, or is itself the address that they go to, and nothing else takes it. Of the others, WHERE is what
// makes a name safe to hand out: a user who may register sources can put any name beside any address, but the secret
// goes only to WHERE. For pages that is an origin (scheme, host in ASCII, port), because a
// server may read a path in more ways than we do; for storage it may go on to a container or share
// and folders in it.
//
// Values come from app settings when they are needed and are kept nowhere. A Key Vault reference
// is resolved by the platform; one that was not is refused instead of sent.
//
// # Alternatives considered
//
// JSON needs every quote escaped in settings files and in the portal. A secret alone, with WHERE
// taken from the item, would give it to the first user who registers an address of their own.
package credential

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Kind says how a secret is used.
type Kind string

// The kinds of credentials. A connection string becomes the Key or SAS that it holds.
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

// Prefix begins the names of settings that hold credentials.
const Prefix = "CREDENTIAL_"

const (
	maxName  = 64
	maxValue = 16 << 10 // bytes; Key Vault keeps 25 KB, headers of that size are refused anyway
)

// Credential is a secret and where it may go. However it is printed or encoded, only its kind and
// its WHERE appear. The zero Credential reaches nothing.
type Credential struct {
	kind  Kind
	reach reach
	// secret is a function, which no formatting verb or encoder looks into, not even when the
	// Credential lies in a struct whose methods they cannot call.
	secret func() string
}

// Name checks the name of a credential and gives the form that items store: upper case, without
// the setting's prefix. Names are 1 to 64 of A-Z, 0-9 and _. The error is Invalid and blames the
// field "credential".
func Name(s string) (string, error) {
	s = strings.TrimPrefix(strings.ToUpper(s), Prefix)
	if s == "" || len(s) > maxName || strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return "", fault.Field("credential", "want the name of a credential: 1 to %d of A-Z, 0-9 and _", maxName)
	}
	return s, nil
}

// Find reads the credential of a name through get, which returns "" for what is not set. The error
// is Blocked for a name that is not set and Invalid for a bad name or value; it never repeats the
// value.
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

// ForPage finds the headers with which the credential of a name opens the page at an address. Errors are those
// of [Find], and Blocked for a credential of another kind or for another origin.
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

// ForMessages finds the secret of a name that messages are signed by or sent to. Errors are those of [Find], and
// Blocked for a credential of another kind.
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

// Parse reads the value of a setting, see the package comment. The error is Invalid and does not
// repeat the value.
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

// word cuts the first word off s.
func word(s string) (first, rest string) {
	if i := strings.IndexAny(s, " \t\r\n"); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

// checked finishes a credential by the rules of its kind.
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

// ForStorage reports whether the credential is one that blobs and shares take.
func (c Credential) ForStorage() bool { return c.kind == SAS || c.kind == Key || c.kind == Identity }

// Kind says how the secret is used.
func (c Credential) Kind() Kind { return c.kind }

// Covers reports whether the secret may be shown to u.
func (c Credential) Covers(u *url.URL) bool { return c.secret != nil && c.reach.covers(u) }

// Header is what a request for u has to carry: the headers of a credential for pages, or none when
// it is of another kind or does not cover u.
func (c Credential) Header(u *url.URL) http.Header {
	if !c.forPages() || !c.Covers(u) {
		return nil
	}
	h, _ := headers(c.kind, c.secret()) // checked by Parse
	return h
}

// Reveal is the secret itself, for the client of a storage service: the query of a SAS without its
// "?", the account key, or the client id of an identity, which may be empty.
func (c Credential) Reveal() string {
	if c.secret == nil {
		return ""
	}
	return c.secret()
}

// String names kind and place.
func (c Credential) String() string {
	switch {
	case c.secret == nil:
		return "no credential"
	case c.kind == Secret:
		return string(c.kind)
	}
	return string(c.kind) + " for " + c.reach.String()
}

// MarshalText is String, for JSON and logs.
func (c Credential) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
